// SPDX-License-Identifier: MIT
//
// Prints what status --watch shows after each interval.

#pragma once

#include <chrono>

#include "cli/screen.h"
#include "host/traffic.h"

namespace manactl::cli {

struct TrafficReport {
  using Time = std::chrono::system_clock::time_point;

  const host::TrafficInterval& interval;
  const host::VfHistories& histories;
  Time start, now;
  bool has_queues = false;  // -v
};

void print_text(Screen& screen, const TrafficReport& report);

// Prints one line: schemas/status-event.schema.json.
void print_event(Screen& screen, const TrafficReport& report);

}  // namespace manactl::cli
