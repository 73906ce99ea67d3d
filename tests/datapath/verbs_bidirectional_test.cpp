// SPDX-License-Identifier: MIT
//
// The verbs engine in modes that send and receive: with a looped cable, and as a responder.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "datapath/in_child.h"
#include "datapath/measure/trials.h"
#include "datapath/traffic/requests.h"
#include "datapath/verbs/engine_ports.h"
#include "datapath/verbs_simulated_port.h"

namespace manactl::datapath::verbs::verbs_bidirectional_test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint16_t kSize = 128;
const MacAddress kMac = MacAddress::parse("00:0d:3a:76:3b:d0").value();

// The descriptors of one receive queue suffice for the packets of all send queues.
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

std::unique_ptr<Session> session_on(const SimulatedPort& port, const BenchPlan& plan) {
  const auto engine =
      make_engine([&port](const Nic&) { return port.open(Doorbells::calls); }, "44.0");
  return engine->open(plan).value();
}

void expect_no_loss(const Trial& trial) {
  EXPECT_GT(trial.total.tx.packets, 0U);
  EXPECT_EQ(trial.total.rx.packets, trial.total.tx.packets);
  EXPECT_EQ(trial.total.rx.bytes, trial.total.tx.bytes);
}

void expect_all_answered(const Trial& trial) {
  expect_no_loss(trial);
  ASSERT_TRUE(trial.latency);
  EXPECT_EQ(trial.latency->count(), trial.total.tx.packets);
  EXPECT_GT(trial.latency->min(), 0U);
  EXPECT_LE(trial.latency->percentile(0.5), trial.latency->max());
  EXPECT_EQ(trial.replies.reordered, 0U);
  EXPECT_EQ(trial.replies.unrelated, 0U);
}

class VerbsRoundTrips : public testing::TestWithParam<std::uint16_t> {};

TEST_P(VerbsRoundTrips, AreAllCountedOnALoopedCable) {
  EXPECT_TRUE(in_child([] {
    SimulatedPort port("engine=inline", SimulatedPort::Wiring::looped_cable);
    const auto plan = plan_of(Mode::rtt, GetParam());
    {
      const auto session = session_on(port, plan);
      const auto trial = session->run(plan.trial, {}, {}).value();
      expect_all_answered(trial);
      EXPECT_EQ(trial.total.tx.bytes, trial.total.tx.packets * kSize);
      EXPECT_EQ(trial.total.tx.packets, port.counters().tx_packets);
      EXPECT_EQ(session->about().template_mode, "per-packet");
      EXPECT_THAT(session->about().notes, Contains(HasSubstr("software measures the times")));
    }
    EXPECT_THAT(port.violations(), IsEmpty());
  }));
}

TEST_P(VerbsRoundTrips, KeepTheRate) {
  EXPECT_TRUE(in_child([] {
    SimulatedPort port("engine=inline backend=loopback", SimulatedPort::Wiring::as_configured);
    auto plan = plan_of(Mode::rtt, GetParam());
    plan.trial.rate = Rate{Rate::Unit::packets, 10000};
    const auto trial = session_on(port, plan)->run(plan.trial, {}, {}).value();
    expect_all_answered(trial);
    constexpr double kTolerance = 1.1;  // covers the error of the measured clock rate
    EXPECT_LE(static_cast<double>(trial.total.tx.packets),
              trial.total.seconds * 10000 * kTolerance + 1);
    EXPECT_THAT(port.violations(), IsEmpty());
  }));
}

TEST_P(VerbsRoundTrips, StartAgainInEachTrial) {
  EXPECT_TRUE(in_child([] {
    SimulatedPort port("engine=inline backend=loopback", SimulatedPort::Wiring::as_configured);
    auto plan = plan_of(Mode::rtt, GetParam());
    plan.traffic.flows = 3;
    plan.traffic.sizes = {{78, 1}, {kSize, 1}, {1518, 1}};
    const auto session = session_on(port, plan);
    for (int i = 0; i < 2; ++i) expect_all_answered(session->run(plan.trial, {}, {}).value());
    EXPECT_THAT(port.violations(), IsEmpty());
  }));
}

INSTANTIATE_TEST_SUITE_P(Queues, VerbsRoundTrips, testing::Values(1, 8));

TEST(VerbsTxRx, CountsPacketsInFlightAtTheEnd) {
  EXPECT_TRUE(in_child([] {
    SimulatedPort port("engine=inline backend=loopback", SimulatedPort::Wiring::as_configured);
    const auto plan = plan_of(Mode::txrx);
    const auto session = session_on(port, plan);
    for (int i = 0; i < 3; ++i) expect_no_loss(session->run(plan.trial, {}, {}).value());
    EXPECT_THAT(port.violations(), IsEmpty());
  }));
}

TEST(VerbsTxRx, IgnoresLatePacketsOfThePreviousTrial) {
  EXPECT_TRUE(in_child([] {
    SimulatedPort port("engine=inline");  // frames do not return
    auto plan = plan_of(Mode::txrx);
    plan.trial.rate = Rate{Rate::Unit::packets, 1000};
    const auto session = session_on(port, plan);
    EXPECT_EQ(session->run(plan.trial, {}, {}).value().total.rx.packets, 0U);
    const Bytes late(kSize - kFcsBytes);
    const std::vector<adapter::Frame> frames = {late, late};
    SimulatedPort::adapter().port(0).receiver().deliver(frames);
    EXPECT_EQ(session->run(plan.trial, {}, {}).value().total.rx.packets, 0U);
    Progress progress;
    progress.started = [&] { SimulatedPort::adapter().port(0).receiver().deliver(frames); };
    EXPECT_EQ(session->run(plan.trial, {}, progress).value().total.rx.packets, 2U);
    EXPECT_THAT(port.violations(), IsEmpty());
  }));
}

TEST(VerbsRoundTrip, IgnoresLatePacketsOfThePreviousTrial) {
  EXPECT_TRUE(in_child([] {
    SimulatedPort port("engine=inline");  // frames do not return
    auto plan = plan_of(Mode::rtt);
    plan.trial.rate = Rate{Rate::Unit::packets, 1000};
    const auto session = session_on(port, plan);
    const Bytes late(kSize - kFcsBytes);
    const std::vector<adapter::Frame> frames = {late, late};
    SimulatedPort::adapter().port(0).receiver().deliver(frames);
    EXPECT_EQ(session->run(plan.trial, {}, {}).value().replies.unrelated, 0U);
    Progress progress;
    progress.started = [&] { SimulatedPort::adapter().port(0).receiver().deliver(frames); };
    EXPECT_EQ(session->run(plan.trial, {}, progress).value().replies.unrelated, 2U);
    EXPECT_THAT(port.violations(), IsEmpty());
  }));
}

TEST(VerbsResponder, ReturnsRequestsToTheirSender) {
  EXPECT_TRUE(in_child([] {
    SimulatedPort port("engine=inline");
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
      SimulatedPort::adapter().port(0).receiver().deliver(frames);
    };
    const auto trial = session->run(plan.trial, {}, progress).value();
    EXPECT_EQ(trial.total.tx.packets, 3U);
    auto reply = request;
    reverse_direction(reply);
    EXPECT_THAT(port.cable().take_frames(), testing::ElementsAre(reply, other, reply));
    EXPECT_THAT(port.violations(), IsEmpty());
  }));
}

}  // namespace
}  // namespace manactl::datapath::verbs::verbs_bidirectional_test
