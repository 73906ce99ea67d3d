// SPDX-License-Identifier: MIT

#include "cli/bench/trial_monitor.h"

#include "datapath/analysis/summary.h"

namespace manactl::cli {

void TrialMonitor::start_trial() {
  cpu_time_ = report::cpu_time(files_, cpus_);
  worker_time_ = report::worker_time(files_);
  disturbed_ = false;
}

void TrialMonitor::end_interval() {
  datapath::Disturbance lost;
  const auto cpu_time = report::cpu_time(files_, cpus_);
  if (cpu_time_ && cpu_time) {
    lost.stolen = report::stolen_share(*cpu_time_, *cpu_time).value_or(lost.stolen);
  }
  const auto worker_time = report::worker_time(files_);
  if (worker_time_ && worker_time) {
    lost.waited = report::preempted_share(*worker_time_, *worker_time).value_or(lost.waited);
  }
  disturbed_ = datapath::is_disturbed(lost);
}

}  // namespace manactl::cli
