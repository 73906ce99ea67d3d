// SPDX-License-Identifier: MIT

#include "diag/fact_lookups.h"

#include <fmt/format.h>

#include <algorithm>

namespace manactl::diag {

std::vector<const host::Nic*> selected_nics(const host::Facts& facts, const CheckOptions& options) {
  std::vector<const host::Nic*> nics;
  if (!facts.nics) return nics;
  if (options.interface) {
    const host::Nic* nic = facts.find_nic(*options.interface);
    if (nic != nullptr) nics.push_back(nic);
    return nics;
  }
  for (const host::Nic& nic : *facts.nics) nics.push_back(&nic);
  return nics;
}

std::vector<const host::PciFunction*> mana_functions(const host::Facts& facts) {
  std::vector<const host::PciFunction*> functions;
  if (!facts.functions) return functions;
  for (const host::PciFunction& function : *facts.functions) {
    if (function.is_mana()) functions.push_back(&function);
  }
  return functions;
}

const host::PciFunction* function_at(const host::Facts& facts, const PciAddress& address) {
  if (!facts.functions) return nullptr;
  const auto found = std::find_if(
      facts.functions->begin(), facts.functions->end(), [&address](const host::PciFunction& f) {
        return f.address == address;
      });
  return found == facts.functions->end() ? nullptr : &*found;
}

const host::Module* module_named(const host::Facts& facts, std::string_view name) {
  const auto found = std::find_if(facts.modules.begin(),
                                  facts.modules.end(),
                                  [name](const host::Module& m) { return m.name == name; });
  return found == facts.modules.end() ? nullptr : &*found;
}

bool is_missing(const host::Facts& facts, std::string_view module) {
  const host::Module* found = module_named(facts, module);
  return found != nullptr && found->presence && *found->presence == Presence::missing;
}

bool is_absent(const host::Facts& facts, std::string_view module) {
  const host::Module* found = module_named(facts, module);
  return found != nullptr && found->presence && *found->presence != Presence::loaded &&
         *found->presence != Presence::builtin;
}

std::vector<const host::RdmaDevice*> mana_rdma_devices(const host::Facts& facts) {
  std::vector<const host::RdmaDevice*> devices;
  if (!facts.rdma.devices) return devices;
  for (const host::RdmaDevice& device : *facts.rdma.devices) {
    if (device.mana) devices.push_back(&device);
  }
  return devices;
}

std::set<int> nodes_of(const host::Facts& facts, const CheckOptions& options) {
  std::set<int> nodes;
  for (const host::Nic* nic : selected_nics(facts, options)) {
    if (!nic->vf || !nic->vf->pci) continue;
    const host::PciFunction* function = function_at(facts, *nic->vf->pci);
    if (function != nullptr) nodes.insert(function->numa_node);
  }
  if (!nodes.empty()) return nodes;
  for (const host::PciFunction* function : mana_functions(facts)) nodes.insert(function->numa_node);
  return nodes;
}

std::string pci_id(const host::PciFunction& function) {
  return fmt::format("{:04x}:{:04x}", function.vendor, function.device);
}

std::string vf_name(const host::Netdev& vf) {
  std::string where = vf.pci ? vf.pci->str() : std::string("no PCI address");
  if (vf.dev_port) where += fmt::format(", port {}", *vf.dev_port);
  return fmt::format("{} ({})", vf.name, where);
}

}  // namespace manactl::diag
