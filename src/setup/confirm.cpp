// SPDX-License-Identifier: MIT

#include "setup/confirm.h"

#include <algorithm>

#include "base/text.h"
#include "setup/lock.h"
#include "setup/restore_files.h"
#include "setup/sysfs.h"

namespace manactl::setup {
namespace {

// An entry that cannot be read may await confirmation: confirm() must not pass over it.
bool awaits(const Entry& entry, const std::string& boot) {
  return !entry.is_readable() || (!entry.confirmed && entry.is_valid_in(boot));
}

// The entry that confirm() confirms.
Result<const Entry*> entry_to_confirm(const std::vector<Entry>& entries,
                                      const std::string& name,
                                      const std::string& boot) {
  std::vector<const Entry*> found;
  for (const auto& entry : entries) {
    if (name.empty() ? awaits(entry, boot) : entry.matches(name)) found.push_back(&entry);
  }
  // A PCI address selects all NICs of its function, and a NIC may have been tuned several times.
  if (std::ranges::any_of(found, [&](auto* entry) { return awaits(*entry, boot); })) {
    std::erase_if(found, [&](auto* entry) { return !awaits(*entry, boot); });
  } else if (found.size() > 1) {
    found.resize(1);
  }
  if (found.empty() && !name.empty()) {
    return fail(Errc::not_found, fmt::format("'{}' has no journal entry", printable(name)));
  }
  if (found.empty()) {
    return fail(
        Errc::not_found,
        "nothing awaits confirmation: the changes were confirmed or rolled back, or there was no "
        "--confirm-timeout; see 'manactl status'");
  }
  if (found.size() > 1) {
    std::vector<std::string> names;
    for (const auto* entry : found) names.push_back(printable(entry->name()));
    return fail(Errc::invalid,
                fmt::format("several NICs await confirmation ({}): name one, 'manactl confirm {}'",
                            join(names, ", "),
                            names.front()));
  }
  return found[0];
}

Result<> refuse_unprepared(const Entry& entry, const std::string& boot, const os::Files& files) {
  const auto name = printable(entry.name());
  const auto* command = entry.is_tuning() ? "tune" : "prepare";
  if (entry.is_readable() && !entry.is_valid_in(boot)) {
    return fail(
        Errc::busy,
        fmt::format(
            "the last reboot restored '{}': run 'manactl {} {}' again", name, command, name));
  }
  if (!entry.is_finished()) {
    return fail(Errc::busy,
                fmt::format("'{}' is not completely {}, so it cannot be confirmed: run "
                            "'manactl restore {}'",
                            name,
                            entry.is_tuning() ? "tuned" : "prepared",
                            name));
  }
  const bool is_bound =
      !entry.has_step(StepKind::bind_channel) || driver_of(files, entry.nic.channel_id()) == kUio;
  if (is_bound) return {};
  return fail(Errc::busy,
              fmt::format("'{}' is no longer bound to {}, so it cannot be confirmed: "
                          "run 'manactl restore {}'",
                          name,
                          kUio,
                          name));
}

Result<> write_files(const Entry& entry,
                     const std::vector<PersistentFile>& files,
                     const Persistence& persistence) {
  if (!entry.is_tuning()) return persistence.write(files);
  const auto replaced = persistence.replace(entry.persistent_name(), files);
  return replaced ? Result<>() : tl::unexpected<Error>(replaced.error());
}

Result<> remove_files(const Entry& entry,
                      const std::vector<Entry>& entries,
                      const Persistence& persistence) {
  if (entry.is_tuning())
    return write_files(entry, tuning_files_without(entry, entries), persistence);
  const auto removed = persistence.remove(entry.persistent_name());
  return removed ? Result<>() : tl::unexpected<Error>(removed.error());
}

}  // namespace

Result<std::optional<ConfirmResult>> confirm(const std::string& name, const SetupContext& context) {
  const auto lock = take_lock(context.lock_file, context.command);
  if (!lock) return tl::unexpected<Error>(lock.error());
  const auto entries = context.journal.entries();
  if (!entries) return tl::unexpected<Error>(entries.error());
  const auto boot = boot_id(context.system.files);
  if (!boot) return because(boot.error(), "cannot identify this boot");
  const auto entry = entry_to_confirm(*entries, name, *boot);
  if (!entry) return tl::unexpected<Error>(entry.error());
  const auto prepared = refuse_unprepared(**entry, *boot, context.system.files);
  if (!prepared) return tl::unexpected<Error>(prepared.error());
  if ((*entry)->confirmed) return std::nullopt;
  // Before the confirmation: if this process dies in between, the watchdog removes the files.
  const auto& files = (*entry)->boot_files;
  const auto persisted = write_files(**entry, files, context.persistence);
  if (!persisted) return because(persisted.error(), "cannot write the files of --persist");
  const auto written = context.journal.confirm((*entry)->id);
  if (!written) {
    const auto removed = remove_files(**entry, *entries, context.persistence);
    return removed ? because(written.error(), "not confirmed")
                   : because(removed.error(),
                             fmt::format("not confirmed ({}), but the files of --persist remain",
                                         written.error().message));
  }
  ConfirmResult result{(*entry)->name(), {}, (*entry)->is_tuning()};
  for (const auto& file : files) result.persistent.push_back(file.path());
  return result;
}

}  // namespace manactl::setup
