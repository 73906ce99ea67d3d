// SPDX-License-Identifier: MIT
//
// Repeats a report until a signal ends the program: --watch.

#pragma once

#include <functional>
#include <optional>

#include "cli/context.h"

namespace CLI {
class App;
}

namespace manactl::cli {

struct WatchOptions {
  bool on = false;
  std::optional<double> seconds;  // time between two reports; default: 2
};

void add_watch(CLI::App& app, WatchOptions& options);

// Calls `report` once, or with --watch until a signal or an error. A terminal always shows the
// latest report; other files get each report that differs from the one before.
Exit watch(Context& context,
           const WatchOptions& options,
           const std::function<Exit(Context&)>& report);

}  // namespace manactl::cli
