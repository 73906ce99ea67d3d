// SPDX-License-Identifier: MIT
//
// Settings of the adapter: words of the form "key=value". The launcher passes them to the library
// in one environment variable. All are optional; `fault`, `write` and `tap` can be repeated.

#pragma once

#include <string>
#include <vector>

#include "adapter/fault_plan.h"
#include "adapter/port.h"

namespace manactl::adapter {

inline constexpr const char* kConfigVariable = "MANACTL_SIM_SETUP";

enum class BackendKind : std::uint8_t { sink, loopback, cross, generator, pcap, tap };

// How the driver's stores into the doorbell page are detected.
enum class DoorbellSource : std::uint8_t {
  automatic,  // poll if engine=threaded and no queues share a register; otherwise trap
  poll,       // a thread reads the page; loses doorbells if queues share a register
  trap,       // every store raises SIGSEGV, which the library handles
  call        // the program calls manactl_sim_ring()
};

struct Config {
  std::uint32_t ports = 1;
  std::uint32_t queues = kQueuesPerPort;                 // per port
  MacAddress mac{{0x00, 0x0d, 0x3a, 0x76, 0x3b, 0xd0}};  // of port 0; port N has this + N
  Threading threading = Threading::direct;
  DoorbellSource doorbell = DoorbellSource::automatic;
  BackendKind backend = BackendKind::sink;
  std::uint16_t frame_bytes = 60;     // backend generator: bytes per frame
  std::uint64_t frames = UINT64_MAX;  // frames to deliver; default: no limit, pcap: the file once
  std::uint32_t part_id = 2;          // vendor_part_id of the device; 2 is the Ethernet function
  std::uint32_t coalesce = 1;         // packets per receive completion: 1, 4 or 8
  LinkModel link;
  std::string root;             // path of the sysfs tree; empty: the real /sys
  int counters = -1;            // descriptor of the shared counters; -1: none
  int read = -1;                // backend pcap: descriptor of the capture to play
  std::vector<int> write, tap;  // descriptors of recorded captures and TAP interfaces, one per port
  std::vector<Fault> faults;

  static Result<Config> parse(std::string_view text);

  // Checks one setting, whose key must exist. parse() also checks combinations.
  static Result<> check(std::string_view key, std::string_view value);

  MacAddress mac_of(std::uint32_t port) const;
};

}  // namespace manactl::adapter
