// SPDX-License-Identifier: MIT
//
// The timing of a trial: workers serve their queues while the calling thread reads their counters.

#pragma once

#include <stop_token>
#include <vector>

#include "datapath/measure/trial.h"

namespace manactl::datapath {

// Threads that are ready to run, with one lane per queue of each port.
class Workers {
 public:
  virtual ~Workers() = default;

  virtual void go() = 0;

  // Returns when no worker sends any more. They may still receive late packets.
  virtual void end() = 0;

  // As end(), and returns when no worker uses a queue any more. May be called without go().
  virtual void stop() = 0;

  // Running totals since the session began, one sample per lane. `total` is their sum plus
  // the errors and losses that only devices count.
  virtual Interval read() const = 0;

  // Events since the last call, which measure() makes about every 10 ms. measure() adds the events
  // to the trial, and marks the intervals between a removal and the return as disturbed.
  virtual std::vector<Event> take_events() { return {}; }

  // Whether no queue can be used, because the devices of all queues were removed.
  virtual bool all_devices_absent() const { return false; }
};

// Blocks for the trial's time, until `stop` is requested or progress.is_over() returns true. The
// result has the workers' counts, which settle() corrects.
Trial measure(const TrialPlan& plan,
              Workers& workers,
              const std::stop_token& stop,
              const Progress& progress);

}  // namespace manactl::datapath
