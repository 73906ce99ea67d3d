// SPDX-License-Identifier: MIT
//
// The driver and the statistics of an interface from the SIOCETHTOOL ioctl (linux/ethtool.h). Use
// only names that rtnetlink has listed: for an unknown name the kernel tries to load the module
// "netdev-NAME" (dev_load, net/core/dev_ioctl.c).

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
  std::string version;   // the kernel release for in-tree drivers
  std::string bus_info;  // the PCI address of a VF; empty or a truncated UUID for hv_netvsc
  std::string firmware;
};

using Counters = std::vector<std::pair<std::string, std::uint64_t>>;  // in the order of the driver

class Ethtool {
 public:
  virtual ~Ethtool() = default;

  // Errc::not_found if there is no such interface; Errc::invalid for alternative names of 16 bytes
  // and more, which the ioctl does not support.
  virtual Result<DriverInfo> driver(const InterfaceName& name) const = 0;
  virtual Result<Counters> counters(const InterfaceName& name) const = 0;

  // The values of counters() without the names, which take most of its time. If their number has
  // not changed since the last call of counters(), nor have the names. By default, calls
  // counters().
  virtual Result<std::vector<std::uint64_t>> counter_values(const InterfaceName& name) const;
};

std::unique_ptr<Ethtool> open_ethtool();

}  // namespace manactl::os
