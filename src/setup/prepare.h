// SPDX-License-Identifier: MIT
//
// Lock, facts, plan, journal, steps: one prepared NIC, or everything as it was.

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "setup/lock.h"
#include "setup/plan.h"
#include "setup/transaction.h"

namespace manactl::setup {

// What a run works with; the references outlive it.
struct Session {
  Machine& machine;
  Journal& journal;
  std::string lock;     // path of the lock file
  std::string command;  // "prepare eth1": told to whoever finds the lock taken
  Interrupted interrupted = {};
};

enum class Outcome { done, already, rolled_back, roll_back_failed };

struct Prepared {
  Outcome outcome = Outcome::done;
  Entry entry;
  std::vector<Ran> ran;
  std::vector<Undone> undone;
  Error cause;     // of a failure
  int signal = 0;  // that interrupted
};

// Called with the lock held and before anything is changed: whoever watches over the run (for
// --confirm-timeout) starts here, and may write the end of its patience into the entry.
using BeforeChanges = std::function<Result<>(Entry&, Lock&)>;

// An error means that nothing was touched.
Result<Prepared> prepare(const Request& request,
                         const Session& session,
                         const BeforeChanges& before_changes = {});

// The same on a pretended machine: no lock, no journal.
Result<Prepared> rehearse(const Request& request, Machine& machine, const std::vector<Entry>& open);

// Takes the word "confirmed" down for every entry that waits for it; their ids.
Result<std::vector<std::string>> confirm(const Session& session);

}  // namespace manactl::setup
