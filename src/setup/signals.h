// SPDX-License-Identifier: MIT
//
// SIGINT, SIGTERM and SIGHUP wait while steps run: half a step must not be left behind.

#pragma once

#include <csignal>

namespace manactl::setup {

class HeldSignals {
 public:
  HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
  ~HeldSignals();  // signals that were taken are gone, others arrive now

  // The number of one that came, once; 0 when none did.
  int take();

 private:
  sigset_t held_{};
  sigset_t before_{};
};

}  // namespace manactl::setup
