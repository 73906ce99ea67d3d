// SPDX-License-Identifier: MIT
#include "datapath/trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace manactl::datapath {

namespace {

constexpr double kRampShare = 0.1;  // of a trial, when nobody said how long
constexpr double kMostRamp = 1;     // second

// A search's trials on a session.
class Finder {
 public:
  Finder(Session& session,
         const FindPlan& plan,
         const std::stop_token& stop,
         const Progress& progress)
      : session_(session), plan_(plan), stop_(stop), progress_(progress) {}

  Result<Probe> probe(double rate, double seconds) {
    const auto trial_plan = plan_of(rate, seconds);
    auto trial = session_.run(trial_plan, stop_, progress_);
    if (!trial) return tl::unexpected<Error>(trial.error());
    Probe probe;
    probe.asked = rate;
    probe.seconds = seconds;
    probe.sent = trial->total.tx.packets;
    probe.received = trial->total.rx.packets;
    // While it ramps up, half of the rate is sent.
    const double time = trial->total.seconds - trial_plan.ramp_seconds / 2;
    const auto ports = static_cast<double>(std::max<std::size_t>(1, session_.about().ports.size()));
    if (time > 0) probe.rate = static_cast<double>(probe.sent) / time / ports;
    probe.valid = trial->events.empty();
    probe.stopped = trial->interrupted;
    if (plan_.probed) plan_.probed(probe);
    trials_.push_back(std::move(*trial));
    return probe;
  }

  // The trials behind the lower bound of the first goal; the last one when there is none.
  void choose(FindReport& report) {
    const auto& probes = report.result.probes;
    const auto& bound = report.result.found.front().lower;
    double longest = 0;
    for (std::size_t i = 0; bound && i < probes.size(); ++i) {
      if (!probes[i].valid || probes[i].stopped || probes[i].load() != *bound) continue;
      if (probes[i].seconds < longest) continue;
      if (probes[i].seconds > longest) report.kept.clear();
      longest = probes[i].seconds;
      report.kept.push_back(i);
    }
    if (report.kept.empty()) report.kept.push_back(trials_.size() - 1);
    for (const auto i : report.kept) report.trials.push_back(std::move(trials_[i]));
  }

  std::vector<std::string> notes() const {
    std::uint64_t own = 0, lost = 0, more = 0;
    for (const auto& trial : trials_) {
      const auto &sent = trial.total.tx, &received = trial.total.rx;
      own += received.missed + received.no_buffer;
      lost += sent.packets - std::min(sent.packets, received.packets);
      if (received.packets > sent.packets) ++more;
    }
    std::vector<std::string> notes;
    if (own > 0) {
      notes.push_back(fmt::format(
          "of the {} packets lost in all trials {} were dropped on this side, for want of "
          "descriptors or buffers",
          lost,
          own));
    }
    if (more > 0) {
      notes.push_back(fmt::format(
          "in {} trials more packets came than were sent: other traffic hides losses", more));
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
    if (plan.ramp_seconds <= 0) plan.ramp_seconds = std::min(kMostRamp, seconds * kRampShare);
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
  if (sends(mode) && receives(mode) && mode != Mode::fwd) return {};
  return fail(Errc::invalid,
              fmt::format("--find with --mode {}: {}; txrx and rtt see both sides",
                          name_of(mode),
                          mode == Mode::tx   ? "a sender does not see what arrives"
                          : mode == Mode::rx ? "a receiver does not know what was sent"
                                             : "it sends only what it receives"));
}

Result<FindReport> find(Session& session,
                        const FindPlan& plan,
                        const std::stop_token& stop,
                        const Progress& progress) {
  if (auto ok = can_find(plan.mode); !ok) return tl::unexpected<Error>(ok.error());
  SearchPlan goals;
  goals.losses = plan.losses;
  goals.most = plan.most;
  goals.least = std::min(goals.least, plan.most);
  goals.final_seconds = plan.trial.seconds;
  goals.repeat = plan.repeat;
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
