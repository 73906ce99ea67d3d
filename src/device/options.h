// SPDX-License-Identifier: MIT
//
// The command line: ports and limits of the device, faults and traces.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "device/fault_plan.h"
#include "device/hostile.h"
#include "device/uplink.h"

namespace manactl::device {

inline constexpr std::uint16_t kEthernetHeader = 14;  // bytes of a frame in addition to its MTU
inline constexpr std::uint32_t kMaxPorts = 16, kMaxQueues = 64;  // queues of a kind per port

struct Options {
  std::string path;                   // the socket for QEMU
  std::string console;                // the socket for commands; empty: none
  std::string qtest;                  // the socket of x-pci-proxy-dev's QEMU; empty: vfio-user
  std::vector<MacAddress> macs;       // one per port
  std::uint32_t queues = 16;          // SQs and RQs per port
  std::uint16_t mtu = 1500;           // maximum
  std::uint32_t hwc_timeout_ms = 0;   // 0: the driver cannot query it
  std::uint32_t link_speed_mbps = 0;  // 0: the driver cannot query it
  std::vector<Fault> faults;
  std::optional<HostilePlan> hostile;
  std::vector<UplinkOption> uplinks;  // at most one per port
  std::string capture_file;           // empty: none
  bool trace = false;
  std::string trace_file;  // empty: stderr
  bool verbose = false;
  bool help = false;
};

// Ports without --mac get consecutive addresses from this one.
inline constexpr MacAddress kFirstMac{{0x00, 0x0d, 0x3a, 0x76, 0x3b, 0xd0}};

// `program` and `argument` are the names in the first line.
std::string usage(std::string_view program, std::string_view argument);
Result<Options> parse_options(const std::vector<std::string>& arguments);

}  // namespace manactl::device
