// SPDX-License-Identifier: MIT
#include "datapath/analysis/notes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace manactl::datapath::notes_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

constexpr double kRate = 2000;  // packets per second, in trials of 10 s

std::vector<std::string> notes_of(Mode mode,
                                  std::uint64_t sent,
                                  std::uint64_t received,
                                  bool with_rate = false) {
  BenchPlan plan;
  plan.mode = mode;
  Trial trial;
  if (with_rate) trial.plan.rate = Rate{Rate::Unit::packets, kRate};
  trial.total.seconds = 10;
  trial.total.tx.packets = sent;
  trial.total.rx.packets = received;
  return count_notes(plan, {{"net_null0", "net_null", "", {}, 0}}, trial);
}

TEST(CountNotes, AreEmptyForAGoodTrial) {
  EXPECT_THAT(notes_of(Mode::tx, 20'000, 0, true), IsEmpty());
  EXPECT_THAT(notes_of(Mode::rx, 0, 5), IsEmpty());
  EXPECT_THAT(notes_of(Mode::fwd, 5, 5), IsEmpty());
  EXPECT_THAT(notes_of(Mode::rtt, 20'000, 20'000, true), IsEmpty());
}

TEST(CountNotes, ReportThatNothingMoved) {
  EXPECT_THAT(notes_of(Mode::tx, 0, 0), ElementsAre("nothing was sent"));
  EXPECT_THAT(notes_of(Mode::tx, 0, 0, true), ElementsAre("nothing was sent"));
  EXPECT_THAT(notes_of(Mode::rx, 0, 0), ElementsAre(StartsWith("nothing was received: ")));
  EXPECT_THAT(notes_of(Mode::fwd, 0, 0), ElementsAre(StartsWith("nothing was received: ")));
  EXPECT_THAT(notes_of(Mode::fwd, 0, 5), ElementsAre("nothing was sent"));
  EXPECT_THAT(notes_of(Mode::txrx, 5, 0), ElementsAre("nothing was received"));
  EXPECT_THAT(notes_of(Mode::rtt, 0, 0), ElementsAre("nothing was sent"));
}

TEST(CountNotes, BlameNoSenderForPacketsThatTheDeviceDropped) {
  BenchPlan plan;
  plan.mode = Mode::rx;
  const std::vector<PortReport> ports = {{"eth1", "net_mana", "", {}, 0}};
  Trial trial;
  trial.total.rx.missed = 3;
  EXPECT_THAT(count_notes(plan, ports, trial),
              ElementsAre("nothing was received, because the device dropped every packet"));
  trial.total.rx.missed = std::nullopt;
  EXPECT_THAT(count_notes(plan, ports, trial),
              ElementsAre(EndsWith(
                  "the device may also have dropped every packet, which it does not report")));
}

TEST(CountNotes, NameTheRemedyIfADeviceHasNoSender) {
  BenchPlan plan;
  Trial trial;
  for (const auto mode : {Mode::rx, Mode::fwd}) {
    plan.mode = mode;
    EXPECT_THAT(count_notes(plan, {{"net_ring0", "net_ring", "", {}, 0}}, trial),
                ElementsAre(HasSubstr("returns only what this program sends: use plan.mode txrx")));
    EXPECT_THAT(count_notes(plan, {{"eth1", "net_mana", "", {}, 0}}, trial),
                ElementsAre(EndsWith("needs a sender that runs at the same time")));
  }
}

TEST(EmptyPoolNote, NamesTheModeThatReceivesFromARing) {
  BenchPlan plan;
  plan.mode = Mode::tx;
  EXPECT_THAT(empty_pool_note(plan, {{"net_ring0", "net_ring", "", {}, 0}}, 7),
              AllOf(StartsWith("7 bursts were not sent"),
                    HasSubstr("nothing receives its packets: use plan.mode txrx")));
  EXPECT_THAT(empty_pool_note(plan, {{"eth1", "net_mana", "", {}, 0}}, 7),
              StartsWith("7 bursts found no free packets"));
  plan.mode = Mode::txrx;
  EXPECT_THAT(empty_pool_note(plan, {{"net_ring0", "net_ring", "", {}, 0}}, 7),
              StartsWith("7 bursts found no free packets"));
}

TEST(CountNotes, ReportThatTheRateWasNotReached) {
  EXPECT_THAT(notes_of(Mode::tx, 10'000, 0, true),
              ElementsAre(AllOf(HasSubstr("50 % of the requested rate on average"),
                                HasSubstr("the device rejected nothing"))));
  BenchPlan plan;
  Trial trial;
  trial.plan.rate = Rate{Rate::Unit::packets, kRate};
  trial.total.seconds = 10;
  trial.total.tx.packets = 10'000;
  const std::vector<PortReport> ports = {{"net_null0", "net_null", "", {}, 0}};
  trial.total.tx.missed = 10'000;
  EXPECT_THAT(count_notes(plan, ports, trial),
              ElementsAre(EndsWith("the device rejected 10000 attempts to send")));
  trial.total.tx.missed = 5;
  EXPECT_THAT(
      count_notes(plan, ports, trial),
      ElementsAre(HasSubstr("rejected only 5 attempts to send, so the workers were too slow")));
  trial.total.tx.missed = std::nullopt;
  EXPECT_THAT(count_notes(plan, ports, trial), ElementsAre(HasSubstr("accepted no more")));
}

TEST(CountNotes, NameUnansweredRequestsAsTheReason) {
  EXPECT_THAT(notes_of(Mode::rtt, 480, 0, true),
              ElementsAre("480 of 480 requests had no reply",
                          AllOf(HasSubstr("2.4 % of the requested rate"),
                                HasSubstr("at most 32 requests of a queue are in flight"),
                                Not(HasSubstr("the device rejected")))));
  EXPECT_THAT(notes_of(Mode::rtt, 480, 470), ElementsAre("10 of 480 requests had no reply"));
}

TEST(CountNotes, ReportReceiveQueuesWithoutFlows) {
  BenchPlan plan;
  plan.mode = Mode::txrx;
  plan.queues = 2;
  Trial trial;
  trial.queues.resize(2);
  for (auto& queue : trial.queues) queue.tx.packets = 500;
  trial.queues[0].rx.packets = 1000;
  trial.total.tx.packets = trial.total.rx.packets = 1000;
  const auto notes = [&] {
    return count_notes(plan, {{"net_null0", "net_null", "", {}, 0}}, trial);
  };
  EXPECT_THAT(notes(),
              ElementsAre("1 of 2 queues received nothing, because the device assigned no flow to "
                          "them: send more flows, as with plan.flows 16"));
  trial.queues[1].tx.packets = 0;
  EXPECT_THAT(notes(), IsEmpty()) << "a queue that sent nothing may be the reason";
  plan.mode = Mode::rx;
  EXPECT_THAT(notes(), ElementsAre(HasSubstr("let the sender use more flows")));
  trial.total.rx.packets = 199;
  EXPECT_THAT(notes(), IsEmpty()) << "too few packets";
}

BenchPlan plan_for(Mode mode) {
  BenchPlan plan;
  plan.mode = mode;
  return plan;
}

TEST(TrafficNotes, NameAddressesThatNoHostUses) {
  const auto peer = HasSubstr("packets go to 198.18.");
  const auto source = HasSubstr("packets come from 198.18.");
  auto plan = plan_for(Mode::tx);
  EXPECT_THAT(traffic_notes(plan, true), ElementsAre(peer, source));
  EXPECT_THAT(traffic_notes(plan, false), IsEmpty());
  EXPECT_THAT(traffic_notes(plan_for(Mode::rx), true), IsEmpty());
  plan.traffic.peer_ip = Ipv4Address{0x0a000001};
  EXPECT_THAT(traffic_notes(plan, true), ElementsAre(source));
  plan.nics.resize(2);
  plan.nics[0].ip = Ipv4Address{0x0a000002};
  EXPECT_THAT(traffic_notes(plan, true), ElementsAre(source));
  plan.nics[1].ip = Ipv4Address{0x0a000003};
  EXPECT_THAT(traffic_notes(plan, true), IsEmpty());
  plan.nics.clear();
  plan.traffic.source_ip = Ipv4Address{0x0a000002};
  EXPECT_THAT(traffic_notes(plan, true), IsEmpty());
  EXPECT_THAT(traffic_notes(plan_for(Mode::rtt), false),
              ElementsAre(HasSubstr("software measures")));
}

TEST(CountNotes, CompareWithTheRateAfterTheRampOfEachPort) {
  auto plan = plan_for(Mode::tx);
  const auto is_slow = [&plan](double seconds, double ramp, std::uint64_t sent) {
    Trial trial;
    trial.plan.rate = Rate{Rate::Unit::packets, kRate};
    trial.plan.ramp_seconds = ramp;
    trial.total.seconds = seconds;
    trial.total.tx.packets = trial.total.rx.packets = sent;
    return !count_notes(plan, std::vector<PortReport>(2), trial).empty();
  };
  EXPECT_TRUE(is_slow(10, 0, 39'599));
  EXPECT_FALSE(is_slow(10, 0, 39'600));
  EXPECT_TRUE(is_slow(10, 4, 31'679));  // 2 s less than at the full rate
  EXPECT_FALSE(is_slow(10, 4, 31'680));
  EXPECT_TRUE(is_slow(2, 4, 1979));  // the ramp ended at half the rate
  EXPECT_FALSE(is_slow(2, 4, 1980));
  plan.mode = Mode::fwd;
  EXPECT_FALSE(is_slow(10, 0, 1));
}

}  // namespace
}  // namespace manactl::datapath::notes_test
