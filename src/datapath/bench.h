// SPDX-License-Identifier: MIT
//
// The one door to packets: a plan goes in, a report comes out. No rte_ or ibv_ name may appear
// outside the engines' own folders.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"

namespace manactl::datapath {

enum class Mode { tx, rx };

std::string_view name_of(Mode mode);

// What to measure and on which device. Nothing here is checked against the system yet.
struct BenchPlan {
  Mode mode = Mode::tx;
  std::vector<std::string> vdevs;  // EAL --vdev arguments: "net_null0", "7870:00:00.0,mac=..."
  std::optional<PciAddress> pci;   // with `mac`: a MANA port, as one --vdev argument
  std::optional<MacAddress> mac;
  std::optional<VmbusId> vmbus;  // the synthetic NIC in front of `pci`, for net_netvsc
  std::uint16_t queues = 1;      // rx and tx alike: net_mana wants them equal
  std::uint16_t descriptors = 256;
  std::uint16_t frame_bytes = 64;  // on the wire without preamble, with 4 bytes of FCS
  std::uint16_t burst = 32;
  double seconds = 10;
  double interval_seconds = 1;
  double warmup_seconds = 0;  // at the start; these intervals say nothing of the rate
  CpuList cpus;               // that may be used, the first is the main core; empty: run() asks
  bool hugepages = true;      // false: ordinary memory, slower, needs no privilege
};

struct Sample {
  double seconds = 0;  // length of the interval
  std::uint64_t packets = 0;
  std::uint64_t bytes = 0;   // with FCS
  std::uint64_t missed = 0;  // tx: not taken by the device; rx: dropped for want of descriptors
  std::uint64_t errors = 0;
};

struct BenchReport {
  std::string engine;         // "dpdk"
  std::string version;        // of DPDK
  std::string driver;         // "net_null"
  std::string template_mode;  // "shared": packets are finished once; "per-packet"
  std::vector<std::string> eal_arguments;
  std::vector<Sample> samples;  // one per interval, in order; tx: handed to the device
  std::vector<Sample> queues;   // whole run, one per queue
  Sample total;  // its packets are the sum of the queues unless a note says why not; losses are
                 // counted by the device, which may not know the queue
  double cycles_per_packet = 0;    // of the busy cores, 0 when unknown
  bool interrupted = false;        // stopped before its time: totals are what was measured
  std::vector<std::string> notes;  // "8 queues share 1 CPU: ..."
};

// Told while a run goes on, in the thread that called run(); both may be empty.
struct Progress {
  std::function<void()> started;  // everything is set up, and packets flow from now on
  std::function<void(const Sample&)> interval;
};

class Engine {
 public:
  virtual ~Engine() = default;

  // Blocks for the plan's time or until stop is asked (then within 100 ms).
  // Errc::unsupported, invalid, denied or busy before the first packet; never after it. A process
  // can run once: DPDK's environment cannot be started again.
  virtual Result<BenchReport> run(const BenchPlan& plan,
                                  std::stop_token stop,
                                  const Progress& progress) = 0;
};

// What is built in; asked without starting anything.
struct EngineInfo {
  std::string version;               // of DPDK: "22.11.11"; empty without
  std::string linkage;               // "static", "shared", "off"
  std::vector<std::string> drivers;  // "net_null", "net_af_packet", "bus_vdev"
};

EngineInfo engine_info();

// Errc::unsupported in a build without DPDK. One engine per process.
Result<std::unique_ptr<Engine>> make_engine();

}  // namespace manactl::datapath
