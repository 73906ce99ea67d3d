// SPDX-License-Identifier: MIT

#include "diag/evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "diag/fact_lookups.h"
#include "diag/finding.h"
#include "diag/remedies.h"
#include "host/nic_state.h"
#include "host/testpmd.h"

namespace manactl::diag {
namespace {

using host::Nic;

// Adds the command that takes the port of `nic` from the kernel. prepare can be undone, but it
// refuses a NIC in user space.
void add_release_command(const host::Facts& facts,
                         const Nic& nic,
                         std::vector<std::string>& commands) {
  if (nic.is_prepared()) {
    append_commands(commands, set_down_commands(facts, nic, *nic.vf));
  } else if (facts.carries_nothing(nic)) {
    commands.push_back(host::prepare_command(nic));
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
    add_release_command(facts, *nic, observation.commands);
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

void user_space_nic(const host::Facts& facts, Observation& observation) {
  if (!facts.nics) return;
  const auto nic = std::ranges::find_if(*facts.nics, &Nic::is_prepared);
  if (nic != facts.nics->end()) observation.text = nic->name() + " is bound to uio_hv_generic";
}

void no_hugepages_reserved(const host::Facts& facts, Observation& observation) {
  if (facts.memory.pools && !host::has_reserved_pages(facts.memory)) {
    observation.text = "no hugepages are reserved";
  }
}

void all_hugepages_used(const host::Facts& facts, Observation& observation) {
  if (!host::has_reserved_pages(facts.memory) || host::has_free_pages(facts.memory)) return;
  std::uint64_t total = 0;
  for (const auto& pool : *facts.memory.pools) total += pool.total;
  observation.text = fmt::format("all {} hugepages are in use", total);
}

void no_free_hugepages(const host::Facts& facts, Observation& observation) {
  no_hugepages_reserved(facts, observation);
  if (observation.text.empty()) all_hugepages_used(facts, observation);
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
    Row{"user-space-nic", user_space_nic},
    Row{"no-hugepages-reserved", no_hugepages_reserved},
    Row{"all-hugepages-used", all_hugepages_used},
    Row{"no-free-hugepages", no_free_hugepages},
    Row{"hugetlbfs-unmounted", hugetlbfs_unmounted},
};

// These checks examine this process. The program that wrote the log may have run as another user or
// in a container, so it may have the fault even if they pass.
constexpr std::array<std::string_view, 3> kProcessChecks = {
    "rdma.memlock", "rdma.nodes", "rdma.rights"};

bool has_failed(const CheckOutcome* outcome) {
  return outcome != nullptr && outcome->finding.status == Status::fail;
}

// Returns the observation of this id, or null if it does not apply.
const Observation* find_observation(const std::vector<Observation>& observations,
                                    std::string_view id) {
  const auto found = std::ranges::find(observations, id, &Observation::id);
  return found == observations.end() ? nullptr : &*found;
}

// Returns the value of the line that `alternative` names; empty if there is none.
std::string_view named_value(const Alternative& alternative, const Captures& line) {
  const auto named = std::ranges::find_if(line, [&alternative](const auto& capture) {
    return std::ranges::find(alternative.values, capture) != alternative.values.end();
  });
  return named == line.end() ? std::string_view() : std::string_view(named->second);
}

// Returns a value of the line that has the same capture as a value of `alternative`, but that the
// alternative does not name; empty if there is none.
std::string_view other_value(const Alternative& alternative, const Captures& line) {
  const auto other = std::ranges::find_if(line, [&alternative](const auto& capture) {
    return std::ranges::find(alternative.values, capture.first, &Captures::value_type::first) !=
           alternative.values.end();
  });
  return other == line.end() ? std::string_view() : std::string_view(other->second);
}

// Returns the first of these checks with this status, or null.
const CheckOutcome* first_with(Status status,
                               const std::vector<std::string>& ids,
                               const Report& checks) {
  for (const auto& id : ids) {
    const CheckOutcome* outcome = checks.find(id);
    if (outcome != nullptr && outcome->finding.status == status) return outcome;
  }
  return nullptr;
}

// Returns `ids` without the checks of kernel modules that the line does not name: "kernel.mana-ib"
// is the check of mana_ib.
std::vector<std::string> checks_about(const Captures& line, std::vector<std::string> ids) {
  const auto module = capture(line, "module");
  if (module.empty()) return ids;
  auto own = fmt::format("kernel.{}", module);
  std::ranges::replace(own, '_', '-');
  std::erase_if(ids, [&own](const auto& id) { return id.starts_with("kernel.") && id != own; });
  return ids;
}

// Judges an alternative without the line. Several alternatives may have the same check. Then their
// observations decide which of them a failure of the check confirms.
Evidence find_evidence(const Alternative& alternative,
                       const Report& checks,
                       const std::vector<Observation>& observations) {
  const auto& ids = alternative.checks;
  if (alternative.observation.empty()) {
    const auto* failed = first_with(Status::fail, ids, checks);
    if (failed == nullptr) failed = first_with(Status::warn, ids, checks);
    if (failed != nullptr) return {Confirmation::confirmed, failed, nullptr};
  } else if (const auto* found = find_observation(observations, alternative.observation)) {
    return {Confirmation::confirmed, nullptr, found};
  }
  const bool all_contradict = std::ranges::all_of(ids, [&checks](const std::string& id) {
    return first_with(Status::pass, {id}, checks) != nullptr &&
           std::ranges::find(kProcessChecks, id) == kProcessChecks.end();
  });
  if (!all_contradict || ids.empty()) return {};
  return {Confirmation::contradicted, checks.find(ids.back()), nullptr};
}

// A failed check that follows from another one confirms nothing if that one confirms another
// alternative: an rdma-core without MANA's provider cannot agree with the kernel on a driver id.
void drop_consequences(std::vector<Evidence>& judged) {
  const auto all = judged;
  for (auto& one : judged) {
    if (one.check == nullptr || one.confirmation != Confirmation::confirmed) continue;
    const auto causes = one.check->check.caused_by;
    const bool follows = std::ranges::any_of(all, [&causes](const Evidence& other) {
      return other.confirmation == Confirmation::confirmed && has_failed(other.check) &&
             std::ranges::find(causes, other.check->check.id) != causes.end();
    });
    if (follows) one = {};
  }
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
  std::ranges::copy(kLogObservations, std::back_inserter(ids));
  return ids;
}

Evidence find_evidence(const Signature& signature,
                       const Report& checks,
                       const std::vector<Observation>& observations,
                       const Captures& line) {
  const auto ids = checks_about(line, signature.checks);
  if (const auto* failed = first_with(Status::fail, ids, checks)) {
    return {Confirmation::confirmed, failed, nullptr};
  }
  if (const auto* observation = find_observation(observations, signature.observation)) {
    return {Confirmation::confirmed, nullptr, observation};
  }
  if (const auto* warning = first_with(Status::warn, ids, checks)) {
    return {Confirmation::confirmed, warning, nullptr};
  }
  const bool may_contradict = signature.passing_contradicts &&
                              first_with(Status::unknown, ids, checks) == nullptr &&
                              first_with(Status::skipped, ids, checks) == nullptr;
  const auto* passed = first_with(Status::pass, ids, checks);
  if (!may_contradict || passed == nullptr) return {};
  return {Confirmation::contradicted, passed, nullptr};
}

std::vector<Evidence> judge_alternatives(const Signature& signature,
                                         const Captures& line,
                                         const Report& checks,
                                         const std::vector<Observation>& observations) {
  const auto& alternatives = signature.alternatives;
  std::string_view named;
  std::size_t count = 0;
  for (const auto& one : alternatives) {
    const auto value = named_value(one, line);
    if (value.empty()) continue;
    named = value;
    ++count;
  }
  std::vector<Evidence> judged;
  for (const auto& one : alternatives) {
    const bool names_value = !named_value(one, line).empty();
    const auto other = count == 0 ? other_value(one, line) : named;
    if (one.values.empty() || (names_value && count > 1) || (!names_value && other.empty())) {
      judged.push_back(find_evidence(one, checks, observations));
    } else {
      const auto confirmation = names_value ? Confirmation::confirmed : Confirmation::contradicted;
      judged.push_back({confirmation, nullptr, nullptr, other});
    }
  }
  drop_consequences(judged);
  return judged;
}

bool excludes_alternatives(const Signature& signature, const Captures& line) {
  const auto is_excluded = [&line](const Alternative& one) {
    return named_value(one, line).empty() && !other_value(one, line).empty();
  };
  return !signature.alternatives.empty() &&
         std::ranges::all_of(signature.alternatives, is_excluded);
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
