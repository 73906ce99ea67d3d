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

// Returns 1046 for "6.8.0-1046-azure", 362 for "5.14.0-362.8.1.el9_3.x86_64".
unsigned build_of(std::string_view release) {
  const auto dash = release.find('-');
  if (dash == std::string_view::npos) return 0;
  const auto build = Release::parse(release.substr(dash + 1));
  return build ? build->major : 0;
}

bool matches(const KernelBackport& row, const host::Kernel& kernel, const Release& release) {
  return release == row.release &&
         (row.distribution.empty() || row.distribution == kernel.distribution) &&
         kernel.release.ends_with(row.suffix) &&
         kernel.release.find(row.contains) != std::string::npos &&
         build_of(kernel.release) >= row.first_build;
}

Remedy newer_kernel(const host::Facts& facts) {
  Remedy remedy{
      "only the other checks show what this kernel supports; if one of them fails, install the "
      "distribution's newest kernel for Azure (active after a reboot)",
      {}};
  switch (family_of(facts)) {
    case Family::ubuntu:
      remedy.commands = {"apt-get update", "apt-get install -y linux-azure"};
      break;
    case Family::redhat:
      remedy.commands = {"dnf upgrade -y kernel"};
      break;
    case Family::debian:
      remedy.commands = source_of_module(facts, "mana_ib").commands;
      break;
    case Family::azurelinux:
      remedy.commands = {"tdnf update -y"};
      break;
    case Family::suse:
    case Family::other:
      break;
  }
  if (!remedy.commands.empty()) remedy.why += ':';
  return remedy;
}

Finding version(const host::Facts& facts, const CheckOptions& /*options*/) {
  if (!facts.kernel) return unknown(facts.kernel.error().message);
  const host::Kernel& kernel = *facts.kernel;
  const auto release = Release::parse(kernel.release);
  if (!release) return unknown(release.error().message);

  const auto& table = release_table();
  const auto backport = std::ranges::find_if(
      table.kernel_backports,
      [&](const KernelBackport& row) { return matches(row, kernel, *release); });
  const auto milestone = std::ranges::find_if(
      table.kernel_milestones,
      [&release](const KernelMilestone& row) { return *release >= row.release; });
  const bool is_backport = backport != table.kernel_backports.end();
  const bool is_sufficient = is_backport ? backport->sufficient : milestone->sufficient;
  const std::string_view brings = is_backport ? backport->brings : milestone->brings;
  if (is_sufficient) return pass(kernel.release, {std::string(brings)});
  return warn(fmt::format("{}: {}", kernel.release, brings), newer_kernel(facts));
}

// ---- modules ------------------------------------------------------------------------------------

struct ModuleRule {
  std::string_view name;
  bool must_be_loaded;  // false: it is enough that the module can be loaded
  Status when_absent;   // if it is missing or blacklisted
  std::string_view why;
};

constexpr ModuleRule kMana = {
    "mana",
    true,
    Status::fail,
    "without it the VF has no interface, and packets take the synthetic path"};
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

Finding blacklisted(const ModuleRule& rule, const host::Module& module) {
  const std::string file = "/" + module.evidence;
  std::vector<std::string> commands;
  if (module.evidence.find("modprobe.d") != std::string::npos) {
    commands.push_back(fmt::format(
        "sed -i -E 's/^(blacklist|install) +{}( |$)/# &/' {}", rule.name, shell_word(file)));
  }
  commands.push_back(fmt::format("modprobe {}", rule.name));
  return finding_of(rule.when_absent,
                    fmt::format("{} is blacklisted ({})", rule.name, module.evidence),
                    {std::string(rule.why), std::move(commands)});
}

Finding judge_module(const ModuleRule& rule, const host::Module& module, const host::Facts& facts) {
  switch (*module.presence) {
    case Presence::loaded:
      return pass(fmt::format("{} is loaded", rule.name));
    case Presence::builtin:
      return pass(fmt::format("{} is built in", rule.name));
    case Presence::available:
      if (!rule.must_be_loaded) {
        return pass(fmt::format("{} is available", rule.name));
      }
      return fail(fmt::format("{} is available but not loaded", rule.name),
                  {std::string(rule.why), {fmt::format("modprobe {}", rule.name)}});
    case Presence::blacklisted:
      return blacklisted(rule, module);
    case Presence::missing:
      break;
  }
  ModuleSource source = source_of_module(facts, rule.name);
  return finding_of(rule.when_absent,
                    fmt::format("{} is missing from kernel {}",
                                rule.name,
                                facts.kernel ? facts.kernel->release : "of unknown release"),
                    {fmt::format("{}; {}", rule.why, source.why), std::move(source.commands)});
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
  return judge_module(rule, *module, facts);
}

constexpr std::array<std::string_view, 1> kManaIbCauses = {"kernel.mana"};

constexpr std::array kChecks = {
    Check{"kernel.version",
          "the kernel is new enough for DPDK on MANA",
          "The kernel is too old for DPDK on MANA",
          Requirement::mana,
          version},
    Check{"kernel.mana",
          "the mana driver is loaded",
          "The mana driver is not loaded",
          Requirement::mana,
          module_check<kMana>},
    Check{"kernel.mana-ib",
          "the mana_ib RDMA driver is loaded",
          "The mana_ib RDMA driver is not loaded",
          Requirement::mana,
          module_check<kManaIb>,
          kManaIbCauses},
    Check{"kernel.ib-uverbs",
          "the ib_uverbs module is loaded",
          "The ib_uverbs module is not loaded",
          Requirement::mana,
          module_check<kIbUverbs>},
    Check{"kernel.hv-netvsc",
          "hv_netvsc is loaded, or every NIC is in user space",
          "The hv_netvsc driver is not loaded",
          Requirement::mana,
          module_check<kHvNetvsc>},
    Check{"kernel.uio-hv-generic",
          "NICs can be bound to user space",
          "The uio_hv_generic driver is not available",
          Requirement::mana,
          module_check<kUio>},
};

}  // namespace

std::span<const Check> kernel_checks() {
  return kChecks;
}

}  // namespace manactl::diag
