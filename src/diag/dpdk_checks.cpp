// SPDX-License-Identifier: MIT

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "base/text.h"
#include "diag/check.h"
#include "diag/fact_lookups.h"
#include "diag/finding.h"
#include "diag/release_table.h"
#include "diag/remedies.h"

namespace manactl::diag {

namespace {

// Returns the commands that build the newest LTS release of the table: those of Microsoft's how-to
// "MANA and DPDK on Linux", with the headers of rdma-core, without which meson leaves net_mana out.
// If rdma-core is too old, the remedy of rdma.core builds it, and the distribution's headers would
// replace those of this build.
std::vector<std::string> build_dpdk(const host::Facts& facts) {
  const Family family = family_of(facts);
  const bool deb = family == Family::debian || family == Family::ubuntu;
  std::string packages = fmt::format(
      "git {} {}",
      compiler_packages(family),
      deb                      ? "meson ninja-build pkg-config python3-pyelftools libnuma-dev"
      : family == Family::suse ? "meson ninja pkg-config python3-pyelftools libnuma-devel"
                               : "meson ninja-build pkgconf python3-pyelftools numactl-devel");
  if (!is_rdma_core_too_old(facts)) packages += deb ? " libibverbs-dev" : " rdma-core-devel";
  auto commands = install(family, packages);
  commands.push_back(
      fmt::format("git clone --depth 1 -b v{} https://github.com/DPDK/dpdk-stable.git",
                  dpdk_name(release_table().newest.back())));
  commands.emplace_back("meson setup dpdk-stable/build dpdk-stable");
  commands.emplace_back("ninja -C dpdk-stable/build install");
  // Only Debian's dynamic linker searches meson's default libdir.
  if (!deb) {
    commands.push_back(write_file_command("/etc/ld.so.conf.d/dpdk.conf", {"/usr/local/lib64"}));
  }
  commands.emplace_back("ldconfig");
  return commands;
}

// Returns the remedy that builds DPDK; `why` begins its text.
Remedy build_dpdk_remedy(const host::Facts& facts, std::string_view why) {
  const auto* const repository =
      family_of(facts) == Family::redhat
          ? "; first enable the repository CodeReady Builder ('dnf repolist --all' prints its "
            "name), which provides meson and ninja-build"
          : "";
  return {fmt::format("{}{}{}; check that meson lists net/mana among the drivers:",
                      why,
                      repository,
                      is_rdma_core_too_old(facts) ? " (first correct rdma.core)" : ""),
          build_dpdk(facts)};
}

// Returns whether the installed DPDK, which is assumed to be Ubuntu's, predates net_mana.
bool is_ubuntu_dpdk_too_old(const std::vector<host::SystemDpdk>& installed) {
  static constexpr Release kFirstWithMana{22, 11, 0};
  return std::ranges::any_of(installed, [](const host::SystemDpdk& dpdk) {
    const auto release = Release::parse(dpdk.version);
    return release && *release < kFirstWithMana;
  });
}

// Returns instructions to get a DPDK that has net_mana, for a VM with another DPDK.
Remedy dpdk_with_mana(const host::Facts& facts) {
  const Family family = family_of(facts);
  const unsigned debian =
      family == Family::debian && facts.kernel ? debian_release(facts.kernel->release) : 0;
  if (debian == 13) {
    return {"install the drivers of Debian 13's DPDK (dpdk-testpmd is in dpdk-dev):",
            install(family, "librte-net-mana25 librte-net-netvsc25 dpdk-dev")};
  }
  if ((family == Family::ubuntu && !is_ubuntu_dpdk_too_old(*facts.dpdk)) || debian > 13) {
    return {
        "install the drivers of the distribution's DPDK (if it has none, build DPDK: see "
        "'manactl help dpdk.installed'):",
        {"apt-get update",
         "apt-get install -y '^librte-net-mana[0-9]*$' '^librte-net-netvsc[0-9]*$'"}};
  }
  return build_dpdk_remedy(facts,
                           debian == 12
                               ? "build DPDK, because the package of Debian 12 has no net_mana"
                               : "build DPDK with the headers of rdma-core 44 or later");
}

std::string installed_text(const host::SystemDpdk& dpdk) {
  const std::string plugins =
      dpdk.plugin_directory.empty() ? "no plugin directory" : "plugins in " + dpdk.plugin_directory;
  const std::string drivers = fmt::format(
      "{}net_mana, {}net_netvsc", dpdk.net_mana ? "" : "no ", dpdk.net_netvsc ? "" : "no ");
  return fmt::format("DPDK {} ({}; {}; {})", dpdk.version, dpdk.library, plugins, drivers);
}

// True if the DPDK of this release has net_mana, but not on ARM64.
bool lacks_mana_on_arm64(const host::Facts& facts, const host::SystemDpdk& dpdk) {
  constexpr Release kFirstOnArm64{24, 11, 0};
  const auto release = Release::parse(dpdk.version);
  return facts.kernel && facts.kernel->is_arm64() && release && *release < kFirstOnArm64;
}

void add_installed(const host::Facts& facts,
                   const host::SystemDpdk& dpdk,
                   FindingBuilder& findings,
                   bool another_has_it) {
  const std::string name = fmt::format("DPDK {}", dpdk.version);
  if (dpdk.net_mana && dpdk.net_netvsc) {
    findings.ok(name);
  } else if (dpdk.net_mana) {
    findings.warn(name + " has net_mana but not net_netvsc: no fallback while the VF is removed");
  } else if (another_has_it || dpdk.plugin_directory.empty()) {
    findings.warn(fmt::format("{} has no net_mana", name));
  } else {
    findings.fail(fmt::format(
        "{} has no net_mana{}: programs use the synthetic path",
        name,
        lacks_mana_on_arm64(facts, dpdk) ? ", which supports ARM64 since DPDK 24.11" : ""));
  }
}

Finding installed(const host::Facts& facts, const CheckOptions& /*options*/) {
  if (!facts.dpdk) return unknown(facts.dpdk.error().message);
  if (is_missing(facts, "mana_ib") && source_of_module(facts, "mana_ib").commands.empty()) {
    return skipped("net_mana needs mana_ib, which no kernel of this release has");
  }
  const auto& all = *facts.dpdk;
  const bool any = std::any_of(
      all.begin(), all.end(), [](const host::SystemDpdk& dpdk) { return dpdk.net_mana; });
  FindingBuilder findings;
  for (const host::SystemDpdk& dpdk : all) add_installed(facts, dpdk, findings, any);
  Remedy remedy = dpdk_with_mana(facts);
  Finding finding = findings.build("no shared DPDK is installed", remedy.why);
  if (finding.remedy) finding.remedy->commands = std::move(remedy.commands);
  finding.evidence.clear();
  for (const host::SystemDpdk& dpdk : all) finding.evidence.push_back(installed_text(dpdk));
  return finding;
}

// ---- fixes of a release -------------------------------------------------------------------------

bool any_jumbo(const host::Facts& facts) {
  constexpr unsigned kDefaultMtu = 1500;
  if (!facts.nics) return false;
  return std::any_of(facts.nics->begin(), facts.nics->end(), [](const host::Nic& nic) {
    return (nic.vf && nic.vf->mtu > kDefaultMtu) ||
           (nic.synthetic && nic.synthetic->mtu > kDefaultMtu);
  });
}

MachineTraits traits_of(const host::Facts& facts) {
  MachineTraits traits;
  traits.arm64 = facts.kernel && facts.kernel->is_arm64();
  traits.may_have_large_pages =
      traits.arm64 && facts.kernel->page_bytes != host::Kernel::kSmallPage;
  for (const host::PciFunction* function : mana_functions(facts)) {
    const auto& devices = function->rdma_devices;
    const bool two = std::any_of(devices.begin(), devices.end(), [](const std::string& name) {
      return name.starts_with("manae_");
    });
    traits.manae = traits.manae || two;
    traits.pf = traits.pf || function->adapter == host::Adapter::mana_pf;
  }
  for (const host::RdmaDevice* device : mana_rdma_devices(facts)) {
    traits.manae = traits.manae || device->name.starts_with("manae_");
  }
  traits.jumbo = any_jumbo(facts);
  return traits;
}

std::vector<std::string> texts_of(const std::vector<const Fix*>& fixes) {
  std::vector<std::string> texts;
  texts.reserve(fixes.size());
  for (const Fix* fix : fixes) texts.push_back(fmt::format("{}: {}", fix->driver, fix->change));
  return texts;
}

void add_evidence(const std::string& version,
                  const MissingFixes& missing,
                  std::vector<std::string>& evidence) {
  const std::array lists = {std::pair{"lacks a required fix", &missing.required},
                            std::pair{"lacks a recommended fix", &missing.recommended},
                            std::pair{"lacks a servicing fix", &missing.servicing},
                            std::pair{"lacks an optional fix", &missing.other}};
  for (const auto& [label, fixes] : lists) {
    for (const std::string& text : texts_of(*fixes)) {
      evidence.push_back(fmt::format("{} {}: {}", version, label, text));
    }
  }
  if (missing.survives_servicing) {
    evidence.push_back(fmt::format("{} does not survive host servicing; {} does",
                                   version,
                                   dpdk_name(*missing.survives_servicing)));
  }
}

// "nearest release with all fixes: 23.11.7"
std::string nearest_text(const MissingFixes& missing) {
  return missing.nearest
             ? fmt::format("nearest release with all fixes: {}", dpdk_name(*missing.nearest))
             : std::string("no release has all fixes");
}

// Returns the commands that upgrade the packages of the distribution's DPDK to a point release.
// --only-upgrade skips packages that are not installed.
std::vector<std::string> upgrade_commands(const host::Facts& facts,
                                          const host::SystemDpdk& dpdk,
                                          const Release& installed,
                                          const MissingFixes& missing) {
  const bool is_point_release = missing.nearest && missing.nearest->major == installed.major &&
                                missing.nearest->minor == installed.minor;
  if (!is_point_release || !dpdk.library.starts_with("usr/lib")) return {};
  switch (family_of(facts)) {
    case Family::debian:
    case Family::ubuntu:
      return {"apt-get update", "apt-get install -y --only-upgrade '^librte-.*'"};
    case Family::redhat:
      return {"dnf upgrade -y 'dpdk*'"};
    case Family::azurelinux:
      return {"tdnf update -y dpdk"};
    case Family::suse:
    case Family::other:
      break;
  }
  return {};
}

void judge_release(const std::string& name,
                   const MissingFixes& missing,
                   FindingBuilder& findings,
                   const std::vector<std::string>& upgrade = {}) {
  if (!missing.required.empty()) {
    findings.fail(fmt::format("{} lacks fixes that this VM needs ({}); {}",
                              name,
                              brief(texts_of(missing.required)),
                              nearest_text(missing)),
                  upgrade);
  } else if (!missing.recommended.empty()) {
    findings.warn(fmt::format("{} lacks {}; {}",
                              name,
                              missing.recommended.size() == 1
                                  ? std::string("a recommended fix")
                                  : fmt::format("{} recommended fixes", missing.recommended.size()),
                              nearest_text(missing)),
                  upgrade);
  } else {
    findings.ok(name + " has all required and recommended fixes", name);
  }
}

// Judges a DPDK of which only the ABI is known, such as "23.11 to 24.07". If both the last point
// release of the oldest line and the newest release lack a fix, no release of the range has it.
void judge_range(const std::string& name,
                 const Release& oldest,
                 const Release& newest,
                 const MachineTraits& machine,
                 FindingBuilder& findings) {
  Release last_point = oldest;
  for (const Release& newest_point : release_table().newest) {
    const bool is_same_line =
        newest_point.major == oldest.major && newest_point.minor == oldest.minor;
    if (is_same_line) last_point = newest_point;
  }
  MissingFixes missing = find_missing_fixes(last_point, machine);
  std::erase_if(missing.required,
                [&newest](const Fix* fix) { return release_table().has(newest, *fix); });
  if (!missing.required.empty()) {
    judge_release(name, missing, findings);
  } else {
    findings.unknown(
        name + ": cannot determine the fixes from the ABI; the package manager shows the release");
  }
}

void judge_dpdk(const host::Facts& facts,
                const host::SystemDpdk& dpdk,
                const MachineTraits& machine,
                FindingBuilder& findings,
                std::vector<std::string>& evidence) {
  const std::string name = fmt::format("installed DPDK {}", dpdk.version);
  constexpr std::string_view kTo = " to ";
  const auto to = dpdk.version.find(kTo);
  const auto release = Release::parse(dpdk.version);
  if (!release) {
    findings.unknown(name + ": not a release number");
  } else if (to != std::string::npos) {
    const auto newest = Release::parse(dpdk.version.substr(to + kTo.size()));
    judge_range(name, *release, newest ? *newest : *release, machine, findings);
  } else {
    const MissingFixes missing = find_missing_fixes(*release, machine);
    judge_release(name, missing, findings, upgrade_commands(facts, dpdk, *release, missing));
    add_evidence(dpdk.version, missing, evidence);
  }
}

Finding fixes(const host::Facts& facts, const CheckOptions& /*options*/) {
  const MachineTraits machine = traits_of(facts);
  FindingBuilder findings;
  std::vector<std::string> evidence{fmt::format("release table as of {}", release_table().as_of)};
  for (const host::SystemDpdk& dpdk : facts.dpdk.value_or(std::vector<host::SystemDpdk>{})) {
    if (dpdk.net_mana) judge_dpdk(facts, dpdk, machine, findings, evidence);
  }
  Finding finding = findings.build("no installed DPDK has net_mana",
                                   "install a newer package of the distribution's DPDK:");
  if (finding.status == Status::skipped) return finding;
  if (finding.remedy) {
    auto built = build_dpdk_remedy(facts,
                                   fmt::format("build DPDK {}, which has all fixes",
                                               dpdk_name(release_table().newest.back())));
    if (finding.remedy->commands.empty()) {
      finding.remedy = std::move(built);
    } else {
      add_other_remedy(finding, std::move(built));
    }
  }
  finding.evidence.insert(finding.evidence.end(), evidence.begin(), evidence.end());
  return finding;
}

// net_tap names its interfaces dtap0, dtap1 and so on, unless its argument `iface` names them.
bool is_tap_of_dpdk(std::string_view interface) {
  constexpr std::string_view kPrefix = "dtap";
  return interface.starts_with(kPrefix) && parse_unsigned(interface.substr(kPrefix.size()));
}

Finding fail_safe(const host::Facts& facts, const CheckOptions& /*options*/) {
  std::vector<std::string> taps;
  std::copy_if(
      facts.interfaces.begin(), facts.interfaces.end(), std::back_inserter(taps), is_tap_of_dpdk);
  if (taps.empty()) return pass("there is no interface of net_tap");
  return fail(
      fmt::format("{}: created by net_tap, a slow path through the kernel", join(taps, ", ")),
      {"end the program, bind the NIC to uio_hv_generic with 'manactl prepare', and start the "
       "program with the arguments that 'manactl args' prints",
       {}},
      {"net_vdev_netvsc and fail-safe were made for Mellanox VFs, whose interfaces stay up"});
}

constexpr std::array kDpdkChecks = {
    Check{"dpdk.installed",
          "the installed DPDK has the MANA driver",
          "The installed DPDK lacks the MANA driver",
          Requirement::azure,
          Use::dpdk,
          installed},
    Check{"dpdk.fixes",
          "DPDK has the fixes that this VM needs",
          "DPDK lacks fixes that this VM needs",
          Requirement::azure,
          Use::dpdk,
          fixes},
    Check{"dpdk.fail-safe",
          "no DPDK program uses net_tap",
          "A DPDK program uses net_tap, probably through net_vdev_netvsc",
          Requirement::azure,
          Use::dpdk,
          fail_safe},
};

}  // namespace

std::span<const Check> dpdk_checks() {
  return kDpdkChecks;
}

}  // namespace manactl::diag
