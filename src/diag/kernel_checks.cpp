// SPDX-License-Identifier: MIT

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "diag/groups.h"
#include "diag/remedies.h"
#include "diag/view.h"

namespace manactl::diag {

namespace {

// ---- version ladder -----------------------------------------------------------------------------

// What a kernel of this version has by itself, or as a distribution's backport.
struct Rung {
  unsigned major, minor;
  bool enough;  // as much as Microsoft asks for DPDK on MANA: 6.14, or its drivers backported
  std::string_view says;
};

// Highest first.
constexpr std::array kLadder = {
    Rung{6, 16, true, "two RDMA devices per function, mana_N and manae_N"},
    Rung{6, 14, true, "what Microsoft asks for DPDK on MANA"},
    Rung{6, 2, false, "mana_ib is there since 6.2, but Microsoft asks for 6.14 or its backport"},
    Rung{5, 15, false, "MANA as network card only: mana_ib came with 6.2"},
    Rung{0, 0, false, "older than 5.15, the first kernel with a usable mana driver"},
};

struct Backport {
  std::string_view distribution;  // ID of os-release
  std::string_view suffix;        // how the release ends: "-azure"
  unsigned major, minor, patch;
  unsigned first_build;  // the number behind '-', from which on it holds
  bool enough;
  std::string_view says;
};

// Newest first: the first row that fits is taken.
constexpr std::array kBackports = {
    Backport{"ubuntu",
             "-azure",
             6,
             8,
             0,
             1046,
             true,
             "Ubuntu's backport of the 6.16 driver: mana_N and manae_N"},
    Backport{"ubuntu",
             "-azure",
             5,
             15,
             0,
             1045,
             false,
             "Ubuntu's 5.15 backport has mana_ib, but calls MANA's driver id 19 (see "
             "rdma.driver-id)"},
    Backport{"", "", 5, 14, 0, 362, true, "RHEL's backport: mana_ib since 9.3"},
};

// 1046 of "6.8.0-1046-azure", 362 of "5.14.0-362.8.1.el9_3.x86_64".
unsigned build_of(std::string_view release) {
  const auto dash = release.find('-');
  if (dash == std::string_view::npos) return 0;
  const auto build = Release::parse(release.substr(dash + 1));
  return build ? build->major : 0;
}

bool fits(const Backport& row, const host::Kernel& kernel, const Release& release) {
  if (release.major != row.major || release.minor != row.minor || release.patch != row.patch) {
    return false;
  }
  const bool redhat = row.distribution.empty() && kernel.release.find(".el9") != std::string::npos;
  const bool named = !row.distribution.empty() && kernel.distribution == row.distribution &&
                     kernel.release.ends_with(row.suffix);
  return (redhat || named) && build_of(kernel.release) >= row.first_build;
}

Remedy newer_kernel(const host::Facts& facts) {
  Remedy remedy{
      "this is advice, not proof: what the kernel can do is judged by the other checks; "
      "the distribution's newest kernel for Azure (it runs after a reboot)",
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

Finding version(const host::Facts& facts, const Question& /*question*/) {
  if (!facts.kernel) return unknown(facts.kernel.error().message);
  const host::Kernel& kernel = *facts.kernel;
  const auto release = Release::parse(kernel.release);
  if (!release) return unknown(release.error().message);

  const auto backport =
      std::find_if(kBackports.begin(), kBackports.end(), [&](const Backport& row) {
        return fits(row, kernel, *release);
      });
  const auto rung = std::find_if(kLadder.begin(), kLadder.end(), [&release](const Rung& row) {
    return *release >= Release{row.major, row.minor, 0};
  });
  const bool is_backport = backport != kBackports.end();
  const bool enough = is_backport ? backport->enough : rung->enough;
  const std::string_view says = is_backport ? backport->says : rung->says;
  if (enough) return pass(kernel.release, {std::string(says)});
  return warn(fmt::format("{}: {}", kernel.release, says), newer_kernel(facts));
}

// ---- modules ------------------------------------------------------------------------------------

struct ModuleRule {
  std::string_view name;
  bool must_be_loaded;  // else it is enough that it can be loaded
  Status when_absent;   // missing, or blacklisted
  std::string_view why;
};

constexpr ModuleRule kMana = {
    "mana", true, Status::fail, "without it the VF has no interface and packets are synthetic"};
constexpr ModuleRule kManaIb = {
    "mana_ib", true, Status::fail, "net_mana works through the RDMA device that mana_ib makes"};
constexpr ModuleRule kIbUverbs = {
    "ib_uverbs", true, Status::fail, "without it there is no /dev/infiniband/uverbsN to open"};
constexpr ModuleRule kHvNetvsc = {
    "hv_netvsc", true, Status::fail, "it is the synthetic NIC, and puts the VF below it"};
constexpr ModuleRule kUio = {"uio_hv_generic",
                             false,
                             Status::warn,
                             "DPDK's netvsc driver takes the synthetic NIC through it"};

Finding of_status(Status status, std::string detail, Remedy remedy) {
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
  return of_status(rule.when_absent,
                   fmt::format("{} is blacklisted ({})", rule.name, module.evidence),
                   {std::string(rule.why), std::move(commands)});
}

Finding judge(const ModuleRule& rule, const host::Module& module, const host::Facts& facts) {
  switch (*module.presence) {
    case Presence::loaded:
      return pass(fmt::format("{} is loaded", rule.name));
    case Presence::builtin:
      return pass(fmt::format("{} is built in", rule.name));
    case Presence::available:
      if (!rule.must_be_loaded) {
        return pass(fmt::format("{} is available", rule.name));
      }
      return fail(fmt::format("{} is available, but not loaded", rule.name),
                  {std::string(rule.why), {fmt::format("modprobe {}", rule.name)}});
    case Presence::blacklisted:
      return blacklisted(rule, module);
    case Presence::missing:
      break;
  }
  ModuleSource source = source_of_module(facts, rule.name);
  return of_status(rule.when_absent,
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
Finding module_check(const host::Facts& facts, const Question& /*question*/) {
  const host::Module* module = module_named(facts, rule.name);
  if (module == nullptr) return unknown(fmt::format("nothing was gathered about {}", rule.name));
  if (!module->presence) return unknown(module->presence.error().message);
  const bool synthetic = rule.name == kHvNetvsc.name || rule.name == kUio.name;
  if (synthetic && only_direct(facts)) return skipped("MANA direct: there is no synthetic NIC");
  if (rule.name == kHvNetvsc.name && *module->presence == Presence::available &&
      only_prepared(facts)) {
    return pass("hv_netvsc is available; every NIC is in user space");
  }
  return judge(rule, *module, facts);
}

constexpr std::array<std::string_view, 1> kManaIbCauses = {"kernel.mana"};

constexpr std::array kChecks = {
    Check{"kernel.version",
          "the kernel is new enough for DPDK on MANA",
          "The kernel is old for DPDK on MANA",
          Needs::mana,
          version},
    Check{"kernel.mana",
          "MANA's driver is there",
          "The mana driver is not loaded",
          Needs::mana,
          module_check<kMana>},
    Check{"kernel.mana-ib",
          "MANA's RDMA driver is there",
          "The RDMA driver of MANA is not loaded",
          Needs::mana,
          module_check<kManaIb>,
          kManaIbCauses},
    Check{"kernel.ib-uverbs",
          "user space can reach RDMA devices",
          "User space cannot reach RDMA devices",
          Needs::mana,
          module_check<kIbUverbs>},
    Check{"kernel.hv-netvsc",
          "the synthetic NIC's driver is there",
          "The synthetic NIC's driver is not loaded",
          Needs::mana,
          module_check<kHvNetvsc>},
    Check{"kernel.uio-hv-generic",
          "NICs can be given to user space",
          "NICs cannot be given to user space",
          Needs::mana,
          module_check<kUio>},
};

}  // namespace

std::span<const Check> kernel_checks() {
  return kChecks;
}

}  // namespace manactl::diag
