// SPDX-License-Identifier: MIT

#include "host/facts.h"

#include <algorithm>

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
  return functions && std::any_of(functions->begin(), functions->end(), [](const auto& function) {
           return function.is_mana();
         });
}

const Nic* Facts::find_nic(const std::string& interface) const {
  if (!nics) return nullptr;
  const auto found = std::find_if(nics->begin(), nics->end(), [&](const Nic& nic) {
    return has_name(nic.synthetic, interface) || has_name(nic.vf, interface) ||
           (nic.vmbus && nic.vmbus->str() == interface);
  });
  return found == nics->end() ? nullptr : &*found;
}

}  // namespace manactl::host
