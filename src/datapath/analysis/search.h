// SPDX-License-Identifier: MIT
//
// Finds the highest rates at which a device loses at most given shares of its packets, by the
// method of MLRsearch (IETF draft-ietf-bmwg-mlrsearch): one search for several loss ratios, with
// short trials first and long ones to confirm. A callback runs the trials.

#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "base/enum_words.h"
#include "base/result.h"

namespace manactl::datapath {

// A trial at one rate.
struct SearchProbe {
  double asked = 0;    // requested packets per second; infinity: unlimited
  double seconds = 0;  // requested time
  double rate = 0;     // packets per second that were sent
  std::uint64_t sent = 0, received = 0;
  bool valid = true;       // false: the trial is not usable and is repeated
  bool stopped = false;    // true: the user stopped the trial, and the search ends
  bool disturbed = false;  // other programs or the hypervisor took CPU time from the trial

  // Lost share of the sent packets.
  double loss() const;

  // The requested rate, or the actual one if the sender could not keep up.
  double load() const;
  bool kept_up() const;

  // True if more packets were received than sent, apart from a few strays such as ARP. The packets
  // of others then hide an unknown number of losses.
  bool hides_losses() const;
};

// The state of a search before a trial.
struct SearchProgress {
  double rate = 0;                     // of the trial, in packets per second; infinity: unlimited
  double loss = 0;                     // the current goal
  std::optional<double> lower, upper;  // its bounds so far
  double seconds_left = 0;             // estimate for this and all later trials
};

using MakeProbe = std::function<Result<SearchProbe>(double rate, double seconds)>;

inline constexpr double kDefaultPdr = 0.005;  // the usual loss goal of a PDR (partial drop rate)

struct SearchPlan {
  std::vector<double> losses = {0};  // goals: shares of the sent packets that may be lost
  double min_rate = 1000;            // packets per second
  double max_rate = std::numeric_limits<double>::infinity();
  double width = 0.005;       // final maximum distance of the bounds, relative to the upper one
  double final_seconds = 10;  // length of a confirming trial; exploratory trials: a tenth or more
  unsigned repeat = 1;        // confirming trials per rate; their majority decides
  unsigned max_probes = 400;  // maximum number of trials of any length
  std::function<void(const SearchProgress&)> on_progress;  // called before each trial; may be empty
};

// Fails with Errc::invalid and the reason.
Result<> validate(const SearchPlan& plan);

struct GoalResult {
  enum class End : std::uint8_t {
    narrow,        // the bounds are as close as requested
    above,         // the goal was met even at the sender's highest rate
    below,         // the goal was missed even at the lowest rate
    stopped,       // the user stopped the search
    inconclusive,  // trials at a rate stayed invalid, or the sender was too slow
    limit,         // max_probes was reached
    silent,        // packets were sent, and none came back in any trial
    foreign,       // other traffic hid the losses of all trials at a rate
    constant,      // about the same share was lost at all rates, and it misses the goal
  };

  double loss = 0;              // the goal: share of the sent packets that may be lost
  std::optional<double> lower;  // packets per second that meet the goal
  std::optional<double> upper;  // packets per second that miss the goal
  bool is_final = false;        // trials of full length confirmed these bounds
  double throughput = 0;        // packets per second received when `lower` are sent
  End end = End::narrow;
  // The packets per second at which another search may end, by the trials of this one. They include
  // the bounds. Absent without `lower`.
  std::optional<double> low = std::nullopt, high = std::nullopt;
  bool disturbed = false;  // a trial that decides about the bounds was disturbed to the end
};

inline constexpr EnumWords<GoalResult::End, 9> kSearchEnds = {{
    {GoalResult::End::narrow, "narrow"},
    {GoalResult::End::above, "above"},
    {GoalResult::End::below, "below"},
    {GoalResult::End::stopped, "stopped"},
    {GoalResult::End::inconclusive, "inconclusive"},
    {GoalResult::End::limit, "limit"},
    {GoalResult::End::silent, "silent"},
    {GoalResult::End::foreign, "foreign"},
    {GoalResult::End::constant, "constant"},
}};

constexpr std::string_view name_of(GoalResult::End end) {
  return word_of(kSearchEnds, end);
}

// True if the search ended with a rate.
constexpr bool is_found(const GoalResult& goal) {
  return goal.lower && (goal.end == GoalResult::End::narrow || goal.end == GoalResult::End::above);
}

struct SearchResult {
  std::vector<GoalResult> found;    // in the order of the goals
  std::vector<SearchProbe> probes;  // in the order of the trials
  double reach = 0;                 // highest packets per second that the sender reached
};

// Deterministic: the next trial depends only on the previous results. Fails if a trial fails.
Result<SearchResult> search(const SearchPlan& plan, const MakeProbe& probe);

}  // namespace manactl::datapath
