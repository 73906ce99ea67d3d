// SPDX-License-Identifier: MIT

#include "setup/nic_identity.h"

#include <algorithm>

#include "base/text.h"

namespace manactl::setup {
namespace {

template <class T>
void complete(T& field, const T& other) {
  if (field == T{}) field = other;
}

// Leaves `field` empty if `key` is missing; returns false if the value cannot be parsed.
template <class T>
bool parse_field(std::optional<T>& field, const Values& fields, std::string_view key) {
  const auto text = value_at(fields, key);
  if (text.empty()) return true;
  const auto parsed = T::parse(text);
  if (parsed) field = *parsed;
  return parsed.has_value();
}

}  // namespace

void NicIdentity::complete_from(const NicIdentity& other) {
  complete(interface, other.interface);
  complete(channel, other.channel);
  complete(vf, other.vf);
  complete(mac, other.mac);
  complete(driver, other.driver);
  complete(pci, other.pci);
}

Values NicIdentity::fields() const {
  Values values;
  if (!interface.empty()) values["interface"] = interface;
  if (channel) values["uuid"] = channel->str();
  if (!vf.empty()) values["vf"] = vf;
  if (mac) values["mac"] = mac->str();
  if (!driver.empty()) values["driver"] = driver;
  if (pci) values["pci"] = pci->str();
  return values;
}

Result<NicIdentity> NicIdentity::from_fields(const Values& fields) {
  NicIdentity nic;
  nic.interface = value_at(fields, "interface");
  nic.vf = value_at(fields, "vf");
  nic.driver = value_at(fields, "driver");
  if (!parse_field(nic.channel, fields, "uuid") || !parse_field(nic.mac, fields, "mac") ||
      !parse_field(nic.pci, fields, "pci")) {
    return fail(Errc::invalid, "an address of the NIC cannot be parsed");
  }
  return nic;
}

NicIdentity identity_of(const host::Nic& nic) {
  NicIdentity identity;
  if (nic.synthetic) identity.interface = nic.synthetic->name;
  identity.channel = nic.vmbus;
  if (!nic.vf) return identity;
  identity.vf = nic.vf->name;
  identity.mac = nic.vf->mac;
  identity.driver = nic.vf->driver;
  identity.pci = nic.vf->pci;
  return identity;
}

Result<std::vector<Slot>> slots_of(const std::vector<const host::Nic*>& nics,
                                   const std::vector<const host::Nic*>& unprepared) {
  constexpr std::size_t kMaxMacs = 8;  // MAX_NUM_ADDRESS in drivers/net/mana/mana.c
  std::vector<Slot> slots;
  for (const auto* nic : nics) {
    if (!nic->vf || !nic->vf->pci || !nic->has_mana_vf()) {
      return fail(Errc::unsupported,
                  fmt::format("'{}' has no known MANA VF", printable(nic->name())));
    }
    const auto& pci = *nic->vf->pci;
    auto slot = std::find_if(
        slots.begin(), slots.end(), [&](const Slot& other) { return other.pci == pci; });
    if (slot == slots.end()) slot = slots.insert(slots.end(), Slot{pci, {}, {}, {}});
    slot->interfaces.push_back(nic->name());
    slot->macs.push_back(nic->vf->mac);
    const bool needs_channel =
        nic->is_prepared() || std::ranges::find(unprepared, nic) != unprepared.end();
    if (needs_channel && nic->vmbus) slot->channels.push_back(nic->vmbus->str());
    if (slot->macs.size() > kMaxMacs) {
      return fail(Errc::unsupported,
                  fmt::format("{} has more than {} ports, the maximum of net_mana: name fewer "
                              "interfaces",
                              pci.str(),
                              kMaxMacs));
    }
  }
  std::sort(slots.begin(), slots.end(), [](const Slot& a, const Slot& b) { return a.pci < b.pci; });
  return slots;
}

std::string mac_devargs_of(const Slot& slot) {
  std::string text;
  for (const auto& mac : slot.macs) text += (text.empty() ? "mac=" : ",mac=") + mac.str();
  return text;
}

std::string vdev_of(const Slot& slot) {
  return slot.pci.str() + ',' + mac_devargs_of(slot);
}

}  // namespace manactl::setup
