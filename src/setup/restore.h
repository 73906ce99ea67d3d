// SPDX-License-Identifier: MIT
//
// Restores the state that the journal recorded. Without a usable journal, reverts the changes that
// sysfs shows.

#pragma once

#include <string>
#include <vector>

#include "setup/prepare.h"

namespace manactl::setup {

struct RestoreRequest {
  std::string name;         // an interface, a VF or a VMBus id; empty if `all` or `unfinished`
  bool all = false;         // every entry of the journal
  bool unfinished = false;  // --recover: entries of runs that did not finish
  bool force = false;       // overwrite values of other programs; unbind a NIC that is in use
};

struct RestoreResult {
  std::string id, interface;
  bool earlier_boot = false;  // the reboot has undone the changes
  std::vector<RevertResult> reverted;
  std::vector<std::string> unknown;  // parts of the original state whose record is lost
  bool journaled = true;             // false: there was no journal entry

  // Everything was reverted, and no part of a journal entry was lost.
  bool is_complete() const;
};

// The result is empty if there is nothing to restore. Errc::not_found for an unknown name.
// Errc::busy, with nothing changed, while a process has the uio device of one of these NICs open.
Result<std::vector<RestoreResult>> restore(const RestoreRequest& request,
                                           const SetupContext& context);

// Restores one entry, even if the NIC is in use. The caller holds the lock.
RestoreResult restore_entry(const Entry& entry, const SetupContext& context, bool force);

}  // namespace manactl::setup
