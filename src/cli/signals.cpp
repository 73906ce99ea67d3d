// SPDX-License-Identifier: MIT

#include "cli/signals.h"

#include <pthread.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace manactl::cli {
namespace {

// The destructor sends this signal to end the waiting thread. Like the other signals, it is
// blocked, so its default action does not run.
constexpr int kEndWait = SIGUSR2;

// The kernel sends this signal when the thread (not the process) that started this process ends.
constexpr int kParentEnded = SIGUSR1;

bool is_ignored(int number) {
  struct sigaction action{};

  return sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

ParentDeathSignal::ParentDeathSignal(int signal) : signal_(signal) {
  if (is_ignored(SIGHUP) || prctl(PR_GET_PDEATHSIG, &before_) != 0) return;
  set_ = prctl(PR_SET_PDEATHSIG, signal) == 0;
}

ParentDeathSignal::~ParentDeathSignal() {
  if (set_) prctl(PR_SET_PDEATHSIG, before_);
}

bool ParentDeathSignal::renew() const {
  return set_ && prctl(PR_SET_PDEATHSIG, signal_) == 0;
}

StopOnSignal::StopOnSignal(std::chrono::nanoseconds repetition)
    : repetition_(repetition), end_with_parent_(kParentEnded), parent_(getppid()) {
  sigemptyset(&handled_);
  sigaddset(&handled_, kEndWait);
  sigaddset(&handled_, kParentEnded);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    // sigwait() would return a blocked SIGHUP even if nohup made this process ignore it.
    if (!is_ignored(number)) sigaddset(&handled_, number);
  }
  pthread_sigmask(SIG_BLOCK, &handled_, &before_);
  waiter_ = std::thread([this] { wait(); });
}

StopOnSignal::~StopOnSignal() {
  pthread_kill(waiter_.native_handle(), kEndWait);
  waiter_.join();
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void StopOnSignal::follow_parent() {
  // The parent may have ended before.
  if (end_with_parent_.renew() && getppid() != parent_) kill(getpid(), kParentEnded);
}

void StopOnSignal::wait() {
  constexpr int kSignalBase = 128;
  for (;;) {
    int number = 0;
    if (sigwait(&handled_, &number) != 0) continue;
    if (number == kEndWait) return;
    if (number == kParentEnded) {
      if (getppid() == parent_) continue;  // only one thread of the parent process ended
      number = SIGTERM;
    }
    const auto now = std::chrono::steady_clock::now();
    if (number_ != 0 && now - first_ < repetition_) continue;
    if (number_ != 0 || !is_graceful_) _exit(kSignalBase + number);
    first_ = now;
    number_ = number;
    source_.request_stop();
  }
}

}  // namespace manactl::cli
