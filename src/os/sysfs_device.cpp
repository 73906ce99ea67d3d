// SPDX-License-Identifier: MIT

#include "os/sysfs_device.h"

#include <algorithm>

#include "base/text.h"

namespace manactl::os {

bool is_network_class(std::string_view text) {
  constexpr std::uint64_t kMaxClass = 0xffffff;
  constexpr unsigned kNetwork = 0x02;
  const auto code = parse_hex(text, kMaxClass);
  return code && (*code >> 16U) == kNetwork;
}

std::optional<PciDevice> pci_device(const SysfsDevice& source) {
  constexpr std::uint64_t kMaxId = 0xffff;
  constexpr std::uint64_t kMaxNode = 0xffff;
  const auto address = PciAddress::parse(source.name);
  const auto vendor = parse_hex(source.attribute("vendor"), kMaxId);
  const auto device = parse_hex(source.attribute("device"), kMaxId);
  const auto class_code = parse_hex(source.attribute("class"), 0xffffff);
  if (!address || !vendor || !device || !class_code) return std::nullopt;
  PciDevice found;
  found.address = *address;
  found.vendor = static_cast<std::uint16_t>(*vendor);
  found.device = static_cast<std::uint16_t>(*device);
  found.class_code = static_cast<std::uint32_t>(*class_code);
  found.driver = source.driver;
  // numa_node is "-1" if the machine has a single node or the firmware does not report the node.
  if (const auto node = parse_unsigned(source.attribute("numa_node"), kMaxNode)) {
    found.numa_node = static_cast<int>(*node);
  }
  found.path = source.path;
  return found;
}

std::optional<VmbusDevice> vmbus_device(const SysfsDevice& source) {
  auto id = VmbusId::parse(source.name);
  // Kernels before 4.14 named the directories vmbus_0_1.
  if (!id) id = VmbusId::parse(source.attribute("device_id"));
  const auto class_id = VmbusId::parse(source.attribute("class_id"));
  if (!id || !class_id) return std::nullopt;
  return VmbusDevice{*id, *class_id, source.driver, source.path};
}

void sort_by_address(std::vector<PciDevice>& devices) {
  std::ranges::sort(devices, {}, &PciDevice::address);
}

void sort_by_id(std::vector<VmbusDevice>& devices) {
  std::ranges::sort(devices, {}, &VmbusDevice::id);
}

}  // namespace manactl::os
