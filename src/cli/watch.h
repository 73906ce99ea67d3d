// SPDX-License-Identifier: MIT
//
// Repeats a report until a signal ends the program: --watch.

#pragma once

#include <functional>
#include <optional>
#include <stop_token>

#include "cli/context.h"

namespace CLI {
class App;
}

namespace manactl::cli {

struct WatchOptions {
  bool on = false;
  std::optional<double> seconds;  // time between two reports
  double default_seconds = 2;
  bool shows_changes = false;  // each report is about the time since the one before
  bool is_stream = false;      // each report follows the one before, also on a terminal
};

void add_watch(CLI::App& app, WatchOptions& options);

// Waits for this time or until the request to stop.
void pause_for(double seconds, const std::stop_token& stop);

// Returns 128 plus the number of the signal.
Exit exit_of_signal(int number);

// Calls `report` once, or with --watch until a signal or an error. A terminal always shows the
// latest report; other files get each report that differs from the one before. With
// `shows_changes`, the first call follows after the interval, but at the latest after a second.
Exit watch(Context& context,
           const WatchOptions& options,
           const std::function<Exit(Context&)>& report);

}  // namespace manactl::cli
