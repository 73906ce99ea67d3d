// SPDX-License-Identifier: MIT

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "diag/check.h"
#include "diag/fact_lookups.h"
#include "diag/release_table.h"
#include "diag/remedies.h"

namespace manactl::diag {

namespace {

// ---- kernel version -----------------------------------------------------------------------------

Remedy newer_kernel(const host::Facts& facts) {
  auto advice = advice_on_old_release(facts);
  if (!advice.empty()) return {std::move(advice), {}};
  Remedy remedy{
      "install the distribution's newest kernel for Azure (active after a reboot), if another "
      "check of the kernel or of RDMA fails",
      newer_kernel_commands(facts)};
  if (!remedy.commands.empty()) remedy.why += ':';
  return remedy;
}

// True if the kernel is known to contain the module, whether it is loaded or not.
bool contains(const host::Facts& facts, std::string_view name) {
  const host::Module* module = module_named(facts, name);
  return module != nullptr && module->presence && *module->presence != Presence::missing;
}

// Distributions append their own version to the kernel's: "4.18.0-513.el8_9",
// "6.12.43+deb12-amd64".
bool is_of_distribution(std::string_view release) {
  return release.find_first_of("-+") != std::string_view::npos;
}

// Returns `brings` and, on ARM64, the size of the pages, on which MANA's support depends.
std::vector<std::string> version_evidence(const host::Kernel& kernel, std::string brings) {
  std::vector<std::string> lines{std::move(brings)};
  if (kernel.is_arm64() && kernel.page_bytes != 0) {
    lines.push_back(fmt::format("ARM64 with pages of {}", human_bytes(kernel.page_bytes)));
  }
  return lines;
}

// The modules decide for a kernel that the table of backports does not know: the version does not
// show what a distribution has added.
Finding version(const host::Facts& facts, const CheckOptions& /*options*/) {
  if (!facts.kernel) return unknown(facts.kernel.error().message);
  const host::Kernel& kernel = *facts.kernel;
  const auto release = Release::parse(kernel.release);
  if (!release) return unknown(release.error().message);
  const auto judge = [&](bool is_sufficient, std::string_view brings) {
    if (is_sufficient) {
      return pass(kernel.release, version_evidence(kernel, std::string(brings)));
    }
    return warn(fmt::format("{}: {}", kernel.release, brings), newer_kernel(facts));
  };
  const auto* backport = find_backport(kernel);
  if (backport != nullptr) return judge(backport->sufficient, backport->brings);
  const auto milestone = std::ranges::find_if(
      release_table().kernel_milestones,
      [&release](const KernelMilestone& row) { return *release >= row.release; });
  if (milestone->sufficient) return judge(true, milestone->brings);
  if (contains(facts, "mana") && contains(facts, "mana_ib")) {
    return pass(
        fmt::format("{} contains mana and mana_ib", kernel.release),
        version_evidence(kernel,
                         fmt::format("upstream kernels of this version: {}", milestone->brings)));
  }
  if (is_of_distribution(kernel.release)) {
    return unknown(fmt::format(
        "{}: the kernel of a distribution may contain backports that manactl does not know; "
        "kernel.mana and kernel.mana-ib show what it contains",
        kernel.release));
  }
  return judge(false, milestone->brings);
}

// ---- modules ------------------------------------------------------------------------------------

struct ModuleRule {
  std::string_view name;
  bool must_be_loaded;  // false: it is enough that the module can be loaded
  Status when_absent;   // if it is missing or blacklisted
  std::string_view why;
};

constexpr ModuleRule kMana = {
    "mana", true, Status::fail, "without it, packets take the synthetic path"};
constexpr ModuleRule kManaIb = {
    "mana_ib", true, Status::fail, "net_mana uses the RDMA device that mana_ib creates"};
constexpr ModuleRule kIbUverbs = {
    "ib_uverbs", true, Status::fail, "it creates /dev/infiniband/uverbsN, which DPDK opens"};
constexpr ModuleRule kHvNetvsc = {
    "hv_netvsc", true, Status::fail, "it provides the synthetic NIC and attaches the VF to it"};
constexpr ModuleRule kUio = {"uio_hv_generic",
                             false,
                             Status::warn,
                             "DPDK's netvsc driver accesses the synthetic NIC through it"};

Finding finding_of(Status status, std::string detail, Remedy remedy) {
  return status == Status::fail ? fail(std::move(detail), std::move(remedy))
                                : warn(std::move(detail), std::move(remedy));
}

Finding blacklisted(const ModuleRule& rule, const host::Module& module, std::string detail) {
  const std::string file = "/" + module.evidence;
  std::vector<std::string> commands;
  if (module.evidence.find("modprobe.d") != std::string::npos) {
    commands.push_back(fmt::format(
        "sed -i -E 's/^(blacklist|install) +{}( |$)/# &/' {}", rule.name, shell_word(file)));
  }
  commands.push_back(fmt::format("modprobe {}", rule.name));
  return finding_of(
      rule.when_absent,
      std::move(detail),
      {fmt::format("remove the line that blacklists {0}, and load {0}: {1}", rule.name, rule.why),
       std::move(commands)});
}

Finding judge_module(const ModuleRule& rule, const host::Module& module, const host::Facts& facts) {
  auto obstacle = host::module_obstacle(facts, rule.name);
  switch (*module.presence) {
    case Presence::loaded:
      return pass(fmt::format("{} is loaded", rule.name));
    case Presence::builtin:
      return pass(fmt::format("{} is built in", rule.name));
    case Presence::available:
      // Without MANA, the kernel loads these modules when it finds the hardware.
      if (!rule.must_be_loaded || !facts.has_mana()) {
        return pass(fmt::format("{} is available", rule.name));
      }
      // Without evidence, it is not certain that the kernel contains the module.
      return fail(module.evidence.empty()
                      ? fmt::format("{} is not loaded", rule.name)
                      : fmt::format("{} is available but not loaded", rule.name),
                  {fmt::format("load {}: {}", rule.name, rule.why),
                   {fmt::format("modprobe {}", rule.name)}});
    case Presence::blacklisted:
      return blacklisted(rule, module, std::move(obstacle));
    case Presence::missing:
      break;
  }
  ModuleSource source = source_of_module(facts, rule.name);
  const bool has_same_source = rule.name == kManaIb.name && is_missing(facts, kMana.name) &&
                               source.why == source_of_module(facts, kMana.name).why;
  if (has_same_source) source = {"follow the remedy of kernel.mana", {}};
  // An explanation without commands begins with the action.
  const auto action =
      source.commands.empty() ? source.why : fmt::format("install {}: {}", rule.name, source.why);
  return finding_of(rule.when_absent,
                    std::move(obstacle),
                    {fmt::format("{}; {}", action, rule.why), std::move(source.commands)});
}

bool only_direct(const host::Facts& facts) {
  return facts.nics && !facts.nics->empty() &&
         std::all_of(facts.nics->begin(), facts.nics->end(), [](const host::Nic& nic) {
           return nic.is_direct();
         });
}

bool only_prepared(const host::Facts& facts) {
  return facts.nics && !facts.nics->empty() &&
         std::all_of(facts.nics->begin(), facts.nics->end(), [](const host::Nic& nic) {
           return nic.is_prepared();
         });
}

// Azure moves a VM only when it starts. In a forecast, the running kernel matters if it will start
// again.
bool starts_another_kernel(const host::Facts& facts) {
  return facts.move && facts.move->next_kernel && facts.kernel &&
         facts.move->next_kernel->release != facts.kernel->release;
}

template <const ModuleRule& rule>
Finding module_check(const host::Facts& facts, const CheckOptions& /*options*/) {
  const host::Module* module = module_named(facts, rule.name);
  if (module == nullptr) return unknown(fmt::format("no information about module {}", rule.name));
  if (!module->presence) return unknown(module->presence.error().message);
  const bool synthetic = rule.name == kHvNetvsc.name || rule.name == kUio.name;
  if (synthetic && only_direct(facts)) return skipped("MANA direct: no synthetic NIC");
  if (rule.name == kHvNetvsc.name && *module->presence == Presence::available &&
      only_prepared(facts)) {
    return pass("hv_netvsc is available; every NIC is in user space");
  }
  if (!starts_another_kernel(facts) || *module->presence != Presence::missing) {
    return judge_module(rule, *module, facts);
  }
  ModuleRule of_other_kernel = rule;  // move.kernels judges the kernel of the next boot
  of_other_kernel.when_absent = Status::warn;
  return judge_module(of_other_kernel, *module, facts);
}

// ---- fixes --------------------------------------------------------------------------------------

std::string name_of(const KernelFix& fix) {
  if (fix.cve.empty()) return fmt::format("{}: {}", fix.driver, fix.change);
  return fmt::format("{}: {} ({})", fix.driver, fix.change, fix.cve);
}

// Returns why the fixes are unknown. Distributions add fixes to kernels whose version does not show
// them.
Finding without_upstream_release(const host::Kernel& kernel) {
  return skipped(fmt::format("{}: the version does not show which fixes the distribution has added",
                             kernel.release));
}

Finding kernel_fixes(const host::Facts& facts, const CheckOptions& /*options*/) {
  if (!facts.kernel) return unknown(facts.kernel.error().message);
  const auto upstream = upstream_release(*facts.kernel);
  if (!upstream) return without_upstream_release(*facts.kernel);
  const std::array<std::pair<KernelFix::Importance, std::string_view>, 3> labels = {{
      {KernelFix::Importance::recommended, "lacks a recommended fix"},
      {KernelFix::Importance::confidential, "lacks a fix for confidential VMs"},
      {KernelFix::Importance::other, "lacks a fix for a rare fault"},
  }};
  const auto missing = missing_kernel_fixes(*upstream);
  const auto name = "Linux " + upstream->str();
  std::vector<std::string> evidence{
      fmt::format("release table as of {}", release_table().kernel_as_of)};
  std::vector<std::string> recommended;
  for (const auto& [importance, label] : labels) {
    for (const auto* fix : missing) {
      if (fix->importance != importance) continue;
      evidence.push_back(fmt::format("{} {}: {}", name, label, name_of(*fix)));
      if (importance == KernelFix::Importance::recommended) recommended.push_back(name_of(*fix));
    }
  }
  if (!recommended.empty()) {
    return warn(fmt::format("{} lacks {}", name, brief(recommended)),
                {"install the distribution's newest kernel for Azure (active after a reboot)",
                 newer_kernel_commands(facts)},
                std::move(evidence));
  }
  if (missing.empty()) return pass(name + " has all known fixes", std::move(evidence));
  return pass(fmt::format("{} lacks none that usual operation needs", name), std::move(evidence));
}

constexpr std::array<std::string_view, 1> kManaIbCauses = {"kernel.mana"};

constexpr std::array kKernelChecks = {
    Check{"kernel.version",
          "the kernel supports DPDK on MANA",
          "The kernel is too old for DPDK on MANA",
          Requirement::azure,
          Use::dpdk,
          version},
    Check{"kernel.mana",
          "the mana driver is loaded",
          "The mana driver is not loaded",
          Requirement::azure,
          Use::both,
          module_check<kMana>},
    Check{"kernel.mana-ib",
          "the mana_ib RDMA driver is loaded",
          "The mana_ib RDMA driver is not loaded",
          Requirement::azure,
          Use::dpdk,
          module_check<kManaIb>,
          kManaIbCauses},
    Check{"kernel.ib-uverbs",
          "the ib_uverbs module is loaded",
          "The ib_uverbs module is not loaded",
          Requirement::azure,
          Use::dpdk,
          module_check<kIbUverbs>},
    Check{"kernel.hv-netvsc",
          "hv_netvsc is loaded, or every NIC is in user space",
          "The hv_netvsc driver is not loaded",
          Requirement::azure,
          Use::both,
          module_check<kHvNetvsc>},
    Check{"kernel.uio-hv-generic",
          "NICs can be bound to user space",
          "The uio_hv_generic driver is not available",
          Requirement::azure,
          Use::dpdk,
          module_check<kUio>},
    Check{"kernel.fixes",
          "the kernel has the fixes that its MANA drivers need",
          "The kernel lacks fixes of its MANA drivers",
          Requirement::mana,
          Use::both,
          kernel_fixes},
};

}  // namespace

std::span<const Check> kernel_checks() {
  return kKernelChecks;
}

}  // namespace manactl::diag
