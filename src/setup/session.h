// SPDX-License-Identifier: MIT
//
// The objects with which a command changes a machine, or plans to (system, clock, journal, lock),
// and a class that defers signals until the command is done.

#pragma once

#include <csignal>
#include <memory>
#include <string>
#include <vector>

#include "setup/prepare.h"

namespace manactl::setup {

class SetupSession {
 public:
  // Opens nothing and takes no lock yet. The journal of a captured VM, whose files are below
  // `root`, is empty.
  explicit SetupSession(const os::System& system, std::string root = {});

  // `command` describes the run: "prepare eth1". The result refers to this session.
  SetupContext context(std::string command, SignalPoll poll_signal = {});

  Result<std::vector<Entry>> entries() const { return journal_.entries(); }

  std::chrono::milliseconds now() const { return clock_->now(); }

  // Errc::denied unless this process is root with CAP_NET_ADMIN.
  Result<> check_privileges() const;

 private:
  os::System system_;
  std::string root_;
  std::unique_ptr<os::DurableDirectory> files_;
  std::unique_ptr<Clock> clock_;
  Journal journal_;
};

// While this object exists, every signal that would end or stop this process is blocked, so that no
// step is left half done. For the same reason, the constructor lifts the limit on CPU time. The
// destructor discards signals that take() has not returned: they arrived too late to change the
// result of the command.
class DeferredSignals {
 public:
  DeferredSignals();
  DeferredSignals(const DeferredSignals&) = delete;
  DeferredSignals& operator=(const DeferredSignals&) = delete;
  ~DeferredSignals();

  // Consumes a pending signal and returns its number, or 0.
  int take();

 private:
  sigset_t deferred_{};  // signals that take() returns; those that only stop are not among them
  sigset_t mask_before_{};
};

}  // namespace manactl::setup
