// SPDX-License-Identifier: MIT
//
// The one adapter of a process, set up from its environment when it is first asked for.

#pragma once

#include <map>
#include <mutex>
#include <vector>

#include "adapter/adapter.h"
#include "adapter/config.h"
#include "adapter/doorbell_page.h"

namespace manactl::adapter {

class Simulator {
 public:
  // Made once and never destroyed: drivers call until the very end of a process. What is wrong with
  // the environment ends the process with one line.
  static Simulator& get();

  const Config& config() const { return config_; }

  Adapter& adapter() { return adapter_; }

  VerbFaults& verb_faults() { return verb_faults_; }

  // Calls that make and destroy things take it; doorbells do not.
  std::mutex& control() { return control_; }

  // A queue of this direction was made with the page. Finds its doorbells from now on.
  Result<> watch(DoorbellPage& page, std::size_t port, Direction direction);

  // The page is not looked at any more when it returns.
  void forget(const DoorbellPage& page);

  // What a planned end of the device calls, from a thread of its own, until `who` is forgotten.
  void listen(const void* who, std::function<void()> fatal);
  void forget(const void* who);

  // A store that was trapped or a call of the program. False: no such page.
  bool ring(const void* page, std::uint32_t offset, std::uint64_t value);

 private:
  struct Watched {
    DoorbellPage* page = nullptr;
    std::size_t port = 0;
    unsigned senders = 0, receivers = 0;
  };

  Simulator(const Config& config, Ledger& ledger);
  std::size_t look();
  void start_clock();
  void report_fatal();
  bool wants_trap(const Watched& watched) const;

  Config config_;
  Adapter adapter_;
  VerbFaults verb_faults_;
  std::mutex control_;
  std::mutex pages_mutex_;
  std::vector<Watched> pages_;
  bool started_ = false;
  bool clock_started_ = false;
  std::mutex listeners_mutex_;
  std::map<const void*, std::function<void()>> listeners_;
};

}  // namespace manactl::adapter
