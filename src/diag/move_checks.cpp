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

// The runner skips these checks if the facts of the move were not gathered.
const host::Move& move_of(const host::Facts& facts) {
  static const host::Move kNothing;
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
                        "remove these kernels, or take care that the boot loader starts none of "
                        "them: on a host with MANA, the VM would have only the synthetic path");
}

Finding managers(const host::Facts& facts, const CheckOptions& /*options*/) {
  const auto& management = move_of(facts).management;
  if (!management) return unknown(management.error().message);
  if (management->unmanaged) return pass(management->evidence);
  return fail(
      management->evidence,
      {"let NetworkManager leave the VF alone, to which it would give an address of its own; "
       "these commands cover VFs of every kind of hardware:",
       {write_file_command("/etc/NetworkManager/conf.d/10-azure-vf.conf",
                           {"[keyfile]",
                            "unmanaged-devices+=driver:mana,driver:mlx4_core,"
                            "driver:mlx5_core"}),
        "systemctl reload NetworkManager"}});
}

// "etc/netplan/50-cloud-init.yaml:7 names mlx5_core"
std::string text_of(const host::Mention& mention) {
  return fmt::format(
      "/{}:{} names {}", printable(mention.path), mention.line, printable(mention.word));
}

// Files that were not read may contain more.
void add_unread(const host::Move& move, Finding& finding) {
  for (const auto& path : move.unread) {
    finding.evidence.push_back(fmt::format("/{} could not be read", printable(path)));
  }
}

Finding names(const host::Facts& facts, const CheckOptions& /*options*/) {
  const auto& move = move_of(facts);
  FindingBuilder findings;
  for (const auto& mention : move.network) findings.warn(text_of(mention));
  Finding finding = move.network.empty()
                        ? pass("no file names Mellanox drivers, VFs or PCI addresses")
                        : findings.build("",
                                         "use the name of the synthetic interface (eth0) or the "
                                         "driver hv_netvsc instead: VFs of MANA have another "
                                         "driver, name and PCI address");
  add_unread(move, finding);
  return finding;
}

bool is_program_file(const host::Mention& mention, std::string_view program) {
  return mention.path.find(program) != std::string::npos;
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

Finding programs(const host::Facts& facts, const CheckOptions& /*options*/) {
  const auto& move = move_of(facts);
  FindingBuilder findings;
  for (const auto& mention : move.programs) {
    const auto text = selection_of(mention, facts);
    if (text.empty()) continue;
    // The file is a log of changes, so the newest one need not name the function any more.
    is_program_file(mention, "conf.db") ? findings.warn(text) : findings.fail(text);
  }
  Finding finding = findings.build(
      "no file of Open vSwitch, Suricata or VPP names Mellanox hardware",
      "use the arguments that 'manactl args' prints after the move: a program that selects a PCI "
      "function of Mellanox, or uses fail-safe, loses its NIC on a host with MANA");
  if (finding.status == Status::skipped) finding.status = Status::pass;
  add_unread(move, finding);
  return finding;
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
