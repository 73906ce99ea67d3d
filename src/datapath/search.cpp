// SPDX-License-Identifier: MIT
#include "datapath/search.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace manactl::datapath {

namespace {

constexpr double kAsAsked = 0.99;  // a sender this close to the rate has kept up
constexpr double kExceed = 0.5;    // share of the time at a lower bound that may lose more
constexpr int kTries = 3;          // of a trial that says nothing, or of a sender that lags
constexpr double kFirst = 0.1;     // length of the first trials, of the final ones
constexpr unsigned kStages = 3;

// What the trials of one stage have to say before a rate is a bound.
struct Target {
  double trial_seconds = 0;  // shorter trials cannot vouch for a rate
  double sum_seconds = 0;    // of such trials at one rate
  double width = 0;
};

struct Bounds {
  std::optional<double> lower, upper;
};

enum class Verdict { lower, upper, open };

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

// Time that trials of full length took at one rate.
struct Spent {
  double good = 0, bad = 0;
};

// What is still missing to the sum may yet go either way.
Verdict judge(const Spent& spent, const Target& target) {
  const double whole = std::max(spent.good + spent.bad, target.sum_seconds);
  const double missing = whole - spent.good - spent.bad;
  const double allowed = whole * kExceed;
  if (spent.bad > allowed) return Verdict::upper;
  return spent.bad + missing <= allowed ? Verdict::lower : Verdict::open;
}

class Search {
 public:
  Search(const SearchPlan& plan, const MakeProbe& probe)
      : plan_(plan),
        make_probe_(probe),
        most_(plan.most),
        found_(plan.losses.size()),
        guesses_(plan.losses.size()) {
    for (std::size_t i = 0; i < found_.size(); ++i) found_[i].loss = plan.losses[i];
  }

  Result<SearchResult> run() {
    const auto targets = targets_of(plan_);
    if (auto ok = begin(targets.front()); !ok) return tl::unexpected<Error>(ok.error());
    for (const auto& target : targets) {
      for (std::size_t i = 0; i < found_.size(); ++i) {
        if (auto ok = narrow(i, target); !ok) return tl::unexpected<Error>(ok.error());
      }
    }
    for (auto& goal : found_) conclude(goal, targets.back());
    return SearchResult{std::move(found_), std::move(probes_), reach_};
  }

 private:
  // As fast as it goes: what arrives then is a good guess at what can.
  Result<> begin(const Target& target) {
    if (auto ok = attempt(most_, target.trial_seconds); !ok || end_) return ok;
    const auto first =
        *std::find_if(probes_.begin(), probes_.end(), [](const Probe& one) { return counts(one); });
    for (std::size_t i = 0; i < found_.size(); ++i) {
      const double arrives = first.load() * (1 - first.loss()) / (1 - found_[i].loss);
      guesses_[i].lower = std::clamp(arrives, plan_.least, most_);
    }
    return {};
  }

  // One trial that says something, or a reason in end_ why there is none. A sender that lags
  // several times in a row cannot do better: what it reached is the most from then on.
  Result<> attempt(double load, double seconds) {
    std::optional<std::size_t> best;  // of the trials in which the sender lagged
    const int tries = std::isinf(load) ? 1 : kTries;
    for (int lags = 0, silent = 0; lags < tries && silent < kTries;) {
      if (auto ok = ask(load, seconds); !ok || end_) return ok;
      auto& last = probes_.back();
      if (!last.valid) {
        ++silent;
        continue;
      }
      const auto index = probes_.size() - 1;
      const bool better = !best || last.rate > probes_[*best].rate;
      if (best && better) probes_[*best].valid = false;
      if (last.as_asked()) return {};
      ++lags;
      last.valid = better;
      if (better) best = index;
    }
    if (best && probes_[*best].rate >= plan_.least) {
      most_ = probes_[*best].rate;
      return {};
    }
    if (best) probes_[*best].valid = false;
    end_ = Found::End::useless;
    return {};
  }

  Result<> ask(double load, double seconds) {
    if (probes_.size() >= plan_.most_probes) {
      end_ = Found::End::limit;
      return {};
    }
    auto probe = make_probe_(load, seconds);
    if (!probe) return tl::unexpected<Error>(probe.error());
    probe->asked = load;
    probe->seconds = seconds;
    if (probe->stopped) end_ = Found::End::stopped;
    if (probe->valid) reach_ = std::max(reach_, probe->rate);
    probes_.push_back(*probe);
    return {};
  }

  Spent spent_at(double load, double goal, const Target& target) const {
    Spent spent;
    for (const auto& probe : probes_) {
      if (!counts(probe) || probe.load() != load || probe.seconds < target.trial_seconds) continue;
      (probe.loss() <= goal ? spent.good : spent.bad) += probe.seconds;
    }
    return spent;
  }

  static bool counts(const Probe& probe) { return probe.valid && !probe.stopped; }

  Verdict verdict(double load, double goal, const Target& target) const {
    return judge(spent_at(load, goal, target), target);
  }

  // The smallest rate that loses too much, and the largest below it that does not.
  Bounds bounds(double goal, const Target& target) const {
    Bounds found;
    for (const auto& probe : probes_) {
      if (!counts(probe) || verdict(probe.load(), goal, target) != Verdict::upper) continue;
      if (!found.upper || probe.load() < *found.upper) found.upper = probe.load();
    }
    for (const auto& probe : probes_) {
      if (!counts(probe) || (found.upper && probe.load() >= *found.upper)) continue;
      if (verdict(probe.load(), goal, target) != Verdict::lower) continue;
      if (!found.lower || probe.load() > *found.lower) found.lower = probe.load();
    }
    return found;
  }

