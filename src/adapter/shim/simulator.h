// SPDX-License-Identifier: MIT
//
// The one adapter of a process, set up from its environment when it is first asked for.

#pragma once

#include <mutex>

#include "adapter/adapter.h"
#include "adapter/config.h"
#include "adapter/doorbells.h"
#include "adapter/shim/device_end.h"

namespace manactl::adapter {

class Simulator {
 public:
  // Made once and never destroyed: drivers call until the very end of a process. What is wrong with
  // the environment ends the process with one line.
  static Simulator& get();

  // The program unmaps memory; nothing when it does not use the adapter.
  static void lose(const void* at, std::size_t bytes);

  const Config& config() const { return config_; }

  Adapter& adapter() { return adapter_; }

  VerbFaults& verb_faults() { return verb_faults_; }

  // Calls that make and destroy things take it; doorbells do not.
  std::mutex& control() { return control_; }

  // A queue of this direction was made with the page. Finds its doorbells from now on.
  Result<> watch(DoorbellPage& page, std::size_t port, Direction direction);

  // A queue of the page is about to go: what was stored for it so far is not lost.
  void settle(const DoorbellPage& page) { doorbells_.settle(page); }

  // The page is not looked at any more when it returns.
  void forget(const DoorbellPage& page);

  DeviceEnd& end() { return end_; }

  // A store that was trapped or a call of the program. False: no such page.
  bool ring(const void* page, std::uint32_t offset, std::uint64_t value) {
    return doorbells_.ring(page, offset, value);
  }

 private:
  Simulator(const Config& config, Ledger& ledger);
  bool wants_thread() const;
  bool wants_trap(const Doorbells::Use& use) const;

  Config config_;
  Adapter adapter_;
  VerbFaults verb_faults_;
  std::mutex control_;
  Doorbells doorbells_;
  bool started_ = false;
  DeviceEnd end_;
};

}  // namespace manactl::adapter
