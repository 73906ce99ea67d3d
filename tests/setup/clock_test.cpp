// SPDX-License-Identifier: MIT

#include "setup/clock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>
#include <vector>

namespace manactl::setup::clock_test {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;

milliseconds since_boot() {
  timespec time{};
  EXPECT_EQ(clock_gettime(CLOCK_BOOTTIME, &time), 0);
  return std::chrono::duration_cast<milliseconds>(std::chrono::seconds(time.tv_sec) +
                                                  std::chrono::nanoseconds(time.tv_nsec));
}

TEST(BootClock, ReadsTheTimeSinceBoot) {
  const auto clock = make_boot_clock();
  const auto before = since_boot();
  const auto now = clock->now();
  EXPECT_LE(before, now);
  EXPECT_LE(now, since_boot());
}

TEST(BootClock, PausesAtLeastForTheGivenTime) {
  const auto clock = make_boot_clock();
  const auto before = since_boot();
  clock->pause(milliseconds(3));
  EXPECT_LE(before + milliseconds(2), since_boot());  // both times are rounded down
}

TEST(WaitUntil, PollsEveryTenMillisecondsUntilTheLimit) {
  const auto clock = make_counting_clock();
  clock->pause(milliseconds(1000));
  std::vector<int> polls;
  const auto never = [&] {
    polls.push_back(static_cast<int>(clock->now().count()));
    return false;
  };
  EXPECT_FALSE(wait_until(*clock, milliseconds(30), never));
  EXPECT_THAT(polls, ElementsAre(1000, 1010, 1020, 1030));
  EXPECT_TRUE(wait_until(*clock, milliseconds(30), [&] { return clock->now().count() == 1060; }));
  EXPECT_EQ(clock->now(), milliseconds(1060));
}

}  // namespace
}  // namespace manactl::setup::clock_test
