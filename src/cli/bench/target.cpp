// SPDX-License-Identifier: MIT

#include "cli/bench/target.h"

#include <algorithm>
#include <optional>
#include <set>

#include "base/text.h"
#include "cli/facts.h"
#include "cli/options.h"
#include "datapath/plan/plan.h"
#include "host/numa.h"
#include "host/testpmd.h"

namespace manactl::cli {
namespace {

tl::unexpected<Obstacle> obstacle(std::string why, std::vector<std::string> commands = {}) {
  return tl::unexpected<Obstacle>(
      Obstacle{Error{Errc::unsupported, 0, std::move(why)}, std::move(commands)});
}

std::vector<std::string> engine_names() {
  std::vector<std::string> names = {"auto"};
  for (const auto* engine : datapath::kEngines) names.emplace_back(engine->name);
  return names;
}

const setup::Entry* entry_of(const std::vector<setup::Entry>& entries, const host::Nic& nic) {
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const auto& entry) {
    return nic.vf && entry.nic.mac == nic.vf->mac;
  });
  return found == entries.end() ? nullptr : &*found;
}

// Returns 10.0.1.4 for "10.0.1.4/24 broadcast 10.0.1.255"; empty for an IPv6 address.
std::optional<Ipv4Address> ipv4_of(std::string_view text) {
  const auto address = Ipv4Address::parse(text.substr(0, text.find('/')));
  return address ? std::optional(*address) : std::nullopt;
}

// Returns the address that the kernel uses for the interface, or used before the NIC was prepared.
std::optional<Ipv4Address> own_address(const host::Nic& nic, const setup::Entry* entry) {
  for (const auto* netdev : {nic.synthetic ? &*nic.synthetic : nullptr, &*nic.vf}) {
    if (netdev == nullptr) continue;
    for (const auto& text : netdev->addresses) {
      if (const auto address = ipv4_of(text)) return address;
    }
  }
  if (entry == nullptr) return std::nullopt;
  for (const auto& text : entry->saved_addresses()) {
    if (const auto address = ipv4_of(text)) return address;
  }
  return std::nullopt;
}

// Returns the current name of the NIC whose interface is or was `interface`. The synthetic
// interface of a prepared NIC no longer exists, but the journal has its name.
std::string current_name(const host::Facts& facts,
                         const std::string& interface,
                         const std::vector<setup::Entry>& entries) {
  if (facts.find_nic(interface) != nullptr || !facts.nics) return interface;
  for (const auto& nic : *facts.nics) {
    const auto* entry = entry_of(entries, nic);
    if (entry != nullptr && entry->interface == interface) return nic.name();
  }
  return interface;
}

// Returns the name for results: `name`, or the interface of a NIC that `name` gives by address.
std::string interface_for_results(const host::Nic& nic,
                                  const std::string& name,
                                  const setup::Entry* entry) {
  if (name.find(':') == std::string::npos) return name;
  return entry != nullptr && !entry->interface.empty() ? entry->interface : nic.name();
}

Possible<datapath::Nic> port_behind(const host::Nic& nic, const std::string& shown) {
  if (!nic.vf || !nic.vf->pci) {
    return obstacle(fmt::format("'{}' has no virtual function", shown));
  }
  if (!nic.has_mana_vf()) {
    return obstacle(fmt::format(
        "'{}' is bound to {}, which is not the MANA driver", shown, printable(nic.vf->driver)));
  }
  datapath::Nic port;
  port.pci = *nic.vf->pci;
  port.mac = nic.vf->mac;
  port.mtu = nic.vf->mtu;
  return port;
}

// Returns the MANA port of a NIC, unless the NIC carries traffic that must not be interrupted.
Possible<datapath::Nic> mana_port(const host::Nic& nic, const std::string& shown) {
  auto port = port_behind(nic, shown);
  if (!port || nic.carries.empty()) return port;
  return tl::unexpected<Obstacle>(Obstacle{
      Error{Errc::denied, 0, fmt::format("'{}' carries the {}", shown, join(nic.carries, ", "))},
      {}});
}

Possible<datapath::Nic> port_of(const host::Nic& nic, const std::string& shown) {
  auto port = mana_port(nic, shown);
  if (!port) return port;
  if (nic.is_direct()) return port;
  if (!nic.is_prepared()) {
    // After "prepare --vf-only", net_mana uses the VF without the synthetic device.
    if (!nic.vf->up && nic.synthetic && !nic.synthetic->up) return port;
    return obstacle(fmt::format("the kernel uses '{}'; bind it to user space first", shown),
                    {fmt::format("manactl prepare {}", shell_word(nic.name()))});
  }
  port->vmbus = nic.vmbus;
  return port;
}

struct Supply {
  std::uint64_t free = 0;
  bool known = false;
};

Supply free_pages(const host::Facts& facts, std::uint64_t page_kib) {
  Supply supply;
  if (!facts.memory.pools) return supply;
  supply.known = true;
  for (const auto& pool : *facts.memory.pools) {
    if (pool.page_kib != page_kib) continue;
    supply.free += pool.free;
  }
  return supply;
}

}  // namespace

