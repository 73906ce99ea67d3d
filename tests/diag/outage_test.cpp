// SPDX-License-Identifier: MIT

#include "diag/outage.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "diag/logs.h"

namespace manactl::diag::outage_test {
namespace {

using test::diagnose_text;
using test::read_text;
using test::root_id;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// A line of hv_netvsc for eth0 or eth1, whose VF is eth2 or eth3.
std::string netvsc(double time, const std::string& text, int nic = 0) {
  return fmt::format("[{:12.6f}] hv_netvsc 000d3a76-3bd{}-000d-3a76-3bd{}000d3a76 eth{}: {}\n",
                     time,
                     nic,
                     nic,
                     nic,
                     text);
}

std::string mana(double time, const std::string& text) {
  return fmt::format("[{:12.6f}] mana 7870:00:00.0{}\n", time, text);
}

std::string at_end(double time) {
  return fmt::format("[{:12.6f}] audit: something else\n", time);
}

std::string use(double time, int nic = 0) {
  const auto vf = "eth" + std::to_string(nic + 2);
  return netvsc(time, "VF slot 1 added", nic) +
         mana(time, ": Microsoft Azure Network Adapter protocol version: 0.1.1") +
         netvsc(time, "VF registering: " + vf, nic) + mana(time, " " + vf + ": joined to eth0") +
         netvsc(time, "Data path switched to VF: " + vf, nic);
}

std::string leave(double time, int nic = 0) {
  const auto vf = "eth" + std::to_string(nic + 2);
  return netvsc(time, "Data path switched from VF: " + vf, nic) +
         netvsc(time, "VF unregistering: " + vf, nic);
}

std::string remove(double time, int nic = 0) {
  return leave(time, nic) + netvsc(time + 1, "VF slot 1 removed", nic);
}

Answer answer_of(const std::string& text) {
  return diagnose_text(text).verdict->answer;
}

VfState state_of(const std::string& text) {
  const auto nics = read_text(text).nics;
  if (nics.size() != 1) throw std::runtime_error("the log has several NICs");
  return nics[0].state;
}

TEST(Outage, IsDegradedIfTheHostDoesNotReturnTheVf) {
  const auto text = use(10) + remove(100) + at_end(3900);
  const auto diagnosis = diagnose_text(text);
  EXPECT_EQ(diagnosis.verdict->answer, Answer::degraded);
  EXPECT_EQ(root_id(diagnosis), "hvnetvsc-vf-removed");
  EXPECT_EQ(
      diagnosis.root->title,
      "The host removed the VF of eth0 at 101.000000 s after boot, and it has not returned in "
      "the remaining 1 h 3 min of the log");
  EXPECT_EQ(diagnosis.root->quote->line, 8U);
}

TEST(Outage, NeedsNoLineThatShowsThatTheVfWorked) {
  EXPECT_EQ(root_id(diagnose_text(remove(100) + at_end(3900))), "hvnetvsc-vf-removed");
  EXPECT_EQ(answer_of(remove(100) + at_end(120)), Answer::away);
}

TEST(Outage, NamesAllNicsThatLostTheirVf) {
  const auto diagnosis =
      diagnose_text(use(10) + use(10, 1) + remove(100) + remove(101, 1) + at_end(3900));
  EXPECT_THAT(diagnosis.root->title, HasSubstr("the VFs of eth0 and eth1 at 101.000000"));
  EXPECT_THAT(diagnosis.root->title, HasSubstr("they have not returned"));
}

TEST(Outage, IsDegradedIfOnlySomeNicsWork) {
  const auto text = use(10) + use(10, 1) + remove(100) + at_end(3900);
  EXPECT_EQ(answer_of(text), Answer::degraded);
  const auto nics = read_text(text).nics;
  ASSERT_THAT(nics, SizeIs(2));
  EXPECT_EQ(nics[0].state, VfState::removed);
  EXPECT_EQ(nics[1].state, VfState::used);
}

TEST(Outage, IsDegradedIfOneOfSeveralVfsNeverJoins) {
  const auto added = netvsc(9, "VF slot 1 added", 1);
  const auto text = added + use(10) + at_end(3900);
  EXPECT_EQ(answer_of(text), Answer::degraded);
  EXPECT_EQ(root_id(diagnose_text(text)), "hvnetvsc-vf-not-joined");
  EXPECT_EQ(answer_of(added + use(10) + at_end(60)), Answer::works);
}

TEST(Outage, IsNoFaultWhileTheHostMayServiceTheVf) {
  const auto text = use(10) + remove(100);
  for (const auto& end : {at_end(150), at_end(101), std::string()}) {
    const auto diagnosis = diagnose_text(text + end);
    EXPECT_EQ(diagnosis.verdict->answer, Answer::away) << end;
    EXPECT_FALSE(diagnosis.root);
  }
  EXPECT_EQ(answer_of(text + at_end(222)), Answer::degraded);
}

TEST(Outage, IsOfUnknownLengthWithoutTimes) {
  const auto report = read_text(
      "hv_netvsc 000d3a76-3bd0-000d-3a76-3bd0000d3a76 eth0: VF slot 1 removed\nunrelated\n");
  ASSERT_THAT(report.nics, SizeIs(1));
  EXPECT_EQ(report.nics[0].seconds, std::nullopt);
  EXPECT_EQ(diagnose({}, {report}).verdict->answer, Answer::away);
}

TEST(Outage, HasTheStateThatTheNewestLinesShow) {
  EXPECT_EQ(state_of(use(10)), VfState::used);
  EXPECT_EQ(state_of(use(10) + leave(20)), VfState::stopped);
  EXPECT_EQ(state_of(use(10) + remove(20)), VfState::removed);
  EXPECT_EQ(state_of(use(10) + netvsc(20, "Data path switched from VF: eth2")),
            VfState::not_switched);
  const auto added = use(10) + remove(20) + netvsc(30, "VF slot 1 added");
  EXPECT_EQ(state_of(added), VfState::not_bound);
  const auto probed = added + mana(31, ": Microsoft Azure Network Adapter protocol version: 0.1.1");
  EXPECT_EQ(state_of(probed), VfState::not_joined);
  const auto joined = probed + netvsc(32, "VF registering: eth2");
  EXPECT_EQ(state_of(joined), VfState::not_switched);
  EXPECT_EQ(state_of(joined + netvsc(33, "Data path switched to VF: eth2")), VfState::used);
  EXPECT_EQ(state_of(use(10) + mana(20, ": MANA reset cycle start") + leave(21)),
            VfState::servicing);
}

TEST(Outage, HasACauseForEachStateThatLasts) {
  const auto root_after = [](const std::string& text) {
    return root_id(diagnose_text(text + at_end(3900)));
  };
  const auto added = use(10) + remove(20) + netvsc(30, "VF slot 1 added");
  EXPECT_EQ(root_after(added), "hvnetvsc-vf-not-bound");
  const auto probed = added + mana(31, ": Microsoft Azure Network Adapter protocol version: 0.1.1");
  EXPECT_EQ(root_after(probed), "hvnetvsc-vf-not-joined");
  EXPECT_EQ(root_after(probed + netvsc(32, "VF registering: eth2")), "hvnetvsc-path-not-switched");
  EXPECT_EQ(root_after(use(10) + netvsc(20, "Data path switched from VF: eth2")),
            "hvnetvsc-path-not-switched");
}

// The VF may join its NIC before the line that the host added it.
TEST(Outage, EndsIfTheVfReturnsBeforeItWasAdded) {
  EXPECT_EQ(state_of(use(10) + remove(20) + netvsc(30, "VF registering: eth2") +
                     netvsc(31, "VF slot 1 added")),
            VfState::not_switched);
}

TEST(Outage, IsNoFaultWhileTheVfIsReturning) {
  const auto text = use(10) + remove(100) + netvsc(3800, "VF slot 1 added");
  EXPECT_EQ(answer_of(text + at_end(3829)), Answer::away);
  EXPECT_EQ(answer_of(text + at_end(3830)), Answer::degraded);
}

// 'prepare', 'modprobe -r' and 'unbind' take the VF from its NIC, but the host does not remove it.
TEST(Outage, IsNoFaultAfterAnOrderlyStop) {
  const auto text = use(10) + leave(20) + at_end(90000);
  EXPECT_EQ(answer_of(text), Answer::away);
  EXPECT_EQ(root_id(diagnose_text(text)), "");
  const auto shut_down = use(10) + mana(20, ": Shutdown was called") + remove(21) + at_end(90000);
  EXPECT_EQ(state_of(shut_down), VfState::stopped);
  EXPECT_EQ(root_id(diagnose_text(shut_down)), "");
}

TEST(Outage, IsNoneIfAProgramClaimsThePort) {
  const auto text = use(10) + leave(20) + mana(30, " eth2: Configured vPort 1 PD 6 DB 2");
  EXPECT_EQ(state_of(text), VfState::used);
  EXPECT_EQ(answer_of(text + at_end(90000)), Answer::works);
}

TEST(Outage, CountsTheRemovalsAfterWhichTheVfReturned) {
  const auto nics = read_text(use(10) + remove(100) + use(104) + remove(200) + use(2660) +
                              leave(3000) + use(3001))
                        .nics;
  ASSERT_THAT(nics, SizeIs(1));
  EXPECT_EQ(nics[0].removals.count, 2U);
  EXPECT_THAT(nics[0].removals.lengths, ElementsAre(4, 2460));
  EXPECT_EQ(absences_text(nics[0].removals), "2 times: 4 s, 41 min");
  EXPECT_EQ(absences_text(nics[0].switches), "once: 1 s");
}

TEST(Outage, CountsTheSwitchesWithoutARemoval) {
  const auto to = [](double time) { return netvsc(time, "Data path switched to VF: eth2"); };
  const auto from = [](double time) { return netvsc(time, "Data path switched from VF: eth2"); };
  const auto text = use(10) + from(100) + to(140) + from(200) + to(206);
  const auto nics = read_text(text).nics;
  ASSERT_THAT(nics, SizeIs(1));
  EXPECT_EQ(nics[0].removals.count, 0U);
  EXPECT_EQ(absences_text(nics[0].switches), "2 times: 40 s, 6 s");
  ASSERT_TRUE(nics[0].last_switch);
  EXPECT_EQ(nics[0].last_switch->line, 8U);
  EXPECT_EQ(answer_of(text), Answer::works);
}

TEST(Outage, KeepsTheLengthsOfTheNewestRemovals) {
  std::string text = use(10);
  for (int i = 1; i <= 7; ++i) text += remove(100.0 * i) + use((100.0 * i) + 10 - i);
  const auto nics = read_text(text).nics;
  EXPECT_EQ(nics.at(0).removals.count, 7U);
  EXPECT_EQ(absences_text(nics.at(0).removals), "7 times, for at most 9 s");
  EXPECT_THAT(nics.at(0).removals.lengths, ElementsAre(7, 6, 5, 4, 3));
}

TEST(Outage, OfAnEarlierBootIsOver) {
  const auto boot = std::string("[    0.000000] Linux version 6.12.1 (gcc) #1\n");
  const auto text = use(10) + remove(100) + at_end(3900) + boot + use(10) + at_end(3900);
  EXPECT_EQ(answer_of(text), Answer::works);
  EXPECT_THAT(read_text(use(10) + remove(100) + boot).nics, IsEmpty());
}

TEST(Outage, OfAVfThatNobodyUsesIsNoFault) {
  EXPECT_EQ(root_id(diagnose_text(netvsc(10, "VF registering: eth2") + at_end(3900))), "");
}

TEST(Outage, ExplainsTheRemovalThatAProgramSees) {
  const auto diagnosis = diagnose_text(use(10) + "EAL: Detected CPU lcores: 2\n" + remove(100) +
                                       "Port 0: device removal event\n" + at_end(3900));
  EXPECT_EQ(root_id(diagnosis), "hvnetvsc-vf-removed");
  EXPECT_THAT(test::ids(diagnosis.consequences), ElementsAre("testpmd-removal"));
}

}  // namespace
}  // namespace manactl::diag::outage_test
