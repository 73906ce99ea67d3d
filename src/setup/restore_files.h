// SPDX-License-Identifier: MIT
//
// The files of --persist of NICs that are restored.

#pragma once

#include <string>
#include <vector>

#include "setup/restore.h"

namespace manactl::setup {

// Removes the files whose header has `name`, and adds their paths to `result`. A dry run only lists
// them.
void remove_boot_files(const std::string& name,
                       const SetupContext& context,
                       bool dry_run,
                       RestoreResult& result);

// Returns the files of --persist that the NIC has without this entry of tune: those of its newest
// other confirmed entry that has some.
std::vector<PersistentFile> tuning_files_without(const Entry& entry,
                                                 const std::vector<Entry>& entries);

// After an entry of tune was restored: replaces the files of --persist by those of
// tuning_files_without().
void restore_tuning_files(const Entry& restored,
                          const SetupContext& context,
                          RestoreResult& result);

// Removes the files of NICs that are not prepared: of all if `name` is empty.
void add_files_only(const std::string& name,
                    const SetupContext& context,
                    bool dry_run,
                    std::vector<RestoreResult>& results);

// Removes all files if no entry remains, because the files of a NIC stay as long as its entry.
void remove_remaining_files(const SetupContext& context, std::vector<RestoreResult>& results);

// For a dry run: adds the boot files that no result lists.
void add_other_files(const SetupContext& context, std::vector<RestoreResult>& results);

}  // namespace manactl::setup
