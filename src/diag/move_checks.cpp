// SPDX-License-Identifier: MIT
//
// Forecasts for an Azure VM without MANA, which Azure may move to a host with MANA.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <set>
#include <utility>

#include "base/text.h"
#include "diag/check.h"
#include "diag/fact_lookups.h"
#include "diag/release_table.h"
#include "diag/remedies.h"

namespace manactl::diag {

namespace {

// The facts are gathered on each VM for which the runner does not skip these checks.
const host::MoveFacts& move_of(const host::Facts& facts) {
  static const host::MoveFacts kNothing;
  return facts.move ? *facts.move : kNothing;
}

// The kernels that the boot loader may start, one finding for all. Lines about the kernel of the
// next boot are failures, those about others are warnings.
class KernelLines {
 public:
  explicit KernelLines(const host::Facts& facts) : move_(move_of(facts)) {}

  bool is_next(const host::InstalledKernel& kernel) const {
    return move_.next_kernel && move_.next_kernel->release == kernel.release;
  }

  // `text` follows the release: "has no mana".
  void add_problem(const host::InstalledKernel& kernel,
                   const std::string& text,
                   std::vector<std::string> commands = {}) {
    if (!is_next(kernel)) return add_warning(kernel, text, std::move(commands));
    reason_ = fmt::format("{}, the kernel of the next boot, {}", kernel.release, text);
    findings_.fail(reason_, std::move(commands));
  }

  void add_warning(const host::InstalledKernel& kernel,
                   const std::string& text,
                   std::vector<std::string> commands = {}) {
    findings_.warn(fmt::format("{} {}", kernel.release, text), std::move(commands));
  }

  void ok(const host::InstalledKernel& kernel, std::string_view text) {
    findings_.ok(fmt::format("{} {}", kernel.release, text), kernel.release);
  }

  void unknown(std::string text) { findings_.unknown(std::move(text)); }

  Finding build(std::string_view reason_if_empty, std::string why) const {
    auto finding = findings_.build(reason_if_empty, std::move(why));
    finding.reason = reason_;
    if (finding.status == Status::skipped) return finding;
    finding.evidence.push_back(move_.next_kernel ? fmt::format("next kernel {}: {}",
                                                               move_.next_kernel->release,
                                                               move_.next_kernel->evidence)
                                                 : move_.next_kernel.error().message);
    return finding;
  }

