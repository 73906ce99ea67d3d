// SPDX-License-Identifier: MIT
#include "datapath/analysis/search.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "datapath/analysis/search_evidence.h"
#include "datapath/analysis/summary.h"

namespace manactl::datapath {

namespace {

constexpr int kTries = 3;       // attempts at a rate while trials are invalid or the sender lags
constexpr double kFirst = 0.1;  // length of the first trials, relative to the final ones
constexpr unsigned kStages = 3;

std::vector<Target> targets_of(const SearchPlan& plan) {
  std::vector<Target> targets;
  for (unsigned stage = 0; stage < kStages; ++stage) {
    const unsigned left = kStages - 1 - stage;
    const double share = std::pow(kFirst, static_cast<double>(left) / (kStages - 1));
    const double seconds = plan.final_seconds * share;
    const double width = 1 - std::pow(1 - plan.width, static_cast<double>(1U << left));
    targets.push_back({seconds, left == 0 ? seconds * plan.repeat : seconds, width});
  }
  return targets;
}

class Search {
 public:
  Search(const SearchPlan& plan, const MakeProbe& probe)
      : plan_(plan),
        evidence_{plan},
        callback_(probe),
        targets_(targets_of(plan)),
        found_(plan.losses.size()),
        guesses_(plan.losses.size()),
        shown_(plan.losses.size()) {
    for (std::size_t i = 0; i < found_.size(); ++i) found_[i].loss = plan.losses[i];
  }

  Result<SearchResult> run() {
    const auto& targets = targets_;
    if (auto ok = begin(targets.front()); !ok) return tl::unexpected<Error>(ok.error());
    for (stage_ = 0; stage_ < targets.size(); ++stage_) {
      const auto& target = targets[stage_];
      for (std::size_t i = 0; i < found_.size(); ++i) {
        goal_ = i;
        if (auto ok = narrow(i, target); !ok) return tl::unexpected<Error>(ok.error());
      }
    }
    for (auto& goal : found_) conclude(goal, targets.back());
    return SearchResult{std::move(found_), std::move(evidence_.probes), reach_};
  }

 private:
  // Runs the first trial at the maximum rate. The rate at which packets arrive is the first guess.
  Result<> begin(const Target& target) {
    if (auto ok = attempt(evidence_.max_rate, target.trial_seconds); !ok || end_) return ok;
    const auto first = std::ranges::find_if(evidence_.probes, SearchEvidence::counts);
    for (std::size_t i = 0; i < found_.size(); ++i) {
      const double arrives = first->load() * (1 - first->loss()) / (1 - found_[i].loss);
      guesses_[i].lower =
          std::clamp(arrives, evidence_.min_rate(found_[i].loss, target), evidence_.max_rate);
    }
    return {};
  }

  // True if a trial missed the strictest goal.
  bool loses_too_much(const SearchProbe& probe) const {
    return probe.loss() > *std::ranges::min_element(plan_.losses);
  }

  // Repeats a trial until it is valid, shows its losses, the sender keeps up, and no disturbance
  // can have caused the packet loss. After several trials in which the sender lags, its highest
  // rate becomes the maximum rate. Sets end_ if the search must end.
  Result<> attempt(double load, double seconds) {
    auto& probes = evidence_.probes;
    std::optional<std::size_t> best;  // trial in which the sender lagged least
    int tries = kTries;
    int foreign = 0;
    for (int lags = 0, invalid = 0, losses = 0; lags < tries && invalid < kTries;) {
      if (auto ok = make_probe(load, seconds); !ok || end_) return ok;
      auto& last = probes.back();
      const bool hides_losses = last.hides_losses();
      if (hides_losses) ++foreign;
      last.valid = last.valid && !hides_losses;
      if (!last.valid) {
        ++invalid;
        continue;
      }
      const auto index = probes.size() - 1;
      const bool better = !best || last.rate > probes[*best].rate;
      if (best && better) probes[*best].valid = false;
      if (last.kept_up() && !(last.disturbed && loses_too_much(last))) return {};
      if (last.kept_up()) {
        // Without the disturbance, the device might have lost less.
        if (++losses == kTries) return {};
        last.valid = false;
        continue;
      }
      // An unlimited sender always lags.
      if (std::isinf(load) && !last.disturbed) tries = 1;
      ++lags;
      last.valid = better;
      if (better) best = index;
    }
    if (best && probes[*best].rate >= plan_.min_rate) {
      evidence_.max_rate = probes[*best].rate;
      return {};
    }
    if (best) probes[*best].valid = false;
    end_ = foreign == kTries ? GoalResult::End::foreign : GoalResult::End::inconclusive;
    return {};
  }

