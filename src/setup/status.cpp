// SPDX-License-Identifier: MIT

#include "setup/status.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "setup/plan.h"
#include "setup/sysfs.h"

namespace manactl::setup {
namespace {

// Which processes have one of these open. What may not be looked at is left out.
std::vector<Holder> holders_of(const std::set<std::string>& devices, const os::Files& files) {
  std::vector<Holder> found;
  if (devices.empty()) return found;
  for (const auto& pid : files.list("proc").value_or(std::vector<std::string>{})) {
    const auto number = parse_unsigned(pid, UINT32_MAX);
    if (!number) continue;
    const std::string directory = "proc/" + pid + "/fd";
    const auto open = files.list(directory).value_or(std::vector<std::string>{});
    const bool holds = std::any_of(open.begin(), open.end(), [&](const std::string& fd) {
      const auto target = files.link_target(fmt::format("{}/{}", directory, fd));
      return target && devices.count(*target) != 0;
    });
    if (!holds) continue;
    const auto name = files.read("proc/" + pid + "/comm");
    found.push_back({static_cast<unsigned>(*number), name ? printable(*name, 60) : ""});
  }
  return found;
}

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

void take_entry(NicStatus& status,
                const Entry& entry,
                const std::string& boot,
                const host::Nic* nic) {
  status.journal = journal_state(entry, boot, nic);
  if (!entry.interface.empty()) status.name = entry.interface;
  for (const auto& step : entry.steps) {
    if (step.begun) status.did.push_back(step.title);
  }
  for (const auto& [key, value] : entry.nic) status.nic.try_emplace(key, value);
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
                 const os::System& system) {
  Status result;
  const auto boot = boot_id(system.files).value_or("");
  std::set<std::string> seen;
  for (const auto& nic : facts.nics.value_or(std::vector<host::Nic>{})) {
    auto status = status_of_nic(nic, facts, system);
    for (const auto& entry : entries) {
      const bool same = (nic.vmbus && entry.id == nic.vmbus->str()) ||
                        (nic.vf && entry.id == "vf-" + nic.vf->mac.str());
      if (!same) continue;
      take_entry(status, entry, boot, &nic);
      seen.insert(entry.id);
    }
    result.nics.push_back(std::move(status));
  }
  for (const auto& entry : entries) {
    if (seen.count(entry.id) != 0) continue;
    NicStatus status;
    status.name = entry.id;
    status.owner = "nobody";
    take_entry(status, entry, boot, nullptr);
    result.others.push_back(std::move(status));
  }
  return result;
}

}  // namespace manactl::setup
