// SPDX-License-Identifier: MIT

#include "setup/restore.h"

#include <algorithm>

#include "base/text.h"
#include "host/gather.h"
#include "setup/guard.h"
#include "setup/lock.h"
#include "setup/steps.h"
#include "setup/sysfs.h"

namespace manactl::setup {
namespace {

// `title` describes the revert, because the change itself was not recorded.
void add_record(Entry& entry, const Step& step, std::string title, Values before = {}) {
  entry.steps.push_back(make_record(step, std::move(before)));
  entry.steps.back().title = std::move(title);
}

// Returns an entry for a channel whose changes were not recorded. It contains the changes that lead
// to the channel's current driver and override.
Result<Entry> deduce_entry(const std::string& id, const os::System& system) {
  const auto driver = driver_of(system.files, id);
  if (!driver) return tl::unexpected<Error>(driver.error());
  Entry entry;
  entry.id = id;
  const auto override = override_of(system.files, id);
  const bool overridden = override && *override == kUio;
  // uio_hv_generic binds to a NIC only if its override or the class id allows it.
  if (*driver == kUio && !overridden) {
    add_record(
        entry, *add_class_id(false), fmt::format("remove the network class id from {}", kUio));
    entry.steps.back().after = {{"id", "added"}};
  }
  if (*driver == kUio || driver->empty()) {
    add_record(
        entry, *unbind_channel(id, "", ""), fmt::format("bind channel {} to {}", id, kNetvsc));
  }
  if (overridden) {
    add_record(entry,
               *override_driver(id),
               fmt::format("clear driver_override of channel {}", id),
               {{"override", ""}});
  }
  if (*driver == kUio) {
    add_record(entry, *bind_channel(id), fmt::format("unbind channel {} from {}", id, kUio));
  }
  return entry;
}

RestoreResult restore_from_kernel_state(const std::string& id, const SetupContext& context) {
  RestoreResult result;
  result.id = id;
  result.unknown = {"whether the interfaces were up",
                    "their addresses, routes and MTU",
                    "how many hugepages were reserved"};
  if (!VmbusId::parse(id)) return result;
  const auto entry = deduce_entry(id, context.system);
  if (!entry) {
    result.reverted.push_back({"inspect channel " + id, tl::unexpected<Error>(entry.error()), {}});
    return result;
  }
  const auto entries = context.journal.entries();
  result.reverted = roll_back(context, *entry, entries.value_or(std::vector<Entry>{}), false);
  result.interface = interface_of(context.system.files, id).value_or("");
  return result;
}

bool is_selected(const Entry& entry, const RestoreRequest& request) {
  if (request.all) return true;
  if (request.unfinished && request.name.empty()) return !entry.is_finished();
  return entry.matches(request.name) && (!request.unfinished || !entry.is_finished());
}

std::vector<const Entry*> select_entries(const std::vector<Entry>& entries,
                                         const RestoreRequest& request) {
  std::vector<const Entry*> selected;
  for (const auto& entry : entries) {
    if (is_selected(entry, request)) selected.push_back(&entry);
  }
  if (!selected.empty() || request.name.empty() || request.unfinished) return selected;
  // An unreadable entry has only its id; the requested name may belong to it.
  for (const auto& entry : entries) {
    if (!entry.is_readable()) selected.push_back(&entry);
  }
  return selected;
}

// Refuses to unbind a NIC that is in use: a process that polls the rings of the NIC would access
// memory that no longer belongs to the process.
Result<> refuse_in_use(const std::string& channel,
                       const std::string& name,
                       const os::System& system) {
  const auto holders = find_uio_holders(channel, system.files);
  if (holders.empty()) return {};
  std::vector<std::string> shown;
  shown.reserve(holders.size());
  for (const auto& holder : holders) shown.push_back(holder.text());
  return fail(Errc::busy,
              fmt::format("'{}' is in use by {}: stop it first, or use --force to unbind the NIC "
                          "nevertheless",
                          printable(name),
                          join(shown, ", ")));
}

// Fails for a name that is neither a NIC nor in the journal. Suggests a channel that has no
// interface, or else an interface with a similar name that does not carry the administrator's
// traffic.
tl::unexpected<Error> fail_unknown_name(const std::string& name, const host::Facts& facts) {
  const auto without_entry = fmt::format("'{}' has no journal entry", printable(name));
  for (const auto& nic : facts.nics.value_or(std::vector<host::Nic>{})) {
    if (!nic.vmbus || nic.vmbus_driver == kNetvsc) continue;
    const auto& id = nic.vmbus->str();
    return fail(
        Errc::not_found,
        fmt::format(
            "{}; channel {} has no interface: run 'manactl restore {}'", without_entry, id, id));
  }
  return because(facts.azure_nic(name).error(), without_entry);
}

// Restores a channel that something other than manactl has unbound from hv_netvsc.
Result<std::vector<RestoreResult>> restore_without_entry(const RestoreRequest& request,
                                                         const SetupContext& context) {
  const auto& name = request.name;
  const auto facts = host::gather(context.system, {});
  const auto* nic = facts.find_nic(name);
  if (nic == nullptr) return fail_unknown_name(name, facts);
  if (!nic->vmbus || nic->vmbus_driver == kNetvsc) return std::vector<RestoreResult>{};
  const auto& id = nic->vmbus->str();
  const auto unused = request.force ? Result<>() : refuse_in_use(id, name, context.system);
  if (!unused) return tl::unexpected<Error>(unused.error());
  auto result = restore_from_kernel_state(id, context);
  result.journaled = false;
  return std::vector<RestoreResult>{std::move(result)};
}

}  // namespace

bool RestoreResult::is_complete() const {
  return all_reverted(reverted) && (unknown.empty() || !journaled);
}

RestoreResult restore_entry(const Entry& entry, const SetupContext& context, bool force) {
  RestoreResult result;
  if (!entry.is_readable()) {
    result = restore_from_kernel_state(entry.id, context);
    result.unknown.insert(
        result.unknown.begin(),
        fmt::format("the journal entry of '{}': {}", printable(entry.id), entry.read_error));
  } else {
    result.id = entry.id;
    result.interface = entry.interface;
    const auto boot = boot_id(context.system.files);
    if (boot && *boot != entry.boot_id) {
      result.earlier_boot = true;
    } else {
      // After an incomplete restore, the NIC is not prepared any more. Without space for this
      // record, restore all the same.
      (void)context.journal.begin_restore(entry.id);
      const auto entries = context.journal.entries();
      result.reverted = roll_back(context, entry, entries.value_or(std::vector<Entry>{}), force);
    }
  }
  if (!all_reverted(result.reverted) || entry.must_stay) return result;
  const auto closed = context.journal.remove(entry.id);
  if (!closed) result.reverted.push_back({"close the journal entry", closed, {}});
  return result;
}

Result<std::vector<RestoreResult>> restore(const RestoreRequest& request,
                                           const SetupContext& context) {
  const auto lock = take_lock(context.lock_file, context.command);
  if (!lock) return tl::unexpected<Error>(lock.error());
  const auto entries = context.journal.entries();
  if (!entries) return tl::unexpected<Error>(entries.error());
  const auto selected = select_entries(*entries, request);
  if (selected.empty()) {
    if (request.name.empty() || request.unfinished) return std::vector<RestoreResult>{};
    return restore_without_entry(request, context);
  }
  const auto boot = boot_id(context.system.files).value_or("");
  for (const auto* entry : selected) {
    if (request.force || (entry->is_readable() && entry->boot_id != boot)) continue;
    const auto unused = refuse_in_use(entry->id, entry->name(), context.system);
    if (!unused) return tl::unexpected<Error>(unused.error());
  }
  std::vector<RestoreResult> results;
  results.reserve(selected.size());
  for (const auto* entry : selected) {
    results.push_back(restore_entry(*entry, context, request.force));
  }
  return results;
}

}  // namespace manactl::setup
