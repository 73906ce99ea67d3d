// SPDX-License-Identifier: MIT
//
// Takes readings while the workers of a trial exist.

#pragma once

#include <utility>

#include "datapath/measure/trial.h"

namespace manactl::cli {

// Returns `progress`, which calls start_trial() and end_interval() of `monitor` before its own
// functions. The monitor must outlive the result.
template <typename Monitor>
datapath::Progress with_readings(Monitor& monitor, datapath::Progress progress) {
  progress.started = [&monitor, started = std::move(progress.started)] {
    monitor.start_trial();
    started();
  };
  progress.interval = [&monitor, interval = std::move(progress.interval)](const auto& measured) {
    monitor.end_interval();
    interval(measured);
  };
  return progress;
}

}  // namespace manactl::cli
