// SPDX-License-Identifier: MIT

#include "cli/signals.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>

namespace manactl::cli {
namespace {

TEST(StopOnSignal, AsksToStopAndKeepsTheNumber) {
  const StopOnSignal signals;
  std::atomic<bool> asked = false;
  const std::stop_callback callback(signals.token(), [&] {
    asked = true;
    asked.notify_all();
  });
  kill(getpid(), SIGTERM);
  asked.wait(false);
  EXPECT_EQ(signals.number(), SIGTERM);
}

TEST(StopOnSignal, GivesTheSignalsBack) {
  { const StopOnSignal signals; }
  sigset_t now;
  pthread_sigmask(SIG_SETMASK, nullptr, &now);
  EXPECT_EQ(sigismember(&now, SIGINT), 0);
  EXPECT_EQ(sigismember(&now, SIGUSR2), 0);
}

TEST(StopOnSignal, LeavesAnIgnoredSignalIgnored) {
  const auto before = signal(SIGHUP, SIG_IGN);
  {
    const StopOnSignal signals;
    kill(getpid(), SIGHUP);
    usleep(1000);
    EXPECT_FALSE(signals.token().stop_requested());
  }
  signal(SIGHUP, before);
}

}  // namespace
}  // namespace manactl::cli
