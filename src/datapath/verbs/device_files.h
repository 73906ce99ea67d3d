// SPDX-License-Identifier: MIT
//
// What sysfs tells of an RDMA device: the slot it is in, and the interfaces of its ports.

#pragma once

#include <string>
#include <vector>

#include "base/ids.h"
#include "datapath/verbs/refusal.h"

namespace manactl::datapath::verbs {

struct Interface {
  std::string name;
  std::uint32_t port = 0;  // of the RDMA device, from 1
  MacAddress mac;
  std::optional<bool> up;       // absent when it cannot be read
  std::uint64_t link_mbps = 0;  // 0: not known, as of most that are down
};

// `path` is the ibdev_path of a device. Absent: it is in no slot, or that cannot be read.
std::optional<PciAddress> slot_of(const std::string& path);

// Names of those that the kernel has in this slot, whatever libibverbs makes of them.
std::vector<std::string> rdma_devices_at(const PciAddress& pci);

// Those that this network namespace sees.
std::vector<Interface> interfaces_of(const std::string& path);

}  // namespace manactl::datapath::verbs
