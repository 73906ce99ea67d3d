// SPDX-License-Identifier: MIT

#include <algorithm>

#include "base/text.h"
#include "os/devices.h"
#include "os/sysfs_device.h"

namespace manactl::os {
namespace {

class TreeDevices final : public Devices {
 public:
  explicit TreeDevices(const Files& files) : files_(files) {}

  Result<std::vector<PciDevice>> pci_network() const override;
  Result<std::vector<VmbusDevice>> vmbus_network() const override;

 private:
  // The entries of a device directory; empty if the machine has no such bus.
  Result<std::vector<std::string>> names(std::string_view dir) const;

  SysfsDevice device_at(const std::string& path) const;

  const Files& files_;
};

Result<std::vector<std::string>> TreeDevices::names(std::string_view dir) const {
  auto found = files_.list(dir);
  if (!found && found.error().code == Errc::not_found) return std::vector<std::string>{};
  return found;
}

// Unreadable attributes become empty, because the device may be removed at any time.
SysfsDevice TreeDevices::device_at(const std::string& path) const {
  SysfsDevice device;
  device.path = resolve(files_, path);
  device.name = path.substr(path.rfind('/') + 1);
  device.driver = link_name(files_, path + "/driver").value_or("");
  device.attribute = [this, path](const char* name) {
    return std::string(trim(files_.read(fmt::format("{}/{}", path, name), 4096).value_or("")));
  };
  return device;
}

Result<std::vector<PciDevice>> TreeDevices::pci_network() const {
  constexpr std::string_view kDirectory = "sys/bus/pci/devices";
  const auto found = names(kDirectory);
  if (!found) return tl::unexpected<Error>(found.error());
  std::vector<PciDevice> devices;
  for (const auto& name : *found) {
    const auto path = fmt::format("{}/{}", kDirectory, name);
    const auto class_text = files_.read(path + "/class", 4096);
    if (!class_text || !is_network_class(trim(*class_text))) continue;
    if (auto device = pci_device(device_at(path))) devices.push_back(std::move(*device));
  }
  sort_by_address(devices);
  return devices;
}

Result<std::vector<VmbusDevice>> TreeDevices::vmbus_network() const {
  constexpr std::string_view kDirectory = "sys/bus/vmbus/devices";
  const auto found = names(kDirectory);
  if (!found) return tl::unexpected<Error>(found.error());
  std::vector<VmbusDevice> devices;
  for (const auto& name : *found) {
    const auto path = fmt::format("{}/{}", kDirectory, name);
    const auto class_id = files_.read(path + "/class_id", 4096);
    if (!class_id || trim(*class_id) != kNetworkClassId) continue;
    if (auto device = vmbus_device(device_at(path))) devices.push_back(std::move(*device));
  }
  sort_by_id(devices);
  return devices;
}

}  // namespace

std::unique_ptr<Devices> open_tree_devices(const Files& files) {
  return std::make_unique<TreeDevices>(files);
}

}  // namespace manactl::os
