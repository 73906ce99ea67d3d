// SPDX-License-Identifier: MIT
//
// The worker threads of a session, each on a CPU with the lanes of that CPU.

#pragma once

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "datapath/measure.h"
#include "datapath/plan.h"
#include "datapath/verbs/port.h"

namespace manactl::datapath::verbs {

class Crew final : public Workers {
 public:
  // The lanes of the ports in their order belong to placement.worker_cpus; ports outlive the crew.
  Crew(Mode mode, const Placement& placement, const std::vector<std::unique_ptr<Port>>& ports);
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  ~Crew() override;

  const std::vector<Lane*>& lanes() const { return lanes_; }

  // The workers stand on their CPUs and wait for go(). To be called before each trial.
  Result<> launch();

  void go() override;
  void stop() override;
  Interval read() const override;
  std::vector<Event> take_events() override;

 private:
  struct Worker {
    unsigned cpu = 0;
    std::vector<Lane*> lanes;
    std::thread thread;
  };

  void work(Worker& worker);
  void take_late(Worker& worker) const;

  Burst burst_, drain_;
  const std::vector<std::unique_ptr<Port>>& ports_;
  std::vector<bool> lost_;  // of the ports, as far as it was told
  std::vector<Lane*> lanes_;
  std::vector<Worker> workers_;
  alignas(kOwnLines) std::atomic<Phase> phase_ = Phase::waiting;
  std::atomic<unsigned> ready_ = 0;
  std::atomic<unsigned> busy_ = 0;  // workers that may still send
  std::int64_t on_the_way_ = 0;     // packets of earlier trials, which were lost
  std::atomic<int> error_ = 0;      // errno of a thread that cannot run where it should
};

}  // namespace manactl::datapath::verbs
