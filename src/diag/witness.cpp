// SPDX-License-Identifier: MIT

#include "diag/witness.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "diag/remedies.h"
#include "diag/tally.h"
#include "diag/view.h"

namespace manactl::diag {
namespace {

using host::Nic;

// The log does not say which port was tried. It was busy when the kernel holds every one, and it is
// the likely reason when it holds one of a NIC that nothing else needs. VFs that are down never
// prove the contrary: another program may have the port.
void port_busy(const host::Facts& facts, Witness& witness) {
  if (!facts.nics) return;
  std::vector<const Nic*> held;
  bool all = true;
  bool any_spare = false;
  for (const Nic& nic : *facts.nics) {
    if (!has_mana_vf(nic)) continue;
    all = all && nic.vf->up;
    any_spare = any_spare || (nic.vf->up && nic.carries.empty());
    if (nic.vf->up) held.push_back(&nic);
  }
  if (held.empty() || (!all && !any_spare)) return;
  std::vector<std::string> lines;
  for (const Nic* nic : held) {
    if (any_spare && !nic->carries.empty()) continue;
    lines.push_back(nic->is_direct()
                        ? nic->vf->name + " is up"
                        : fmt::format("VF {} of {} is up", nic->vf->name, nic->name()));
    for (const auto* device : {&nic->synthetic, &nic->vf}) {
      if (!*device || !(*device)->up) continue;
      for (auto& command : set_down(facts, *nic, **device)) {
        witness.commands.push_back(std::move(command));
      }
    }
  }
  witness.says = fmt::format(
      "{}: the kernel holds the {}", brief(lines), lines.size() == 1 ? "port" : "ports");
}

void two_rdma_devices(const host::Facts& facts, Witness& witness) {
  for (const host::PciFunction* function : mana_functions(facts)) {
    if (function->rdma_devices.size() < 2) continue;
    witness.says =
        fmt::format("{} has {}", function->address.str(), join(function->rdma_devices, " and "));
    return;
  }
}

void hugetlbfs_unmounted(const host::Facts& facts, Witness& witness) {
  if (facts.memory.mounts && facts.memory.mounts->empty()) {
    witness.says = "hugetlbfs is not mounted";
  }
}

struct Row {
  std::string_view id;
  void (*look)(const host::Facts&, Witness&);
};

constexpr std::array kWitnesses = {
    Row{"port-busy", port_busy},
    Row{"two-rdma-devices", two_rdma_devices},
    Row{"hugetlbfs-unmounted", hugetlbfs_unmounted},
};

}  // namespace

std::vector<Witness> witnesses_of(const host::Facts& facts) {
  std::vector<Witness> witnesses;
  for (const auto& row : kWitnesses) {
    Witness witness{row.id, {}, {}};
    row.look(facts, witness);
    if (!witness.says.empty()) witnesses.push_back(std::move(witness));
  }
  return witnesses;
}

std::vector<std::string_view> witness_ids() {
  std::vector<std::string_view> ids;
  for (const auto& row : kWitnesses) ids.push_back(row.id);
  return ids;
}

}  // namespace manactl::diag
