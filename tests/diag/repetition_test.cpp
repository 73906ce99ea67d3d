// SPDX-License-Identifier: MIT

#include "diag/repetition.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "diag/logs.h"

namespace manactl::diag::repetition_test {
namespace {

using test::diagnose_text;
using test::root_id;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::string at(double seconds) {
  return fmt::format("[{:12.6f}] ", seconds);
}

// The host removes the VF of a NIC, and the VF returns after a second.
std::string removal(double seconds, int nic = 0) {
  const auto netvsc =
      fmt::format("hv_netvsc 000d3a76-3bd{0}-000d-3a76-3bd{0}000d3a76 eth{0}: ", nic);
  return at(seconds) + netvsc + "Data path switched from VF: eth2\n" + at(seconds) + netvsc +
         "VF unregistering: eth2\n" + at(seconds) + netvsc + "VF slot 1 removed\n" +
         at(seconds + 1) + netvsc + "VF slot 1 added\n" + at(seconds + 1) + netvsc +
         "VF registering: eth2\n" + at(seconds + 1) + netvsc + "Data path switched to VF: eth2\n";
}

std::string removals(int count, double interval) {
  std::string text;
  for (int i = 0; i < count; ++i) text += removal(100 + (i * interval));
  return text;
}

TEST(Repetition, OfRemovalsIsAFault) {
  const auto diagnosis = diagnose_text(removals(3, 290));
  EXPECT_EQ(diagnosis.verdict->answer, Answer::degraded);
  EXPECT_EQ(root_id(diagnosis), "hvnetvsc-vf-unstable");
  EXPECT_EQ(diagnosis.root->title,
            "The host removed the VF of eth0 3 times in 9 min 40 s, every 4 min 50 s on average");
  EXPECT_EQ(diagnosis.root->count, 3U);
  EXPECT_EQ(diagnosis.root->quote->line, 3U);
}

TEST(Repetition, NeedsThreeRemovalsInTenMinutesOrElevenInADay) {
  EXPECT_EQ(root_id(diagnose_text(removals(2, 10))), "");
  EXPECT_EQ(root_id(diagnose_text(removals(3, 301))), "");
  EXPECT_EQ(root_id(diagnose_text(removals(10, 8640))), "");
  EXPECT_EQ(root_id(diagnose_text(removals(11, 8640))), "hvnetvsc-vf-unstable");
  EXPECT_EQ(root_id(diagnose_text(removals(11, 8641))), "");
}

// Azure may remove a VF several times while it services the host once.
TEST(Repetition, WithinSecondsIsOneEvent) {
  EXPECT_EQ(root_id(diagnose_text(removals(3, 5))), "");
  EXPECT_EQ(root_id(diagnose_text(removals(4, 5))), "hvnetvsc-vf-unstable");
}

TEST(Repetition, IsCountedForEachDevice) {
  const auto two = removal(100) + removal(200, 1) + removal(300) + removal(400, 1);
  EXPECT_EQ(root_id(diagnose_text(two)), "");
  const auto diagnosis = diagnose_text(two + removal(500) + removal(600, 1) + removal(620));
  EXPECT_THAT(diagnosis.root->title,
              StartsWith("The host removed the VF of eth0 and eth1 4 times"));
}

TEST(Repetition, NeedsTimes) {
  std::string text;
  for (int i = 0; i < 20; ++i) {
    text +=
        "hv_netvsc 000d3a76-3bd0-000d-3a76-3bd0000d3a76 eth0: VF slot 1 removed\n"
        "hv_netvsc 000d3a76-3bd0-000d-3a76-3bd0000d3a76 eth0: Data path switched to VF: eth2\n";
  }
  EXPECT_EQ(root_id(diagnose_text(text)), "");
}

TEST(Repetition, DoesNotCountOverAJumpOfTheClock) {
  EXPECT_EQ(root_id(diagnose_text(removal(1000) + removal(100) + removal(1100))), "");
}

TEST(Repetition, ExplainsThatTheVfIsAway) {
  const auto diagnosis =
      diagnose_text(removals(3, 100) + at(400) +
                    "hv_netvsc 000d3a76-3bd0-000d-3a76-3bd0000d3a76 eth0: VF slot 1 removed\n" +
                    at(9000) + "audit: other\n");
  EXPECT_EQ(root_id(diagnosis), "hvnetvsc-vf-unstable");
  EXPECT_THAT(test::ids(diagnosis.consequences), ElementsAre("hvnetvsc-vf-removed"));
}

TEST(Repetition, OfResetsIsAFault) {
  std::string text;
  for (int i = 0; i < 3; ++i) {
    text += at(100 + (60 * i)) + "mana 7870:00:00.0: MANA reset cycle start\n" +
            at(101 + (60 * i)) + "mana 7870:00:00.0: MANA reset cycle completed\n";
  }
  const auto diagnosis = diagnose_text(text);
  EXPECT_EQ(diagnosis.verdict->answer, Answer::degraded);
  EXPECT_EQ(diagnosis.root->title,
            "The adapter 7870:00:00.0 was reset 3 times in 2 min, every 1 min on average");
}

TEST(Repetition, OfLostCarriersIsAFaultOfNicsOnly) {
  const auto flaps = [](const std::string& interface) {
    std::string text = removal(10);
    for (int i = 0; i < 3; ++i) {
      text += at(100 + (60 * i)) + "systemd-networkd[1]: " + interface + ": Lost carrier\n";
    }
    return root_id(diagnose_text(text));
  };
  EXPECT_EQ(flaps("eth0"), "carrier-lost-often");
  EXPECT_EQ(flaps("veth12ab"), "");
}

TEST(Repetition, IsCountedOverARename) {
  const auto lost = [](double seconds, const std::string& interface) {
    return at(seconds) + "systemd-networkd[1]: " + interface + ": Lost carrier\n";
  };
  const auto diagnosis = diagnose_text(removal(10) + lost(100, "eth2") + at(130) +
                                       "mana 7870:00:00.0 enP1: renamed from eth2\n" +
                                       lost(160, "enP1") + lost(220, "enP1"));
  EXPECT_EQ(root_id(diagnosis), "carrier-lost-often");
}

std::string failed_start(double seconds) {
  return at(seconds) + "EAL: Detected CPU lcores: 2\n" + at(seconds) + "EAL: Cannot init alarm\n";
}

TEST(Repetition, OfFailedStartsIsACauseIfThereIsNoOther) {
  const auto loop = failed_start(100) + failed_start(105) + failed_start(110);
  const auto diagnosis = diagnose_text(loop);
  EXPECT_EQ(root_id(diagnosis), "program-fails-often");
  EXPECT_EQ(diagnosis.verdict->answer, Answer::failed);
  EXPECT_THAT(diagnosis.root->title, HasSubstr("failed 3 times in 10 s, every 5 s"));
  const auto other = at(99) + "EAL: Cannot get hugepage information.\n";
  EXPECT_EQ(root_id(diagnose_text(loop + other)), "eal-hugepage-info-fatal");
  EXPECT_EQ(root_id(diagnose_text(failed_start(100) + failed_start(105))), "");
}

TEST(Repetition, OfFailedStartsIsOverIfTheProgramWorks) {
  const auto loop = failed_start(100) + failed_start(105) + failed_start(110);
  const auto works = at(120) + "EAL: Detected CPU lcores: 2\n" + at(121) +
                     "txonly packet forwarding - ports=1 - cores=1 - streams=1\n";
  EXPECT_EQ(root_id(diagnose_text(loop + works)), "");
  EXPECT_EQ(root_id(diagnose_text(works + loop)), "program-fails-often");
}

TEST(Repetition, OfAServiceThatUsesDpdkIsACause) {
  std::string text = "Nov 21 03:00:00 vm l3[7]: EAL: Detected CPU lcores: 2\n";
  const auto restarts = [](const std::string& name) {
    std::string lines;
    for (int i = 1; i <= 3; ++i) {
      lines += fmt::format(
          "Nov 21 03:0{0}:00 vm systemd[1]: {1}.service: Scheduled restart job, restart counter is "
          "at {0}.\n",
          i,
          name);
    }
    return lines;
  };
  EXPECT_EQ(root_id(diagnose_text(text + restarts("l3"))), "service-restarts-often");
  EXPECT_EQ(root_id(diagnose_text(text + restarts("nginx"))), "");
}

}  // namespace
}  // namespace manactl::diag::repetition_test
