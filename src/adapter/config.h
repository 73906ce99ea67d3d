// SPDX-License-Identifier: MIT
//
// How the adapter is set up: words "key=value", as the launcher hands them to the library in one
// variable. Each has its default; a fault may come several times.

#pragma once

#include <string>
#include <vector>

#include "adapter/fault_plan.h"
#include "adapter/port.h"

namespace manactl::adapter {

inline constexpr const char* kConfigVariable = "MANACTL_SIM_SETUP";

enum class BackendKind : std::uint8_t { sink, loopback, cross, generator, pcap, tap };

// How a driver's stores into the doorbell page are noticed.
enum class DoorbellSource : std::uint8_t {
  automatic,  // poll while nothing can be lost, else trap
  poll,       // the thread looks: loses doorbells of several queues
  trap,       // every store is a fault that the library handles
  call        // the program calls the library
};

struct Config {
  std::uint32_t ports = 1;
  std::uint32_t queues = kQueuesPerPort;                 // of a port
  MacAddress mac{{0x00, 0x0d, 0x3a, 0x76, 0x3b, 0xd0}};  // of the first port; then upwards
  Engine engine = Engine::direct;
  DoorbellSource doorbell = DoorbellSource::automatic;
  BackendKind backend = BackendKind::sink;
  std::uint16_t frame_bytes = 60;     // generator
  std::uint64_t frames = UINT64_MAX;  // generator: no end; pcap: each once
  std::uint32_t part_id = 2;          // vendor_part_id: the Ethernet function
  std::uint32_t coalesce = 1;         // packets of a receive completion: 1, 4 or 8
  LinkModel link;
  std::string root;             // of the device tree; empty: the machine's own
  int ledger = -1;              // descriptor of the shared counters; -1: nobody reads them
  int read = -1;                // backend pcap: descriptor of a capture
  std::vector<int> write, tap;  // descriptors, one for each port: captures, interfaces
  std::vector<Fault> faults;

  static Result<Config> parse(std::string_view text);

  // One setting by itself; whether it goes with the others is left to parse().
  static Result<> check(std::string_view key, std::string_view value);

  MacAddress mac_of(std::uint32_t port) const;
};

}  // namespace manactl::adapter
