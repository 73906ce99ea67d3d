// SPDX-License-Identifier: MIT
//
// The ports of a session on DPDK, with their pools and lanes, and EAL's lcores as workers.

#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "datapath/dpdk/device_watcher.h"
#include "datapath/dpdk/eal.h"
#include "datapath/dpdk/instructions.h"
#include "datapath/dpdk/modes.h"
#include "datapath/dpdk/pool.h"
#include "datapath/dpdk/port.h"
#include "datapath/measure/session.h"

namespace manactl::datapath::dpdk {

class DpdkPorts final : public EnginePorts {
 public:
  Result<> open(const BenchPlan& plan, BenchReport& report) override;
  std::vector<BaseLane*> lanes() override;
  bool are_physical() const override;
  DrainLimits drain_limits() const override;
  Result<> start_worker(std::size_t index, Worker& worker) override;
  void join_worker(std::size_t index, Worker& worker) override;
  ReportedCount instructions(std::size_t index) const override;
  void begin_trial() override;
  void set_device_counts(Interval& now) const override;

  std::vector<Event> take_events() override { return watcher_->take(); }

  std::vector<std::optional<PortCount>> finish(Trial& trial) override;

 private:
  struct PortPools {
    std::vector<Pool> queues;  // one pool per queue: packets to send or, if none, receive buffers
    Pool ring;                 // receive buffers of a port that generates packets
  };

  // An lcore. Its thread lives as long as the process.
  struct Thread {
    Work work = nullptr;
    Worker* worker = nullptr;
    Instructions instructions;
  };

  static int run_thread(void* thread);

  Result<> start_port(unsigned number);
  void make_lanes();
  Result<> make_packets();

  const BenchPlan* plan_ = nullptr;
  const ModeBursts* bursts_ = nullptr;
  // Destroyed in reverse order: DPDK requires that ports are closed before their pools are freed.
  std::optional<Eal> eal_;
  std::vector<PortPools> pools_;
  std::vector<Port> ports_;
  std::vector<Lane> lanes_;
  std::deque<Thread> threads_;
  std::optional<DeviceWatcher> watcher_;
};

}  // namespace manactl::datapath::dpdk
