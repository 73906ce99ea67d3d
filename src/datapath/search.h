// SPDX-License-Identifier: MIT
//
// Finds the highest rates at which a device loses no more than it may, after the method of
// MLRsearch (IETF, benchmarking methodology): several loss ratios in one search, short trials
// first, long ones for the final word. Knows nothing of devices: a trial is a function it calls.

#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace manactl::datapath {

// One short trial at one rate.
struct Probe {
  double asked = 0;    // packets per second; infinite: as many as the sender can
  double seconds = 0;  // asked
  double rate = 0;     // packets per second that were really sent
  std::uint64_t sent = 0, received = 0;
  bool valid = true;     // false: it says nothing, and was made again
  bool stopped = false;  // by the user: the search ends here

  // Share of the packets sent that did not arrive.
  double loss() const;

  // The rate that it is a trial of: what was asked, unless the sender could not keep up.
  double load() const;
  bool as_asked() const;
};

using MakeProbe = std::function<Result<Probe>(double rate, double seconds)>;

struct SearchPlan {
  std::vector<double> losses = {0};  // goals: shares of the packets sent that may be lost
  double least = 1000;               // packets per second
  double most = std::numeric_limits<double>::infinity();
  double width = 0.005;        // the bounds are so close in the end, relative to the upper one
  double final_seconds = 10;   // of the trials that have the last word; the first take a tenth
  unsigned repeat = 1;         // so many of them decide on a rate, by majority
  unsigned most_probes = 400;  // of all lengths
};

// Errc::invalid with the reason.
Result<> validate(const SearchPlan& plan);

struct Found {
  enum class End {
    narrow,   // the bounds are as close as was asked
    above,    // no more was lost than may be, even at the most that the sender could offer
    below,    // even at the least more was lost
    stopped,  // by the user
    useless,  // trials said nothing, several times in a row
    limit,    // of the number of trials
  };

  double loss = 0;              // the goal
  std::optional<double> lower;  // packets per second: no more is lost than may be
  std::optional<double> upper;  // more is lost
  bool is_final = false;        // both are the word of trials of full length
  double throughput = 0;        // packets per second that arrive at the lower bound
  End end = End::narrow;
};

std::string_view name_of(Found::End end);

struct SearchResult {
  std::vector<Found> found;   // in the order of the goals
  std::vector<Probe> probes;  // all of them in their order
  double reach = 0;           // packets per second that the sender managed at most
};

// Deterministic: the same answers lead to the same questions. The error of a probe ends it.
Result<SearchResult> search(const SearchPlan& plan, const MakeProbe& probe);

}  // namespace manactl::datapath
