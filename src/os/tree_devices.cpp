// SPDX-License-Identifier: MIT

#include <algorithm>

#include "base/text.h"
#include "os/device_values.h"
#include "os/devices.h"

namespace manactl::os {
namespace {

class TreeDevices final : public Devices {
 public:
  explicit TreeDevices(const Files& files) : files_(files) {}

  Result<std::vector<PciDevice>> pci_network() const override;
  Result<std::vector<VmbusDevice>> vmbus_network() const override;

 private:
  // The names in a bus's devices directory; none when the machine has no such bus.
  Result<std::vector<std::string>> names(std::string_view dir) const;

  DeviceValues values(const std::string& path) const;

  const Files& files_;
};

Result<std::vector<std::string>> TreeDevices::names(std::string_view dir) const {
  auto found = files_.list(dir);
  if (!found && found.error().code == Errc::not_found) return std::vector<std::string>{};
  return found;
}

// What cannot be read is empty: a device may be removed while it is looked at.
DeviceValues TreeDevices::values(const std::string& path) const {
  DeviceValues values;
  values.path = resolve(files_, path);
  values.name = path.substr(path.rfind('/') + 1);
  values.driver = link_name(files_, path + "/driver").value_or("");
  values.attribute = [this, path](const char* name) {
    return std::string(trim(files_.read(fmt::format("{}/{}", path, name), 4096).value_or("")));
  };
  return values;
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
    if (auto device = pci_device(values(path))) devices.push_back(std::move(*device));
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
    if (auto device = vmbus_device(values(path))) devices.push_back(std::move(*device));
  }
  sort_by_id(devices);
  return devices;
}

}  // namespace

std::unique_ptr<Devices> open_tree_devices(const Files& files) {
  return std::make_unique<TreeDevices>(files);
}

}  // namespace manactl::os