Possible<datapath::Nic> find_prepared_port(const host::Facts& facts,
                                           const std::string& interface,
                                           const std::vector<setup::Entry>& entries) {
  const auto nic = facts.azure_nic(current_name(facts, interface, entries));
  if (!nic) return tl::unexpected<Obstacle>(Obstacle{nic.error(), {}});
  auto port = port_of(**nic, printable(interface));
  if (!port) return port;
  port->interface = interface_for_results(**nic, interface, entry_of(entries, **nic));
  port->ip = own_address(**nic, entry_of(entries, **nic));
  return port;
}

Possible<datapath::Nic> find_unbound_port(const host::Facts& facts,
                                          const std::string& interface,
                                          const std::vector<setup::Entry>& entries) {
  const auto nic = facts.azure_nic(current_name(facts, interface, entries));
  if (!nic) return tl::unexpected<Obstacle>(Obstacle{nic.error(), {}});
  const auto shown = printable(interface);
  auto port = mana_port(**nic, shown);
  if (!port) return port;
  port->interface = interface_for_results(**nic, interface, entry_of(entries, **nic));
  port->ip = own_address(**nic, entry_of(entries, **nic));
  if (!(*nic)->vf->up) return port;
  const auto& vf = (*nic)->vf->name;
  return tl::unexpected<Obstacle>(Obstacle{
      Error{Errc::busy,
            0,
            fmt::format("the kernel uses the port of '{}' while '{}' is up", shown, printable(vf))},
      {fmt::format("ip link set {} down", shell_word(vf))}});
}

Possible<datapath::Nic> find_mana_port(const host::Facts& facts,
                                       const std::string& interface,
                                       const std::vector<setup::Entry>& entries) {
  const auto nic = facts.azure_nic(current_name(facts, interface, entries));
  if (!nic) return tl::unexpected<Obstacle>(Obstacle{nic.error(), {}});
  auto port = port_behind(**nic, printable(interface));
  if (port) {
    port->interface = interface_for_results(**nic, interface, entry_of(entries, **nic));
  }
  return port;
}

CpuList cpus_near(const os::Files& files,
                  const host::Facts& facts,
                  const std::vector<datapath::Nic>& nics) {
  std::set<unsigned> near;
  if (!facts.functions) return {};
  for (const auto& function : *facts.functions) {
    const bool wanted = std::any_of(nics.begin(), nics.end(), [&](const datapath::Nic& nic) {
      return nic.pci == function.address;
    });
    if (!wanted || function.numa_node < 0) continue;
    const auto cpus = host::cpus_of_node(files, function.numa_node);
    if (cpus) near.insert(cpus->cpus.begin(), cpus->cpus.end());
  }
  CpuList list;
  list.cpus.assign(near.begin(), near.end());
  return list;
}

std::vector<std::string> devices_to_measure(const host::Facts& facts) {
  std::string nic = "IFACE";
  if (facts.nics) {
    const auto found = std::ranges::find_if(
        *facts.nics, [](const host::Nic& one) { return one.has_mana_vf() && one.carries.empty(); });
    if (found != facts.nics->end()) nic = shell_word(found->name());
  }
  std::vector<std::string> lines;
  const auto add = [&](const std::string& arguments, const char* device) {
    lines.push_back(fmt::format("manactl bench {:<16}  {}", arguments, device));
  };
  add(nic, "a MANA NIC, after 'manactl prepare'");
  add("--vdev net_null0", "DPDK without a NIC");
  add("--sim", "a model of MANA in software: measures this CPU");
  return lines;
}

const std::string& engine_choice() {
  static const std::string choice = join(engine_names(), "|");
  return choice;
}

Result<const datapath::EngineRow*> parse_engine(std::string_view text) {
  if (text == "auto") return nullptr;
  if (const auto* engine = datapath::find_engine(text)) return engine;
  const auto names = engine_names();
  return tl::unexpected<Error>(not_one_of(text, names));
}

Possible<std::string> choose_memory(const host::Facts& facts, datapath::BenchPlan& plan) {
  if (!plan.hugepages) return std::string();
  const auto page_kib = host::default_page_kib(facts.memory);
  const auto needed = datapath::pages_needed(plan, page_kib);
  const auto supply = free_pages(facts, page_kib);
  const bool is_virtual = plan.nics.empty();
  const bool unprivileged = facts.limits && facts.limits->uid != 0;
  if (is_virtual && (supply.free == 0 || unprivileged)) {
    plan.hugepages = false;
    return fmt::format("ordinary memory was used, which is slower: {}",
                       unprivileged ? "hugepages need root" : "no hugepages are free");
  }
  if (supply.known && supply.free < needed) {
    return obstacle(fmt::format("{} of {} {} needed and {} {} free{}",
                                counted(needed, "hugepage"),
                                human_bytes(page_kib << 10U),
                                needed == 1 ? "is" : "are",
                                supply.free,
                                supply.free == 1 ? "is" : "are",
                                is_virtual ? "; use --no-huge to measure without hugepages" : ""),
                    {fmt::format("manactl prepare --hugepages {}", needed - supply.free)});
  }
  return std::string();
}

}  // namespace manactl::cli
