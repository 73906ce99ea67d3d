// SPDX-License-Identifier: MIT
//
// What a command needs to change this machine: its clock, its journal, its lock.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "setup/prepare.h"

namespace manactl::setup {

class Live {
 public:
  explicit Live(const os::System& system);

  Session session(std::string command, Interrupted interrupted = {});

  Result<std::vector<Entry>> entries() const { return journal_.entries(); }

  std::chrono::milliseconds now() const { return clock_->now(); }

  // Errc::denied when this process may not change the machine.
  Result<> may_change() const;

 private:
  std::unique_ptr<os::Durable> files_;
  std::unique_ptr<Clock> clock_;
  Machine machine_;
  Journal journal_;
};

// A clock that counts and does not wait, for rehearsals.
std::unique_ptr<Clock> counting_clock();

}  // namespace manactl::setup
