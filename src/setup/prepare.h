// SPDX-License-Identifier: MIT
//
// Prepares one NIC: takes the lock, gathers facts, makes a plan, opens a journal entry and runs the
// steps. If a step fails, all changes are reverted.

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/enum_words.h"
#include "setup/lock.h"
#include "setup/plan.h"
#include "setup/transaction.h"

namespace manactl::setup {

// The environment of prepare(), restore() and confirm(). The referenced objects must outlive it.
struct SetupContext : StepContext {
  Journal& journal;
  std::string lock_file;
  std::string command;  // "prepare eth1": shown by another run that finds the lock taken
  SignalPoll poll_signal = {};
  Persistence persistence;
};

enum class PrepareOutcome { done, already_prepared, rolled_back, roll_back_failed };

inline constexpr EnumWords<PrepareOutcome, 4> kPrepareOutcomeWords{{
    {PrepareOutcome::done, "prepared"},
    {PrepareOutcome::already_prepared, "already-prepared"},
    {PrepareOutcome::rolled_back, "rolled-back"},
    {PrepareOutcome::roll_back_failed, "roll-back-failed"},
}};

struct PrepareResult {
  PrepareOutcome outcome = PrepareOutcome::done;
  Entry entry;
  std::vector<StepResult> steps;
  std::vector<RevertResult> reverted;
  std::vector<std::string> warnings;    // Plan::warnings
  Error cause;                          // why the run failed
  int signal = 0;                       // the signal that interrupted the run, or 0
  std::vector<std::string> persistent;  // paths of the files of --persist; confirm writes them if
                                        // the entry is not confirmed
  Result<> persisted;  // whether these files, or their texts in the journal, were written
};

// prepare() calls this function with the lock held, before any change. With --confirm-timeout, the
// function starts the watchdog and sets the entry's deadline.
using BeforeChanges = std::function<Result<>(Entry&, Lock&)>;

// An error means that nothing was changed. A failed step is not an error: PrepareResult::cause
// describes it.
Result<PrepareResult> prepare(const Request& request,
                              const SetupContext& context,
                              const BeforeChanges& before_changes = {});

// Runs the same steps without lock and journal. `context` refers to a simulated system (dry_run.h).
Result<PrepareResult> dry_run_prepare(const Request& request,
                                      const StepContext& context,
                                      const std::vector<Entry>& entries);

// ---- also for tune

// Closes the entries of earlier boots, because the reboot undid their changes; returns the others.
Result<std::vector<Entry>> entries_of_this_boot(Journal& journal, const std::string& boot);

// Opens the journal entry of the plan and runs its steps. The caller holds the lock.
Result<PrepareResult> run_plan(Plan& plan,
                               const SetupContext& context,
                               const BeforeChanges& before_changes,
                               Lock& lock);

// Runs the steps of an entry that is open in `journal`.
PrepareResult run_steps(Plan& plan,
                        const StepContext& context,
                        Journal& journal,
                        const SignalPoll& poll_signal);

}  // namespace manactl::setup
