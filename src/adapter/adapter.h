// SPDX-License-Identifier: MIT
//
// The software adapter: its ports, its memory regions, and an optional thread that runs them.

#pragma once

#include <stop_token>
#include <thread>

#include "adapter/port.h"

namespace manactl::adapter {

struct PortSetup {
  MacAddress mac;
  // 1 to 255, so that it fits in the short form of an OOB. In the long form too, drivers set only
  // the short field for such an offset (mana_start_xmit() of Linux, mana_tx_burst() of DPDK).
  std::uint32_t vport_offset = 1;
};

struct AdapterSetup {
  std::vector<PortSetup> ports;
  Threading threading = Threading::direct;
  std::uint32_t mtu = 9000;
  std::uint32_t coalesce = 1;  // packets per receive completion: 1, 4 or 8
  LinkModel link;
};

// Starts a thread that blocks all signals, so that only the program's own threads handle signals.
std::jthread start_without_signals(std::function<void(const std::stop_token&)> work);

class Adapter {
 public:
  // `counters` must outlive the adapter. `setup` has at most kMaxPorts ports. A port discards the
  // frames that it sends until Port::connect() is called.
  Adapter(const AdapterSetup& setup, AdapterCounters& counters);
  ~Adapter();
  Adapter(const Adapter&) = delete;
  Adapter& operator=(const Adapter&) = delete;

  // Starts the thread; all ports must be connected. Each round first calls `poll`, which returns
  // the number of events that it handled. With Threading::direct, the thread handles only delayed
  // or rate-limited frames, frames from TAP interfaces, and delayed doorbells.
  void start(std::function<std::size_t()> poll = {});
  void stop();

  std::size_t ports() const { return ports_.size(); }

  Port& port(std::size_t index) { return *ports_[index]; }

  MemoryTable& memory() { return memory_; }

  Checker& checker() { return checker_; }

  DataFaults& faults(std::size_t index) { return *faults_[index]; }

  // Runs all ports once; returns the number of events handled.
  std::size_t run(std::size_t budget = kBudget);

  // For Threading::manual: advances the virtual clock and handles each event when it is due.
  void step(std::uint64_t nanoseconds);

  // Nanoseconds since the adapter was created; virtual time with Threading::manual.
  const Clock& clock() const { return *clock_; }

  // Stops all queues: see Port::halt().
  void halt();

  // See Port::halt_queues_in().
  void halt_queues_in(const Extent& memory);

 private:
  static constexpr std::size_t kBudget = 64;

  void work(const std::stop_token& stop, const std::function<std::size_t()>& poll);

  Threading threading_;
  VirtualClock virtual_clock_;
  SteadyClock steady_clock_;
  const Clock* clock_;
  MemoryTable memory_;
  Checker checker_;
  std::atomic<std::uint32_t> generations_{0};
  std::vector<std::unique_ptr<DataFaults>> faults_;
  std::vector<std::unique_ptr<Port>> ports_;
  std::jthread thread_;
};

}  // namespace manactl::adapter
