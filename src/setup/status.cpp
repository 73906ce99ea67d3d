// SPDX-License-Identifier: MIT

#include "setup/status.h"

#include <set>
#include <span>

#include "base/text.h"
#include "setup/sysfs.h"

namespace manactl::setup {
namespace {

struct StatusInput {
  const os::System& system;
  std::string boot;
  std::chrono::milliseconds now;
};

JournalState journal_state(const Entry& entry, const std::string& boot, const host::Nic* nic) {
  if (!entry.is_readable()) return JournalState::damaged;
  if (!entry.is_valid_in(boot)) return JournalState::earlier_boot;
  if (!entry.is_finished()) return JournalState::unfinished;
  const bool on_uio = nic != nullptr && nic->is_prepared();
  if (entry.has_step(StepKind::bind_channel) && !on_uio) return JournalState::rebound;
  if (!entry.confirmed) return JournalState::awaiting_confirmation;
  return entry.is_tuning() ? JournalState::tuned : JournalState::prepared;
}

std::optional<Confirmation> confirmation_of(const Entry& entry, const StatusInput& input) {
  if (entry.confirmed || !entry.is_readable() || !entry.is_valid_in(input.boot)) {
    return std::nullopt;
  }
  Confirmation confirmation;
  confirmation.watchdog = watchdog_state(entry, input.system.files);
  if (entry.deadline) confirmation.time_left = *entry.deadline - input.now;
  return confirmation;
}

std::vector<std::string> commands_for(const NicStatus& status, const Entry& entry) {
  if (status.journal == JournalState::prepared || status.journal == JournalState::tuned) return {};
  std::vector<std::string> commands{"manactl restore " + shell_word(entry.name())};
  // After the deadline, a watchdog that can act is already restoring the NIC: it is too late to
  // confirm.
  const auto& wait = status.confirmation;
  const bool over = wait && wait->time_left && wait->time_left->count() <= 0;
  const bool can_confirm = wait && (!over || wait->watchdog == WatchdogState::dead ||
                                    wait->watchdog == WatchdogState::stopped);
  if (can_confirm && entry.is_finished()) {
    commands.insert(commands.begin(), "manactl confirm " + shell_word(entry.name()));
  }
  return commands;
}

void add_entry(NicStatus& status,
               const Entry& entry,
               const StatusInput& input,
               const host::Nic* nic) {
  if (!entry.interface.empty()) status.name = entry.interface;
  for (const auto& step : entry.steps) {
    if (step.begun) status.changes.push_back(step.title);
  }
  status.nic.complete_from(entry.nic);
  // A NIC may have several entries: those of tune, and one of prepare. One that needs a command
  // decides, else the newest.
  if (!status.commands.empty()) return;
  status.journal = journal_state(entry, input.boot, nic);
  status.confirmation = confirmation_of(entry, input);
  status.commands = commands_for(status, entry);
}

NicStatus status_of_nic(const host::Nic& nic, const host::Facts& facts, const os::System& system) {
  NicStatus status;
  status.name = nic.name();
  status.nic = identity_of(nic);
  status.owner = host::owner_of(nic);
  status.facts = &nic;
  if (status.owner == Owner::kernel) {
    status.objections = find_objections(nic, facts, system, nic.is_direct());
  }
  status.uio = nic.uio;
  std::set<std::string> devices;
  if (!nic.uio.empty()) devices.insert("/dev/" + nic.uio);
  for (const auto& device : facts.rdma.devices.value_or(std::vector<host::RdmaDevice>{})) {
    const bool same = nic.vf && device.pci && device.pci == nic.vf->pci;
    if (same && !device.uverbs.empty()) devices.insert("/dev/infiniband/" + device.uverbs);
  }
  status.holders = find_holders(devices, system.files);
  return status;
}

}  // namespace

bool NicStatus::has_name(const std::string& text) const {
  return name == text || nic.interface == text || nic.vf == text || nic.channel_id() == text ||
         (nic.pci && nic.pci->str() == text) || (nic.mac && nic.mac->str() == text);
}

Status status_of(const host::Facts& facts,
                 const std::optional<std::vector<Entry>>& entries,
                 const os::System& system,
                 std::chrono::milliseconds now) {
  Status result;
  std::span<const Entry> known;
  if (entries) known = *entries;
  const StatusInput input{system, boot_id(system.files).value_or(""), now};
  std::set<std::string> matched;
  // NicStatus::facts points into this list.
  std::span<const host::Nic> nics;
  if (facts.nics) nics = *facts.nics;
  for (const auto& nic : nics) {
    auto status = status_of_nic(nic, facts, system);
    if (entries) status.journal = JournalState::none;
    for (const bool is_tuning : {true, false}) {
      for (const auto& entry : known) {
        if (entry.is_tuning() != is_tuning || !entry.belongs_to(nic)) continue;
        add_entry(status, entry, input, &nic);
        matched.insert(entry.id);
      }
    }
    result.nics.push_back(std::move(status));
  }
  for (const auto& entry : known) {
    if (matched.count(entry.id) != 0) continue;
    NicStatus status;
    status.name = entry.id;
    add_entry(status, entry, input, nullptr);
    result.others.push_back(std::move(status));
  }
  return result;
}

}  // namespace manactl::setup
