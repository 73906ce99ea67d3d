// SPDX-License-Identifier: MIT
//
// Back to the state that the journal tells of; without a journal, as far as the kernel itself shows
// what was changed.

#pragma once

#include <string>
#include <vector>

#include "setup/prepare.h"

namespace manactl::setup {

struct RestoreRequest {
  std::string name;         // an interface, a VF or a VMBus id; empty with one of the following
  bool all = false;         // everything in the journal
  bool unfinished = false;  // --recover: what did not come to its end
  bool force = false;       // overwrite what something else changed, take what a process uses
};

struct Restored {
  std::string id, interface;
  bool earlier_boot = false;  // the reboot did it
  std::vector<Undone> undone;
  std::vector<std::string> unknown;  // what nobody can tell any more
  bool journaled = true;

  bool is_complete() const;  // and nothing had to be guessed
};

// Empty when there is nothing to restore. Errc::not_found for a name that means nothing here,
// Errc::busy while a process has the uio device of one of these NICs open: then nothing is touched.
Result<std::vector<Restored>> restore(const RestoreRequest& request, const Session& session);

// The same for one entry, with the lock held already and whoever uses it.
Restored restore_entry(const Entry& entry, const Session& session, bool force);

}  // namespace manactl::setup
