// SPDX-License-Identifier: MIT

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "diag/check.h"
#include "diag/fact_lookups.h"
#include "diag/finding.h"
#include "diag/link_check.h"
#include "diag/remedies.h"
#include "host/nic_state.h"

namespace manactl::diag {
namespace {

using host::Nic;

// ---- binding ------------------------------------------------------------------------------------

Finding binding(const host::Facts& facts, const CheckOptions& options) {
  FindingBuilder findings;
  Remedy by_hand{"load the driver of the kernel, and bind the NIC by hand if restore fails",
                 load_module_commands(facts, host::kSyntheticDriver)};
  for (const Nic* nic : selected_nics(facts, options)) {
    if (host::is_unbound(*nic)) {
      const auto& [name, id] = std::pair(nic->name(), nic->vmbus->str());
      by_hand.commands.push_back(
          fmt::format("echo {} | tee /sys/bus/vmbus/drivers/hv_netvsc/bind", id));
      findings.fail(fmt::format("{}: VMBus device {} has no driver", name, id),
                    {"manactl restore " + shell_word(name)});
    } else if (nic->is_direct()) {
      findings.ok(fmt::format("{} is MANA direct and needs no VMBus driver", nic->name()),
                  nic->name() + " (MANA direct)");
    } else {
      const bool is_default = nic->vmbus_driver == "hv_netvsc";
      findings.ok(
          fmt::format("{} is bound to {}", nic->name(), nic->vmbus_driver),
          is_default ? nic->name() : fmt::format("{} ({})", nic->name(), nic->vmbus_driver));
    }
  }
  auto finding = findings.build(
      "no Azure NIC",
      "give the NIC back to the kernel, with the settings that prepare has saved: now neither the "
      "kernel nor DPDK can use it, probably because binding it to user space was interrupted");
  add_other_remedy(finding, std::move(by_hand));
  return finding;
}

// ---- pairing ------------------------------------------------------------------------------------

void add_missing_vf(const Nic& nic, FindingBuilder& findings) {
  if (nic.is_prepared()) {
    findings.fail(
        fmt::format("{} is in user space and has no VF: synthetic path only", nic.name()));
  } else if (!nic.carries.empty()) {
    findings.warn(fmt::format("{} has no VF (it carries {})", nic.name(), brief(nic.carries)));
  } else {
    findings.fail(fmt::format("{} has no VF: synthetic path only", nic.name()));
  }
}

void add_pair(const Nic& nic, FindingBuilder& findings) {
  const std::string vf = vf_name(*nic.vf);
  const std::string both =
      nic.name() == nic.vf->name ? nic.name() : fmt::format("{} ({})", nic.name(), nic.vf->name);
  if (nic.is_direct()) {
    findings.ok(fmt::format("{}: MANA direct, no synthetic NIC", vf),
                nic.vf->name + " (MANA direct)");
  } else if (nic.is_prepared() || !nic.synthetic) {
    findings.ok(fmt::format("{} has VF {}", nic.name(), vf), both);
  } else if (nic.synthetic->mac != nic.vf->mac) {
    findings.fail(fmt::format("{} has VF {}, but the MAC addresses differ: {} and {}",
                              nic.name(),
                              vf,
                              nic.synthetic->mac.str(),
                              nic.vf->mac.str()));
  } else if (nic.vf->master != nic.synthetic->index) {
    findings.fail(fmt::format(
        "{} has the MAC address of {}, but hv_netvsc has not paired them", vf, nic.name()));
  } else {
    findings.ok(fmt::format("{} has VF {}, paired by {}", nic.name(), vf, nic.paired_by), both);
  }
}

// Rebinding the driver of an adapter removes its RDMA device, which DPDK uses for prepared NICs.
void add_rebind_remedy(const host::Facts& facts, const Nic& nic, Finding& finding) {
  const bool is_in_use = std::ranges::any_of(*facts.nics, &Nic::is_prepared);
  const bool may_pair = nic.synthetic && nic.vf && nic.vf->pci && nic.has_mana_vf() &&
                        nic.synthetic->mac == nic.vf->mac && !host::is_paired(nic);
  if (!finding.remedy || !finding.remedy->others.empty() || is_in_use || !may_pair) return;
  const auto command = [&nic](std::string_view action) {
    return fmt::format("echo {} | tee /sys/bus/pci/drivers/mana/{}", nic.vf->pci->str(), action);
  };
  add_other_remedy(
      finding,
      {"bind the VF to mana again if the kernel log shows no reason: hv_netvsc pairs a VF when its "
       "interface appears; until then, all NICs of this adapter use the synthetic path",
       {command("unbind"), command("bind")}});
}

Finding pairing(const host::Facts& facts, const CheckOptions& options) {
  FindingBuilder findings;
  for (const Nic* nic : selected_nics(facts, options)) {
    nic->vf ? add_pair(*nic, findings) : add_missing_vf(*nic, findings);
  }
  Finding finding =
      findings.build("no Azure NIC",
                     "read the kernel log for the reason: a pair needs accelerated networking, the "
                     "mana driver, and a VF that the host has not removed for servicing; until "
                     "then, packets take the slower synthetic path");
  if (finding.remedy) finding.remedy->commands = {"dmesg | grep -iE 'hv_netvsc|mana|VF slot'"};
  for (const Nic* nic : selected_nics(facts, options)) add_rebind_remedy(facts, *nic, finding);
  return finding;
}

// ---- NICs in user space -------------------------------------------------------------------------

void add_prepared_nic(const host::Facts& facts, const Nic& nic, FindingBuilder& findings) {
  const std::string name = nic.name();
  if (nic.uio.empty()) {
    findings.fail(fmt::format("{} is bound to uio_hv_generic but has no UIO device", name));
  } else if (!nic.vf) {
    findings.fail(fmt::format("{} is {} but has no VF", name, nic.uio));
  } else if (nic.has_mana_vf() && nic.vf->up) {
    findings.fail(
        fmt::format(
            "{} is {} but its VF {} is up and keeps the port busy", name, nic.uio, nic.vf->name),
        set_down_commands(facts, nic, *nic.vf));
  } else if (!nic.has_mana_vf() && !nic.vf->up) {
    findings.fail(fmt::format("{} is {} but its {} VF is down", name, nic.uio, nic.vf->driver),
                  {link_command(*nic.vf, "up")});
  } else {
    const std::string_view state = nic.vf->up ? "up" : "down";
    findings.ok(fmt::format("{} is {}, VF {} is {}", name, nic.uio, nic.vf->name, state),
                fmt::format("{} ({}, VF {})", name, nic.uio, state));
  }
}

Finding prepared(const host::Facts& facts, const CheckOptions& options) {
  FindingBuilder findings;
  for (const Nic* nic : selected_nics(facts, options)) {
    if (nic->is_prepared()) add_prepared_nic(facts, *nic, findings);
  }
  return findings.build(
      "no NIC is in user space",
      "set the VF of MANA down: either the kernel or one program can use a MANA port, so while the "
      "VF is up, DPDK fails with 'failed to start tx queues' and -19 (-16 since Linux 7.2); "
      "unbinding hv_netvsc does not set the VF down");
}

// ---- NICs in use --------------------------------------------------------------------------------

Remedy use_another_nic(const std::vector<const Nic*>& free) {
  constexpr std::string_view kReason =
      "a NIC that DPDK uses disappears from the kernel, which would end SSH sessions and other "
      "connections";
  if (free.empty())
    return {fmt::format("add another NIC with accelerated networking to the VM: {}", kReason), {}};
  const auto& nic = *free.front();
  return {fmt::format("use {}: {}", nic.name(), kReason), {host::prepare_command(nic)}};
}

Finding spare(const host::Facts& facts, const CheckOptions& options) {
  std::vector<std::string> evidence;
  std::vector<std::string> brief_lines;
  std::vector<std::string> free_nics;
  for (const Nic* nic : selected_nics(facts, options)) {
    if (nic->carries.empty() && nic->uppers.empty()) {
      free_nics.push_back(nic->name());
      evidence.push_back(fmt::format("{} carries neither SSH nor the default route", nic->name()));
    } else if (nic->carries.empty()) {
      evidence.push_back(fmt::format("{}: {}", nic->name(), join(nic->uppers, ", ")));
      brief_lines.push_back(fmt::format("{}: {}", nic->name(), host::upper_of(*nic)));
    } else {
      evidence.push_back(fmt::format("{} carries {}", nic->name(), join(nic->carries, ", ")));
      brief_lines.push_back(fmt::format("{} carries {}", nic->name(), host::uses_of(*nic)));
    }
  }
  if (free_nics.empty()) {
    const auto others = host::free_nics(facts);  // selected_nics() may select only some
    if (!others.empty()) brief_lines.push_back(others.front()->name() + " is free");
    return warn(brief(brief_lines), use_another_nic(others), std::move(evidence));
  }
  // If routes or connections could not be read, a NIC may only seem to carry nothing.
  if (!facts.carries_complete) return unknown(facts.carries_complete.error().message);
  std::string detail = brief(free_nics, ", ");
  if (!brief_lines.empty()) detail += fmt::format(" ({})", brief(brief_lines));
  return pass(std::move(detail), std::move(evidence));
}

// ---- network managers ---------------------------------------------------------------------------

std::vector<std::string> mark_vf_unmanaged(Family family) {
  if (family == Family::ubuntu || family == Family::debian || family == Family::azurelinux) {
    return {networkd_rule_command(), "networkctl reload"};
  }
  return {network_manager_rule_command(), "nmcli general reload conf"};
}

// An address that the network manager gave the VF; empty if there is none. The kernel may add the
// link-local one.
std::string own_address(const host::Netdev& vf) {
  for (const auto& address : vf.addresses) {
    if (!address.starts_with("fe80:")) return address;
  }
  return {};
}

Finding unmanaged(const host::Facts& facts, const CheckOptions& options) {
  FindingBuilder findings;
  // The commands would also change MANA-direct interfaces, which need their network manager.
  const bool any_direct = std::any_of(
      facts.nics->begin(), facts.nics->end(), [](const Nic& nic) { return nic.is_direct(); });
  const auto commands =
      any_direct ? std::vector<std::string>{} : mark_vf_unmanaged(family_of(facts));
  for (const Nic* nic : selected_nics(facts, options)) {
    if (!nic->vf || nic->is_direct()) continue;
    if (!nic->management) {
      findings.unknown(fmt::format("{}: {}", nic->vf->name, nic->management.error().message));
    } else if (nic->management->unmanaged) {
      findings.ok(fmt::format("{} is unmanaged ({})", nic->vf->name, nic->management->evidence),
                  nic->vf->name);
    } else if (const auto address = own_address(*nic->vf); !address.empty()) {
      // An SSH session may use this address, so the VF must keep its network manager meanwhile.
      findings.fail(fmt::format(
          "{} has the address {} ({})", nic->vf->name, address, nic->management->evidence));
    } else {
      findings.warn(
          fmt::format(
              "{} is not marked as unmanaged ({})", nic->vf->name, nic->management->evidence),
          commands);
    }
  }
  return findings.build(
      "no synthetic NIC has a VF",
      "write a rule that leaves the VF unmanaged: a network manager may give it addresses, rename "
      "it, or set it up while DPDK needs it down; many images mark only mlx5 VFs as unmanaged");
}

// ---- data path ----------------------------------------------------------------------------------

void add_path_from_counters(const Nic& nic, FindingBuilder& findings) {
  const host::PathCounters& counters = *nic.counters;
  const std::uint64_t vf = counters.vf_rx + counters.vf_tx;
  const std::uint64_t all = std::max(counters.rx + counters.tx, vf);
  const std::string numbers = fmt::format("vf_rx_packets {} of {}, vf_tx_packets {} of {}",
                                          counters.vf_rx,
                                          counters.rx,
                                          counters.vf_tx,
                                          counters.tx);
  const auto path = host::traffic_path_of(nic);
  if (all == 0) {
    findings.unknown(fmt::format("{}: no traffic since boot", nic.name()));
  } else if (path == host::TrafficPath::vf) {
    const auto percent = 100.0 * static_cast<double>(vf) / static_cast<double>(all);
    const auto share = all < host::kEnoughPackets ? fmt::format("{} of {} packets", vf, all)
                                                  : fmt::format("{:.1f} %", percent);
    findings.ok(fmt::format("{}: VF ({})", nic.name(), numbers), nic.name() + ' ' + share);
  } else if (path == host::TrafficPath::unknown) {
    findings.unknown(fmt::format("{}: too little traffic ({})", nic.name(), numbers));
  } else if (path == host::TrafficPath::synthetic) {
    findings.fail(fmt::format("{}: synthetic ({})", nic.name(), numbers));
  } else {
    findings.warn(fmt::format("{}: mostly synthetic ({})", nic.name(), numbers));
  }
}

void add_path(const Nic& nic, FindingBuilder& findings) {
  if (nic.is_direct()) {
    findings.ok(fmt::format("{}: MANA direct, no other path", nic.name()), nic.name());
  } else if (!nic.vf) {
    // A missing VF is as severe here as in interfaces.pairing.
    nic.carries.empty() ? findings.fail(fmt::format("{}: synthetic, it has no VF", nic.name()))
                        : findings.warn(fmt::format("{}: synthetic, it has no VF", nic.name()));
  } else if (nic.synthetic && nic.vf->master != nic.synthetic->index) {
    findings.fail(fmt::format("{}: synthetic, VF {} is not paired", nic.name(), nic.vf->name));
  } else if (nic.synthetic && nic.synthetic->up && !nic.vf->up) {
    findings.fail(fmt::format("{}: synthetic, VF {} is down", nic.name(), nic.vf->name));
  } else if (!nic.counters) {
    findings.unknown(fmt::format("{}: {}", nic.name(), nic.counters.error().message));
  } else {
    add_path_from_counters(nic, findings);
  }
}

Finding path(const host::Facts& facts, const CheckOptions& options) {
  FindingBuilder findings;
  std::vector<std::string> commands;
  for (const Nic* nic : selected_nics(facts, options)) {
    if (nic->is_prepared() || host::is_unbound(*nic)) continue;
    add_path(*nic, findings);
    if (nic->synthetic) {
      const std::string name = shell_word(nic->synthetic->name);
      commands.push_back(fmt::format("ethtool -S {} | grep -E '^ +vf_'", name));
    }
  }
  commands.emplace_back("dmesg | grep 'Data path switched'");
  Finding finding =
      findings.build("every NIC is in user space",
                     "compare the counters since boot with the kernel log to find when the VF was "
                     "lost: without it, "
                     "packets take the slower synthetic path, and nothing reports an error");
  if (finding.remedy) finding.remedy->commands = std::move(commands);
  return finding;
}

constexpr std::array<std::string_view, 1> kBindingCauses = {"kernel.hv-netvsc"};
constexpr std::array<std::string_view, 5> kPairingCauses = {
    "interfaces.binding", "hardware.mana", "kernel.mana", "hardware.driver", "hardware.ports"};
constexpr std::array<std::string_view, 2> kLinkCauses = {"interfaces.pairing", "kernel.hv-netvsc"};
constexpr std::array<std::string_view, 1> kPairing = {"interfaces.pairing"};
constexpr std::array<std::string_view, 5> kPathCauses = {
    "interfaces.pairing", "interfaces.links", "kernel.mana", "hardware.driver", "hardware.mana"};

constexpr std::array kInterfaceChecks = {
    Check{"interfaces.binding",
          "every NIC is bound to a driver",
          "A NIC is not bound to a driver",
          Requirement::nic,
          Use::both,
          binding,
          kBindingCauses},
    Check{"interfaces.pairing",
          "every NIC is paired with its VF",
          "A NIC is not paired with its VF",
          Requirement::nic,
          Use::both,
          pairing,
          kPairingCauses},
    Check{"interfaces.links",
          "links that the kernel uses are up, VFs with the MTU of their NIC",
          "A link that the kernel uses is down, or has a wrong MTU",
          Requirement::nic,
          Use::kernel,
          check_links,
          kLinkCauses},
    Check{"interfaces.prepared",
          "NICs in user space are ready for DPDK",
          "A NIC in user space is not ready for DPDK",
          Requirement::nic,
          Use::dpdk,
          prepared,
          kPairing},
    Check{"interfaces.spare",
          "a NIC is free for DPDK",
          "No checked NIC is free for DPDK",
          Requirement::nic,
          Use::dpdk,
          spare},
    Check{"interfaces.unmanaged",
          "network managers leave the VFs unmanaged",
          "A network manager may change a VF",
          Requirement::nic,
          Use::kernel,
          unmanaged,
          kPairing},
    Check{"interfaces.path",
          "the kernel's traffic uses the VF",
          "The kernel's traffic does not use the VF",
          Requirement::nic,
          Use::kernel,
          path,
          kPathCauses},
};

}  // namespace

std::span<const Check> interface_checks() {
  return kInterfaceChecks;
}

}  // namespace manactl::diag
