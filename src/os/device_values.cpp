// SPDX-License-Identifier: MIT

#include "os/device_values.h"

#include <algorithm>

#include "base/text.h"

namespace manactl::os {

bool is_network_class(std::string_view text) {
  constexpr std::uint64_t kMostClass = 0xffffff;
  constexpr unsigned kNetwork = 0x02;
  const auto code = parse_hex(text, kMostClass);
  return code && (*code >> 16U) == kNetwork;
}

std::optional<PciDevice> pci_device(const DeviceValues& values) {
  constexpr std::uint64_t kMostId = 0xffff;
  constexpr std::uint64_t kMostNode = 0xffff;
  const auto address = PciAddress::parse(values.name);
  const auto vendor = parse_hex(values.attribute("vendor"), kMostId);
  const auto device = parse_hex(values.attribute("device"), kMostId);
  const auto class_code = parse_hex(values.attribute("class"), 0xffffff);
  if (!address || !vendor || !device || !class_code) return std::nullopt;
  PciDevice found;
  found.address = *address;
  found.vendor = static_cast<std::uint16_t>(*vendor);
  found.device = static_cast<std::uint16_t>(*device);
  found.class_code = static_cast<std::uint32_t>(*class_code);
  found.driver = values.driver;
  // "-1" where the machine has one node or the firmware does not say.
  if (const auto node = parse_unsigned(values.attribute("numa_node"), kMostNode)) {
    found.numa_node = static_cast<int>(*node);
  }
  found.path = values.path;
  return found;
}

std::optional<VmbusDevice> vmbus_device(const DeviceValues& values) {
  auto id = VmbusId::parse(values.name);
  // Kernels before 4.14 numbered the directories: vmbus_0_1.
  if (!id) id = VmbusId::parse(values.attribute("device_id"));
  const auto class_id = VmbusId::parse(values.attribute("class_id"));
  if (!id || !class_id) return std::nullopt;
  return VmbusDevice{*id, *class_id, values.driver, values.path};
}

void sort_by_address(std::vector<PciDevice>& devices) {
  std::sort(devices.begin(), devices.end(), [](const PciDevice& a, const PciDevice& b) {
    return a.address < b.address;
  });
}

void sort_by_id(std::vector<VmbusDevice>& devices) {
  std::sort(devices.begin(), devices.end(), [](const VmbusDevice& a, const VmbusDevice& b) {
    return a.id < b.id;
  });
}

}  // namespace manactl::os
