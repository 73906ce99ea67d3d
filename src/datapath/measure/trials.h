// SPDX-License-Identifier: MIT
//
// Runs several trials on one session: the same trial repeatedly, or a search for the highest rate
// at each limit of packet loss.

#pragma once

#include <functional>
#include <limits>
#include <stop_token>
#include <string>
#include <vector>

#include "datapath/analysis/search.h"
#include "datapath/bench.h"

namespace manactl::datapath {

// Runs a single trial in a session of its own.
Result<BenchReport> run(Engine& engine,
                        const BenchPlan& plan,
                        const std::stop_token& stop,
                        const Progress& progress);

// Runs `count` trials, but none after an interrupted one. Fails if the first trial cannot start. If
// a later trial cannot start, the trial before it gets a note.
Result<std::vector<Trial>> repeat(Session& session,
                                  const TrialPlan& plan,
                                  unsigned count,
                                  const std::stop_token& stop,
                                  const Progress& progress);

struct FindPlan {
  Mode mode = Mode::txrx;
  TrialPlan trial;             // `seconds` is the length of a final trial without its ramp
  std::vector<double> losses;  // as in SearchPlan
  double max_rate = std::numeric_limits<double>::infinity();  // packets per second of one port
  unsigned repeat = 1;                                        // final trials per rate
  std::function<void(const SearchProbe&)> on_probe;        // called after each trial; may be empty
  std::function<void(const SearchProgress&)> on_progress;  // see SearchPlan; may be empty
  std::function<bool()> was_disturbed;  // called after each trial; see SearchProbe; may be empty
};

// Fails with Errc::invalid if the mode cannot count lost packets or cannot choose its rate.
Result<> can_find(Mode mode);

struct FindReport {
  SearchResult result;        // rates of one port
  std::vector<Trial> trials;  // the longest at the first goal's lower bound, else the last one
  std::vector<std::size_t> indexes;  // position of each of `trials` in result.probes
  std::vector<std::string> notes;
};

Result<FindReport> find(Session& session,
                        const FindPlan& plan,
                        const std::stop_token& stop,
                        const Progress& progress);

}  // namespace manactl::datapath
