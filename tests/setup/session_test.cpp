// SPDX-License-Identifier: MIT

#include "setup/session.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "setup/fake_vm.h"

namespace manactl::setup::session_test {
namespace {

TEST(DeferredSignals, DefersEverySignalThatEndsAProcess) {
  for (const int number :
       {SIGHUP,  SIGINT,    SIGQUIT, SIGILL,  SIGTRAP, SIGABRT, SIGBUS,    SIGFPE,
        SIGUSR1, SIGSEGV,   SIGUSR2, SIGPIPE, SIGALRM, SIGTERM, SIGSTKFLT, SIGXCPU,
        SIGXFSZ, SIGVTALRM, SIGPROF, SIGIO,   SIGPWR,  SIGSYS,  SIGRTMIN,  SIGRTMAX}) {
    const auto before = std::signal(number, SIG_DFL);  // a background job ignores SIGINT
    {
      DeferredSignals signals;
      ASSERT_EQ(raise(number), 0);
      EXPECT_EQ(signals.take(), number);
      EXPECT_EQ(signals.take(), 0);
    }
    std::signal(number, before);
  }
}

TEST(DeferredSignals, DoesNotTakeSignalsThatEndNothing) {
  DeferredSignals signals;
  for (const int number : {SIGCHLD, SIGCONT, SIGURG, SIGWINCH}) {
    ASSERT_EQ(raise(number), 0);
    EXPECT_EQ(signals.take(), 0) << number;
  }
}

TEST(DeferredSignals, DefersSignalsThatStopAProcess) {
  for (const int number : {SIGTSTP, SIGTTIN, SIGTTOU}) {
    DeferredSignals signals;
    ASSERT_EQ(raise(number), 0);
    EXPECT_EQ(signals.take(), 0) << number;
    sigset_t pending{};
    ASSERT_EQ(sigpending(&pending), 0);
    EXPECT_EQ(sigismember(&pending, number), 1) << number;
    std::signal(number, std::signal(number, SIG_IGN));  // discards it
  }
}

TEST(DeferredSignals, LeavesAnIgnoredSignalIgnored) {
  for (const int number : {SIGHUP, SIGRTMAX}) {  // the first and the last
    const auto before = std::signal(number, SIG_IGN);
    {
      DeferredSignals signals;
      ASSERT_EQ(raise(number), 0);
      EXPECT_EQ(signals.take(), 0);
    }
    std::signal(number, before);
  }
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

TEST(DeferredSignals, LiftsTheLimitUpToTheHardLimitWithoutPrivileges) {
  constexpr uid_t kNobody = 65534;
  const pid_t child = fork();
  if (child == 0) {
    rlimit limit{1000, 2000};
    if (setrlimit(RLIMIT_CPU, &limit) != 0) _exit(2);
    if (getuid() == 0 && setuid(kNobody) != 0) _exit(3);
    const DeferredSignals signals;
    getrlimit(RLIMIT_CPU, &limit);
    _exit(limit.rlim_cur == 2000 && limit.rlim_max == 2000 ? 0 : 1);
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

TEST(DeferredSignals, RestoresTheSignalMask) {
  sigset_t before{};
  sigset_t after{};
  pthread_sigmask(SIG_BLOCK, nullptr, &before);
  {
    const DeferredSignals signals;
  }
  pthread_sigmask(SIG_BLOCK, nullptr, &after);
  for (int number = 1; number <= SIGRTMAX; ++number) {
    EXPECT_EQ(sigismember(&after, number), sigismember(&before, number)) << number;
  }
}

class FixedProcess final : public os::Process {
 public:
  Result<os::Privileges> privileges() const override { return own; }

  Result<os::KernelIdentity> kernel() const override { return os::KernelIdentity{}; }

  Result<CpuList> affinity() const override { return CpuList{}; }

  std::vector<std::string> ssh_connections() const override { return {}; }

  Result<os::Privileges> own;
};

TEST(SetupSession, RequiresRootWithNetAdmin) {
  test::FakeVm vm;
  const auto context = vm.context();
  const auto& system = context.system;
  FixedProcess process;
  const SetupSession session({system.files,
                              system.links,
                              system.ethtool,
                              system.rdma,
                              system.verbs,
                              system.devices,
                              system.modules,
                              process,
                              system.sockets,
                              system.kernel_log});
  for (const auto& [uid, net_admin] : {std::pair{0U, true}, {0U, false}, {1U, true}, {1U, false}}) {
    process.own = os::Privileges{};
    process.own->uid = uid;
    process.own->net_admin = net_admin;
    const auto allowed = session.check_privileges();
    EXPECT_EQ(allowed.has_value(), uid == 0 && net_admin) << uid;
    if (!allowed) {
      EXPECT_EQ(allowed.error().code, Errc::denied);
    }
  }
  process.own = fail(Errc::io, "no /proc");
  EXPECT_EQ(session.check_privileges().error().message, "no /proc");
}

}  // namespace
}  // namespace manactl::setup::session_test
