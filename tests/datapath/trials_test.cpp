// SPDX-License-Identifier: MIT

#include "datapath/measure/trials.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace manactl::datapath::trials_test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Looped ports, each of which carries `capacity` packets per second.
class LoopSession final : public Session {
 public:
  explicit LoopSession(double capacity, std::size_t ports = 1) : capacity_(capacity) {
    report_.ports.resize(ports);
  }

  const BenchReport& about() const override { return report_; }

  Result<Trial> run(const TrialPlan& plan,
                    std::stop_token stop,
                    const Progress& progress) override {
    plans.push_back(plan);
    if (progress.started) progress.started();
    Trial trial;
    trial.plan = plan;
    const double rate = plan.rate ? std::min(plan.rate->value, fastest) : fastest;
    const auto ports = static_cast<double>(report_.ports.size());
    const double time = plan.seconds - plan.ramp_seconds / 2;
    trial.total.seconds = plan.seconds;
    trial.total.tx.packets = static_cast<std::uint64_t>(std::llround(rate * time * ports));
    trial.total.rx.packets =
        static_cast<std::uint64_t>(std::llround(std::min(rate, capacity_) * time * ports));
    trial.interrupted = stop.stop_requested();
    if (change) {
      if (auto ok = change(plans.size(), trial); !ok) return tl::unexpected<Error>(ok.error());
    }
    return trial;
  }

  std::vector<TrialPlan> plans;
  std::function<Result<>(std::size_t number, Trial& trial)> change;
  double fastest = 10e6;

 private:
  BenchReport report_;
  double capacity_;
};

FindPlan find_plan(std::vector<double> losses = {0}) {
  FindPlan plan;
  plan.losses = std::move(losses);
  return plan;
}

// Opens a session of three ports. Opening or the trials fail if an error is set.
struct FailingEngine final : Engine {
  Result<std::unique_ptr<Session>> open(const BenchPlan& /*plan*/) override {
    if (!open_error.empty()) return fail(Errc::busy, open_error);
    auto session = std::make_unique<LoopSession>(1e6, 3);
    if (!trial_error.empty()) {
      session->change = [this](std::size_t, Trial&) -> Result<> {
        return fail(Errc::denied, trial_error);
      };
    }
    return session;
  }

  std::string open_error, trial_error;
};

TEST(Run, ReturnsTheReportWithItsTrial) {
  FailingEngine engine;
  BenchPlan plan;
  plan.trial.seconds = 7;
  const auto report = run(engine, plan, {}, {});
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->ports.size(), 3U);
  ASSERT_EQ(report->trials.size(), 1U);
  EXPECT_EQ(report->trials.front().plan.seconds, 7);
}

TEST(Run, FailsIfTheSessionOrItsTrialFails) {
  FailingEngine engine;
  engine.trial_error = "no trial";
  const auto no_trial = run(engine, {}, {}, {});
  ASSERT_FALSE(no_trial.has_value());
  EXPECT_EQ(no_trial.error().message, "no trial");
  EXPECT_EQ(no_trial.error().code, Errc::denied);
  engine.open_error = "no session";
  const auto no_session = run(engine, {}, {}, {});
  ASSERT_FALSE(no_session.has_value());
  EXPECT_EQ(no_session.error().message, "no session");
  EXPECT_EQ(no_session.error().code, Errc::busy);
}

TEST(Repeat, RunsTheSamePlanRepeatedly) {
  LoopSession session(1e6);
  TrialPlan plan;
  plan.seconds = 3;
  int started = 0;
  Progress progress;
  progress.started = [&] { ++started; };
  const auto trials = repeat(session, plan, 4, {}, progress);
  ASSERT_TRUE(trials.has_value());
  EXPECT_EQ(trials->size(), 4U);
  EXPECT_EQ(session.plans.back().seconds, 3);
  EXPECT_EQ(started, 4);
}

TEST(Repeat, RunsAtLeastOnce) {
  LoopSession session(1e6);
  EXPECT_EQ(repeat(session, {}, 0, {}, {})->size(), 1U);
}

