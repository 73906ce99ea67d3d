// SPDX-License-Identifier: MIT

#include "cli/bench/interference.h"

#include "report/fingerprint.h"

namespace manactl::cli {

InterferenceMonitor::InterferenceMonitor(const os::Files& files, const CpuList& cpus)
    : files_(files),
      cpus_(cpus),
      load_(report::load_average(files)),
      cpu_time_(report::cpu_time(files, cpus)) {}

void InterferenceMonitor::start_trial() {
  const auto now = report::worker_time(files_);
  is_known_ = is_known_ && now;
  if (!now) return;
  before_ += *now;
  earlier_ = after_;
  after_ += *now;
}

void InterferenceMonitor::end_interval() {
  const auto now = report::worker_time(files_);
  is_known_ = is_known_ && now;
  if (!now) return;
  after_ = earlier_;
  after_ += *now;
}

report::Interference InterferenceMonitor::so_far() const {
  report::Interference found{load_, report::load_average(files_), {}, {}, {}};
  const auto cpu_time = report::cpu_time(files_, cpus_);
  if (cpu_time_ && cpu_time) found.stolen = report::stolen_share(*cpu_time_, *cpu_time);
  if (is_known_) {
    found.preempted = report::preempted_share(before_, after_);
    found.cpu_seconds = report::cpu_seconds(before_, after_);
  }
  return found;
}

}  // namespace manactl::cli
