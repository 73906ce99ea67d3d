// SPDX-License-Identifier: MIT

#include "cli/bench/target.h"

#include <algorithm>
#include <optional>
#include <set>

#include "base/text.h"
#include "cli/arguments.h"
#include "cli/question.h"
#include "datapath/plan.h"
#include "diag/remedies.h"
#include "host/numa.h"

namespace manactl::cli {
namespace {

tl::unexpected<Obstacle> obstacle(std::string why, std::vector<std::string> commands = {}) {
  return tl::unexpected<Obstacle>(
      Obstacle{Error{Errc::unsupported, 0, std::move(why)}, std::move(commands)});
}

bool has_driver(const datapath::EngineInfo& engine, std::string_view name) {
  return std::find(engine.drivers.begin(), engine.drivers.end(), name) != engine.drivers.end();
}

const setup::Entry* entry_of(const std::vector<setup::Entry>& entries, const host::Nic& nic) {
  const auto mac = nic.vf ? nic.vf->mac.str() : std::string();
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const auto& entry) {
    return !mac.empty() && setup::value_of(entry.nic, "mac") == mac;
  });
  return found == entries.end() ? nullptr : &*found;
}

// Of "10.0.1.4/24 broadcast 10.0.1.255"; nothing for an IPv6 address.
std::optional<Ipv4Address> ipv4_of(std::string_view text) {
  const auto address = Ipv4Address::parse(text.substr(0, text.find('/')));
  return address ? std::optional(*address) : std::nullopt;
}

// What the kernel gave the interface, now or before it was prepared.
std::optional<Ipv4Address> own_address(const host::Nic& nic, const setup::Entry* entry) {
  for (const auto* netdev : {nic.synthetic ? &*nic.synthetic : nullptr, &*nic.vf}) {
    if (netdev == nullptr) continue;
    for (const auto& text : netdev->addresses) {
      if (const auto address = ipv4_of(text)) return address;
    }
  }
  if (entry == nullptr) return std::nullopt;
  for (const auto& step : entry->steps) {
    for (const auto& [key, text] : step.before) {
      if (!key.starts_with("address.")) continue;
      if (const auto address = ipv4_of(text)) return address;
    }
  }
  return std::nullopt;
}

// The synthetic interface of a prepared NIC is gone, and its name with it; the journal knows it.
std::string name_now(const host::Facts& facts,
                     const std::string& interface,
                     const std::vector<setup::Entry>& entries) {
  if (facts.find_nic(interface) != nullptr || !facts.nics) return interface;
  for (const auto& nic : *facts.nics) {
    const auto* entry = entry_of(entries, nic);
    if (entry != nullptr && entry->interface == interface) return nic.name();
  }
  return interface;
}

Possible<datapath::Nic> port_behind(const host::Nic& nic, const std::string& shown) {
  if (!nic.vf || !nic.vf->pci) {
    return obstacle(fmt::format("'{}' has no virtual function", shown));
  }
  if (nic.vf->driver != "mana") {
    return obstacle(fmt::format(
        "'{}' is driven by {}, which is not MANA's driver", shown, printable(nic.vf->driver)));
  }
  datapath::Nic port;
  port.pci = *nic.vf->pci;
  port.mac = nic.vf->mac;
  port.mtu = nic.vf->mtu;
  return port;
}

// A MANA port that may be taken from the kernel.
Possible<datapath::Nic> mana_port(const host::Nic& nic, const std::string& shown) {
  auto port = port_behind(nic, shown);
  if (!port || nic.carries.empty()) return port;
  return tl::unexpected<Obstacle>(Obstacle{
      Error{Errc::denied, 0, fmt::format("'{}' carries the {}", shown, join(nic.carries, ", "))},
      {}});
}

