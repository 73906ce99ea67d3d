// SPDX-License-Identifier: MIT

#include "setup/signals.h"

#include <pthread.h>

#include <ctime>
#include <initializer_list>

namespace manactl::setup {

HeldSignals::HeldSignals() {
  sigemptyset(&held_);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action {};

    // Under nohup SIGHUP is ignored, and holding it would bring it back.
    const bool ignored = sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
    if (!ignored) sigaddset(&held_, number);
  }
  pthread_sigmask(SIG_BLOCK, &held_, &before_);
}

HeldSignals::~HeldSignals() {
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

int HeldSignals::take() {
  const timespec at_once{};
  const int number = sigtimedwait(&held_, nullptr, &at_once);
  return number > 0 ? number : 0;
}

}  // namespace manactl::setup
