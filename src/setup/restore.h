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
  bool dry_run = false;     // only list the steps
};

// An interface that had another name when its NIC was prepared.
struct RenamedInterface {
  std::string before, now;
};

std::string text_of(const RenamedInterface& interface);

struct RestoreResult {
  std::string id, interface;  // both empty: files of --persist of any NIC
  bool earlier_boot = false;  // the reboot has undone the changes
  std::vector<RevertResult> reverted;
  std::vector<RenamedInterface> renamed;
  std::vector<std::string> removed;  // paths of files of --persist
  std::vector<std::string> unknown;  // parts of the original state whose record is lost
  std::vector<StepResult> planned;   // dry run: the steps, in order; nothing is reverted
  bool journaled = true;             // false: there was no journal entry

  // There were files of --persist, but nothing to restore.
  bool has_only_files() const {
    return !journaled && reverted.empty() && planned.empty() && unknown.empty();
  }

  // Everything was reverted, and no part of a journal entry was lost.
  bool is_complete() const;
};

// Also removes the files of --persist after their NIC was restored; with `all`, also those of NICs
// that are not prepared. A dry run takes no lock, and lists in `removed` the files that restore
// would remove. The result is empty if there is nothing to restore. Errc::not_found for an
// unknown name. Errc::busy, with nothing changed, while a process has a device of one of
// these NICs open.
Result<std::vector<RestoreResult>> restore(const RestoreRequest& request,
                                           const SetupContext& context);

// Restores one entry, even if the NIC is in use. The caller holds the lock. If a step cannot be
// reverted, the journal records the others, and the next restore does not repeat them.
RestoreResult restore_entry(Entry entry, const SetupContext& context, bool force);

}  // namespace manactl::setup
