// SPDX-License-Identifier: MIT
//
// The ports of a session of the verbs engine, and the threads that run their bursts. make_engine()
// is in engine.cpp.

#pragma once

#include <deque>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "datapath/measure/session.h"
#include "datapath/verbs/modes.h"
#include "datapath/verbs/port.h"

namespace manactl::datapath::verbs {

class VerbsPorts final : public EnginePorts {
 public:
  explicit VerbsPorts(OpenPort open) : open_(std::move(open)) {}

  Result<> open(const BenchPlan& plan, BenchReport& report) override;
  std::vector<BaseLane*> lanes() override;
  bool are_physical() const override;
  DrainLimits drain_limits() const override;
  Result<> start_worker(std::size_t index, Worker& worker) override;
  void join_worker(std::size_t index, Worker& worker) override;
  std::vector<Event> take_events() override;
  std::vector<std::optional<PortCount>> finish(Trial& trial) override;

 private:
  bool try_reopen(std::size_t port);

  OpenPort open_;
  const BenchPlan* plan_ = nullptr;
  const ModeBursts* bursts_ = nullptr;
  std::vector<std::unique_ptr<Port>> ports_;
  std::vector<Lane*> lanes_;
  std::vector<bool> absent_;  // ports whose device was removed and has not returned
  std::deque<std::thread> threads_;
};

// The verbs engine with a replaceable way to open ports, for tests.
std::unique_ptr<Engine> make_engine(OpenPort open, std::string version);

}  // namespace manactl::datapath::verbs
