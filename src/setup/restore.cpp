// SPDX-License-Identifier: MIT

#include "setup/restore.h"

#include <algorithm>

#include "base/text.h"
#include "host/gather.h"
#include "setup/guard.h"
#include "setup/lock.h"
#include "setup/restore_files.h"
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
    entry.steps.back().begun = true;
    entry.steps.back().after = {{"id", "added"}};
  }
  if (*driver == kUio || driver->empty()) {
    add_record(
        entry, *unbind_channel({"", id}, {}), fmt::format("bind channel {} to {}", id, kNetvsc));
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

// Whether the interface had another state before prepare than it has now. The step may never have
// begun, because setting the synthetic interface also sets its VF.
bool has_changed_interface(const StepRecord& record, const os::System& system) {
  const auto step = make_step(record);
  if (!step || (*step)->is_done(record.before)) return false;
  const auto now = (*step)->observe(system);
  return !now || (*step)->is_done(*now);
}

// Whether the revert of a step has an effect. Modules stay loaded.
bool has_revert(const StepRecord& record, const os::System& system) {
  if (record.reverted) return false;
  switch (record.kind) {
    case StepKind::load_module:
    case StepKind::wait_for_uio:
    case StepKind::keep_down:
      return false;
    case StepKind::save_addresses:
      return true;
    case StepKind::set_mtu:
    case StepKind::set_down:
      return has_changed_interface(record, system);
    default:
      return record.begun;
  }
}

std::string revert_title(const StepRecord& record) {
  constexpr std::string_view kSave = "save";
  return record.kind == StepKind::save_addresses ? "restore" + record.title.substr(kSave.size())
                                                 : "undo: " + record.title;
}

// Returns the steps that restore takes, in their order. A dry run cannot execute them, because the
// later ones need the interface that hv_netvsc creates. The titles of a deduced entry are those of
// the reverts.
std::vector<StepResult> planned_steps(const Entry& entry,
                                      bool is_deduced,
                                      const os::System& system) {
  std::vector<StepResult> steps;
  for (auto record = entry.steps.rbegin(); record != entry.steps.rend(); ++record) {
    if (!is_deduced && !has_revert(*record, system)) continue;
    steps.push_back(
        {record->kind, is_deduced ? record->title : revert_title(*record), record->before});
    steps.back().changed = true;
    steps.back().commands = record->manual_commands;
  }
  return steps;
}

RestoreResult restore_from_kernel_state(const std::string& id,
                                        const SetupContext& context,
                                        bool dry_run) {
  RestoreResult result;
  result.id = id;
  Entry unread;
  unread.id = id;
  if (unread.is_tuning()) {
    result.unknown = {"the settings before 'manactl tune'"};
    return result;
  }
  result.unknown = {"whether the interfaces were up",
                    "their addresses, routes and MTU",
                    "how many hugepages were reserved"};
  if (!VmbusId::parse(id)) return result;
  auto entry = deduce_entry(id, context.system);
  if (!entry) {
    result.reverted.push_back({"inspect channel " + id, tl::unexpected<Error>(entry.error()), {}});
    return result;
  }
  if (dry_run) {
    result.planned = planned_steps(*entry, true, context.system);
    result.interface = context.persistence.interface_of(id);
    if (!result.interface.empty()) remove_boot_files(result.interface, context, true, result);
    return result;
  }
  const auto entries = context.journal.entries();
  result.reverted = roll_back(context, *entry, entries.value_or(std::vector<Entry>{}), false);
  result.interface = interface_of(context.system.files, id).value_or("");
  return result;
}

std::vector<RenamedInterface> renamed_interfaces(const Entry& entry, const os::System& system) {
  std::vector<RenamedInterface> renamed;
  for (const auto& step : entry.steps) {
    if (step.kind != StepKind::save_addresses) continue;
    const auto link = find_link(system, interface_of(step.parameters));
    if (link && !has_name(*link, step.interface())) {
      renamed.push_back({step.interface(), link->name});
    }
  }
  return renamed;
}

bool is_selected(const Entry& entry, const RestoreRequest& request) {
  if (request.all) return true;
  if (request.unfinished && request.name.empty()) return !entry.is_finished();
  return entry.matches(request.name) && (!request.unfinished || !entry.is_finished());
}

// Whether the unreadable entry, of which only the id is known, may be that of the NIC `name`.
bool may_be_of(const std::string& name, const Entry& entry, const os::Files& files) {
  if (!VmbusId::parse(entry.nic_id())) return true;
  const auto interface = interface_of(files, entry.nic_id()).value_or("");
  return interface.empty() ? !exists(files, "sys/class/net/" + name) : interface == name;
}

std::vector<const Entry*> select_entries(const std::vector<Entry>& entries,
                                         const RestoreRequest& request,
                                         const os::Files& files) {
  std::vector<const Entry*> selected;
  for (const auto& entry : entries) {
    if (is_selected(entry, request)) selected.push_back(&entry);
  }
  if (!selected.empty() || request.name.empty() || request.unfinished) return selected;
  for (const auto& entry : entries) {
    if (!entry.is_readable() && may_be_of(request.name, entry, files)) selected.push_back(&entry);
  }
  // If several entries are possible, select none: the name may be mistyped.
  if (selected.size() > 1) selected.clear();
  return selected;
}

// Newest first: tune does not change a prepared NIC, so prepare ran after it.
void sort_newest_first(std::vector<const Entry*>& entries) {
  std::ranges::stable_sort(entries, [](const Entry* a, const Entry* b) {
    if (a->is_tuning() != b->is_tuning()) return b->is_tuning();
    return a->tune_number() > b->tune_number();
  });
}

// Fails for an entry of tune whose NIC stays prepared: its settings are in the entry of prepare,
// and its restore would write them again.
Result<> refuse_tuning_below(const std::vector<const Entry*>& selected,
                             const std::vector<Entry>& entries,
                             const std::string& boot) {
  for (const auto* entry : selected) {
    for (const auto& other : entries) {
      const bool is_above = entry->is_tuning() && other.nic_id() == entry->nic_id() &&
                            !other.is_tuning() && other.is_valid_in(boot);
      if (!is_above || std::ranges::find(selected, &other) != selected.end()) continue;
      return fail(Errc::busy,
                  fmt::format("'{}' is prepared: run 'manactl restore {}', which also restores the "
                              "changes of tune",
                              printable(other.name()),
                              printable(other.name())));
    }
  }
  return {};
}

// Refuses to unbind a NIC that is in use: a process that polls the rings of the NIC would access
// memory that no longer belongs to the process.
Result<> refuse_in_use(const NicIdentity& nic, const std::string& name, const os::System& system) {
  const auto devices =
      user_space_devices(system.files, nic.channel_id(), nic.pci ? nic.pci->str() : std::string());
  const auto holders = find_holders(devices, system.files);
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
  if (name.starts_with("hugepages-")) {
    return fail(Errc::not_found,
                without_entry + "; restore takes a NIC, or hugepages that 'manactl status' lists");
  }
  for (const auto& nic : facts.nics.value_or(std::vector<host::Nic>{})) {
    if (!nic.vmbus || nic.vmbus_driver == kNetvsc) continue;
    const auto& id = nic.vmbus->str();
    return fail(
        Errc::not_found,
        fmt::format("{}; if you mean channel {}, which has no interface: run 'manactl restore {}'",
                    without_entry,
                    id,
                    id));
  }
  return because(facts.azure_nic(name).error(), without_entry);
}

RestoreResult restore_unreadable(const Entry& entry, const SetupContext& context, bool dry_run) {
  auto result = restore_from_kernel_state(entry.id, context, dry_run);
  result.unknown.insert(
      result.unknown.begin(),
      fmt::format("the journal entry of '{}': {}", printable(entry.id), entry.read_error));
  return result;
}

// Returns what restore_entry() would do.
RestoreResult plan_entry(const Entry& entry, const SetupContext& context) {
  if (!entry.is_readable()) return restore_unreadable(entry, context, true);
  RestoreResult result;
  result.id = entry.id;
  result.interface = entry.interface;
  const auto boot = boot_id(context.system.files);
  result.earlier_boot = boot && !entry.is_valid_in(*boot);
  if (!result.earlier_boot) result.planned = planned_steps(entry, false, context.system);
  remove_boot_files(entry.persistent_name(), context, true, result);
  return result;
}

// Restores a channel that something other than manactl has unbound from hv_netvsc.
Result<std::vector<RestoreResult>> restore_without_entry(const RestoreRequest& request,
                                                         const SetupContext& context) {
  const auto& name = request.name;
  const auto facts = host::gather(context.system);
  const auto* nic = facts.find_nic(name);
  std::vector<RestoreResult> results;
  if (nic == nullptr || !nic->vmbus || nic->vmbus_driver == kNetvsc) {
    add_files_only(nic == nullptr ? name : nic->name(), context, request.dry_run, results);
    if (results.empty() && nic == nullptr) return fail_unknown_name(name, facts);
    return results;
  }
  const auto initial = require_initial_namespace(context.system.files);
  if (!initial) return tl::unexpected<Error>(initial.error());
  const auto& id = nic->vmbus->str();
  const auto unused =
      request.force ? Result<>() : refuse_in_use(identity_of(*nic), name, context.system);
  if (!unused) return tl::unexpected<Error>(unused.error());
  auto result = restore_from_kernel_state(id, context, request.dry_run);
  result.journaled = false;
  const bool is_done = !request.dry_run && all_reverted(result.reverted);
  if (is_done && !result.interface.empty()) {
    remove_boot_files(result.interface, context, false, result);
  }
  results.push_back(std::move(result));
  return results;
}

}  // namespace

