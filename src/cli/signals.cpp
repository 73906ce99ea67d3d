// SPDX-License-Identifier: MIT

#include "cli/signals.h"

#include <pthread.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace manactl::cli {
namespace {

// Tells the waiting thread that nothing is waited for any more. It is blocked like the others, so
// its default action never happens.
constexpr int kEnough = SIGUSR2;

// The kernel sends it when the thread that started this process ends, which may be one of many.
constexpr int kParentEnded = SIGUSR1;

bool is_ignored(int number) {
  struct sigaction action {};

  return sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

EndWithParent::EndWithParent(int signal) {
  if (is_ignored(SIGHUP) || prctl(PR_GET_PDEATHSIG, &before_) != 0) return;
  set_ = prctl(PR_SET_PDEATHSIG, signal) == 0;
}

EndWithParent::~EndWithParent() {
  if (set_) prctl(PR_SET_PDEATHSIG, before_);
}

StopOnSignal::StopOnSignal() : end_with_parent_(kParentEnded), parent_(getppid()) {
  sigemptyset(&watched_);
  sigaddset(&watched_, kEnough);
  sigaddset(&watched_, kParentEnded);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    // Under nohup SIGHUP is ignored, and blocking it would bring it back.
    if (!is_ignored(number)) sigaddset(&watched_, number);
  }
  pthread_sigmask(SIG_BLOCK, &watched_, &before_);
  waiter_ = std::thread([this] { wait(); });
}

StopOnSignal::~StopOnSignal() {
  pthread_kill(waiter_.native_handle(), kEnough);
  waiter_.join();
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void StopOnSignal::wait() {
  constexpr int kBase = 128;
  for (;;) {
    int number = 0;
    if (sigwait(&watched_, &number) != 0) continue;
    if (number == kEnough) return;
    if (number == kParentEnded) {
      if (getppid() == parent_) continue;  // one of its threads ended
      number = SIGTERM;
    }
    if (number_ != 0 || !finishes_) _exit(kBase + number);
    number_ = number;
    source_.request_stop();
  }
}

}  // namespace manactl::cli
