// SPDX-License-Identifier: MIT
//
// Several trials on one session: the same one again and again, or a search for the rates at which
// packets begin to get lost.

#pragma once

#include <functional>
#include <limits>
#include <stop_token>
#include <string>
#include <vector>

#include "datapath/bench.h"
#include "datapath/search.h"

namespace manactl::datapath {

// Opens, runs and closes.
Result<BenchReport> run(Engine& engine,
                        const BenchPlan& plan,
                        const std::stop_token& stop,
                        const Progress& progress);

// Ends early when a trial is interrupted. A later trial that cannot start is a note on the one
// before; the error of the first one is the error of all. `progress` is told of each.
Result<std::vector<Trial>> repeat(Session& session,
                                  const TrialPlan& plan,
                                  unsigned count,
                                  const std::stop_token& stop,
                                  const Progress& progress);

struct FindPlan {
  Mode mode = Mode::txrx;
  TrialPlan trial;             // its seconds are those of a final trial, behind the ramp
  std::vector<double> losses;  // goals, as in SearchPlan
  double most = std::numeric_limits<double>::infinity();  // packets per second of one port
  unsigned repeat = 1;                                    // final trials that decide on a rate
  std::function<void(const Probe&)> probed;               // told after each trial; may be empty
};

// Errc::invalid where a search cannot know what was lost, or cannot choose the rate.
Result<> can_find(Mode mode);

struct FindReport {
  SearchResult result;            // rates of one port
  std::vector<Trial> trials;      // the longest at the lower bound of the first goal; else the last
  std::vector<std::size_t> kept;  // which of the result's probes these are
  std::vector<std::string> notes;
};

Result<FindReport> find(Session& session,
                        const FindPlan& plan,
                        const std::stop_token& stop,
                        const Progress& progress);

}  // namespace manactl::datapath
