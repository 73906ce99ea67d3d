// SPDX-License-Identifier: MIT
//
// Measures how much CPU time a run loses to other threads and to the hypervisor.

#pragma once

#include <optional>

#include "base/ids.h"
#include "base/result.h"
#include "report/cpu_time.h"
#include "report/result.h"

namespace manactl::cli {

// Reads counters at construction and again in so_far(). The workers of some engines exist only
// during a trial, so their times are read at its start and at the end of each interval.
class InterferenceMonitor {
 public:
  // Both arguments must outlive the object.
  InterferenceMonitor(const os::Files& files, const CpuList& cpus);

  // For with_readings().
  void start_trial();  // the workers exist, but move no packets yet
  void end_interval();

  // The CPU time of the workers is unknown if it could not be read.
  report::Interference so_far() const;

 private:
  const os::Files& files_;
  const CpuList& cpus_;
  std::optional<double> load_;
  Result<report::CpuTime> cpu_time_;
  bool is_known_ = true;               // the times of the workers
  report::ThreadTime before_, after_;  // sums over all trials
  report::ThreadTime earlier_;         // `after_` before the current trial
};

}  // namespace manactl::cli
