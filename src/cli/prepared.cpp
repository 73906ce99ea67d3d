// SPDX-License-Identifier: MIT

#include "cli/prepared.h"

#include <algorithm>

#include "cli/question.h"
#include "host/gather.h"
#include "setup/live.h"

namespace manactl::cli {

std::vector<setup::Entry> known_entries(const os::System& system, const Context& context) {
  if (!context.root.empty()) return {};
  return setup::Live(system).entries().value_or(std::vector<setup::Entry>{});
}

std::vector<const host::Nic*> prepared_nics(const host::Facts& facts,
                                            const std::vector<setup::Entry>& entries) {
  std::vector<const host::Nic*> found;
  if (!facts.nics) return found;
  for (const auto& nic : *facts.nics) {
    const bool journaled = std::any_of(entries.begin(), entries.end(), [&](const auto& entry) {
      return entry.ready && !entry.interface.empty() && entry.interface == nic.name();
    });
    const bool whole = nic.vf && nic.vf->pci;
    if (whole && (nic.is_prepared() || journaled)) found.push_back(&nic);
  }
  return found;
}

std::vector<setup::Slot> slots_now(const os::System& system,
                                   const std::vector<setup::Entry>& entries) {
  const auto facts = host::gather(system, embedded_dpdk());
  return setup::slots_of(prepared_nics(facts, entries)).value_or(std::vector<setup::Slot>{});
}

std::vector<setup::Slot> slots_in(const setup::Entry& entry) {
  const auto pci = PciAddress::parse(setup::value_of(entry.nic, "pci"));
  const auto mac = MacAddress::parse(setup::value_of(entry.nic, "mac"));
  if (!pci || !mac) return {};
  setup::Slot slot{*pci, {setup::value_of(entry.nic, "interface")}, {*mac}, {}};
  const auto channel = setup::value_of(entry.nic, "uuid");
  const bool taken = std::any_of(
      entry.steps.begin(), entry.steps.end(), [](const auto& step) { return step.kind == "bind"; });
  if (!channel.empty() && (taken || entry.steps.empty())) slot.channels.push_back(channel);
  return {slot};
}

}  // namespace manactl::cli
