// SPDX-License-Identifier: MIT
//
// The NICs of a ticket, from the interfaces that ip lists and from what is known of their drivers.

#include <algorithm>

#include "base/text.h"
#include "host/ticket/statements.h"

namespace manactl::host {
namespace {

struct TicketLink {
  Netdev netdev;
  std::string flags;
  std::optional<std::string> master;  // empty text: it has none
  TicketLine line;
};

bool has_flag(const std::string& flags, std::string_view flag) {
  for (const auto one : split(std::string_view(flags).substr(1, flags.size() - 2), ',')) {
    if (one == flag) return true;
  }
  return false;
}

// The function that the interface is a port of.
const PciFunction* function_of_link(const Facts& facts, const std::string& name) {
  if (!facts.functions) return nullptr;
  const auto found = std::ranges::find_if(*facts.functions, [&name](const PciFunction& function) {
    return std::ranges::find(function.netdevs, name) != function.netdevs.end();
  });
  return found == facts.functions->end() ? nullptr : &*found;
}

void set_driver(const TicketStatements& statements, const Facts& facts, Netdev& netdev) {
  const auto key = "link " + netdev.name;
  netdev.driver = statements.value(key + " driver");
  if (statements.value(key + " bus") == "vmbus") netdev.driver = kSyntheticDriver;
  const auto* const function = function_of_link(facts, netdev.name);
  if (function == nullptr) return;
  netdev.pci = function->address;
  if (netdev.driver.empty()) {
    netdev.driver = function->is_mana() ? std::string(kManaDriver) : "mlx5_core";
  }
}

// Returns nothing if the output does not show what every interface has.
std::optional<TicketLink> link_of(const TicketStatements& statements,
                                  const Facts& facts,
                                  const std::string& name,
                                  int index) {
  const auto key = "link " + name;
  const auto* const flags = statements.find(key + " flags");
  const auto mac = MacAddress::parse(statements.value(key + " mac"));
  if (flags == nullptr || !mac) return std::nullopt;
  TicketLink link;
  link.netdev.index = index;
  link.netdev.name = name;
  link.netdev.mac = *mac;
  link.flags = flags->value;
  link.netdev.up = has_flag(link.flags, "UP");
  link.netdev.running = has_flag(link.flags, "LOWER_UP");
  const auto mtu = parse_unsigned(statements.value(key + " mtu"), UINT32_MAX);
  if (mtu) link.netdev.mtu = static_cast<unsigned>(*mtu);
  link.line = flags->line;
  const auto* const master = statements.find(key + " master");
  if (master != nullptr) link.master = master->value;
  // `ip -br link` prints no master, but hv_netvsc marks its VF.
  if (!link.master && !has_flag(link.flags, "SLAVE")) link.master = "";
  set_driver(statements, facts, link.netdev);
  return link;
}

// hv_netvsc marks its VF as a slave, and is no MASTER itself, as a bond is.
bool is_netvsc_pair(const TicketLink& master, const TicketLink& vf) {
  const bool is_master = !vf.master || *vf.master == master.netdev.name;
  return is_master && &master != &vf && has_flag(vf.flags, "SLAVE") &&
         !has_flag(master.flags, "MASTER") && !has_flag(master.flags, "SLAVE") &&
         master.netdev.mac == vf.netdev.mac;
}

void pair_links(std::vector<TicketLink>& links) {
  for (auto& vf : links) {
    TicketLink* only = nullptr;
    int count = 0;
    for (auto& master : links) {
      if (!is_netvsc_pair(master, vf)) continue;
      only = &master;
      ++count;
    }
    if (count != 1) continue;
    vf.netdev.master = only->netdev.index;
    vf.master = only->netdev.name;
    if (only->netdev.driver.empty()) only->netdev.driver = kSyntheticDriver;
  }
}

// An RDMA device of MANA proves the driver of a VF if there is only one.
void set_driver_of_only_vf(const TicketStatements& statements, std::vector<TicketLink>& links) {
  if (!shows_mana_rdma(statements) || statements.find("other nic") != nullptr) return;
  const auto is_open = [](const TicketLink& link) {
    return link.netdev.master && link.netdev.driver.empty();
  };
  if (std::ranges::count_if(links, is_open) != 1) return;
  std::ranges::find_if(links, is_open)->netdev.driver = kManaDriver;
}

bool is_vf(const TicketLink& link) {
  return link.netdev.driver == kManaDriver || link.netdev.driver == "mlx5_core";
}

// Returns the VF of `synthetic`: the one that has it as its master or, if there is none, the only
// one with its MAC address. `is_sure` is false if several are possible.
const TicketLink* vf_of(const TicketLink& synthetic,
                        const std::vector<TicketLink>& links,
                        bool& is_sure) {
  const TicketLink* found = nullptr;
  for (const auto& link : links) {
    if (link.netdev.master == synthetic.netdev.index) return &link;
    const bool has_mac = is_vf(link) && link.netdev.mac == synthetic.netdev.mac;
    if (!has_mac) continue;
    is_sure = is_sure && found == nullptr && link.master.has_value();
    found = &link;
  }
  return found;
}

// Without a line about its driver, an interface with a name of the kernel is that of hv_netvsc:
// udev renames VFs.
bool is_synthetic(const TicketLink& link, bool is_hyperv) {
  const auto& netdev = link.netdev;
  if (!netdev.driver.empty()) return netdev.driver == kSyntheticDriver;
  return is_hyperv && netdev.name.starts_with("eth") && !has_flag(link.flags, "SLAVE");
}

Nic nic_of(const TicketLink& synthetic, const TicketLink* vf) {
  Nic nic;
  nic.synthetic = synthetic.netdev;
  nic.vmbus_driver = kSyntheticDriver;
  // The log does not show what the NIC carries. A NIC may be meant to have no VF.
  nic.carries = {"traffic that the log does not show"};
  nic.counters = fail(Errc::unsupported, "not in the log");
  nic.management = fail(Errc::unsupported, "not in the log");
  if (vf == nullptr) return nic;
  nic.vf = vf->netdev;
  nic.paired_by = vf->netdev.master ? "master" : "MAC address";
  return nic;
}

}  // namespace

void add_ticket_nics(const TicketStatements& statements, Ticket& ticket) {
  std::vector<TicketLink> links;
  ticket.knows_all_links = statements.find("links") != nullptr;
  int index = 0;
  for (const auto& name : statements.present("link")) {
    const auto* const present = statements.find(fmt::format("link {} present", name));
    // An interface of ethtool only may no longer exist.
    if (present == nullptr) continue;
    ticket.facts.interfaces.push_back(name);
    ticket.shown_by.try_emplace("interfaces", present->line);
    auto link = link_of(statements, ticket.facts, name, ++index);
    if (link) links.push_back(std::move(*link));
  }
  pair_links(links);
  set_driver_of_only_vf(statements, links);
  ticket.has_synthetic_link = std::ranges::any_of(links, [&ticket](const TicketLink& link) {
    return is_synthetic(link, ticket.is_hyperv) && link.netdev.up && link.netdev.running;
  });
  std::vector<Nic> nics;
  for (const auto& synthetic : links) {
    if (synthetic.netdev.driver != kSyntheticDriver) continue;
    bool is_sure = true;
    const auto* const vf = vf_of(synthetic, links, is_sure);
    if (!is_sure || (vf == nullptr && !ticket.knows_all_links)) continue;
    nics.push_back(nic_of(synthetic, vf));
    const bool is_down = vf != nullptr && synthetic.netdev.up && !vf->netdev.up;
    const bool is_small = vf != nullptr && vf->netdev.mtu < synthetic.netdev.mtu;
    const bool is_unpaired = vf != nullptr && !vf->netdev.master;
    if (is_down || is_small) ticket.shown_by.try_emplace("links", vf->line);
    if (is_unpaired) ticket.shown_by.try_emplace("nics", vf->line);
    ticket.has_mana = ticket.has_mana || (vf != nullptr && vf->netdev.driver == kManaDriver);
    ticket.is_hyperv = true;
  }
  if (nics.empty()) return;
  for (const auto& nic : nics) {
    const auto* const line = statements.find(fmt::format("link {} flags", nic.name()));
    if (line == nullptr) continue;
    ticket.shown_by.try_emplace("links", line->line);
    ticket.shown_by.try_emplace("nics", line->line);
  }
  ticket.facts.nics = std::move(nics);
}

}  // namespace manactl::host
