// SPDX-License-Identifier: MIT
#include "datapath/measure/trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "datapath/plan/fields.h"

namespace manactl::datapath {

namespace {

// The ramp of a trial if the plan has none.
constexpr double kRampShare = 0.1;  // share of the trial time
constexpr double kMaxRamp = 1;      // seconds

// Runs the trials of a search on a session.
class Finder {
 public:
  Finder(Session& session,
         const FindPlan& plan,
         const std::stop_token& stop,
         const Progress& progress)
      : session_(session), plan_(plan), stop_(stop), progress_(progress) {}

  Result<SearchProbe> probe(double rate, double seconds) {
    const auto trial_plan = plan_of(rate, seconds);
    auto trial = session_.run(trial_plan, stop_, progress_);
    if (!trial) return tl::unexpected<Error>(trial.error());
    SearchProbe probe;
    probe.asked = rate;
    probe.seconds = seconds;
    probe.sent = trial->total.tx.packets;
    probe.received = trial->total.rx.packets;
    // The mean rate during the ramp is half of the final rate.
    const double time = trial->total.seconds - trial_plan.ramp_seconds / 2;
    const auto ports = static_cast<double>(std::max<std::size_t>(1, session_.about().ports.size()));
    if (time > 0) probe.rate = static_cast<double>(probe.sent) / time / ports;
    probe.valid =
        trial->events.empty() && std::ranges::none_of(trial->intervals, &Interval::absent);
    probe.stopped = trial->interrupted;
    probe.disturbed = plan_.was_disturbed && plan_.was_disturbed();
    if (plan_.on_probe) plan_.on_probe(probe);
    trials_.push_back(std::move(*trial));
    return probe;
  }

  // Moves trials to the report: the longest at the lower bound of the first goal or, if there is no
  // lower bound, the last trial.
  void choose(FindReport& report) {
    const auto& probes = report.result.probes;
    const auto& bound = report.result.found.front().lower;
    double longest = 0;
    for (std::size_t i = 0; bound && i < probes.size(); ++i) {
      if (!probes[i].valid || probes[i].stopped || probes[i].load() != *bound) continue;
      if (probes[i].seconds < longest) continue;
      if (probes[i].seconds > longest) report.indexes.clear();
      longest = probes[i].seconds;
      report.indexes.push_back(i);
    }
    if (report.indexes.empty()) report.indexes.push_back(trials_.size() - 1);
    for (const auto i : report.indexes) report.trials.push_back(std::move(trials_[i]));
  }

  std::vector<std::string> notes() const {
    std::uint64_t dropped = 0, lost = 0, foreign = 0;
    for (const auto& trial : trials_) {
      const auto &sent = trial.total.tx, &received = trial.total.rx;
      dropped += received.missed.value_or(0) + received.no_buffer.value_or(0);
      lost += sent.packets - std::min(sent.packets, received.packets);
      if (received.packets > sent.packets) ++foreign;
    }
    std::vector<std::string> notes;
    if (dropped > 0) {
      notes.push_back(fmt::format(
          "of the {} packets lost in all trials, this host dropped {} for lack of descriptors or "
          "buffers",
          lost,
          dropped));
    }
    if (foreign > 0) {
      notes.push_back(
          fmt::format("{} trials received more packets than were counted as sent, so the packet "
                      "loss is unknown",
                      foreign));
    }
    return notes;
  }

 private:
  TrialPlan plan_of(double rate, double seconds) const {
    auto plan = plan_.trial;
    plan.warmup_seconds = 0;
    plan.rate.reset();
    plan.seconds = seconds;
    if (std::isinf(rate)) {
      plan.ramp_seconds = 0;
      return plan;
    }
    plan.rate = Rate{Rate::Unit::packets, rate};
    if (plan.ramp_seconds <= 0) plan.ramp_seconds = std::min(kMaxRamp, seconds * kRampShare);
    plan.seconds += plan.ramp_seconds;
    return plan;
  }

  Session& session_;
  const FindPlan& plan_;
  const std::stop_token& stop_;
  const Progress& progress_;
  std::vector<Trial> trials_;
};

}  // namespace

Result<BenchReport> run(Engine& engine,
                        const BenchPlan& plan,
                        const std::stop_token& stop,
                        const Progress& progress) {
  const auto session = engine.open(plan);
  if (!session) return tl::unexpected<Error>(session.error());
  auto trial = (*session)->run(plan.trial, stop, progress);
  if (!trial) return tl::unexpected<Error>(trial.error());
  auto report = (*session)->about();
  report.trials.push_back(std::move(*trial));
  return report;
}

Result<std::vector<Trial>> repeat(Session& session,
                                  const TrialPlan& plan,
                                  unsigned count,
                                  const std::stop_token& stop,
                                  const Progress& progress) {
  std::vector<Trial> trials;
  do {
    auto trial = session.run(plan, stop, progress);
    if (!trial && trials.empty()) return tl::unexpected<Error>(trial.error());
    if (!trial) {
      trials.back().notes.push_back(fmt::format(
          "trial {} of {} did not start: {}", trials.size() + 1, count, trial.error().message));
      break;
    }
    trials.push_back(std::move(*trial));
  } while (trials.size() < count && !trials.back().interrupted);
  return trials;
}

Result<> can_find(Mode mode) {
  const auto reason = row_of(mode).no_search;
  if (reason.empty()) return {};
  std::vector<std::string> others;
  for (const auto& row : kModes) {
    if (row.no_search.empty()) others.emplace_back(row.name);
  }
  return fail(Errc::invalid,
              fmt::format("{} with {} {}: {}; use {}",
                          name_of(PlanField::losses),
                          name_of(PlanField::mode),
                          name_of(mode),
                          reason,
                          join(others, " or ")));
}

Result<FindReport> find(Session& session,
                        const FindPlan& plan,
                        const std::stop_token& stop,
                        const Progress& progress) {
  if (auto ok = can_find(plan.mode); !ok) return tl::unexpected<Error>(ok.error());
  SearchPlan goals;
  goals.losses = plan.losses;
  goals.max_rate = plan.max_rate;
  goals.min_rate = std::min(goals.min_rate, plan.max_rate);
  goals.final_seconds = plan.trial.seconds;
  goals.repeat = plan.repeat;
  goals.on_progress = plan.on_progress;
  Finder finder(session, plan, stop, progress);
  auto result =
      search(goals, [&](double rate, double seconds) { return finder.probe(rate, seconds); });
  if (!result) return tl::unexpected<Error>(result.error());
  FindReport report;
  report.result = std::move(*result);
  report.notes = finder.notes();
  finder.choose(report);
  return report;
}

}  // namespace manactl::datapath
