// SPDX-License-Identifier: MIT

#include "cli/signals.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <vector>

namespace manactl::cli::signals_test {
namespace {

TEST(StopOnSignal, RequestsAStopAndRemembersTheSignal) {
  StopOnSignal signals;
  signals.stop_gracefully();
  std::atomic<bool> requested = false;
  const std::stop_callback callback(signals.token(), [&] {
    requested = true;
    requested.notify_all();
  });
  kill(getpid(), SIGTERM);
  requested.wait(false);
  EXPECT_EQ(signals.number(), SIGTERM);
}

TEST(StopOnSignal, CountsARepetitionAsTheSameSignal) {
  StopOnSignal signals(std::chrono::hours(1));
  signals.stop_gracefully();
  kill(getpid(), SIGINT);
  while (!signals.token().stop_requested()) usleep(100);
  kill(getpid(), SIGTERM);
  sigset_t pending;
  do {
    usleep(100);
    sigpending(&pending);
  } while (sigismember(&pending, SIGTERM) != 0);
  EXPECT_EQ(signals.number(), SIGINT);
}

// Sends signals to this process and waits for their effect.
void receive(bool graceful, const std::vector<int>& numbers) {
  StopOnSignal signals(std::chrono::nanoseconds(0));
  if (graceful) signals.stop_gracefully();
  for (const int number : numbers) {
    kill(getpid(), number);
    while (graceful && !signals.token().stop_requested()) usleep(100);
  }
  for (;;) pause();
}

TEST(StopOnSignalDeathTest, ExitsAtOnceBeforeAGracefulStopIsPossible) {
  EXPECT_EXIT(receive(false, {SIGINT}), testing::ExitedWithCode(130), "");
  EXPECT_EXIT(receive(false, {SIGTERM}), testing::ExitedWithCode(143), "");
  EXPECT_EXIT(receive(false, {SIGHUP}), testing::ExitedWithCode(129), "");
}

TEST(StopOnSignalDeathTest, ExitsAtOnceOnASecondSignal) {
  EXPECT_EXIT(receive(true, {SIGINT, SIGTERM}), testing::ExitedWithCode(143), "");
}

TEST(StopOnSignal, RestoresTheSignalMask) {
  {
    const StopOnSignal signals;
  }
  sigset_t now;
  pthread_sigmask(SIG_SETMASK, nullptr, &now);
  EXPECT_EQ(sigismember(&now, SIGINT), 0);
  EXPECT_EQ(sigismember(&now, SIGUSR2), 0);
}

// Of two pending signals, sigwait() returns the one with the lower number first. If the process
// handled SIGHUP, it would exit with 129.
TEST(StopOnSignalDeathTest, LeavesAnIgnoredSignalIgnored) {
  const auto ignore_then_receive = [] {
    signal(SIGHUP, SIG_IGN);
    receive(false, {SIGHUP, SIGTERM});
  };
  EXPECT_EXIT(ignore_then_receive(), testing::ExitedWithCode(143), "");
}

}  // namespace
}  // namespace manactl::cli::signals_test
