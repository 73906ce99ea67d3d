// SPDX-License-Identifier: MIT
#include "datapath/analysis/search_evidence.h"

#include <algorithm>

namespace manactl::datapath {

namespace {

constexpr double kExceed = 0.5;  // share of the time of the trials at a rate that may miss the goal

// A trial decides about a goal only if the goal allows it to lose this many packets. With fewer
// packets, chance decides: one lost packet of 100 is 1 %.
constexpr double kMinLosses = 10;
// A trial with this share of the packets of a trial at the maximum rate always decides.
constexpr double kEnough = 0.9;

// The rates of trials that show a constant loss differ by at least this factor.
constexpr double kDecade = 10;
// A device that carries less than this share of the packets is overloaded: at a tenth of the rate,
// it may still be, so the share alone does not show that the loss is constant.
constexpr double kMaxConstantLoss = 0.5;
// The losses of such trials differ by at most this factor.
constexpr double kSimilar = 2;

}  // namespace

RateVerdict SearchEvidence::verdict(double load, double goal, const Target& target) const {
  double met = 0, missed = 0;  // seconds of sufficiently long trials
  const auto packets = min_packets(goal, target);
  for (const auto& probe : probes) {
    if (!counts(probe) || probe.load() != load || probe.seconds < target.trial_seconds) continue;
    if (static_cast<double>(probe.sent) < packets) continue;
    (probe.loss() <= goal ? met : missed) += probe.seconds;
  }
  const double total = std::max(met + missed, target.sum_seconds);
  const double remaining = total - met - missed;
  const double allowed = total * kExceed;
  if (missed > allowed) return RateVerdict::upper;
  return missed + remaining <= allowed ? RateVerdict::lower : RateVerdict::open;
}

RateBounds SearchEvidence::bounds(double goal, const Target& target) const {
  RateBounds found;
  for (const auto& probe : probes) {
    if (!counts(probe) || verdict(probe.load(), goal, target) != RateVerdict::upper) continue;
    if (!found.upper || probe.load() < *found.upper) found.upper = probe.load();
  }
  for (const auto& probe : probes) {
    if (!counts(probe) || (found.upper && probe.load() >= *found.upper)) continue;
    if (verdict(probe.load(), goal, target) != RateVerdict::lower) continue;
    if (!found.lower || probe.load() > *found.lower) found.lower = probe.load();
  }
  return found;
}

// The number of packets that a trial must send to decide about a goal.
double SearchEvidence::min_packets(double goal, const Target& target) const {
  if (goal <= 0) return 0;
  return std::min(kMinLosses / goal, kEnough * max_rate * target.trial_seconds);
}

double SearchEvidence::min_rate(double goal, const Target& target) const {
  return std::max(plan.min_rate, min_packets(goal, target) / target.trial_seconds / kKeptUp);
}

Bounds SearchEvidence::range_of(const GoalResult& goal) const {
  return goal.upper ? range_of_device(goal) : range_of_sender(goal);
}

// The bounds of the goal, lower rates at which trials missed it, and higher ones at which trials
// met it.
Bounds SearchEvidence::range_of_device(const GoalResult& goal) const {
  Bounds range{*goal.lower, *goal.upper};
  for (const auto& probe : probes) {
    if (!counts(probe)) continue;
    if (is_miss(probe, goal.loss)) range.low = std::min(range.low, probe.load());
    const bool is_met = probe.loss() <= goal.loss && static_cast<double>(probe.sent) * goal.loss >=
                                                         (goal.loss > 0 ? kMinLosses : 0);
    if (is_met) range.high = std::max(range.high, probe.load());
  }
  return range;
}

// True if a trial lost more packets than a trial of full length at its rate may lose. A short
// trial, perhaps made for a stricter goal, may exceed the share of a goal by a single burst.
bool SearchEvidence::is_miss(const SearchProbe& probe, double goal) const {
  const auto sent = static_cast<double>(probe.sent);
  const auto full = std::max(sent, probe.load() * plan.final_seconds);
  return sent * probe.loss() > (goal > 0 ? std::max(goal * full, kMinLosses) : 0);
}

// No rate missed the goal, so the result is the highest rate of the sender. Each trial in which
// the sender lagged at this rate or a higher one is a sample of it.
Bounds SearchEvidence::range_of_sender(const GoalResult& goal) const {
  Bounds range{*goal.lower * kKeptUp, *goal.lower};
  for (const auto& probe : probes) {
    if (probe.stopped || probe.kept_up() || probe.rate <= 0 || probe.asked < *goal.lower) continue;
    range.low = std::min(range.low, probe.rate);
    if (probe.loss() <= goal.loss) range.high = std::max(range.high, probe.rate);
  }
  return range;
}

double SearchEvidence::typical_loss(double load) const {
  double longest = 0;
  std::vector<double> losses;
  for (const auto& probe : probes) {
    if (!counts(probe) || probe.load() != load || probe.seconds < longest) continue;
    if (probe.seconds > longest) losses.clear();
    longest = probe.seconds;
    losses.push_back(probe.loss());
  }
  if (losses.empty()) return 0;
  std::sort(losses.begin(), losses.end());
  return losses[(losses.size() - 1) / 2];
}

std::optional<double> SearchEvidence::constant_miss(double goal) const {
  const SearchProbe* fastest = nullptr;
  for (const auto& probe : probes) {
    if (counts(probe) && (fastest == nullptr || probe.load() > fastest->load())) fastest = &probe;
  }
  if (fastest == nullptr || fastest->loss() >= kMaxConstantLoss) return std::nullopt;
  double slowest = fastest->load();
  for (const auto& probe : probes) {
    // With fewer packets, a trial shows no loss by chance.
    if (!counts(probe) || static_cast<double>(probe.sent) * fastest->loss() < kMinLosses) continue;
    const auto loss = probe.loss();
    const bool is_similar =
        loss * kSimilar >= fastest->loss() && loss <= fastest->loss() * kSimilar;
    if (!is_similar || loss <= goal) return std::nullopt;
    slowest = std::min(slowest, probe.load());
  }
  return slowest * kDecade <= fastest->load() ? std::optional(slowest) : std::nullopt;
}

RateBounds SearchEvidence::confirmed_bounds(double goal) const {
  const SearchProbe* slowest_miss = nullptr;
  for (const auto& probe : probes) {
    if (!counts(probe) || !is_miss(probe, goal)) continue;
    if (slowest_miss == nullptr || probe.load() < slowest_miss->load()) slowest_miss = &probe;
  }
  RateBounds found;
  if (slowest_miss != nullptr) found.upper = slowest_miss->load();
  for (const auto& probe : probes) {
    const bool is_met = counts(probe) && probe.sent > 0 && probe.loss() <= goal;
    if (!is_met || (found.upper && probe.load() >= *found.upper)) continue;
    const auto packets = static_cast<double>(probe.sent);
    if (slowest_miss != nullptr && packets * slowest_miss->loss() < 1) continue;
    if (packets * goal < (goal > 0 ? kMinLosses : 0)) continue;
    if (!found.lower || probe.load() > *found.lower) found.lower = probe.load();
  }
  return found;
}

bool SearchEvidence::is_silent() const {
  const auto sent = [](const SearchProbe& probe) { return probe.sent > 0; };
  const auto returned = [](const SearchProbe& probe) { return probe.received > 0; };
  return std::ranges::any_of(probes, sent) && std::ranges::none_of(probes, returned);
}

}  // namespace manactl::datapath