std::string text_of(const RenamedInterface& interface) {
  return fmt::format("'{}' is now named '{}': check what refers to it by name",
                     printable(interface.before),
                     printable(interface.now));
}

bool RestoreResult::is_complete() const {
  return all_reverted(reverted) && (unknown.empty() || !journaled);
}

RestoreResult restore_entry(Entry entry, const SetupContext& context, bool force) {
  RestoreResult result;
  if (!entry.is_readable()) {
    result = restore_unreadable(entry, context, false);
  } else {
    result.id = entry.id;
    result.interface = entry.interface;
    const auto boot = boot_id(context.system.files);
    if (boot && !entry.is_valid_in(*boot)) {
      result.earlier_boot = true;
    } else {
      // After an incomplete restore, the NIC is not prepared any more. If the disk is full,
      // continue without this record.
      (void)context.journal.begin_restore(entry.id);
      const auto entries = context.journal.entries();
      result.reverted = roll_back(context, entry, entries.value_or(std::vector<Entry>{}), force);
      if (!all_reverted(result.reverted)) (void)context.journal.mark_reverted(entry);
      result.renamed = renamed_interfaces(entry, context.system);
    }
  }
  if (!all_reverted(result.reverted)) return result;
  const auto name = entry.is_readable() ? entry.persistent_name() : result.interface;
  if (entry.is_readable() && entry.is_tuning()) {
    restore_tuning_files(entry, context, result);
  } else if (!name.empty()) {  // an empty name would select the boot files of every NIC
    remove_boot_files(name, context, false, result);
  }
  if (!all_reverted(result.reverted) || !entry.is_readable()) return result;
  const auto closed = context.journal.remove(entry.id);
  if (!closed) result.reverted.push_back({"close the journal entry", closed, {}});
  return result;
}

