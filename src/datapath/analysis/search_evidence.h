// SPDX-License-Identifier: MIT
//
// The trials of a search, and what they show about its goals.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "datapath/analysis/search.h"
#include "datapath/analysis/statistics.h"

namespace manactl::datapath {

inline constexpr double kKeptUp = 0.99;  // share of the requested rate that a sender must reach

// The conditions under which a stage of the search accepts a rate as a bound.
struct Target {
  double trial_seconds = 0;  // minimum length of a trial
  double sum_seconds = 0;    // required total length of such trials at one rate
  double width = 0;          // maximum distance of the bounds, relative to the upper one
};

struct RateBounds {
  std::optional<double> lower, upper;
};

enum class RateVerdict : std::uint8_t { lower, upper, open };

struct SearchEvidence {
  const SearchPlan& plan;
  double max_rate = plan.max_rate;  // the sender's highest rate, if it is lower than the plan's
  std::vector<SearchProbe> probes = {};  // in the order of the trials

  // True if a trial counts at all.
  static bool counts(const SearchProbe& probe) { return probe.valid && !probe.stopped; }

  // Returns `open` while the remaining trials of the stage could change the verdict.
  RateVerdict verdict(double load, double goal, const Target& target) const;

  // The lowest rate that misses the goal, and the highest below it that meets it.
  RateBounds bounds(double goal, const Target& target) const;

  // The lowest rate at which the trials of a stage send enough packets to decide about a goal.
  double min_rate(double goal, const Target& target) const;

  // The rates at which another search may end; `goal` has a lower bound.
  Bounds range_of(const GoalResult& goal) const;

  // The median loss of the longest trials at a rate.
  double typical_loss(double load) const;

  // The lowest rate of the trials if they lost about the same share of the packets, over at least a
  // decade of rates, and none of them met the goal. A slower sender then does not lose less.
  std::optional<double> constant_miss(double goal) const;

  // The bounds of a search without a result. No trial at the lower bound or below it missed the
  // goal, and one at the lower bound sent enough packets to show the losses of the upper bound.
  RateBounds confirmed_bounds(double goal) const;

  // True if packets were sent, and none came back in any trial.
  bool is_silent() const;

 private:
  double min_packets(double goal, const Target& target) const;
  bool is_miss(const SearchProbe& probe, double goal) const;
  Bounds range_of_device(const GoalResult& goal) const;
  Bounds range_of_sender(const GoalResult& goal) const;
};

}  // namespace manactl::datapath
