// SPDX-License-Identifier: MIT
#include "datapath/analysis/notes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace manactl::datapath {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

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
  EXPECT_THAT(notes_of(Mode::rx, 0, 0), ElementsAre("nothing was received"));
  EXPECT_THAT(notes_of(Mode::fwd, 0, 0), ElementsAre("nothing was received"));
  EXPECT_THAT(notes_of(Mode::fwd, 0, 5), ElementsAre("nothing was sent"));
  EXPECT_THAT(notes_of(Mode::txrx, 5, 0), ElementsAre("nothing was received"));
  EXPECT_THAT(notes_of(Mode::rtt, 0, 0), ElementsAre("nothing was sent"));
}

TEST(CountNotes, ReportThatTheRateWasNotReached) {
  EXPECT_THAT(notes_of(Mode::tx, 10'000, 0, true),
              ElementsAre(AllOf(HasSubstr("50 % of the requested rate"),
                                HasSubstr("the device accepted no more"))));
}

TEST(CountNotes, NameUnansweredRequestsAsTheReason) {
  EXPECT_THAT(notes_of(Mode::rtt, 480, 0, true),
              ElementsAre("480 of 480 requests had no reply",
                          AllOf(HasSubstr("2.4 % of the requested rate"),
                                HasSubstr("at most 32 requests of a queue are in flight"),
                                Not(HasSubstr("accepted no more")))));
  EXPECT_THAT(notes_of(Mode::rtt, 480, 470), ElementsAre("10 of 480 requests had no reply"));
}

}  // namespace
}  // namespace manactl::datapath
