// SPDX-License-Identifier: MIT

#include "setup/slots.h"

#include <algorithm>

#include "base/text.h"

namespace manactl::setup {

Result<std::vector<Slot>> slots_of(const std::vector<const host::Nic*>& nics) {
  constexpr std::size_t kMostMacs = 8;  // net_mana's own limit
  std::vector<Slot> slots;
  for (const auto* nic : nics) {
    if (!nic->vf || !nic->vf->pci || nic->vf->driver != "mana") {
      return fail(Errc::unsupported,
                  fmt::format("'{}' has no MANA VF that is known", printable(nic->name(), 60)));
    }
    const auto& pci = *nic->vf->pci;
    auto slot = std::find_if(
        slots.begin(), slots.end(), [&](const Slot& other) { return other.pci == pci; });
    if (slot == slots.end()) slot = slots.insert(slots.end(), Slot{pci, {}, {}, {}});
    slot->interfaces.push_back(nic->name());
    slot->macs.push_back(nic->vf->mac);
    if (nic->is_prepared() && nic->vmbus) slot->channels.push_back(nic->vmbus->str());
    if (slot->macs.size() > kMostMacs) {
      return fail(Errc::unsupported,
                  fmt::format("{} has more than {} ports, and net_mana takes no more: name fewer",
                              pci.str(),
                              kMostMacs));
    }
  }
  std::sort(slots.begin(), slots.end(), [](const Slot& a, const Slot& b) { return a.pci < b.pci; });
  return slots;
}

std::string vdev_of(const Slot& slot) {
  std::string text = slot.pci.str();
  for (const auto& mac : slot.macs) text += ",mac=" + mac.str();
  return text;
}

}  // namespace manactl::setup
