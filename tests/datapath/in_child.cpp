// SPDX-License-Identifier: MIT
#include "datapath/in_child.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>

#include "datapath/engines.h"

// ThreadSanitizer does not know the locks of DPDK's own threads.
extern "C" const char* __tsan_default_suppressions();  // NOLINT(bugprone-reserved-identifier)

const char* __tsan_default_suppressions() {  // NOLINT(bugprone-reserved-identifier)
  return "race:rte_intr_\nrace:malloc_elem_\nrace:memif_\n";
}

#include "datapath/measure/trials.h"

namespace manactl::datapath {

Child::Child(const std::function<void()>& body) {
  std::fflush(nullptr);
  pid_ = fork();
  if (pid_ != 0) return;
  alarm(60);
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // SIGALRM does not end a stopped child
  body();
  std::fflush(nullptr);
  _exit(testing::Test::HasFailure() ? 1 : 0);
}

Child::~Child() {
  if (pid_ > 0) succeeded();
}

bool Child::running() const {
  siginfo_t state{};
  return waitid(P_PID, static_cast<id_t>(pid_), &state, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         state.si_pid == 0;
}

bool Child::succeeded() {
  int status = 0;
  const auto pid = pid_;
  pid_ = -1;
  if (pid <= 0 || waitpid(pid, &status, 0) != pid) return false;
  if (WIFSIGNALED(status)) ADD_FAILURE() << "the child was killed by signal " << WTERMSIG(status);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool Child::halt() {
  siginfo_t state{};
  return kill(pid_, SIGSTOP) == 0 &&
         waitid(P_PID, static_cast<id_t>(pid_), &state, WEXITED | WSTOPPED | WNOWAIT) == 0 &&
         state.si_code == CLD_STOPPED;
}

bool Child::killed() {
  int status = 0;
  const auto pid = pid_;
  pid_ = -1;
  return pid > 0 && kill(pid, SIGKILL) == 0 && waitpid(pid, &status, 0) == pid &&
         WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

std::string printed_by(const std::function<void()>& body) {
  const int file = memfd_create("printed", MFD_CLOEXEC);
  if (file < 0) return "memfd_create failed";
  std::fflush(nullptr);
  const std::array saved = {dup(1), dup(2)};
  dup2(file, 1);
  dup2(file, 2);
  body();
  std::fflush(nullptr);
  dup2(saved[0], 1);
  dup2(saved[1], 2);
  close(saved[0]);
  close(saved[1]);
  std::string text(static_cast<std::size_t>(lseek(file, 0, SEEK_END)), '\0');
  const auto got = pread(file, text.data(), text.size(), 0);
  close(file);
  text.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  return text;
}

BenchPlan short_plan(Mode mode, const std::string& vdev, std::uint16_t queues) {
  BenchPlan plan;
  plan.mode = mode;
  plan.vdevs = {vdev};
  plan.queues = queues;
  plan.trial.seconds = 0.3;
  plan.trial.interval_seconds = 0.1;
  plan.hugepages = false;
  return plan;
}

Result<BenchReport> run(const BenchPlan& plan) {
  auto engine = kDpdkEngine.make();
  if (!engine) return tl::unexpected<Error>(engine.error());
  return run(**engine, plan, {}, {});
}

}  // namespace manactl::datapath
