// SPDX-License-Identifier: MIT

#include "setup/session.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace manactl::setup {
namespace {

TEST(DeferredSignals, DefersEverySignalThatEndsAProcess) {
  for (const int number :
       {SIGHUP,  SIGINT,    SIGQUIT, SIGILL,  SIGTRAP, SIGABRT, SIGBUS,    SIGFPE,
        SIGUSR1, SIGSEGV,   SIGUSR2, SIGPIPE, SIGALRM, SIGTERM, SIGSTKFLT, SIGXCPU,
        SIGXFSZ, SIGVTALRM, SIGPROF, SIGIO,   SIGPWR,  SIGSYS,  SIGRTMIN,  SIGRTMAX}) {
    DeferredSignals signals;
    ASSERT_EQ(raise(number), 0);
    EXPECT_EQ(signals.take(), number);
    EXPECT_EQ(signals.take(), 0);
  }
}

TEST(DeferredSignals, DoesNotTakeSignalsThatEndNothing) {
  DeferredSignals signals;
  for (const int number : {SIGCHLD, SIGCONT, SIGURG, SIGWINCH}) {
    ASSERT_EQ(raise(number), 0);
    EXPECT_EQ(signals.take(), 0) << number;
  }
}

TEST(DeferredSignals, LeavesAnIgnoredSignalIgnored) {
  const auto before = std::signal(SIGHUP, SIG_IGN);
  {
    DeferredSignals signals;
    ASSERT_EQ(raise(SIGHUP), 0);
    EXPECT_EQ(signals.take(), 0);
  }
  std::signal(SIGHUP, before);
}

TEST(DeferredSignals, DiscardsSignalsThatCameTooLate) {
  {
    const DeferredSignals signals;
    ASSERT_EQ(raise(SIGTERM), 0);
    ASSERT_EQ(raise(SIGUSR1), 0);
  }
  sigset_t pending{};
  sigpending(&pending);
  EXPECT_EQ(sigismember(&pending, SIGTERM), 0);
  sigset_t mask{};
  pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  EXPECT_EQ(sigismember(&mask, SIGTERM), 0);
}

// In a child, because an unprivileged process cannot lower the limit again.
TEST(DeferredSignals, LiftsTheLimitOnCpuTime) {
  const pid_t child = fork();
  if (child == 0) {
    rlimit limit{};
    getrlimit(RLIMIT_CPU, &limit);
    const rlimit low{1000, limit.rlim_max};
    setrlimit(RLIMIT_CPU, &low);
    const DeferredSignals signals;
    getrlimit(RLIMIT_CPU, &limit);
    _exit(limit.rlim_cur == limit.rlim_max ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(DeferredSignals, DoesNotHideAFaultOfThisProcess) {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    std::signal(SIGABRT, SIG_DFL);
    const DeferredSignals signals;
    std::abort();
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
}

}  // namespace
}  // namespace manactl::setup