  bool close(const Bounds& now, const Target& target) const {
    return now.lower && now.upper && *now.upper - *now.lower <= target.width * *now.upper;
  }

  Result<> narrow(std::size_t index, const Target& target) {
    auto& goal = found_[index];
    const auto guess = guesses_[index];
    double step = 1;
    while (!end_) {
      const auto now = bounds(goal.loss, target);
      const auto load = next(now, guess, target, step);
      if (!load) break;
      // A sender that lags has changed what is possible: look again.
      const double most = most_;
      while (!end_ && most_ == most && verdict(*load, goal.loss, target) == Verdict::open) {
        if (auto ok = attempt(*load, target.trial_seconds); !ok) return ok;
      }
    }
    const auto now = bounds(goal.loss, target);
    // An end in the middle of a stage: the whole answer of the one before says more.
    if (end_ && !(now.lower && now.upper) && (goal.lower || goal.upper)) return {};
    goal.lower = now.lower;
    goal.upper = now.upper;
    guesses_[index] = now;
    return {};
  }

  // The rate to try next; nothing when the bounds are close or at an end of what can be tried.
  std::optional<double> next(const Bounds& now,
                             const Bounds& guess,
                             const Target& target,
                             double& step) const {
    if (close(now, target) || (now.lower && *now.lower >= most_)) return std::nullopt;
    const bool try_lower = guess.lower && !now.lower && (!now.upper || *guess.lower < *now.upper);
    if (try_lower) return std::min(*guess.lower, most_);
    if (!now.lower && !now.upper) return std::min(guess.upper.value_or(most_), most_);
    const bool try_upper = guess.upper && !now.upper && *guess.upper > *now.lower;
    if (try_upper) return std::min(*guess.upper, most_);
    const auto load = walk(now, target, step);
    return load ? std::min(*load, most_) : load;
  }

  // From the bound that the last trial set towards the other one, in steps that double, until the
  // middle between them is nearer.
  std::optional<double> walk(const Bounds& now, const Target& target, double& step) const {
    const bool up = !now.upper || (now.lower && probes_.back().load() == *now.lower);
    const double factor = std::pow(1 - target.width, step);
    step *= 2;
    if (up) {
      const double load = *now.lower / factor;
      return now.upper ? std::min(load, middle(now)) : load;
    }
    if (!now.lower && *now.upper <= plan_.least) return std::nullopt;
    const double load = *now.upper * factor;
    return now.lower ? std::max(load, middle(now)) : std::max(load, plan_.least);
  }

  static double middle(const Bounds& now) { return std::sqrt(*now.lower * *now.upper); }

  void conclude(Found& goal, const Target& target) const {
    const auto now = bounds(goal.loss, target);
    goal.is_final = goal.lower == now.lower && goal.upper == now.upper && (now.lower || now.upper);
    const bool narrow = goal.is_final && close(now, target);
    if (end_ && !narrow) {
      goal.end = *end_;
    } else if (!goal.lower) {
      goal.end = Found::End::below;
    } else if (!narrow) {
      goal.end = Found::End::above;
    }
    if (goal.lower) goal.throughput = *goal.lower * (1 - typical_loss(*goal.lower));
  }

  // Of the longest trials at a rate, the loss that the allowed share of them exceeds.
  double typical_loss(double load) const {
    double longest = 0;
    std::vector<double> losses;
    for (const auto& probe : probes_) {
      if (!counts(probe) || probe.load() != load || probe.seconds < longest) continue;
      if (probe.seconds > longest) losses.clear();
      longest = probe.seconds;
      losses.push_back(probe.loss());
    }
    if (losses.empty()) return 0;
    std::sort(losses.begin(), losses.end());
    return losses[(losses.size() - 1) / 2];
  }

  const SearchPlan& plan_;
  const MakeProbe& make_probe_;
  double most_;
  double reach_ = 0;
  std::vector<Found> found_;
  std::vector<Bounds> guesses_;  // of each goal: what the stage before said
  std::vector<Probe> probes_;
  std::optional<Found::End> end_;
};

}  // namespace

double Probe::loss() const {
  if (sent == 0) return 1;
  return received >= sent ? 0 : static_cast<double>(sent - received) / static_cast<double>(sent);
}

bool Probe::as_asked() const {
  return rate >= asked * kAsAsked;
}

double Probe::load() const {
  return as_asked() ? asked : rate;
}

std::string_view name_of(Found::End end) {
  switch (end) {
    case Found::End::narrow:
      return "narrow";
    case Found::End::above:
      return "above";
    case Found::End::below:
      return "below";
    case Found::End::stopped:
      return "stopped";
    case Found::End::useless:
      return "useless";
    case Found::End::limit:
      return "limit";
  }
  return {};
}

Result<> validate(const SearchPlan& plan) {
  // Written so that NaN is refused too.
  const auto possible = [](double loss) { return loss >= 0 && loss < 1; };
  if (plan.losses.empty() || !std::all_of(plan.losses.begin(), plan.losses.end(), possible)) {
    return fail(Errc::invalid, "a loss is a share of the packets: 0 up to, but not, 100 %");
  }
  if (!(plan.least > 0 && plan.most >= plan.least)) {
    return fail(Errc::invalid,
                fmt::format("a search starts at {} packets per second and needs more", plan.least));
  }
  if (!(plan.width > 0 && plan.width < 1) || !(plan.final_seconds > 0) || plan.repeat == 0) {
    return fail(Errc::invalid, "a search needs a width between 0 and 1, and trials of some time");
  }
  return {};
}

Result<SearchResult> search(const SearchPlan& plan, const MakeProbe& probe) {
  if (auto ok = validate(plan); !ok) return tl::unexpected<Error>(ok.error());
  return Search(plan, probe).run();
}

}  // namespace manactl::datapath