TEST(Repeat, EndsAfterAnInterruptedTrial) {
  LoopSession session(1e6);
  session.change = [](std::size_t number, Trial& trial) -> Result<> {
    trial.interrupted = number == 2;
    return {};
  };
  EXPECT_EQ(repeat(session, {}, 5, {}, {})->size(), 2U);
}

TEST(Repeat, KeepsEarlierTrialsIfALaterOneFails) {
  LoopSession session(1e6);
  session.change = [](std::size_t number, Trial&) -> Result<> {
    if (number < 3) return {};
    return fail(Errc::io, "the device was removed");
  };
  const auto trials = repeat(session, {}, 5, {}, {});
  ASSERT_TRUE(trials.has_value());
  ASSERT_EQ(trials->size(), 2U);
  EXPECT_THAT(trials->back().notes,
              ElementsAre("trial 3 of 5 did not start: the device was removed"));
}

TEST(Repeat, FailsIfTheFirstTrialFails) {
  LoopSession session(1e6);
  session.change = [](std::size_t, Trial&) -> Result<> { return fail(Errc::busy, "busy"); };
  const auto trials = repeat(session, {}, 5, {}, {});
  ASSERT_FALSE(trials.has_value());
  EXPECT_EQ(trials.error().code, Errc::busy);
}

class FindWithPorts : public testing::TestWithParam<std::size_t> {};

TEST_P(FindWithPorts, FindsTheRateOfOnePort) {
  LoopSession session(4e6, GetParam());
  const auto report = find(session, find_plan(), {}, {});
  ASSERT_TRUE(report.has_value()) << report.error().message;
  const auto& found = report->result.found.front();
  EXPECT_EQ(found.end, GoalResult::End::narrow);
  EXPECT_NEAR(*found.lower, 4e6, 0.02e6);
  EXPECT_NEAR(report->result.reach, 10e6, 1);
}

INSTANTIATE_TEST_SUITE_P(Counts, FindWithPorts, testing::Values(1, 2, 8));

TEST(Find, ReturnsTheTrialsAtTheLowerBound) {
  LoopSession session(4e6);
  const auto report = find(session, find_plan({0, 0.005}), {}, {});
  ASSERT_TRUE(report.has_value());
  const auto lower = report->result.found.front().lower;
  ASSERT_TRUE(lower);
  ASSERT_FALSE(report->trials.empty());
  ASSERT_EQ(report->trials.size(), report->indexes.size());
  EXPECT_EQ(report->result.probes[report->indexes.front()].load(), *lower);
  for (const auto& trial : report->trials) {
    EXPECT_EQ(trial.plan.rate->value, *lower);
    EXPECT_GE(trial.plan.seconds, 10);
  }
}

TEST(Find, ReturnsTheLastTrialIfEveryRateLosesPackets) {
  LoopSession session(1);
  const auto report = find(session, find_plan(), {}, {});
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->result.found.front().end, GoalResult::End::below);
  ASSERT_EQ(report->trials.size(), 1U);
  EXPECT_EQ(report->trials.front().plan.rate->value, session.plans.back().rate->value);
}

TEST(Find, RampsUpBeforeEveryTrialWithARate) {
  LoopSession session(4e6);
  auto plan = find_plan();
  plan.trial.seconds = 5;
  plan.trial.warmup_seconds = 2;
  ASSERT_TRUE(find(session, plan, {}, {}).has_value());
  EXPECT_FALSE(session.plans.front().rate);  // an unlimited rate has no ramp
  EXPECT_EQ(session.plans.front().ramp_seconds, 0);
  const auto& last = session.plans.back();
  EXPECT_DOUBLE_EQ(last.ramp_seconds, 0.5);
  EXPECT_DOUBLE_EQ(last.seconds, 5.5);
  EXPECT_EQ(last.warmup_seconds, 0);
  plan.trial.ramp_seconds = 2;
  ASSERT_TRUE(find(session, plan, {}, {}).has_value());
  EXPECT_DOUBLE_EQ(session.plans.back().seconds, 7);
}

