// SPDX-License-Identifier: MIT
//
// Runs steps in order. If a step fails, reverts the steps that began, newest first; a revert that
// fails does not stop the others.

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "setup/journal.h"
#include "setup/step.h"

namespace manactl::setup {

struct StepResult {
  StepKind kind = StepKind::unknown;
  std::string title;
  Values before;
  bool changed = false;  // false: the state was already as required
  std::chrono::milliseconds took{0};
  std::vector<std::string> commands = {};  // of a dry run: the writes of this step

  // Returns whether the step wrote nothing, although `changed` is true: it waited or verified.
  bool only_verifies() const;

  // "mtu 1500, state up", without addresses, routes and interface indexes.
  std::string before_text() const;
};

struct RevertResult {
  std::string title;
  Result<> result;
  std::vector<std::string> manual_commands;  // if the revert failed: run these instead
  bool device_vanished = false;              // the revert failed because the device was removed

  bool given_up = false;  // the revert failed, which --force accepts

  std::vector<std::string> notes = {};  // what differs without being an error
  StepKind kind = StepKind::unknown;

  bool succeeded() const { return result || device_vanished || given_up; }
};

bool all_reverted(const std::vector<RevertResult>& results);

// Returns the number of a signal that arrived, or 0. Called between steps, never within one.
using SignalPoll = std::function<int()>;

class Transaction {
 public:
  Transaction(const StepContext& context, Journal& journal, SignalPoll poll_signal)
      : context_(context), journal_(journal), poll_signal_(std::move(poll_signal)) {}

  // `entry` is open in the journal and has a record for each step.
  Result<> run(const Steps& steps, Entry& entry);

  // Call it after run() has failed. The entry stays in the journal unless everything was reverted.
  bool is_rolled_back() const { return all_reverted(reverted_); }

  const std::vector<RevertResult>& reverted() const { return reverted_; }

  // Moves the results out, because they may be large (all routes). Call it once.
  std::vector<StepResult> take_results() { return std::move(results_); }

  int signal() const { return signal_; }

 private:
  Result<> run_step(Step& step, Entry& entry, std::size_t number);
  void roll_back_begun(Entry& entry);

  const StepContext& context_;
  Journal& journal_;
  SignalPoll poll_signal_;
  std::vector<StepResult> results_;
  std::vector<RevertResult> reverted_;
  int signal_ = 0;
};

// Reverts every step of the entry that is not reverted yet, newest first, and marks those that it
// has reverted. `entries` is the whole journal: changes that other prepared NICs share are kept.
std::vector<RevertResult> roll_back(const StepContext& context,
                                    Entry& entry,
                                    const std::vector<Entry>& entries,
                                    bool force);

}  // namespace manactl::setup
