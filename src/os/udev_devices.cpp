// SPDX-License-Identifier: MIT

#include <libudev.h>

#include "os/devices.h"
#include "os/libudev.h"
#include "os/owned.h"
#include "os/sysfs_device.h"

namespace manactl::os {
namespace {

using Udev = Owned<udev, udev_unref>;
using Enumerate = Owned<udev_enumerate, udev_enumerate_unref>;
using Device = Owned<udev_device, udev_device_unref>;

std::string or_empty(const char* text) {
  return text == nullptr ? "" : text;
}

SysfsDevice convert_device(udev_device* device) {
  SysfsDevice result;
  result.name = or_empty(udev_device_get_sysname(device));
  const std::string path = or_empty(udev_device_get_syspath(device));
  result.path = path.substr(path.empty() ? 0 : 1);
  result.driver = or_empty(udev_device_get_driver(device));
  result.attribute = [device](const char* name) {
    return or_empty(udev_device_get_sysattr_value(device, name));
  };
  return result;
}

// Converts and returns the devices of `bus` whose `attribute` matches `pattern` (fnmatch(3)).
template <class T>
Result<std::vector<T>> devices_of(const char* bus,
                                  const char* attribute,
                                  const std::string& pattern,
                                  std::optional<T> (*convert)(const SysfsDevice&)) {
  const Udev context(udev_new());
  if (!context) return fail(Errc::io, "cannot initialize libudev");
  const Enumerate search(udev_enumerate_new(context.get()));
  if (!search) return fail(Errc::io, "libudev cannot start a search");
  int code = udev_enumerate_add_match_subsystem(search.get(), bus);
  if (code >= 0) {
    code = udev_enumerate_add_match_sysattr(search.get(), attribute, pattern.c_str());
  }
  if (code >= 0) code = udev_enumerate_scan_devices(search.get());
  if (code < 0) return fail_errno(-code, fmt::format("libudev cannot list the {} bus", bus));
  std::vector<T> found;
  for (auto* entry = udev_enumerate_get_list_entry(search.get()); entry != nullptr;
       entry = udev_list_entry_get_next(entry)) {
    const Device device(
        udev_device_new_from_syspath(context.get(), udev_list_entry_get_name(entry)));
    if (!device) continue;  // the device was removed
    if (auto one = convert(convert_device(device.get()))) found.push_back(std::move(*one));
  }
  return found;
}

class UdevDevices final : public Devices {
 public:
  UdevDevices(const Files& files, std::string (*obstacle)())
      : obstacle_(obstacle), sysfs_(open_tree_devices(files)) {}

  Result<std::vector<PciDevice>> pci_network() const override {
    if (!obstacle_().empty()) return sysfs_->pci_network();
    auto found = devices_of("pci", "class", "0x02????", pci_device);
    if (found) sort_by_address(*found);
    return found;
  }

  Result<std::vector<VmbusDevice>> vmbus_network() const override {
    if (!obstacle_().empty()) return sysfs_->vmbus_network();
    auto found = devices_of("vmbus", "class_id", std::string(kNetworkClassId), vmbus_device);
    if (found) sort_by_id(*found);
    return found;
  }

  std::string fallback_reason() const override {
    const auto why = obstacle_();
    if (why.empty()) return {};
    return fmt::format("devices are read from sysfs, because libudev is not available ({})", why);
  }

 private:
  std::string (*obstacle_)();
  std::unique_ptr<Devices> sysfs_;  // without libudev
};

}  // namespace

std::unique_ptr<Devices> open_live_devices(const Files& files, std::string (*obstacle)()) {
  return std::make_unique<UdevDevices>(files, obstacle);
}

}  // namespace manactl::os