 private:
  const host::MoveFacts& move_;
  FindingBuilder findings_;
  std::string reason_;
};

// Those of `modules` that the kernel lacks.
std::vector<std::string> lacking(const host::InstalledKernel& kernel,
                                 std::initializer_list<std::string_view> modules) {
  std::vector<std::string> names;
  for (const auto module : modules) {
    if (!kernel.has(module)) names.emplace_back(module);
  }
  return names;
}

std::vector<std::string> names_of(std::initializer_list<std::string_view> modules) {
  return {modules.begin(), modules.end()};
}

// kernel.mana and its neighbors judge the running kernel. The VM works without `optional`.
Finding kernels_with(const host::Facts& facts,
                     std::initializer_list<std::string_view> modules,
                     std::string_view optional,
                     std::string why) {
  const auto& kernels = move_of(facts).kernels;
  if (!kernels) return unknown(kernels.error().message);
  KernelLines lines(facts);
  for (const auto& kernel : *kernels) {
    // Without mana, the others do not matter.
    const bool needs_mana = std::ranges::find(modules, host::kManaDriver) != modules.end();
    if (kernel.running || (!needs_mana && !kernel.has(host::kManaDriver))) continue;
    const auto missing = lacking(kernel, modules);
    const auto commands = [&](std::string_view module) {
      return needs_mana ? std::vector<std::string>()
                        : install_module_commands(facts, kernel.release, module);
    };
    if (!missing.empty()) {
      lines.add_problem(kernel, "lacks " + join(missing, " and "), commands(missing.front()));
    } else if (!kernel.has(optional)) {
      lines.add_warning(kernel, fmt::format("lacks {}", optional), commands(optional));
    } else {
      lines.ok(kernel, fmt::format("has {}", join(names_of(modules), ", ")));
    }
  }
  return lines.build("only the running kernel is installed", std::move(why));
}

Finding kernels(const host::Facts& facts, const CheckOptions& /*options*/) {
  return kernels_with(
      facts,
      {"mana", "hv_netvsc"},
      "pci_hyperv",
      "remove these kernels, or make sure that the boot loader does not start them: on a host with "
      "MANA, the VM would have only the synthetic path");
}

Finding rdma_kernels(const host::Facts& facts, const CheckOptions& /*options*/) {
  return kernels_with(
      facts,
      {"mana_ib", "ib_uverbs"},
      "uio_hv_generic",
      "install the package with the other modules of these kernels, or remove them: "
      "DPDK needs the RDMA device of MANA");
}

// With the synthetic NIC, the network works without a VF. hv_netvsc and pci_hyperv may be in use
// already, but a VM without a synthetic driver in the initramfs depends on its Mellanox VF.
Finding initramfs(const host::Facts& facts, const CheckOptions& /*options*/) {
  const auto& move = move_of(facts);
  if (!move.kernels) return unknown(move.kernels.error().message);
  if (move.network_option.empty()) return skipped("the initramfs does not need the network");
  KernelLines lines(facts);
  std::set<std::string> missing_modules;
  std::vector<std::string> affected_releases;
  for (const auto& kernel : *move.kernels) {
    if (!kernel.initramfs_lacks) {
      lines.unknown(fmt::format("{}: {}", kernel.release, kernel.initramfs_lacks.error().message));
      continue;
    }
    const auto& lacks = *kernel.initramfs_lacks;
    const auto text = fmt::format("has an initramfs without {}", join(lacks, " and "));
    missing_modules.insert(lacks.begin(), lacks.end());
    if (!lacks.empty()) affected_releases.push_back(kernel.release);
    if (lacks.empty()) {
      lines.ok(kernel, "has an initramfs with the drivers that it needs");
    } else if (std::ranges::find(lacks, host::kSyntheticDriver) != lacks.end()) {
      lines.add_problem(kernel, text);
    } else {
      lines.add_warning(kernel, text);
    }
  }
  auto finding = lines.build(
      "no kernel is installed",
      "add these modules to the initramfs (/etc/initramfs-tools/modules, or add_drivers in "
      "/etc/dracut.conf.d) and regenerate it (update-initramfs or dracut): the kernel command "
      "line lets the initramfs configure the network; without hv_netvsc it would find no NIC, and "
      "without the others it would use the synthetic path");
  if (finding.remedy)
    finding.remedy->commands =
        add_to_initramfs_commands(family_of(facts), missing_modules, affected_releases);
  finding.evidence.push_back(
      fmt::format("the kernel command line has '{}'", printable(move.network_option)));
  return finding;
}

// The kernel rejects modules without a signature if Secure Boot is on (kernel_lockdown(7)).
Finding signatures(const host::Facts& facts, const CheckOptions& /*options*/) {
  const auto& move = move_of(facts);
  if (!move.secure_boot) return unknown(move.secure_boot.error().message);
  if (!*move.secure_boot) return skipped("Secure Boot is off");
  if (!move.kernels) return unknown(move.kernels.error().message);
  KernelLines lines(facts);
  for (const auto& kernel : *move.kernels) {
    const auto& names = kernel.without_signature;
    if (names.empty()) {
      lines.ok(kernel, "would load no unsigned MANA module");
      continue;
    }
    const auto text =
        fmt::format("would load the unsigned out-of-tree module {}", join(names, " and "));
    lines.add_problem(kernel, text);
  }
  return lines.build("no kernel is installed",
                     "remove these modules so that the kernel uses its own, or sign them with a "
                     "key that the firmware or shim trusts (mokutil --import): with Secure Boot, "
                     "the kernel rejects modules without a signature");
}

Finding managers(const host::Facts& facts, const CheckOptions& /*options*/) {
  const auto& management = move_of(facts).management;
  if (!management) return unknown(management.error().message);
  if (management->unmanaged && !management->races) return pass(management->evidence);
  Remedy remedy{
      "let the network manager ignore VFs by their drivers, because it would give them addresses; "
      "these commands cover MANA and Mellanox, in NetworkManager and systemd-networkd:",
      {network_manager_rule_command(), networkd_rule_command()}};
  if (management->races) return warn(management->evidence, std::move(remedy));
  return fail(management->evidence, std::move(remedy));
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

// "mlx5_core", "0101:00:02.0 of mlx5"; empty if the mention does not matter.
std::string hardware_of(const host::Mention& mention, const host::Facts& facts) {
  const auto address = PciAddress::parse(mention.word);
  if (!address) return printable(mention.word);
  const auto* function = function_at(facts, *address);
  if (function == nullptr || function->adapter != host::Adapter::mlx) return {};
  const auto driver = function->driver.substr(0, function->driver.find("_core"));
  return fmt::format("{} of {}", mention.word, driver.empty() ? "Mellanox" : printable(driver));
}

// "/etc/netplan/50-cloud-init.yaml:7"
std::string place_of(const host::Mention& mention) {
  return fmt::format("/{}:{}", printable(mention.path), mention.line);
}

Finding names(const host::Facts& facts, const CheckOptions& /*options*/) {
  const auto& network = move_of(facts).network;
  FindingBuilder findings;
  for (const auto& mention : network.mentions) {
    const auto hardware = hardware_of(mention, facts);
    if (!hardware.empty()) findings.warn(fmt::format("{} names {}", place_of(mention), hardware));
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
  std::string reason;
  for (const auto& mention : programs.mentions) {
    const auto hardware = hardware_of(mention, facts);
    if (hardware.empty()) continue;
    const auto text = fmt::format("{} selects {}", printable(mention.program), hardware);
    findings.fail(mention.line == 0 ? text : fmt::format("{} ({})", text, place_of(mention)));
    if (reason.empty()) reason = text;
  }
  auto finding = findings.build(
      "no running or configured DPDK program selects Mellanox hardware",
      "use the arguments that 'manactl args' prints after the move: a program that selects a PCI "
      "function of Mellanox, or uses fail-safe, loses its NIC on a host with MANA");
  if (finding.status == Status::skipped) finding.status = Status::pass;
  finding.reason = reason;
  return with_unread(std::move(finding), programs);
}

// "Standard_D4s_v5 (Dsv5) may move to MANA since 2026-05-26"
std::string eligibility_of(const std::string& size, const MovingSeries* series) {
  if (series != nullptr) {
    return fmt::format(
        "{} ({}) may move to MANA since {}", printable(size), series->name, series->since);
  }
  return fmt::format("{} is of no series that moves to MANA (as of {})",
                     printable(size),
                     release_table().platform_as_of);
}

std::string text_of(const host::ScheduledEvent& event) {
  return event.not_before.empty()
             ? fmt::format("{} has begun", printable(event.type))
             : fmt::format("{} not before {}", printable(event.type), printable(event.not_before));
}

std::string tag_text(bool is_set) {
  const auto& [set_before, honored_until] = release_table().legacy_tag;
  if (!is_set) return "the tag LegacyVMNVA is not set";
  return fmt::format(
      "the tag LegacyVMNVA is set: it postpones the move until {} if it was set before {} and "
      "enabled by the operation reapply",
      honored_until,
      set_before);
}

// Of all events, these end on another host, or may do so (Scheduled Events for Linux VMs).
bool may_move(const host::ScheduledEvent& event) {
  constexpr std::array<std::string_view, 3> kMoves = {"Freeze", "Reboot", "Redeploy"};
  return std::ranges::find(kMoves, event.type) != kMoves.end();
}

Finding platform(const host::Facts& facts, const CheckOptions& /*options*/) {
  const auto& metadata = *facts.metadata;
  if (!metadata) return unknown(metadata.error().message);
  const auto* series = find_moving_series(metadata->size);
  const auto size = eligibility_of(metadata->size, series);
  const std::vector<std::string> evidence = {tag_text(metadata->has_legacy_tag)};
  if (!metadata->events) {
    auto finding =
        unknown(fmt::format("{}; scheduled events: {}", size, metadata->events.error().message));
    finding.evidence = evidence;
    return finding;
  }
  std::vector<std::string> events;
  for (const auto& event : *metadata->events) events.push_back(text_of(event));
  const auto detail =
      fmt::format("{}; {}", size, events.empty() ? "no scheduled events" : brief(events, ", "));
  const bool matters = series != nullptr || facts.has_mana();
  if (!matters || std::ranges::none_of(*metadata->events, may_move)) return pass(detail, evidence);
  return warn(detail,
              {"run 'manactl check' without options and repair what fails before the event: after "
               "it, the VM may be on a host with another NIC",
               {}},
              evidence);
}

constexpr std::array<std::string_view, 1> kKernelCauses = {"move.kernels"};

constexpr std::array kMoveChecks = {
    Check{"move.kernels",
          "every installed kernel has MANA's drivers",
          "An installed kernel lacks a driver of MANA",
          Requirement::move,
          Use::both,
          kernels},
    Check{"move.rdma-kernels",
          "every installed kernel has MANA's RDMA drivers",
          "An installed kernel lacks a driver that DPDK needs",
          Requirement::move,
          Use::dpdk,
          rdma_kernels,
          kKernelCauses},
    Check{"move.initramfs",
          "an initramfs that needs the network has MANA's drivers",
          "An initramfs that needs the network lacks a driver",
          Requirement::move,
          Use::both,
          initramfs},
    Check{"move.signatures",
          "Secure Boot accepts MANA's modules",
          "Secure Boot will reject a module of MANA",
          Requirement::move,
          Use::both,
          signatures},
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
    Check{"move.platform",
          "no scheduled event may change the NIC of this VM",
          "A scheduled event may change the NIC of this VM",
          Requirement::metadata,
          Use::both,
          platform},
};

}  // namespace

std::span<const Check> move_checks() {
  return kMoveChecks;
}

}  // namespace manactl::diag
