// SPDX-License-Identifier: MIT

#include "host/facts.h"

#include <algorithm>

#include "base/text.h"

namespace manactl::host {
namespace {

bool has_name(const std::optional<Netdev>& netdev, const std::string& name) {
  if (!netdev) return false;
  const auto& others = netdev->alternative_names;
  return netdev->name == name || std::find(others.begin(), others.end(), name) != others.end();
}

}  // namespace

std::string Nic::name() const {
  if (synthetic) return synthetic->name;
  if (vf) return vf->name;
  return vmbus ? vmbus->str() : std::string();
}

bool Facts::has_mana() const {
  return has_mana_function(functions);
}

const Nic* Facts::find_nic(const std::string& interface) const {
  if (!nics) return nullptr;
  const auto found = std::find_if(nics->begin(), nics->end(), [&](const Nic& nic) {
    return has_name(nic.synthetic, interface) || has_name(nic.vf, interface) ||
           (nic.vmbus && nic.vmbus->str() == interface);
  });
  return found == nics->end() ? nullptr : &*found;
}

Result<const Nic*> Facts::azure_nic(const std::string& interface) const {
  if (const Nic* nic = find_nic(interface)) return nic;
  const std::string shown = printable(interface);
  if (std::find(interfaces.begin(), interfaces.end(), interface) != interfaces.end()) {
    return fail(Errc::not_found, fmt::format("interface '{}' is not an Azure NIC", shown));
  }
  const std::string similar = printable(nearest(interface, interfaces));
  const auto hint = similar.empty() ? "" : fmt::format("; did you mean '{}'?", similar);
  return fail(Errc::not_found, fmt::format("interface '{}' does not exist{}", shown, hint));
}

bool has_mana_function(const Result<std::vector<PciFunction>>& functions) {
  return functions && std::any_of(functions->begin(), functions->end(), [](const auto& function) {
           return function.is_mana();
         });
}

}  // namespace manactl::host
