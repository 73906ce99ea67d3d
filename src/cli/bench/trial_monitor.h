// SPDX-License-Identifier: MIT
//
// Measures whether other programs or the hypervisor took CPU time from a trial.

#pragma once

#include "base/ids.h"
#include "base/result.h"
#include "report/cpu_time.h"

namespace manactl {

namespace os {
class Files;
}

namespace cli {

class TrialMonitor {
 public:
  // Both arguments must outlive the object.
  TrialMonitor(const os::Files& files, const CpuList& cpus) : files_(files), cpus_(cpus) {}

  // For with_readings().
  void start_trial();
  void end_interval();

  // True if the last trial lost more than 1 % of its CPU time. False if it is unknown.
  bool was_disturbed() const { return disturbed_; }

 private:
  const os::Files& files_;
  const CpuList& cpus_;
  Result<report::CpuTime> cpu_time_;
  Result<report::ThreadTime> worker_time_;
  bool disturbed_ = false;
};

}  // namespace cli

}  // namespace manactl
