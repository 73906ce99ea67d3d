// SPDX-License-Identifier: MIT

#include "setup/persist.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "setup/steps.h"

namespace manactl::setup {
namespace {

constexpr const char* kUnits = "/etc/systemd/system";
constexpr const char* kAtBoot = "/etc/systemd/system/multi-user.target.d";
constexpr const char* kTmpfiles = "/etc/tmpfiles.d";
constexpr const char* kNetworkd = "/etc/systemd/network";
constexpr const char* kNetworkManager = "/etc/NetworkManager/conf.d";
constexpr std::array kDirectories = {kUnits, kAtBoot, kTmpfiles, kNetworkd, kNetworkManager};

std::string header_of(const std::string& interface) {
  return fmt::format(
      "# Written by manactl for {}.\n"
      "# 'manactl restore {} --persist' removes this file and any change to it.\n",
      interface,
      interface);
}

bool has_header(std::string_view text, const std::string& interface) {
  if (interface.empty()) return text.starts_with("# Written by manactl for ");
  return text.starts_with(fmt::format("# Written by manactl for {}.\n", interface));
}

bool is_safe_in_unit(const std::string& name) {
  return !name.empty() && name.front() != '-' && name.front() != '.' &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '_' || c == '-' || c == '.';
         });
}

std::string command_of(const Request& request,
                       const std::string& program,
                       const std::string& name) {
  std::string command = program + " prepare " + name;
  if (request.vf_only) command += " --vf-only";
  if (request.mtu) command += fmt::format(" --mtu {}", *request.mtu);
  if (request.method == Method::driver_override) command += " --method driver-override";
  if (request.method == Method::new_id) command += " --method new-id";
  if (!request.force_interface.empty()) command += " --force-interface " + request.force_interface;
  return command;
}

// systemd-tmpfiles reserves the pages early in the boot, before memory is fragmented. The service
// unit therefore reserves none.
std::string tmpfiles_of(const Entry& entry) {
  std::string lines;
  for (const auto& step : entry.steps) {
    const auto reserved = hugepages_of(step);
    if (!reserved) continue;
    lines += fmt::format("w /{}/nr_hugepages - - - - {}\n",
                         reserved->pool,
                         reserved->pages + reserved->before.value_or(0));
  }
  return lines;
}

}  // namespace

Result<std::vector<PersistentFile>> persistent_files(const Request& request,
                                                     const Entry& entry,
                                                     const std::string& program,
                                                     const os::Files& files) {
  const std::string name = request.interface ? request.interface->str() : "hugepages";
  if (!is_safe_in_unit(name)) {
    return fail(
        Errc::invalid,
        fmt::format("'{}' cannot be part of the name of a systemd unit", printable(name, 60)));
  }
  if (!is_safe_in_unit(program.substr(program.rfind('/') + 1)) ||
      program.find_first_of(" \t\n%$\"'\\") != std::string::npos || !program.starts_with('/')) {
    return fail(Errc::invalid, "a systemd unit cannot contain the path of manactl");
  }
  const std::string header = header_of(name);
  std::vector<PersistentFile> found;
  const auto pages = tmpfiles_of(entry);
  if (!pages.empty()) found.push_back({kTmpfiles, "manactl-" + name + ".conf", header + pages});
  if (!request.interface) return found;
  const std::string unit = "manactl-prepare-" + name + ".service";
  // The unit starts after network-online.target, because the guard must see what the NIC carries.
  found.push_back({kUnits,
                   unit,
                   header + fmt::format("[Unit]\n"
                                        "Description=Prepare {} for MANA in user space\n"
                                        "Documentation=man:manactl-prepare(1)\n"
                                        "Wants=network-online.target\n"
                                        "After=network-online.target\n\n"
                                        "[Service]\n"
                                        "Type=oneshot\n"
                                        "RemainAfterExit=yes\n"
                                        "ExecStart={}\n",
                                        name,
                                        command_of(request, program, name))});
  found.push_back({kAtBoot, "manactl-" + name + ".conf", header + "[Unit]\nWants=" + unit + "\n"});
  found.push_back({kNetworkd,
                   "05-manactl-" + name + ".network",
                   header + fmt::format("[Match]\nDriver=mana\nMACAddress={}\n\n[Link]\n"
                                        "Unmanaged=yes\n",
                                        entry.nic.mac ? entry.nic.mac->str() : "")});
  if (exists(files, "etc/NetworkManager")) {
    found.push_back({kNetworkManager,
                     "90-manactl-" + name + ".conf",
                     header + "[keyfile]\nunmanaged-devices+=driver:mana\n"});
  }
  return found;
}

std::unique_ptr<os::DurableDirectory> Persistence::open(const std::string& directory) const {
  return os::open_durable_directory(root_ + directory, os::DirectoryAccess::world_readable);
}

Result<> Persistence::write(const std::vector<PersistentFile>& files) const {
  std::vector<PersistentFile> written;
  Result<> result;
  for (const auto& file : files) {
    const auto directory = open(file.directory);
    const auto existing = directory->read(file.name);
    if (existing && !has_header(*existing, "")) {
      result = fail(Errc::denied,
                    fmt::format("'{}' exists and was not written by manactl", file.path()));
    } else {
      result = directory->replace(file.name, file.text);
    }
    if (!result) break;
    if (!existing) written.push_back(file);
  }
  if (result) return result;
  for (const auto& file : written) (void)open(file.directory)->remove(file.name);
  return result;
}

Result<std::vector<std::string>> Persistence::list(const std::string& interface) const {
  std::vector<std::string> paths;
  for (const std::string directory : kDirectories) {
    const auto files = open(directory);
    const auto names = files->list();
    if (!names) continue;  // manactl writes nothing to a directory that other users may write to
    for (const auto& name : *names) {
      if (name.find("manactl-") == std::string::npos) continue;
      const auto text = files->read(name);
      if (text && has_header(*text, interface))
        paths.push_back(fmt::format("{}/{}", directory, name));
    }
  }
  return paths;
}

Result<std::vector<std::string>> Persistence::remove(const std::string& interface) const {
  auto paths = list(interface);
  if (!paths) return paths;
  for (const auto& path : *paths) {
    const auto slash = path.rfind('/');
    const auto removed = open(path.substr(0, slash))->remove(path.substr(slash + 1));
    if (!removed) return tl::unexpected<Error>(removed.error());
  }
  return paths;
}

}  // namespace manactl::setup
