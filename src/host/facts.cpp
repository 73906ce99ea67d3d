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

bool has_address(const std::optional<Netdev>& netdev, const std::string& address) {
  return netdev && (netdev->mac.str() == address || (netdev->pci && netdev->pci->str() == address));
}

std::vector<const Nic*> nics_named(const Result<std::vector<Nic>>& nics, const std::string& name) {
  std::vector<const Nic*> found;
  if (!nics) return found;
  for (const auto& nic : *nics) {
    const bool matches = has_name(nic.synthetic, name) || has_name(nic.vf, name) ||
                         has_address(nic.synthetic, name) || has_address(nic.vf, name) ||
                         (nic.vmbus && nic.vmbus->str() == name);
    if (matches) found.push_back(&nic);
  }
  return found;
}

// Returns the interfaces of the Azure NICs that do not carry the administrator's traffic. A user
// may accept a suggestion without reading it.
std::vector<std::string> suggestible(const Facts& facts) {
  std::vector<std::string> names;
  if (!facts.nics) return names;
  for (const auto& nic : *facts.nics) {
    if (!facts.carries_nothing(nic)) continue;
    if (nic.synthetic) names.push_back(nic.synthetic->name);
    if (nic.vf) names.push_back(nic.vf->name);
  }
  return names;
}

// Lists the NICs that have no synthetic interface now: one of them may have had the name that a
// user remembers.
std::string without_interface(const Result<std::vector<Nic>>& nics) {
  std::vector<std::string> names;
  for (const auto& nic : nics.value_or(std::vector<Nic>{})) {
    if (nic.synthetic || !nic.vmbus) continue;
    const auto driver = nic.vmbus_driver.empty() ? "no driver" : nic.vmbus_driver;
    names.push_back(fmt::format("'{}' ({})", printable(nic.name()), printable(driver)));
  }
  if (names.empty()) return {};
  return "; these NICs have no interface now: " + join(names, ", ");
}

// Names the NICs whose interfaces are in another network namespace, and those of this one.
std::string in_other_namespace(const Facts& facts) {
  std::vector<std::string> others, here;
  for (const auto& channel : facts.channels_elsewhere) others.push_back(channel.str());
  if (others.empty()) return {};
  for (const auto& nic : facts.nics.value_or(std::vector<Nic>{}))
    here.push_back(fmt::format("'{}'", printable(nic.name())));
  return fmt::format(
      "; another network namespace has the interface of NIC {} ('ip netns' and 'lsns -t net' list "
      "namespaces); NICs in this namespace: {}",
      join(others, " and of NIC "),
      here.empty() ? "none" : join(here, ", "));
}

// The end of an error about an interface that does not exist.
std::string hint_for(const std::string& name, const Facts& facts) {
  auto hint = in_other_namespace(facts);
  if (!hint.empty()) return hint;
  const std::string similar = printable(nearest(name, suggestible(facts)));
  return similar.empty() ? without_interface(facts.nics)
                         : fmt::format("; did you mean '{}'?", similar);
}

}  // namespace

bool Nic::has_interface(int index) const {
  return (synthetic && synthetic->index == index) || (vf && vf->index == index);
}

std::string Nic::name() const {
  if (synthetic) return synthetic->name;
  if (vf) return vf->name;
  return vmbus ? vmbus->str() : std::string();
}

bool Facts::carries_nothing(const Nic& nic) const {
  return carries_complete && nic.carries.empty();
}

bool Facts::has_mana() const {
  if (functions) return has_mana_function(functions);
  return nics && std::ranges::any_of(*nics, [](const Nic& nic) { return nic.has_mana_vf(); });
}

const Nic* Facts::find_nic(const std::string& name) const {
  const auto found = nics_named(nics, name);
  return found.size() == 1 ? found.front() : nullptr;
}

Result<const Nic*> Facts::azure_nic(const std::string& name) const {
  if (!nics) return because(nics.error(), "cannot list the NICs");
  const auto found = nics_named(nics, name);
  if (found.size() == 1) return found.front();
  const std::string shown = printable(name);
  if (!found.empty()) {
    // A NIC that carries the administrator's traffic is never suggested.
    const auto example = std::find_if(
        found.begin(), found.end(), [this](const Nic* nic) { return carries_nothing(*nic); });
    return fail(
        Errc::invalid,
        fmt::format("{} NICs have the address '{}': specify an interface{}",
                    found.size(),
                    shown,
                    example == found.end() ? "" : ", such as " + printable((*example)->name())));
  }
  if (name.find(':') != std::string::npos) {
    return fail(
        Errc::not_found,
        fmt::format("no Azure NIC has the address '{}'{}", shown, in_other_namespace(*this)));
  }
  if (std::find(interfaces.begin(), interfaces.end(), name) != interfaces.end()) {
    return fail(Errc::not_found, fmt::format("interface '{}' is not an Azure NIC", shown));
  }
  return fail(Errc::not_found,
              fmt::format("interface '{}' does not exist{}", shown, hint_for(name, *this)));
}

std::string module_obstacle(const Facts& facts, std::string_view name) {
  const auto module = std::ranges::find(facts.modules, name, &Module::name);
  if (module == facts.modules.end() || !module->presence) return {};
  if (*module->presence == Presence::blacklisted) {
    return fmt::format("{} is blacklisted ({})", name, module->evidence);
  }
  if (*module->presence != Presence::missing) return {};
  return fmt::format("{} is missing from {}",
                     name,
                     facts.kernel && !facts.kernel->release.empty()
                         ? "kernel " + facts.kernel->release
                         : "the kernel");
}

std::vector<std::string> modules_for_dpdk(bool vf_only) {
  if (vf_only) return {"mana_ib"};
  return {std::string(kUserSpaceDriver), "mana_ib"};
}

std::string obstacle_in_modules(const Facts& facts, bool vf_only) {
  auto modules = modules_for_dpdk(vf_only);
  modules.emplace_back("ib_uverbs");
  for (const auto& module : modules) {
    auto obstacle = module_obstacle(facts, module);
    if (!obstacle.empty()) return obstacle;
  }
  return {};
}

bool has_mana_function(const Result<std::vector<PciFunction>>& functions) {
  return functions && std::any_of(functions->begin(), functions->end(), [](const auto& function) {
           return function.is_mana();
         });
}

}  // namespace manactl::host
