// SPDX-License-Identifier: MIT

#include "setup/persist.h"

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/text.h"
#include "setup/boot_hugepages.h"

namespace manactl::setup {
namespace {

constexpr std::string_view kHeader = "# Written by manactl for ";
constexpr std::array<std::string_view, 6> kDirectories = {
    kUnitFiles, kBootTarget, kTmpfiles, kNetworkdFiles, kNetworkManagerFiles, kUdevRules};

}  // namespace

std::string tuning_name(const std::string& interface) {
  return interface + " (tune)";
}

std::string header_of(const std::string& interface) {
  return fmt::format(
      "{}{}.\n"
      "# 'manactl restore {}' removes this file and any change to it.\n",
      kHeader,
      interface,
      interface.substr(0, interface.find(' ')));
}

bool has_header(std::string_view text, const std::string& interface) {
  if (interface.empty()) return text.starts_with(kHeader);
  return text.starts_with(fmt::format("{}{}.\n", kHeader, interface));
}

std::unique_ptr<os::DurableDirectory> Persistence::open(const std::string& directory) const {
  return os::open_durable_directory(root_ + directory, os::DirectoryAccess::world_readable);
}

Result<> Persistence::write(const std::vector<PersistentFile>& files) const {
  std::vector<PersistentFile> written;
  Result<> result;
  for (const auto& file : files) {
    if (std::ranges::find(kDirectories, file.directory) == kDirectories.end()) {
      result =
          fail(Errc::invalid,
               fmt::format("'{}' is not a directory of boot files", printable(file.directory)));
      break;
    }
    const auto directory = open(file.directory);
    const auto existing = directory->read(file.name);
    if (!existing && existing.error().sys != ENOENT) {
      result = tl::unexpected<Error>(existing.error());  // a link, or a file of another user
    } else if (existing && !has_header(*existing, "")) {
      result = fail(Errc::denied,
                    fmt::format("'{}' exists and was not written by manactl", file.path()));
    } else {
      result = directory->replace(file.name, file.text);
    }
    if (!result) break;
    if (!existing) written.push_back(file);
  }
  if (result) result = share_hugepages({});
  if (result) return result;
  for (const auto& file : written) (void)open(file.directory)->remove(file.name);
  return result;
}

std::vector<std::string> Persistence::list(const std::string& interface) const {
  std::vector<std::string> paths;
  for (const auto directory : kDirectories) {
    const auto files = open(std::string(directory));
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

Result<std::vector<std::string>> Persistence::replace(
    const std::string& interface, const std::vector<PersistentFile>& files) const {
  const auto written = write(files);
  if (!written) return tl::unexpected<Error>(written.error());
  auto others = list(interface);
  for (const auto& file : files) std::erase(others, file.path());
  for (const auto& path : others) {
    const auto removed = remove_file(path);
    if (!removed) return tl::unexpected<Error>(removed.error());
  }
  return others;
}

std::string Persistence::interface_of(const std::string& channel) const {
  for (const auto& path : list("")) {
    const auto slash = path.rfind('/');
    const auto text = open(path.substr(0, slash))->read(path.substr(slash + 1)).value_or("");
    if (text.find(channel) == std::string::npos || !has_header(text, "")) continue;
    const auto name = text.substr(kHeader.size(), text.find('\n') - kHeader.size());
    return name.substr(0, std::min(name.find(' '), name.rfind('.')));
  }
  return {};
}

Result<std::vector<std::string>> Persistence::remove(const std::string& interface) const {
  auto paths = list(interface);
  // Before the only line for a pool is removed.
  const auto shared = interface.empty() ? Result<>() : share_hugepages(interface);
  if (!shared) return tl::unexpected<Error>(shared.error());
  for (const auto& path : paths) {
    const auto removed = remove_file(path);
    if (!removed) return tl::unexpected<Error>(removed.error());
  }
  return paths;
}

Result<> Persistence::remove_file(const std::string& path) const {
  const auto slash = path.rfind('/');
  return open(path.substr(0, slash))->remove(path.substr(slash + 1));
}

Result<> Persistence::share_hugepages(const std::string& without) const {
  const auto directory = open(kTmpfiles);
  auto paths = list("");
  std::ranges::sort(paths);
  std::vector<std::string> names, texts;
  for (const auto& path : paths) {
    const auto slash = path.rfind('/');
    auto name = path.substr(slash + 1);
    const auto text = directory->read(name);
    if (path.substr(0, slash) != kTmpfiles || !text) continue;
    if (!without.empty() && has_header(*text, without)) continue;
    names.push_back(std::move(name));
    texts.push_back(*text);
  }
  const auto before = texts;
  share_pools(texts);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (texts[i] == before[i]) continue;
    const auto replaced = directory->replace(names[i], texts[i]);
    if (!replaced) return because(replaced.error(), "cannot change the hugepages of other NICs");
  }
  return {};
}

}  // namespace manactl::setup
