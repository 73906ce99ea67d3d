// SPDX-License-Identifier: MIT
//
// What the device is: its ports and limits, and the command line that says so.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "azure/model/fault_plan.h"
#include "base/ids.h"
#include "base/result.h"

namespace manactl::azure {

struct Options {
  std::string device;                // "/dev/azgdma"
  std::vector<MacAddress> macs;      // one per port
  std::uint32_t queues = 16;         // SQs and RQs of a port
  std::uint16_t mtu = 1500;          // the largest; frames have 14 bytes more
  std::uint32_t hwc_timeout_ms = 0;  // told to drivers that ask; 0: not offered
  std::vector<Fault> faults;
  std::string fault_file;  // read again before each message
  bool trace = false;
  std::string trace_file;  // stderr when empty
  bool help = false;
};

// Ports without a --mac get consecutive addresses from here.
inline constexpr MacAddress kFirstMac{{0x00, 0x0d, 0x3a, 0x76, 0x3b, 0xd0}};

std::string usage();
Result<Options> parse_options(const std::vector<std::string>& arguments);

}  // namespace manactl::azure
