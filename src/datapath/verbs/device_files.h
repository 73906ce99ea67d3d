// SPDX-License-Identifier: MIT
//
// Reads the PCI slot and the network interfaces of an RDMA device from sysfs.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"

namespace manactl::datapath::verbs {

struct PortInfo {
  std::string device;           // "mana_0"
  std::string slot;             // "7870:00:00.0"
  std::uint32_t port = 0;       // counted from 1
  std::string interface;        // current name; empty if it is not in this network namespace
  std::optional<bool> up;       // nullopt if unknown
  std::uint64_t link_mbps = 0;  // 0 if unknown
};

struct Interface {
  std::string name;
  std::uint32_t port = 0;  // port number of the RDMA device, from 1
  MacAddress mac;
  std::optional<bool> up;       // nullopt if unknown
  std::uint64_t link_mbps = 0;  // 0 if unknown, as for most interfaces that are down
};

// The slot of the device with this ibdev_path; nullopt if it is not a PCI device or unreadable.
std::optional<PciAddress> slot_of(const std::string& path);

// The kernel's RDMA devices at this slot, including those that libibverbs does not support.
std::vector<std::string> rdma_devices_at(const PciAddress& pci);

// The interfaces of the device with this ibdev_path that are in this network namespace.
std::vector<Interface> interfaces_of(const std::string& path);

}  // namespace manactl::datapath::verbs
