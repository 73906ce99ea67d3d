// SPDX-License-Identifier: MIT

#include "setup/restore.h"

#include <algorithm>

#include "base/text.h"
#include "host/gather.h"
#include "setup/holders.h"
#include "setup/lock.h"
#include "setup/steps.h"
#include "setup/sysfs.h"

namespace manactl::setup {
namespace {

StepRecord record_of(const Step& step, std::string title, Values before, Values after = {}) {
  StepRecord record;
  record.kind = step.kind();
  record.parameters = step.parameters();
  record.title = std::move(title);
  record.by_hand = step.by_hand(before);
  record.before = std::move(before);
  record.after = std::move(after);
  return record;
}

// What must have been done to a channel for it to be as it is now.
Result<Entry> deduced(const std::string& id, const os::System& system) {
  const auto driver = driver_of(system.files, id);
  if (!driver) return tl::unexpected<Error>(driver.error());
  Entry entry;
  entry.id = id;
  const auto override = override_of(system.files, id);
  const bool overridden = override && *override == kUio;
  // Only an id or an override gives a NIC to uio_hv_generic.
  if (*driver == kUio && !overridden) {
    entry.steps.push_back(record_of(*announce_class(false),
                                    fmt::format("take the network class from {}", kUio),
                                    {},
                                    {{"id", "added"}}));
  }
  if (*driver == kUio || driver->empty()) {
    entry.steps.push_back(record_of(
        *release_channel(id, "", ""), fmt::format("give channel {} to {}", id, kNetvsc), {}));
  }
  if (overridden) {
    entry.steps.push_back(record_of(*override_driver(id),
                                    fmt::format("let every driver have channel {}", id),
                                    {{"override", ""}}));
  }
  if (*driver == kUio) {
    entry.steps.push_back(
        record_of(*bind_channel(id), fmt::format("take channel {} from {}", id, kUio), {}));
  }
  return entry;
}

Restored inspect(const std::string& id, const Session& session) {
  Restored result;
  result.id = id;
  result.unknown = {"whether the interfaces were up",
                    "their addresses, routes and MTU",
                    "how many hugepages were reserved"};
  if (!VmbusId::parse(id)) return result;
  const auto entry = deduced(id, session.machine.system);
  if (!entry) {
    result.undone.push_back({"look at channel " + id, tl::unexpected<Error>(entry.error()), {}});
    return result;
  }
  const auto open = session.journal.entries();
  result.undone = roll_back(session.machine, *entry, open.value_or(std::vector<Entry>{}), false);
  result.interface = interface_of(session.machine.system.files, id).value_or("");
  return result;
}

bool is_named(const Entry& entry, const std::string& name) {
  return entry.id == name || entry.interface == name || value_of(entry.nic, "vf") == name;
}

bool is_wanted(const Entry& entry, const RestoreRequest& request) {
  if (request.all) return true;
  const bool finished = entry.unreadable.empty() && !entry.damaged && entry.ready;
  if (request.unfinished && request.name.empty()) return !finished;
  return is_named(entry, request.name) && (!request.unfinished || !finished);
}

std::vector<const Entry*> wanted_of(const std::vector<Entry>& entries,
                                    const RestoreRequest& request) {
  std::vector<const Entry*> wanted;
  for (const auto& entry : entries) {
    if (is_wanted(entry, request)) wanted.push_back(&entry);
  }
  if (!wanted.empty() || request.name.empty() || request.unfinished) return wanted;
  // With a first line that is lost only the channel's id is known, and the name may be its.
  for (const auto& entry : entries) {
    if (!entry.unreadable.empty()) wanted.push_back(&entry);
  }
  return wanted;
}

// A process that polls the rings of a NIC would go on in memory that is nobody's any more.
Result<> refuse_in_use(const std::string& channel,
                       const std::string& name,
                       const os::System& system) {
  const auto holders = holders_of_uio(channel, system.files);
  if (holders.empty()) return {};
  std::vector<std::string> shown;
  shown.reserve(holders.size());
  for (const auto& holder : holders) shown.push_back(holder.text());
  return fail(Errc::busy,
              fmt::format("'{}' is in use by {}: end that first, or take the NIC away from it "
                          "with --force",
                          printable(name, 60),
                          join(shown, ", ")));
}

// A channel that something else took from the kernel has no entry.
Result<std::vector<Restored>> restore_unjournaled(const RestoreRequest& request,
                                                  const Session& session) {
  const auto& name = request.name;
  const auto facts = host::gather(session.machine.system, {});
  const auto* nic = facts.find_nic(name);
  if (nic == nullptr) {
    const auto like = nearest(name, facts.interfaces);
    std::string hint = like.empty() ? "" : fmt::format("; did you mean '{}'?", printable(like, 60));
    for (const auto& other : facts.nics.value_or(std::vector<host::Nic>{})) {
      if (!other.vmbus || other.vmbus_driver == kNetvsc) continue;
      hint = fmt::format("; channel {} is without interface: 'manactl restore {}'",
                         other.vmbus->str(),
                         other.vmbus->str());
    }
    return fail(Errc::not_found,
                fmt::format("nothing is known of '{}'{}", printable(name, 60), hint));
  }
  if (!nic->vmbus || nic->vmbus_driver == kNetvsc) return std::vector<Restored>{};
  const auto& system = session.machine.system;
  const auto free = request.force ? Result<>() : refuse_in_use(nic->vmbus->str(), name, system);
  if (!free) return tl::unexpected<Error>(free.error());
  auto result = inspect(nic->vmbus->str(), session);
  result.journaled = false;
  return std::vector<Restored>{std::move(result)};
}

}  // namespace

bool Restored::is_complete() const {
  return all_good(undone) && (unknown.empty() || !journaled);
}

Restored restore_entry(const Entry& entry, const Session& session, bool force) {
  Restored result;
  if (!entry.unreadable.empty()) {
    result = inspect(entry.id, session);
    result.unknown.insert(
        result.unknown.begin(),
        fmt::format(
            "what stood in the journal of '{}': {}", printable(entry.id, 60), entry.unreadable));
  } else {
    result.id = entry.id;
    result.interface = entry.interface;
    const auto boot = boot_id(session.machine.system.files);
    if (boot && *boot != entry.boot_id) {
      result.earlier_boot = true;
    } else {
      const auto open = session.journal.entries();
      result.undone = roll_back(session.machine, entry, open.value_or(std::vector<Entry>{}), force);
    }
  }
  if (!all_good(result.undone) || entry.keep) return result;
  const auto closed = session.journal.close(entry.id);
  if (!closed) result.undone.push_back({"close the journal", closed, {}});
  return result;
}

Result<std::vector<Restored>> restore(const RestoreRequest& request, const Session& session) {
  const auto lock = take_lock(session.lock, session.command);
  if (!lock) return tl::unexpected<Error>(lock.error());
  const auto entries = session.journal.entries();
  if (!entries) return tl::unexpected<Error>(entries.error());
  const auto wanted = wanted_of(*entries, request);
  if (wanted.empty()) {
    if (request.name.empty() || request.unfinished) return std::vector<Restored>{};
    return restore_unjournaled(request, session);
  }
  const auto boot = boot_id(session.machine.system.files).value_or("");
  for (const auto* entry : wanted) {
    if (request.force || (entry->unreadable.empty() && entry->boot_id != boot)) continue;
    const auto& name = entry->interface.empty() ? entry->id : entry->interface;
    const auto free = refuse_in_use(entry->id, name, session.machine.system);
    if (!free) return tl::unexpected<Error>(free.error());
  }
  std::vector<Restored> results;
  results.reserve(wanted.size());
  for (const auto* entry : wanted) {
    results.push_back(restore_entry(*entry, session, request.force));
  }
  return results;
}

}  // namespace manactl::setup
