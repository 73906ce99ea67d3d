// SPDX-License-Identifier: MIT

#include "diag/evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "diag/fact_lookups.h"
#include "diag/finding.h"
#include "diag/remedies.h"

namespace manactl::diag {
namespace {

using host::Nic;

// The commands that set the interfaces of `nic` down that are up.
void add_set_down_commands(const host::Facts& facts,
                           const Nic& nic,
                           std::vector<std::string>& commands) {
  for (const auto* device : {&nic.synthetic, &nic.vf}) {
    if (!*device || !(*device)->up) continue;
    for (auto& command : set_down_commands(facts, nic, **device)) {
      commands.push_back(std::move(command));
    }
  }
}

// DPDK does not log which port it tried. If the kernel holds every port, that port was busy. If the
// kernel holds the port of a NIC that nothing needs (Nic::carries is empty), it probably was. A VF
// that is down proves nothing: another program may own its port.
void port_busy(const host::Facts& facts, Observation& observation) {
  if (!facts.nics) return;
  std::vector<const Nic*> held;
  bool all_up = true;
  bool any_spare = false;
  for (const Nic& nic : *facts.nics) {
    if (!nic.has_mana_vf()) continue;
    all_up = all_up && nic.vf->up;
    any_spare = any_spare || (nic.vf->up && nic.carries.empty());
    if (nic.vf->up) held.push_back(&nic);
  }
  if (held.empty() || (!all_up && !any_spare)) return;
  std::vector<std::string> lines;
  for (const Nic* nic : held) {
    if (any_spare && !nic->carries.empty()) continue;
    lines.push_back(nic->is_direct()
                        ? nic->vf->name + " is up"
                        : fmt::format("VF {} of {} is up", nic->vf->name, nic->name()));
    add_set_down_commands(facts, *nic, observation.commands);
  }
  observation.text = fmt::format(
      "{}: the kernel holds the {}", brief(lines), lines.size() == 1 ? "port" : "ports");
}

void two_rdma_devices(const host::Facts& facts, Observation& observation) {
  for (const host::PciFunction* function : mana_functions(facts)) {
    if (function->rdma_devices.size() < 2) continue;
    observation.text =
        fmt::format("{} has {}", function->address.str(), join(function->rdma_devices, " and "));
    return;
  }
}

void hugetlbfs_unmounted(const host::Facts& facts, Observation& observation) {
  if (facts.memory.mounts && facts.memory.mounts->empty()) {
    observation.text = "hugetlbfs is not mounted";
  }
}

struct Row {
  std::string_view id;
  void (*observe)(const host::Facts&, Observation&);  // leaves `text` empty if not observed
};

constexpr std::array kObservations = {
    Row{"port-busy", port_busy},
    Row{"two-rdma-devices", two_rdma_devices},
    Row{"hugetlbfs-unmounted", hugetlbfs_unmounted},
};

bool has_failed(const CheckOutcome* outcome) {
  return outcome != nullptr && outcome->finding.status == Status::fail;
}

}  // namespace

std::vector<Observation> observations_of(const host::Facts& facts) {
  std::vector<Observation> observations;
  for (const auto& row : kObservations) {
    Observation observation{row.id, {}, {}};
    row.observe(facts, observation);
    if (!observation.text.empty()) observations.push_back(std::move(observation));
  }
  return observations;
}

std::vector<std::string_view> observation_ids() {
  std::vector<std::string_view> ids;
  ids.reserve(kObservations.size());
  for (const auto& row : kObservations) ids.push_back(row.id);
  return ids;
}

Evidence find_evidence(const Signature& signature,
                       const Report& checks,
                       const std::vector<Observation>& observations) {
  const auto first_with = [&](Status status) -> const CheckOutcome* {
    for (const auto& id : signature.checks) {
      const CheckOutcome* outcome = checks.find(id);
      if (outcome != nullptr && outcome->finding.status == status) return outcome;
    }
    return nullptr;
  };
  if (const auto* failed = first_with(Status::fail)) {
    return {Confirmation::confirmed, failed, nullptr};
  }
  const auto observation = std::ranges::find_if(
      observations, [&signature](const Observation& o) { return o.id == signature.observation; });
  if (observation != observations.end()) return {Confirmation::confirmed, nullptr, &*observation};
  if (const auto* warning = first_with(Status::warn)) {
    return {Confirmation::confirmed, warning, nullptr};
  }
  const bool may_contradict = signature.passing_contradicts &&
                              first_with(Status::unknown) == nullptr &&
                              first_with(Status::skipped) == nullptr;
  const auto* passed = first_with(Status::pass);
  if (!may_contradict || passed == nullptr) return {};
  return {Confirmation::contradicted, passed, nullptr};
}

Evidence find_evidence(const Alternative& alternative, const Report& checks) {
  const CheckOutcome* passed = nullptr;
  bool is_decided = true;
  for (const auto& id : alternative.checks) {
    const auto* const outcome = checks.find(id);
    if (has_failed(outcome)) return {Confirmation::confirmed, outcome, nullptr};
    const bool passes = outcome != nullptr && outcome->finding.status == Status::pass;
    if (passes) passed = outcome;
    is_decided = is_decided && passes;
  }
  if (!is_decided || passed == nullptr) return {};
  return {Confirmation::contradicted, passed, nullptr};
}

std::vector<const CheckOutcome*> first_causes(const Report& checks) {
  std::vector<const CheckOutcome*> causes;
  for (const auto& outcome : checks.outcomes) {
    if (!has_failed(&outcome)) continue;
    const auto explains = [&checks](std::string_view id) { return has_failed(checks.find(id)); };
    if (std::ranges::none_of(outcome.check.caused_by, explains)) causes.push_back(&outcome);
  }
  return causes;
}

}  // namespace manactl::diag