TEST(Find, StaysBelowTheRequestedMaximum) {
  LoopSession session(4e6);
  auto plan = find_plan();
  plan.max_rate = 2e6;
  auto report = find(session, plan, {}, {});
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->result.found.front().end, GoalResult::End::above);
  EXPECT_EQ(*report->result.found.front().lower, 2e6);
  plan.max_rate = 100;  // less than the default minimum of a search
  report = find(session, plan, {}, {});
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(*report->result.found.front().lower, 100);
}

TEST(Find, RepeatsATrialInWhichADeviceWasRemoved) {
  LoopSession session(4e6);
  session.change = [](std::size_t number, Trial& trial) -> Result<> {
    if (number != 3) return {};
    trial.events.push_back({0.5, "net_ring0", Event::Kind::removed});
    trial.total.rx.packets = 0;
    return {};
  };
  const auto report = find(session, find_plan(), {}, {});
  ASSERT_TRUE(report.has_value());
  EXPECT_NEAR(*report->result.found.front().lower, 4e6, 0.02e6);
  EXPECT_FALSE(report->result.probes[2].valid);
  EXPECT_EQ(report->result.probes[3].asked, report->result.probes[2].asked);
}

TEST(Find, EndsOnRequest) {
  LoopSession session(4e6);
  session.change = [](std::size_t number, Trial& trial) -> Result<> {
    trial.interrupted = number == 2;
    return {};
  };
  const auto report = find(session, find_plan(), {}, {});
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->result.found.front().end, GoalResult::End::stopped);
  EXPECT_EQ(session.plans.size(), 2U);
  EXPECT_EQ(report->trials.size(), 1U);
}

TEST(Find, FailsIfATrialCannotStart) {
  LoopSession session(4e6);
  session.change = [](std::size_t number, Trial&) -> Result<> {
    if (number < 3) return {};
    return fail(Errc::io, "the device was removed");
  };
  const auto report = find(session, find_plan(), {}, {});
  ASSERT_FALSE(report.has_value());
  EXPECT_EQ(report.error().message, "the device was removed");
}

TEST(Find, ReportsEveryTrial) {
  LoopSession session(4e6);
  auto plan = find_plan();
  std::size_t reported = 0;
  int started = 0;
  plan.on_probe = [&](const SearchProbe& probe) {
    ++reported;
    EXPECT_GT(probe.sent, 0U);
  };
  Progress progress;
  progress.started = [&] { ++started; };
  const auto report = find(session, plan, {}, progress);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(reported, report->result.probes.size());
  EXPECT_EQ(started, static_cast<int>(reported));
}

TEST(Find, NotesPacketsThatThisHostDropped) {
  LoopSession session(4e6);
  EXPECT_THAT(find(session, find_plan(), {}, {})->notes, IsEmpty());
  session.plans.clear();
  session.change = [](std::size_t number, Trial& trial) -> Result<> {
    if (number == 1) trial.total.rx.missed = 40, trial.total.rx.no_buffer = 2;
    return {};
  };
  EXPECT_THAT(find(session, find_plan(), {}, {})->notes,
              ElementsAre(HasSubstr("this host dropped 42")));
}

TEST(Find, NotesThatOtherTrafficHidesPacketLoss) {
  LoopSession session(4e6);
  session.change = [](std::size_t number, Trial& trial) -> Result<> {
    if (number % 2 == 0) trial.total.rx.packets = trial.total.tx.packets + 1;
    return {};
  };
  EXPECT_THAT(find(session, find_plan(), {}, {})->notes,
              Contains(HasSubstr("so the packet loss is unknown")));
}

TEST(Find, RequiresAModeThatSendsAndReceives) {
  EXPECT_TRUE(can_find(Mode::txrx).has_value());
  EXPECT_TRUE(can_find(Mode::rtt).has_value());
  for (const auto& row : kModes) {
    if (row.no_search.empty()) continue;
    const auto refused = can_find(row.mode);
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code, Errc::invalid);
    EXPECT_THAT(refused.error().message, HasSubstr(fmt::format("plan.mode {}", row.name)));
    auto plan = find_plan();
    plan.mode = row.mode;
    LoopSession session(1e6);
    EXPECT_FALSE(find(session, plan, {}, {}).has_value());
    EXPECT_THAT(session.plans, IsEmpty());
  }
}

}  // namespace
}  // namespace manactl::datapath::trials_test