  Result<> make_probe(double load, double seconds) {
    if (evidence_.probes.size() >= plan_.max_probes) {
      end_ = GoalResult::End::limit;
      return {};
    }
    if (plan_.on_progress) plan_.on_progress(progress(load));
    auto probe = callback_(load, seconds);
    if (!probe) return tl::unexpected<Error>(probe.error());
    probe->asked = load;
    probe->seconds = seconds;
    if (probe->stopped) end_ = GoalResult::End::stopped;
    if (probe->valid) reach_ = std::max(reach_, probe->rate);
    evidence_.probes.push_back(*probe);
    return {};
  }

  SearchProgress progress(double load) {
    const auto& target = targets_[stage_];
    const auto& goal = found_[goal_];
    const auto now = evidence_.bounds(goal.loss, target);
    const RateBounds previous{goal.lower, goal.upper};  // of the previous stage
    const bool is_new = !now.lower && !now.upper;
    auto& shown = shown_[goal_];
    shown = narrowest(now, shown);
    return {load, goal.loss, shown.lower, shown.upper, seconds_left(is_new ? previous : now)};
  }

  // The bounds of a stage. Those that were shown before remain valid as far as they do not
  // contradict them.
  static RateBounds narrowest(RateBounds now, const RateBounds& previous) {
    const auto lower = std::max(now.lower, previous.lower);  // an absent bound is the smallest
    if (!now.upper || (lower && *lower < *now.upper)) now.lower = lower;
    const auto& upper = previous.upper;
    if (upper && (!now.lower || *now.lower < *upper)) {
      now.upper = std::min(*upper, now.upper.value_or(*upper));
    }
    return now;
  }

  // Assumes that each later goal and stage needs a trial on either side of its result.
  double seconds_left(const RateBounds& now) const {
    constexpr double kUnknown = 3, kSides = 2;  // trials
    const auto& target = targets_[stage_];
    double trials = kUnknown;
    if (now.lower && now.upper) {
      const double widths = std::log(*now.lower / *now.upper) / std::log(1 - target.width);
      trials = std::max(1.0, std::ceil(std::log2(std::max(widths, 1.0))));
    }
    double seconds = target.sum_seconds * trials;
    const auto goals = static_cast<double>(found_.size());
    seconds += target.sum_seconds * kSides * (goals - 1 - static_cast<double>(goal_));
    for (auto stage = stage_ + 1; stage < targets_.size(); ++stage) {
      seconds += targets_[stage].sum_seconds * kSides * goals;
    }
    return seconds;
  }

  bool is_close(const RateBounds& now, const Target& target) const {
    return now.lower && now.upper && *now.upper - *now.lower <= target.width * *now.upper;
  }

  Result<> narrow(std::size_t index, const Target& target) {
    auto& goal = found_[index];
    const auto guess = guesses_[index];
    double step = 1;
    while (!end_) {
      if (evidence_.constant_miss(goal.loss)) return {};
      const auto now = evidence_.bounds(goal.loss, target);
      const auto load = next(now, guess, target, evidence_.min_rate(goal.loss, target), step);
      if (!load) break;
      // If the sender lags, attempt() lowers the maximum, and the next rate must be chosen again.
      const double max_rate = evidence_.max_rate;
      while (!end_ && evidence_.max_rate == max_rate &&
             evidence_.verdict(*load, goal.loss, target) == RateVerdict::open) {
        if (auto ok = attempt(*load, target.trial_seconds); !ok) return ok;
      }
    }
    const auto now = evidence_.bounds(goal.loss, target);
    // If the search ended before this stage found both bounds, keep those of the previous stage.
    if (end_ && !(now.lower && now.upper) && (goal.lower || goal.upper)) return {};
    goal.lower = now.lower;
    goal.upper = now.upper;
    guesses_[index] = now;
    return {};
  }

  // The rate to try next; nullopt if the bounds are close enough or no other rate is possible.
  std::optional<double> next(const RateBounds& now,
                             const RateBounds& guess,
                             const Target& target,
                             double min_rate,
                             double& step) const {
    const auto max_rate = evidence_.max_rate;
    if (is_close(now, target) || (now.lower && *now.lower >= max_rate)) return std::nullopt;
    const bool try_lower = guess.lower && !now.lower && (!now.upper || *guess.lower < *now.upper);
    if (try_lower) return std::min(*guess.lower, max_rate);
    if (!now.lower && !now.upper) return std::min(guess.upper.value_or(max_rate), max_rate);
    const bool try_upper = guess.upper && !now.upper && *guess.upper > *now.lower;
    if (try_upper) return std::min(*guess.upper, max_rate);
    const auto load = walk(now, target, min_rate, step);
    return load ? std::min(*load, max_rate) : load;
  }