Result<std::vector<RestoreResult>> restore(const RestoreRequest& request,
                                           const SetupContext& context) {
  auto lock = Result<std::unique_ptr<Lock>>();
  if (!request.dry_run) lock = take_lock(context.lock_file, context.command);
  if (!lock) return tl::unexpected<Error>(lock.error());
  const auto entries = context.journal.entries();
  if (!entries) return tl::unexpected<Error>(entries.error());
  auto selected = select_entries(*entries, request, context.system.files);
  sort_newest_first(selected);
  if (selected.empty() && !request.name.empty() && !request.unfinished) {
    return restore_without_entry(request, context);
  }
  const bool has_nic = std::ranges::any_of(selected, [](const Entry* entry) {
    const auto id = entry->nic_id();
    return VmbusId::parse(id) || id.starts_with("vf-");
  });
  const auto initial = has_nic ? require_initial_namespace(context.system.files) : Result<>();
  if (!initial) return tl::unexpected<Error>(initial.error());
  const auto boot = boot_id(context.system.files).value_or("");
  const auto above = refuse_tuning_below(selected, *entries, boot);
  if (!above) return tl::unexpected<Error>(above.error());
  for (const auto* entry : selected) {
    // The restore of tune unbinds nothing.
    if (request.force || entry->is_tuning()) continue;
    if (entry->is_readable() && !entry->is_valid_in(boot)) continue;
    // An unreadable entry has only its id.
    auto nic = entry->nic;
    if (const auto id = VmbusId::parse(entry->nic_id()); id && !nic.channel) nic.channel = *id;
    const auto unused = refuse_in_use(nic, entry->name(), context.system);
    if (!unused) return tl::unexpected<Error>(unused.error());
  }
  std::vector<RestoreResult> results;
  results.reserve(selected.size());
  for (const auto* entry : selected) {
    results.push_back(request.dry_run ? plan_entry(*entry, context)
                                      : restore_entry(*entry, context, request.force));
  }
  if (request.all && request.dry_run) add_other_files(context, results);
  if (request.all && !request.dry_run) remove_remaining_files(context, results);
  return results;
}

}  // namespace manactl::setup
