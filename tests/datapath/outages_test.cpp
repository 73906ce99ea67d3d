// SPDX-License-Identifier: MIT

#include "datapath/analysis/outages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "datapath/analysis/summary.h"

namespace manactl::datapath::outages_test {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A trial with intervals of half a second that received these numbers of packets.
Trial received(const std::vector<std::uint64_t>& packets) {
  Trial trial;
  for (const auto count : packets) {
    Interval interval;
    interval.total.seconds = 0.5;
    interval.total.rx.packets = count;
    interval.total.tx.packets = 1000;
    interval.total.effort.polls = 1000;
    trial.intervals.push_back(interval);
  }
  return trial;
}

std::vector<bool> disturbed_of(const Trial& trial) {
  std::vector<bool> disturbed;
  for (const auto& interval : trial.intervals) disturbed.push_back(interval.disturbed);
  return disturbed;
}

TEST(Outages, AreMarkedWithTheIntervalsAroundThem) {
  auto trial = received({900, 1000, 400, 0, 0, 0, 300, 1000});
  mark_outages(Mode::txrx, trial);
  EXPECT_THAT(disturbed_of(trial), ElementsAre(false, false, true, true, true, true, true, false));
  EXPECT_THAT(trial.notes,
              ElementsAre("no packets arrived between 1.5 and 3.0 s after the start: the link was "
                          "down, or the sender paused"));
}

// ARP requests and the like also arrive while the sender pauses.
TEST(Outages, ContainStrayPackets) {
  auto trial = received({900, 1000, 400, 0, 2, 3, 0, 300, 1000});
  mark_outages(Mode::rx, trial);
  EXPECT_THAT(trial.notes,
              ElementsAre(HasSubstr("only 5 stray packets arrived between 1.5 and 3.5 s")));
  EXPECT_THAT(disturbed_of(trial),
              ElementsAre(false, false, true, true, true, true, true, true, false));
  EXPECT_EQ(stray_packets(Mode::rx, trial.intervals), 5U);
}

TEST(Outages, AreReportedOneByOne) {
  auto trial = received({900, 0, 900, 900, 0, 0, 900});
  mark_outages(Mode::rx, trial);
  EXPECT_THAT(disturbed_of(trial), ElementsAre(true, true, true, true, true, true, true));
  EXPECT_EQ(trial.notes.size(), 2U);
}

TEST(Outages, LastUntilTheEndOnlyIfTheProgramItselfSends) {
  for (const auto mode : {Mode::rx, Mode::txrx}) {
    auto trial = received({900, 900, 0, 0});
    mark_outages(mode, trial);
    EXPECT_EQ(trial.notes.size(), 1U);
    EXPECT_EQ(trial.intervals.back().disturbed, mode == Mode::txrx);
  }
}

TEST(Outages, AtTheEndOfAReceiverAreNoted) {
  for (const auto mode : {Mode::rx, Mode::fwd}) {
    auto trial = received({900, 0, 900, 900, 0, 0});
    mark_outages(mode, trial);
    EXPECT_THAT(trial.notes,
                ElementsAre(HasSubstr("between 0.5 and 1.0 s after the start"),
                            "the traffic ended after 2.0 s: the sender finished or stopped, or "
                            "the link was down"));
  }
}

// ARP requests and the like arrive before and after the traffic.
TEST(Outages, AtTheEndOfAReceiverAreNotedDespiteStrayPackets) {
  auto trial = received({2, 0, 900, 900, 900, 0, 3, 0, 1});
  mark_outages(Mode::rx, trial);
  EXPECT_THAT(trial.notes,
              ElementsAre("the traffic ended after 2.5 s: the sender finished or stopped, or the "
                          "link was down; the rate excludes 6 stray packets outside of it"));
  EXPECT_THAT(disturbed_of(trial), Each(false));
  auto partial = received({900, 900, 30});
  mark_outages(Mode::rx, partial);
  EXPECT_THAT(partial.notes, IsEmpty());
}

TEST(Outages, AreNotSeenInSparseTrafficBeforeTrafficOrInModesThatOnlySend) {
  auto sparse = received({0, 0, 3, 0, 2, 0, 1});
  mark_outages(Mode::rx, sparse);
  EXPECT_THAT(sparse.notes, IsEmpty());
  auto sender = received({900, 0, 0, 900});
  mark_outages(Mode::tx, sender);
  EXPECT_THAT(sender.notes, IsEmpty());
  EXPECT_FALSE(sender.intervals[1].disturbed);
}

// A worker that did not run polled nothing. Its interval counts for the rate, as in mode tx.
TEST(Outages, AreNotTimesInWhichTheWorkerDidNotRun) {
  for (const auto mode : {Mode::rx, Mode::txrx, Mode::rtt}) {
    auto trial = received({900, 1000, 0, 0, 0, 1000, 1000});
    for (const auto index : {2U, 3U}) trial.intervals[index].total.effort.polls = 0;
    mark_outages(mode, trial);
    EXPECT_THAT(trial.notes,
                ElementsAre("no packets arrived between 1.0 and 2.5 s after the start: the worker "
                            "did not run, because other programs used its CPU"));
    EXPECT_THAT(disturbed_of(trial), Each(false));
  }
}

TEST(Outages, AreNotTimesInWhichTheWorkerOfOneQueueDidNotRun) {
  auto trial = received({900, 1000, 0, 1000});
  for (auto& interval : trial.intervals) interval.queues.assign(2, interval.total);
  trial.intervals[2].queues[1].effort.polls = 0;
  mark_outages(Mode::txrx, trial);
  EXPECT_THAT(trial.notes, ElementsAre(HasSubstr("the worker did not run")));
}

TEST(Outages, MayContainAShortTimeInWhichTheWorkerDidNotRun) {
  auto trial = received({900, 1000, 0, 0, 0, 1000});
  trial.intervals[3].total.effort.polls = 0;
  mark_outages(Mode::rx, trial);
  EXPECT_THAT(trial.notes, ElementsAre(HasSubstr("the link was down")));
  EXPECT_TRUE(trial.intervals[3].disturbed);
}

TEST(Outages, AtTheEndOfAReceiverMayBeThoseOfItsWorker) {
  auto trial = received({900, 900, 900, 0, 0});
  for (const auto index : {3U, 4U}) trial.intervals[index].total.effort.polls = 0;
  mark_outages(Mode::rx, trial);
  EXPECT_THAT(trial.notes,
              ElementsAre(HasSubstr("between 1.5 and 2.5 s after the start: the worker did not")));
}

// Servicing reports the rates before, during and after all disturbed intervals.
TEST(Outages, AreNotSeenInATrialInWhichADeviceWasRemoved) {
  auto trial = received({900, 900, 900, 0, 900});
  trial.events.push_back({0.1, "7870:00:00.0", Event::Kind::removed});
  mark_outages(Mode::txrx, trial);
  EXPECT_THAT(trial.notes, IsEmpty());
  EXPECT_FALSE(trial.intervals[3].disturbed);
}

}  // namespace
}  // namespace manactl::datapath::outages_test
