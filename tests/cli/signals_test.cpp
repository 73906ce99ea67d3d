// SPDX-License-Identifier: MIT

#include "cli/signals.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <vector>

namespace manactl::cli {
namespace {

TEST(StopOnSignal, AsksToStopAndKeepsTheNumber) {
  StopOnSignal signals;
  signals.finish_when_asked();
  std::atomic<bool> asked = false;
  const std::stop_callback callback(signals.token(), [&] {
    asked = true;
    asked.notify_all();
  });
  kill(getpid(), SIGTERM);
  asked.wait(false);
  EXPECT_EQ(signals.number(), SIGTERM);
}

// A program that waits for the given signals while they are watched.
void take(bool finishes, const std::vector<int>& numbers) {
  StopOnSignal signals;
  if (finishes) signals.finish_when_asked();
  for (const int number : numbers) {
    kill(getpid(), number);
    while (finishes && !signals.token().stop_requested()) usleep(100);
  }
  for (;;) pause();
}

TEST(StopOnSignalDeathTest, EndsAtOnceWhenThereIsNothingToFinish) {
  EXPECT_EXIT(take(false, {SIGINT}), testing::ExitedWithCode(130), "");
  EXPECT_EXIT(take(false, {SIGTERM}), testing::ExitedWithCode(143), "");
  EXPECT_EXIT(take(false, {SIGHUP}), testing::ExitedWithCode(129), "");
}

TEST(StopOnSignalDeathTest, EndsAtOnceWhenAskedAgain) {
  EXPECT_EXIT(take(true, {SIGINT, SIGTERM}), testing::ExitedWithCode(143), "");
}

TEST(StopOnSignal, GivesTheSignalsBack) {
  { const StopOnSignal signals; }
  sigset_t now;
  pthread_sigmask(SIG_SETMASK, nullptr, &now);
  EXPECT_EQ(sigismember(&now, SIGINT), 0);
  EXPECT_EQ(sigismember(&now, SIGUSR2), 0);
}

// Of two signals that wait, the lower number is taken first.
TEST(StopOnSignalDeathTest, LeavesAnIgnoredSignalIgnored) {
  const auto ignored_and_another = [] {
    signal(SIGHUP, SIG_IGN);
    take(false, {SIGHUP, SIGTERM});
  };
  EXPECT_EXIT(ignored_and_another(), testing::ExitedWithCode(143), "");
}

}  // namespace
}  // namespace manactl::cli
