// SPDX-License-Identifier: MIT
//
// The SIOCETHTOOL ioctl (linux/ethtool.h): which driver owns an interface, and its counters. Ask
// for interfaces that rtnetlink named: for a name that does not exist the kernel tries to load a
// module "netdev-NAME". Ethtool's own netlink family is never asked.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/result.h"

namespace manactl::os {

struct DriverInfo {
  std::string driver;    // "mana", "hv_netvsc"
  std::string version;   // the kernel's release for in-tree drivers
  std::string bus_info;  // PCI address of a VF; empty or a cut UUID for hv_netvsc
  std::string firmware;
};

using Counters = std::vector<std::pair<std::string, std::uint64_t>>;  // in the driver's order

class Ethtool {
 public:
  virtual ~Ethtool() = default;
  virtual Result<DriverInfo> driver(const InterfaceName& name) const = 0;
  virtual Result<Counters> counters(const InterfaceName& name) const = 0;
};

std::unique_ptr<Ethtool> open_ethtool();

}  // namespace manactl::os
