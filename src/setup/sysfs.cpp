// SPDX-License-Identifier: MIT

#include "setup/sysfs.h"

#include <algorithm>

#include "base/text.h"

namespace manactl::setup {

std::string device_path(const std::string& id) {
  return "sys/bus/vmbus/devices/" + id;
}

std::string driver_path(const std::string& driver) {
  return "sys/bus/vmbus/drivers/" + driver;
}

Result<std::string> driver_of(const os::Files& files, const std::string& id) {
  auto driver = os::link_name(files, device_path(id) + "/driver");
  if (driver) return driver;
  if (driver.error().code != Errc::not_found) return driver;
  if (exists(files, device_path(id))) return std::string();
  return fail(Errc::not_found, fmt::format("VMBus channel {} does not exist", id));
}

Result<std::string> override_of(const os::Files& files, const std::string& id) {
  auto text = files.read(device_path(id) + "/driver_override");
  if (!text) return text;
  const auto name = trim(*text);
  return name == "(null)" ? std::string() : std::string(name);
}

std::optional<std::string> uio_of(const os::Files& files, const std::string& id) {
  const auto found = files.list(device_path(id) + "/uio");
  if (!found || found->empty()) return std::nullopt;
  return found->front();
}

std::optional<std::string> interface_of(const os::Files& files, const std::string& id) {
  const auto found = files.list(device_path(id) + "/net");
  if (!found || found->empty()) return std::nullopt;
  return found->front();
}

std::set<std::string> user_space_devices(const os::Files& files,
                                         const std::string& channel,
                                         const std::string& pci) {
  std::set<std::string> devices;
  const auto uio = channel.empty() ? std::nullopt : uio_of(files, channel);
  if (uio) devices.insert("/dev/" + *uio);
  if (pci.empty()) return devices;
  const auto verbs = files.list("sys/bus/pci/devices/" + pci + "/infiniband_verbs");
  for (const auto& name : verbs.value_or(std::vector<std::string>{})) {
    devices.insert("/dev/infiniband/" + name);
  }
  return devices;
}

Result<std::string> boot_id(const os::Files& files) {
  auto text = files.read("proc/sys/kernel/random/boot_id");
  if (!text) return text;
  return std::string(trim(*text));
}

bool has_name(const os::Link& link, const std::string& name) {
  const auto& others = link.alternative_names;
  return link.name == name || std::find(others.begin(), others.end(), name) != others.end();
}

Result<os::Link> find_link(const os::System& system, const std::string& name) {
  auto links = system.links.links();
  if (!links) return tl::unexpected<Error>(links.error());
  for (auto& link : *links) {
    if (has_name(link, name)) return std::move(link);
  }
  return fail(Errc::not_found, fmt::format("interface '{}' does not exist", printable(name)));
}

}  // namespace manactl::setup