Possible<datapath::Nic> port_of(const host::Nic& nic,
                                const std::string& shown,
                                const datapath::EngineInfo& engine) {
  auto port = mana_port(nic, shown);
  if (!port) return port;
  if (!nic.is_direct() && !nic.is_prepared()) {
    return obstacle(fmt::format("'{}' belongs to the kernel; hand it to user space first", shown),
                    {fmt::format("manactl prepare {}", diag::shell_word(nic.name()))});
  }
  // EAL refuses the name of a device on a bus that it does not have.
  if (has_driver(engine, "bus_vmbus")) port->vmbus = nic.vmbus;
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

Possible<datapath::Nic> find_port(const host::Facts& facts,
                                  const std::string& interface,
                                  const datapath::EngineInfo& engine,
                                  const std::vector<setup::Entry>& entries) {
  const auto nic = find_nic(facts, name_now(facts, interface, entries));
  if (!nic) return tl::unexpected<Obstacle>(Obstacle{nic.error(), {}});
  if (!has_driver(engine, "net_mana")) {
    return obstacle(
        fmt::format("DPDK {} inside this manactl has no net_mana, the driver of '{}'; "
                    "--vdev net_null0 measures without a NIC",
                    engine.version,
                    printable(interface)));
  }
  auto port = port_of(**nic, printable(interface), engine);
  if (!port) return port;
  port->interface = interface;
  port->ip = own_address(**nic, entry_of(entries, **nic));
  return port;
}

Possible<datapath::Nic> find_mana_port(const host::Facts& facts,
                                       const std::string& interface,
                                       const std::vector<setup::Entry>& entries) {
  const auto nic = find_nic(facts, name_now(facts, interface, entries));
  if (!nic) return tl::unexpected<Obstacle>(Obstacle{nic.error(), {}});
  auto port = port_behind(**nic, printable(interface));
  if (port) port->interface = interface;
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

Result<EngineChoice> parse_engine(std::string_view text) {
  if (text == "auto") return EngineChoice::automatic;
  if (text == "dpdk") return EngineChoice::dpdk;
  if (text == "verbs") return EngineChoice::verbs;
  return fail(Errc::invalid,
              fmt::format("'{}' is neither auto, dpdk nor verbs{}",
                          printable(text, 40),
                          suggestion(text, {"auto", "dpdk", "verbs"})));
}

bool takes_verbs(EngineChoice choice, const datapath::EngineInfo& engine, bool has_verbs) {
  if (choice != EngineChoice::automatic) return choice == EngineChoice::verbs;
  return has_verbs && !has_driver(engine, "net_mana");
}

Possible<datapath::Nic> find_verbs_port(const host::Facts& facts,
                                        const std::string& interface,
                                        const std::vector<setup::Entry>& entries) {
  const auto nic = find_nic(facts, name_now(facts, interface, entries));
  if (!nic) return tl::unexpected<Obstacle>(Obstacle{nic.error(), {}});
  const auto shown = printable(interface);
  auto port = mana_port(**nic, shown);
  if (!port) return port;
  port->interface = interface;
  port->ip = own_address(**nic, entry_of(entries, **nic));
  if (!(*nic)->vf->up) return port;
  const auto& vf = (*nic)->vf->name;
  return tl::unexpected<Obstacle>(Obstacle{
      Error{Errc::busy,
            0,
            fmt::format("the kernel has the port of '{}' while '{}' is up", shown, printable(vf))},
      {fmt::format("ip link set {} down", diag::shell_word(vf))}});
}

Possible<std::string> choose_memory(const host::Facts& facts, datapath::BenchPlan& plan) {
  if (!plan.hugepages) return std::string();
  constexpr std::uint64_t kUsualPage = 2048;
  const auto page_kib =
      facts.memory.default_page_kib != 0 ? facts.memory.default_page_kib : kUsualPage;
  const auto needed = datapath::pages_needed(plan, page_kib);
  const auto supply = free_pages(facts, page_kib);
  const bool is_virtual = plan.nics.empty();
  const bool unprivileged = facts.limits && facts.limits->uid != 0;
  if (is_virtual && (supply.free == 0 || unprivileged)) {
    plan.hugepages = false;
    return fmt::format("without hugepages, because {}: ordinary memory is slower",
                       unprivileged ? "they need root" : "none are free");
  }
  if (supply.known && supply.free < needed) {
    return obstacle(fmt::format("{} hugepages of {} are needed and {} {} free{}",
                                needed,
                                human_bytes(page_kib << 10U),
                                supply.free,
                                supply.free == 1 ? "is" : "are",
                                is_virtual ? "; --no-huge does without" : ""),
                    {fmt::format("manactl prepare --hugepages {}{}",
                                 needed - supply.free,
                                 page_kib > kUsualPage ? " --hugepage-size 1G" : "")});
  }
  return std::string();
}

}  // namespace manactl::cli
