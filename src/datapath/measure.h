// SPDX-License-Identifier: MIT
//
// The clock of a trial, for every engine: workers are busy on their queues while the calling thread
// reads their counters.

#pragma once

#include <stop_token>
#include <vector>

#include "datapath/trial.h"

namespace manactl::datapath {

// Threads that stand ready, one lane for each queue of each port.
class Workers {
 public:
  virtual ~Workers() = default;

  virtual void go() = 0;

  // Returns when no worker touches a queue any more, also after a failed go().
  virtual void stop() = 0;

  // Running totals since the session began: one per lane, and in `total` what only devices know
  // (errors, losses) on top of the sum of the lanes.
  virtual Interval read() const = 0;

  // Asked once an interval; an event ends up in the trial and marks the interval.
  virtual std::vector<Event> take_events() { return {}; }
};

// Blocks for the trial's time or until stop is asked. The trial's queues and total are those that
// the workers counted: a session settles them with the device's word.
Trial measure(const TrialPlan& plan,
              Workers& workers,
              const std::stop_token& stop,
              const Progress& progress);

}  // namespace manactl::datapath
