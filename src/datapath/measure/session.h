// SPDX-License-Identifier: MIT
//
// The part of a session that all engines share: CPUs, workers, pace, requests, and the counters
// after a trial. An engine supplies its ports and the burst functions that workers run on them.

#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "datapath/bench.h"
#include "datapath/measure/settle.h"
#include "datapath/measure/worker.h"
#include "datapath/plan/plan.h"

namespace manactl::datapath {

// The open devices of an engine. A session calls all functions from one thread.
class EnginePorts {
 public:
  virtual ~EnginePorts() = default;

  // Opens the devices of `plan` and builds the packets to send. Adds ports and notes to `report`.
  // `plan` must outlive this object.
  virtual Result<> open(const BenchPlan& plan, BenchReport& report) = 0;

  // One lane (the traffic state of a queue) per queue, ordered by port. The pointers stay valid.
  virtual std::vector<BaseLane*> lanes() = 0;

  // True if one of the ports is an Azure NIC, not a virtual or simulated device.
  virtual bool are_physical() const = 0;

  // How long workers wait for late packets, in nanoseconds. Together with finish(): at most 100 ms.
  virtual DrainLimits drain_limits() const = 0;

  // Starts a thread on worker.cpu that runs the work of the plan's mode. A thread that cannot run
  // there sets worker.error. `index` counts the workers from 0.
  virtual Result<> start_worker(std::size_t index, Worker& worker) = 0;

  // Waits until a worker that was started has done its work.
  virtual void join_worker(std::size_t index, Worker& worker) = 0;

  // Instructions that the worker has executed; empty if they are not counted.
  virtual ReportedCount instructions(std::size_t /*index*/) const { return std::nullopt; }

  // Called before the first packet of a trial.
  virtual void begin_trial() {}

  // Sets the counts that only the devices have, such as drops. Empties counts that nothing reports.
  virtual void set_device_counts(Interval& /*now*/) const {}

  // Events since the last call. The caller sets their times.
  virtual std::vector<Event> take_events() = 0;

  // Called after the workers have stopped. Waits until the devices have completed the sent packets;
  // returns the device counts, port by port. Adds paths and notes to the trial.
  virtual std::vector<std::optional<PortCount>> finish(Trial& trial) = 0;
};

// Checks the plan. If plan.cpus is empty, fills in the CPUs that this process may use. Fails with
// Errc::invalid if the process may not use one of plan.cpus, because EAL would exit the process.
Result<BenchPlan> complete_plan(const BenchPlan& plan);

// `plan` is the result of complete_plan(); `report` has the engine's name and version.
Result<std::unique_ptr<Session>> open_session(BenchPlan plan,
                                              BenchReport report,
                                              std::unique_ptr<EnginePorts> ports);

}  // namespace manactl::datapath
