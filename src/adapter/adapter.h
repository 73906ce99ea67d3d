// SPDX-License-Identifier: MIT
//
// The adapter: ports, memory regions, and the thread that works for them if one is wanted.

#pragma once

#include <stop_token>
#include <thread>

#include "adapter/backends.h"
#include "adapter/port.h"

namespace manactl::adapter {

struct PortSetup {
  MacAddress mac;
  std::uint32_t vport_offset = 1;  // 1 to 255
};

struct AdapterSetup {
  std::vector<PortSetup> ports;
  Engine engine = Engine::direct;
  std::uint32_t mtu = 9000;
  std::uint32_t coalesce = 1;  // packets of a receive completion: 1, 4 or 8
  LinkModel link;
};

// A thread that takes no signals: they are the program's.
std::jthread start_without_signals(std::function<void(const std::stop_token&)> work);

class Adapter {
 public:
  // `ledger` outlives the adapter. At most kMaxPorts ports, all connected to a sink.
  Adapter(const AdapterSetup& setup, Ledger& ledger);
  ~Adapter();
  Adapter(const Adapter&) = delete;
  Adapter& operator=(const Adapter&) = delete;

  // When all ports are connected. The thread calls `watch` in each round, which answers how much
  // there was to do. With Engine::direct it only sees to what comes by itself: frames of a slow
  // cable or from outside, and late doorbells.
  void start(std::function<std::size_t()> watch = {});
  void stop();

  std::size_t ports() const { return ports_.size(); }

  Port& port(std::size_t index) { return *ports_[index]; }

  MemoryTable& memory() { return memory_; }

  Checker& checker() { return checker_; }

  DataFaults& faults(std::size_t index) { return *faults_[index]; }

  // All ports once.
  std::size_t run(std::size_t budget = kBudget);

  // Engine::manual: does what happens within so many nanoseconds of made-up time, each at its time.
  void step(std::uint64_t nanoseconds);

  // Nanoseconds since the adapter was made; of made-up time with Engine::manual.
  const Clock& clock() const { return *clock_; }

  // The device is gone: see Port::halt().
  void halt();

  // See Port::lose().
  void lose(const Extent& memory);

 private:
  static constexpr std::size_t kBudget = 64;

  void work(const std::stop_token& stop, const std::function<std::size_t()>& watch);

  Engine engine_;
  VirtualClock made_up_;
  SteadyClock steady_;
  const Clock* clock_;
  MemoryTable memory_;
  Checker checker_;
  std::atomic<std::uint32_t> generations_{0};
  std::vector<std::unique_ptr<DataFaults>> faults_;
  std::vector<std::unique_ptr<Port>> ports_;
  std::jthread thread_;
};

}  // namespace manactl::adapter
