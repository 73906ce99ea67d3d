// SPDX-License-Identifier: MIT
//
// The single adapter of a process, created from its environment on first use.

#pragma once

#include <mutex>

#include "adapter/adapter.h"
#include "adapter/config.h"
#include "adapter/doorbell/doorbell_router.h"
#include "adapter/shim/device_failure.h"

namespace manactl::adapter {

class Simulator {
 public:
  // Created once and never destroyed: drivers call it until the process exits. An invalid
  // environment ends the process with one line on stderr.
  static Simulator& get();

  // To be called before the program unmaps memory. Does nothing if there is no adapter.
  static void handle_unmap(const void* at, std::size_t bytes);

  // To be called when the program exits. If the program has DPDK but never called the adapter,
  // records the release of DPDK and whether it lacks net_mana.
  static void handle_exit();

  const Config& config() const { return config_; }

  Adapter& adapter() { return adapter_; }

  VerbFaults& verb_faults() { return verb_faults_; }

  // Calls that create or destroy objects lock it; doorbells do not.
  std::mutex& control() { return control_; }

  // Starts to detect the doorbells of a queue. To be called after the queue was created.
  Result<> watch_doorbells(DoorbellPage& page, std::size_t port, Direction direction);

  // Rings the doorbells stored so far. To be called before a queue of the page is destroyed.
  void ring_pending(const DoorbellPage& page) { doorbells_.ring_pending(page); }

  // After the call, no thread reads the page.
  void remove_page(const DoorbellPage& page);

  DeviceFailure& failure() { return failure_; }

  // Rings a doorbell, for a trapped store or manactl_sim_ring(). False if there is no such page.
  bool ring(const void* page, std::uint32_t offset, std::uint64_t value) {
    return doorbells_.ring(page, offset, value);
  }

 private:
  Simulator(const Config& config, AdapterCounters& counters);
  bool needs_thread() const;
  bool needs_trap(const DoorbellRouter::Use& use) const;

  Config config_;
  Adapter adapter_;
  VerbFaults verb_faults_;
  std::mutex control_;
  DoorbellRouter doorbells_;
  bool started_ = false;
  DeviceFailure failure_;
};

}  // namespace manactl::adapter
