// SPDX-License-Identifier: MIT
//
// From sysfs texts to device structures: the one place that libudev and the walked tree share, so
// that they cannot differ in what a text means.

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "os/devices.h"

namespace manactl::os {

// As sysfs class_id prints it.
inline constexpr std::string_view kNetworkClassId = "{f8615163-df3e-46c5-913f-f2d2f965ed0e}";

struct DeviceValues {
  std::string name, path, driver;
  std::function<std::string(const char*)> attribute;  // empty when there is none
};

bool is_network_class(std::string_view text);  // "0x020000"

// Nothing when the texts are not those of a device: it vanished meanwhile.
std::optional<PciDevice> pci_device(const DeviceValues& values);
std::optional<VmbusDevice> vmbus_device(const DeviceValues& values);

void sort_by_address(std::vector<PciDevice>& devices);
void sort_by_id(std::vector<VmbusDevice>& devices);

}  // namespace manactl::os
