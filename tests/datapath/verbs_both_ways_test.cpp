// SPDX-License-Identifier: MIT
//
// The engine of direct verbs in modes that see both sides: on a cable that comes back, and as the
// responder of somebody else.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "datapath/in_child.h"
#include "datapath/request.h"
#include "datapath/trials.h"
#include "datapath/verbs/engine.h"
#include "datapath/verbs_machine.h"

namespace manactl::datapath::verbs {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint16_t kSize = 128;
const MacAddress kMac = MacAddress::parse("00:0d:3a:76:3b:d0").value();

// What comes in on one queue fits there, whichever queues sent it.
BenchPlan plan_of(Mode mode, std::uint16_t queues = 1) {
  BenchPlan plan;
  plan.mode = mode;
  plan.nics = {{"sim0", PciAddress::parse("7870:00:00.0").value(), kMac, std::nullopt}};
  plan.queues = queues;
  plan.descriptors = 256;
  plan.traffic.sizes = {{kSize, 1}};
  plan.trial.seconds = 0.1;
  plan.trial.interval_seconds = 0.05;
  return plan;
}

std::unique_ptr<Session> session_on(const Machine& port, const BenchPlan& plan) {
  const auto engine = make_engine([&port](const Nic&) { return port.open(Rings::calls); }, "44.0");
  return engine->open(plan).value();
}

void expect_whole(const Trial& trial) {
  EXPECT_GT(trial.total.tx.packets, 0U);
  EXPECT_EQ(trial.total.rx.packets, trial.total.tx.packets);
  EXPECT_EQ(trial.total.rx.bytes, trial.total.tx.bytes);
}

void expect_answered(const Trial& trial) {
  expect_whole(trial);
  ASSERT_TRUE(trial.latency);
  EXPECT_EQ(trial.latency->count(), trial.total.tx.packets);
  EXPECT_GT(trial.latency->least(), 0U);
  EXPECT_LE(trial.latency->percentile(0.5), trial.latency->most());
  EXPECT_EQ(trial.answers.reordered, 0U);
  EXPECT_EQ(trial.answers.strangers, 0U);
}

class VerbsRoundTrips : public testing::TestWithParam<std::uint16_t> {};

TEST_P(VerbsRoundTrips, OfALoopAreAllCounted) {
  EXPECT_TRUE(in_child([] {
    Machine port("engine=inline", Machine::Ends::looped_cable);
    const auto plan = plan_of(Mode::rtt, GetParam());
    {
      const auto session = session_on(port, plan);
      const auto trial = session->run(plan.trial, {}, {}).value();
      expect_answered(trial);
      EXPECT_EQ(trial.total.tx.bytes, trial.total.tx.packets * kSize);
      EXPECT_EQ(trial.total.tx.packets, port.counters().tx_packets);
      EXPECT_EQ(session->about().template_mode, "per-packet");
      EXPECT_THAT(session->about().notes, Contains(HasSubstr("times are taken by software")));
    }
    EXPECT_THAT(port.broken(), IsEmpty());
  }));
}

TEST_P(VerbsRoundTrips, KeepToTheRate) {
  EXPECT_TRUE(in_child([] {
    Machine port("engine=inline backend=loopback", Machine::Ends::as_configured);
    auto plan = plan_of(Mode::rtt, GetParam());
    plan.trial.rate = Rate{Rate::Unit::packets, 10000};
    const auto trial = session_on(port, plan)->run(plan.trial, {}, {}).value();
    expect_answered(trial);
    constexpr double kSlack = 1.1;  // of the measured length of a tick
    EXPECT_LE(static_cast<double>(trial.total.tx.packets),
              trial.total.seconds * 10000 * kSlack + 1);
    EXPECT_THAT(port.broken(), IsEmpty());
  }));
}

TEST_P(VerbsRoundTrips, StartAnewInEachTrial) {
  EXPECT_TRUE(in_child([] {
    Machine port("engine=inline backend=loopback", Machine::Ends::as_configured);
    auto plan = plan_of(Mode::rtt, GetParam());
    plan.traffic.flows = 3;
    plan.traffic.sizes = {{78, 1}, {kSize, 1}, {1518, 1}};
    const auto session = session_on(port, plan);
    for (int i = 0; i < 2; ++i) expect_answered(session->run(plan.trial, {}, {}).value());
    EXPECT_THAT(port.broken(), IsEmpty());
  }));
}

INSTANTIATE_TEST_SUITE_P(Queues, VerbsRoundTrips, testing::Values(1, 8));

TEST(VerbsTxRx, MissesNothingThatWasOnItsWayAtTheEnd) {
  EXPECT_TRUE(in_child([] {
    Machine port("engine=inline backend=loopback", Machine::Ends::as_configured);
    const auto plan = plan_of(Mode::txrx);
    const auto session = session_on(port, plan);
    for (int i = 0; i < 3; ++i) expect_whole(session->run(plan.trial, {}, {}).value());
    EXPECT_THAT(port.broken(), IsEmpty());
  }));
}

TEST(VerbsTxRx, LeavesOutWhatCameTooLateForTheTrialBefore) {
  EXPECT_TRUE(in_child([] {
    Machine port("engine=inline");  // nothing comes back by itself
    auto plan = plan_of(Mode::txrx);
    plan.trial.rate = Rate{Rate::Unit::packets, 1000};
    const auto session = session_on(port, plan);
    EXPECT_EQ(session->run(plan.trial, {}, {}).value().total.rx.packets, 0U);
    const Bytes late(kSize - kFcsBytes);
    const std::vector<adapter::Frame> frames = {late, late};
    Machine::adapter().port(0).receiver().deliver(frames);
    EXPECT_EQ(session->run(plan.trial, {}, {}).value().total.rx.packets, 0U);
    Progress progress;
    progress.started = [&] { Machine::adapter().port(0).receiver().deliver(frames); };
    EXPECT_EQ(session->run(plan.trial, {}, progress).value().total.rx.packets, 2U);
    EXPECT_THAT(port.broken(), IsEmpty());
  }));
}

TEST(VerbsRoundTrip, LeavesOutWhatCameTooLateForTheTrialBefore) {
  EXPECT_TRUE(in_child([] {
    Machine port("engine=inline");  // nothing comes back by itself
    auto plan = plan_of(Mode::rtt);
    plan.trial.rate = Rate{Rate::Unit::packets, 1000};
    const auto session = session_on(port, plan);
    const Bytes late(kSize - kFcsBytes);
    const std::vector<adapter::Frame> frames = {late, late};
    Machine::adapter().port(0).receiver().deliver(frames);
    EXPECT_EQ(session->run(plan.trial, {}, {}).value().answers.strangers, 0U);
    Progress progress;
    progress.started = [&] { Machine::adapter().port(0).receiver().deliver(frames); };
    EXPECT_EQ(session->run(plan.trial, {}, progress).value().answers.strangers, 2U);
    EXPECT_THAT(port.broken(), IsEmpty());
  }));
}

TEST(VerbsResponder, GivesRequestsBackToWhoAsked) {
  EXPECT_TRUE(in_child([] {
    Machine port("engine=inline");
    const auto plan = plan_of(Mode::fwd);
    Flow flow;
    flow.source = MacAddress::parse("00:0d:3a:00:00:01").value();
    flow.destination = kMac;
    Bytes request(kSize - kFcsBytes);
    write_frame(flow, request);
    write_request({1, 2, 3, 4}, RequestBytes(request.data() + kHeaderBytes, kRequestBytes));
    Bytes other(kSize - kFcsBytes);
    write_frame(flow, other);

    const auto session = session_on(port, plan);
    Progress progress;
    progress.started = [&] {
      const std::vector<adapter::Frame> frames = {request, other, request};
      Machine::adapter().port(0).receiver().deliver(frames);
    };
    const auto trial = session->run(plan.trial, {}, progress).value();
    EXPECT_EQ(trial.total.tx.packets, 3U);
    auto answer = request;
    turn_round(answer);
    EXPECT_THAT(port.cable().taken(), testing::ElementsAre(answer, other, answer));
    EXPECT_THAT(port.broken(), IsEmpty());
  }));
}

}  // namespace
}  // namespace manactl::datapath::verbs
