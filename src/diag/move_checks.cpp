// SPDX-License-Identifier: MIT
//
// Forecasts for an Azure VM without MANA, which Azure may move to a host with MANA.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "diag/check.h"
#include "diag/fact_lookups.h"
#include "diag/remedies.h"

namespace manactl::diag {

namespace {

// The facts are gathered on each VM for which the runner does not skip these checks.
const host::MoveFacts& move_of(const host::Facts& facts) {
  static const host::MoveFacts kNothing;
  return facts.move ? *facts.move : kNothing;
}

// kernel.mana judges the running kernel.
Finding kernels(const host::Facts& facts, const CheckOptions& /*options*/) {
  const auto& kernels = move_of(facts).kernels;
  if (!kernels) return unknown(kernels.error().message);
  FindingBuilder findings;
  for (const auto& kernel : *kernels) {
    if (kernel.running) continue;
    if (!kernel.has_mana) {
      findings.warn(fmt::format("{} has no mana", kernel.release));
    } else if (!kernel.has_mana_ib) {
      findings.ok(fmt::format("{} has mana but not mana_ib, which DPDK needs", kernel.release),
                  kernel.release);
    } else {
      findings.ok(fmt::format("{} has mana and mana_ib", kernel.release), kernel.release);
    }
  }
  return findings.build("only the running kernel is installed",
                        "remove these kernels, or make sure that the boot loader does not start "
                        "them: on a host with MANA, the VM would have only the synthetic path");
}

Finding managers(const host::Facts& facts, const CheckOptions& /*options*/) {
  const auto& management = move_of(facts).management;
  if (!management) return unknown(management.error().message);
  if (management->unmanaged && !management->races) return pass(management->evidence);
  Remedy remedy{
      "let the network manager ignore VFs by their drivers, because it would give them addresses; "
      "these commands cover MANA and Mellanox, in NetworkManager and systemd-networkd:",
      {write_file_command(
           "/etc/NetworkManager/conf.d/10-azure-vf.conf",
           {"[keyfile]", "unmanaged-devices+=driver:mana,driver:mlx4_core,driver:mlx5_core"}),
       write_file_command(
           "/etc/systemd/network/01-azure-vf.network",
           {"[Match]", "Driver=mana mlx4_en mlx5_core", "[Link]", "Unmanaged=yes"})}};
  if (management->races) return warn(management->evidence, std::move(remedy));
  return fail(management->evidence, std::move(remedy));
}

// "/etc/netplan/50-cloud-init.yaml:7 names mlx5_core"
std::string text_of(const host::Mention& mention) {
  return fmt::format(
      "/{}:{} names {}", printable(mention.path), mention.line, printable(mention.word));
}

// A file that was not read may name hardware too.
Finding with_unread(Finding finding, const host::ConfigMentions& config) {
  for (const auto& path : config.unread) {
    finding.evidence.push_back(fmt::format("/{} could not be read", printable(path)));
  }
  if (config.unread.empty() || finding.status != Status::pass) return finding;
  finding.status = Status::unknown;
  finding.detail = brief(finding.evidence);
  return finding;
}

// "/etc/vpp/startup.conf:12 names 0101:00:02.0 of mlx5_core"; empty if the mention does not matter.
std::string selection_of(const host::Mention& mention, const host::Facts& facts) {
  const auto address = PciAddress::parse(mention.word);
  if (!address) return text_of(mention);
  const auto* function = function_at(facts, *address);
  if (function == nullptr || function->adapter != host::Adapter::mlx) return {};
  return fmt::format("{} of {}",
                     text_of(mention),
                     function->driver.empty() ? "Mellanox" : printable(function->driver));
}

Finding names(const host::Facts& facts, const CheckOptions& /*options*/) {
  const auto& network = move_of(facts).network;
  FindingBuilder findings;
  for (const auto& mention : network.mentions) {
    const auto text = selection_of(mention, facts);
    if (!text.empty()) findings.warn(text);
  }
  auto finding = findings.build("no file names Mellanox drivers, VFs or PCI addresses",
                                "use the name of the synthetic interface (eth0) or the driver "
                                "hv_netvsc instead: VFs of MANA have another driver, name and PCI "
                                "address");
  if (finding.status == Status::skipped) finding.status = Status::pass;
  return with_unread(std::move(finding), network);
}

Finding programs(const host::Facts& facts, const CheckOptions& /*options*/) {
  const auto& programs = move_of(facts).programs;
  FindingBuilder findings;
  for (const auto& mention : programs.mentions) {
    const auto text = selection_of(mention, facts);
    if (!text.empty()) findings.fail(text);
  }
  auto finding = findings.build(
      "no file of Open vSwitch, Suricata or VPP names Mellanox hardware",
      "use the arguments that 'manactl args' prints after the move: a program that selects a PCI "
      "function of Mellanox, or uses fail-safe, loses its NIC on a host with MANA");
  if (finding.status == Status::skipped) finding.status = Status::pass;
  return with_unread(std::move(finding), programs);
}

constexpr std::array kMoveChecks = {
    Check{"move.kernels",
          "every installed kernel has the mana driver",
          "An installed kernel lacks the mana driver",
          Requirement::move,
          Use::both,
          kernels},
    Check{"move.managers",
          "network managers will leave a VF of MANA unmanaged",
          "A network manager will manage a VF of MANA",
          Requirement::move,
          Use::kernel,
          managers},
    Check{"move.names",
          "the network's configuration names no hardware that will change",
          "The network's configuration names hardware that will change",
          Requirement::move,
          Use::kernel,
          names},
    Check{"move.programs",
          "no DPDK program selects hardware that will change",
          "A DPDK program selects hardware that will change",
          Requirement::move,
          Use::dpdk,
          programs},
};

}  // namespace

std::span<const Check> move_checks() {
  return kMoveChecks;
}

}  // namespace manactl::diag
