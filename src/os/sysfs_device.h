// SPDX-License-Identifier: MIT
//
// Converts sysfs attributes to the structures of devices.h. Both sources of devices (libudev and a
// sysfs tree) use it, so that they interpret attributes in the same way.

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "os/devices.h"

namespace manactl::os {

// The VMBus class of synthetic NICs (HV_NIC_GUID, linux/hyperv.h) in the format of class_id.
inline constexpr std::string_view kNetworkClassId = "{f8615163-df3e-46c5-913f-f2d2f965ed0e}";

struct SysfsDevice {
  std::string name, path, driver;
  std::function<std::string(const char*)> attribute;  // value by name; empty if it does not exist
};

// Whether the PCI class, such as "0x020000", is of base class 02.
bool is_network_class(std::string_view text);

// Empty if an attribute is missing or malformed, for example because the device was removed.
std::optional<PciDevice> pci_device(const SysfsDevice& source);
std::optional<VmbusDevice> vmbus_device(const SysfsDevice& source);

void sort_by_address(std::vector<PciDevice>& devices);
void sort_by_id(std::vector<VmbusDevice>& devices);

}  // namespace manactl::os