  // Steps from the bound that the last trial set towards the other one. The steps double, but never
  // pass the middle of the bounds.
  std::optional<double> walk(const RateBounds& now,
                             const Target& target,
                             double min_rate,
                             double& step) const {
    const bool up = !now.upper || (now.lower && evidence_.probes.back().load() == *now.lower);
    const double factor = std::pow(1 - target.width, step);
    step *= 2;
    if (up) {
      const double load = *now.lower / factor;
      return now.upper ? std::min(load, middle(now)) : load;
    }
    if (!now.lower && *now.upper <= min_rate) return std::nullopt;
    const double load = *now.upper * factor;
    return now.lower ? std::max(load, middle(now)) : std::max(load, min_rate);
  }

  static double middle(const RateBounds& now) { return std::sqrt(*now.lower * *now.upper); }

  void conclude(GoalResult& goal, const Target& target) const {
    if (const auto slowest = evidence_.constant_miss(goal.loss)) {
      goal.end = GoalResult::End::constant;
      goal.lower.reset();
      goal.upper = slowest;
      return;
    }
    const auto now = evidence_.bounds(goal.loss, target);
    goal.is_final = goal.lower == now.lower && goal.upper == now.upper && (now.lower || now.upper);
    const bool narrow = goal.is_final && is_close(now, target);
    const bool at_maximum = goal.is_final && goal.lower && *goal.lower >= evidence_.max_rate;
    if (evidence_.is_silent() && end_ != GoalResult::End::stopped) {
      goal.end = GoalResult::End::silent;
    } else if (end_ && !narrow && !at_maximum) {
      goal.end = *end_;
    } else if (!goal.lower) {
      goal.end = GoalResult::End::below;
    } else if (!narrow) {
      goal.end = GoalResult::End::above;
    }
    if (!is_found(goal) && goal.lower) {
      const auto [lower, upper] = evidence_.confirmed_bounds(goal.loss);
      goal.lower = lower;
      // Without a trial that certainly missed the goal, the bound of the search remains.
      if (upper || (lower && goal.upper && *goal.upper <= *lower)) goal.upper = upper;
    }
    if (!goal.lower) return;
    goal.throughput = *goal.lower * (1 - evidence_.typical_loss(*goal.lower));
    const auto [low, high] = evidence_.range_of(goal);
    goal.low = low;
    goal.high = high;
    goal.disturbed = std::ranges::any_of(evidence_.probes, [&](const SearchProbe& probe) {
      const bool limits = !goal.upper && !probe.kept_up();
      return probe.valid && probe.disturbed &&
             (limits || probe.load() == *goal.lower || probe.load() == goal.upper);
    });
  }

  const SearchPlan& plan_;
  SearchEvidence evidence_;
  const MakeProbe& callback_;
  std::vector<Target> targets_;  // one for each stage
  std::size_t stage_ = 0, goal_ = 0;
  double reach_ = 0;
  std::vector<GoalResult> found_;
  std::vector<RateBounds> guesses_;  // bounds of each goal in the previous stage
  std::vector<RateBounds> shown_;    // bounds of each goal that on_progress received
  std::optional<GoalResult::End> end_;
};

}  // namespace

double SearchProbe::loss() const {
  if (sent == 0) return 1;
  return received >= sent ? 0 : static_cast<double>(sent - received) / static_cast<double>(sent);
}

bool SearchProbe::hides_losses() const {
  return static_cast<double>(received) >
         static_cast<double>(sent) + kMaxStrayRate * std::max(seconds, 1.0);
}

bool SearchProbe::kept_up() const {
  return rate >= asked * kKeptUp;
}

double SearchProbe::load() const {
  return kept_up() ? asked : rate;
}

Result<> validate(const SearchPlan& plan) {
  // The comparisons reject NaN as well.
  const auto is_possible = [](double loss) { return loss >= 0 && loss < 1; };
  if (plan.losses.empty() || !std::all_of(plan.losses.begin(), plan.losses.end(), is_possible)) {
    return fail(Errc::invalid,
                "a loss goal must be at least 0 % and less than 100 % of the packets");
  }
  if (!(plan.min_rate > 0 && plan.max_rate >= plan.min_rate)) {
    return fail(Errc::invalid,
                fmt::format("a search needs a maximum rate of at least {} packets per second",
                            plan.min_rate));
  }
  if (!(plan.width > 0 && plan.width < 1) || !(plan.final_seconds > 0) || plan.repeat == 0) {
    return fail(
        Errc::invalid,
        "a search needs a width between 0 and 1, and at least one final trial of more than 0 s");
  }
  return {};
}

Result<SearchResult> search(const SearchPlan& plan, const MakeProbe& probe) {
  if (auto ok = validate(plan); !ok) return tl::unexpected<Error>(ok.error());
  return Search(plan, probe).run();
}

}  // namespace manactl::datapath
