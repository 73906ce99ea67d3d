// SPDX-License-Identifier: MIT

#include "setup/status.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "setup/plan.h"
#include "setup/sysfs.h"

namespace manactl::setup {
namespace {

struct Now {
  const os::System& system;
  std::string boot;
  std::chrono::milliseconds time;
};

std::string journal_state(const Entry& entry, const std::string& boot, const host::Nic* nic) {
  if (!entry.unreadable.empty()) return "damaged";
  if (entry.boot_id != boot) return "of an earlier boot";
  if (!entry.ready || entry.damaged) return "unfinished";
  const bool took = std::any_of(entry.steps.begin(), entry.steps.end(), [](const StepRecord& step) {
    return step.kind == "bind";
  });
  if (took && (nic == nullptr || !nic->is_prepared())) return "taken back by something else";
  return entry.confirmed ? "prepared" : "waits for confirmation";
}

std::optional<Wait> wait_of(const Entry& entry, const Now& now) {
  if (entry.confirmed || !entry.unreadable.empty() || entry.boot_id != now.boot)
    return std::nullopt;
  Wait wait;
  wait.watchdog = watchdog_state(entry, now.system.files);
  const auto deadline = parse_unsigned(entry.deadline, INT64_MAX);
  if (deadline) wait.left = std::chrono::milliseconds(*deadline) - now.time;
  return wait;
}

std::vector<std::string> commands_for(const NicStatus& status, const Entry& entry) {
  if (status.journal == "prepared") return {};
  const auto& name = entry.interface.empty() ? entry.id : entry.interface;
  std::vector<std::string> commands{"manactl restore " + quoted(name)};
  // Once the watchdog is at work it is too late.
  const auto& wait = status.wait;
  const bool over = wait && wait->left && wait->left->count() <= 0;
  const bool can_stay = wait && (!over || wait->watchdog == WatchdogState::dead);
  if (can_stay && entry.ready && !entry.damaged) {
    commands.insert(commands.begin(), "manactl confirm");
  }
  return commands;
}

void take_entry(NicStatus& status, const Entry& entry, const Now& now, const host::Nic* nic) {
  status.journal = journal_state(entry, now.boot, nic);
  if (!entry.interface.empty()) status.name = entry.interface;
  for (const auto& step : entry.steps) {
    if (step.begun) status.did.push_back(step.title);
  }
  for (const auto& [key, value] : entry.nic) status.nic.try_emplace(key, value);
  status.wait = wait_of(entry, now);
  status.run = commands_for(status, entry);
}

NicStatus status_of_nic(const host::Nic& nic, const host::Facts& facts, const os::System& system) {
  NicStatus status;
  status.name = nic.name();
  status.nic = identity_of(nic);
  status.owner = nic.is_prepared() ? "uio" : "kernel";
  if (nic.vmbus && nic.vmbus_driver.empty()) status.owner = "nobody";
  status.uio = nic.uio;
  status.journal = "none";
  std::set<std::string> devices;
  if (!nic.uio.empty()) devices.insert("/dev/" + nic.uio);
  for (const auto& device : facts.rdma.devices.value_or(std::vector<host::RdmaDevice>{})) {
    const bool same = nic.vf && device.pci && device.pci == nic.vf->pci;
    if (same && !device.uverbs.empty()) devices.insert("/dev/infiniband/" + device.uverbs);
  }
  status.holders = holders_of(devices, system.files);
  return status;
}

}  // namespace

Status status_of(const host::Facts& facts,
                 const std::vector<Entry>& entries,
                 const os::System& system,
                 std::chrono::milliseconds now) {
  Status result;
  const Now moment{system, boot_id(system.files).value_or(""), now};
  std::set<std::string> seen;
  for (const auto& nic : facts.nics.value_or(std::vector<host::Nic>{})) {
    auto status = status_of_nic(nic, facts, system);
    for (const auto& entry : entries) {
      const bool same = (nic.vmbus && entry.id == nic.vmbus->str()) ||
                        (nic.vf && entry.id == "vf-" + nic.vf->mac.str());
      if (!same) continue;
      take_entry(status, entry, moment, &nic);
      seen.insert(entry.id);
    }
    result.nics.push_back(std::move(status));
  }
  for (const auto& entry : entries) {
    if (seen.count(entry.id) != 0) continue;
    NicStatus status;
    status.name = entry.id;
    status.owner = "nobody";
    take_entry(status, entry, moment, nullptr);
    result.others.push_back(std::move(status));
  }
  return result;
}

}  // namespace manactl::setup
