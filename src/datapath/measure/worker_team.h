// SPDX-License-Identifier: MIT
//
// The worker threads of a session: one per CPU, each with the lanes of that CPU.

#pragma once

#include <vector>

#include "datapath/measure/measure.h"
#include "datapath/measure/session.h"

namespace manactl::datapath {

class WorkerTeam final : public Workers {
 public:
  // Lane i runs on placement.worker_cpus[i]. The ports must outlive the team.
  WorkerTeam(Mode mode, const Placement& placement, EnginePorts& ports);
  WorkerTeam(const WorkerTeam&) = delete;
  WorkerTeam& operator=(const WorkerTeam&) = delete;
  ~WorkerTeam() override;

  const std::vector<BaseLane*>& lanes() const { return team_.lanes; }

  // Starts the threads; they wait for go(). Must be called before each trial.
  Result<> launch();

  void go() override;
  void end() override;
  void stop() override;
  Interval read() const override;

  std::vector<Event> take_events() override { return ports_.take_events(); }

  bool all_devices_absent() const override;

 private:
  void attribute_instructions(std::vector<Sample>& queues) const;

  Mode mode_;
  EnginePorts& ports_;
  Team team_;
  std::vector<Worker> workers_;
  std::vector<std::vector<std::size_t>> lanes_of_worker_;  // indexes of the lanes of each worker
  std::size_t started_ = 0;
};

}  // namespace manactl::datapath
