// SPDX-License-Identifier: MIT

#include "setup/restore_files.h"

#include <algorithm>
#include <iterator>

#include "base/text.h"

namespace manactl::setup {
namespace {

// The failed step that removes the files of --persist, with the commands that remove them by hand.
RevertResult kept_boot_files(const std::string& name,
                             const Error& error,
                             const SetupContext& context) {
  std::vector<std::string> commands;
  for (const auto& path : context.persistence.list(name))
    commands.push_back("rm " + shell_word(path));
  return {"remove the files of --persist", tl::unexpected<Error>(error), std::move(commands)};
}

}  // namespace

void remove_boot_files(const std::string& name,
                       const SetupContext& context,
                       bool dry_run,
                       RestoreResult& result) {
  auto removed = Result<std::vector<std::string>>(context.persistence.list(name));
  if (!dry_run) removed = context.persistence.remove(name);
  if (removed) {
    std::ranges::copy(*removed, std::back_inserter(result.removed));
  } else {
    result.reverted.push_back(kept_boot_files(name, removed.error(), context));
  }
}

std::vector<PersistentFile> tuning_files_without(const Entry& entry,
                                                 const std::vector<Entry>& entries) {
  auto others = entries;
  std::erase_if(others, [&](const Entry& other) {
    return other.id == entry.id || !other.confirmed || other.boot_files.empty();
  });
  const auto* newest = newest_tuning(entry.nic_id(), others);
  return newest == nullptr ? std::vector<PersistentFile>() : newest->boot_files;
}

void restore_tuning_files(const Entry& restored,
                          const SetupContext& context,
                          RestoreResult& result) {
  const auto name = restored.persistent_name();
  const auto entries = context.journal.entries().value_or(std::vector<Entry>{});
  auto removed = context.persistence.replace(name, tuning_files_without(restored, entries));
  if (removed) {
    result.removed = std::move(*removed);
  } else {
    result.reverted.push_back(kept_boot_files(name, removed.error(), context));
  }
}

void add_files_only(const std::string& name,
                    const SetupContext& context,
                    bool dry_run,
                    std::vector<RestoreResult>& results) {
  RestoreResult result;
  result.id = result.interface = name;
  result.journaled = false;
  remove_boot_files(name, context, dry_run, result);
  if (!name.empty()) remove_boot_files(tuning_name(name), context, dry_run, result);
  if (!result.removed.empty() || !result.reverted.empty()) results.push_back(std::move(result));
}

void remove_remaining_files(const SetupContext& context, std::vector<RestoreResult>& results) {
  const auto remaining = context.journal.entries();
  if (!remaining) {
    RestoreResult result;
    result.journaled = false;
    result.reverted.push_back(kept_boot_files("", remaining.error(), context));
    results.push_back(std::move(result));
  } else if (remaining->empty()) {
    add_files_only("", context, false, results);
  }
}

void add_other_files(const SetupContext& context, std::vector<RestoreResult>& results) {
  RestoreResult others;
  others.journaled = false;
  for (auto& path : context.persistence.list("")) {
    const bool is_listed = std::ranges::any_of(results, [&](const RestoreResult& one) {
      return std::ranges::find(one.removed, path) != one.removed.end();
    });
    if (!is_listed) others.removed.push_back(std::move(path));
  }
  if (!others.removed.empty()) results.push_back(std::move(others));
}

}  // namespace manactl::setup
