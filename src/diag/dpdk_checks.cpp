// SPDX-License-Identifier: MIT

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "diag/advisor.h"
#include "diag/groups.h"
#include "diag/remedies.h"
#include "diag/tally.h"
#include "diag/view.h"

namespace manactl::diag {

namespace {

// Where a DPDK with net_mana comes from.
Remedy dpdk_with_mana(const host::Facts& facts) {
  Remedy remedy{
      "net_mana is built only where rdma-core's headers (44 or later) are installed; "
      "Debian 12 leaves it out on purpose",
      {}};
  switch (family_of(facts)) {
    case Family::ubuntu:
      remedy.why += "; Ubuntu has it as a package of its own:";
      remedy.commands = {"apt-cache search --names-only '^librte-net-mana'"};
      break;
    case Family::debian:
      remedy.why += ", Debian 13 has librte-net-mana25; else build DPDK 24.11 from source, with:";
      remedy.commands =
          install(Family::debian,
                  "libibverbs-dev build-essential meson ninja-build python3-pyelftools "
                  "pkg-config libnuma-dev");
      break;
    case Family::redhat:
    case Family::azurelinux:
      remedy.why += "; build DPDK 24.11 from source, with:";
      remedy.commands = install(family_of(facts),
                                "rdma-core-devel gcc meson ninja-build python3-pyelftools "
                                "numactl-devel");
      break;
    case Family::suse:
    case Family::other:
      remedy.why += "; build DPDK 24.11 from source";
      break;
  }
  return remedy;
}

bool embeds(const host::EmbeddedDpdk& dpdk, std::string_view driver) {
  return std::find(dpdk.drivers.begin(), dpdk.drivers.end(), driver) != dpdk.drivers.end();
}

Finding embedded(const host::Facts& facts, const Question& /*question*/) {
  const host::EmbeddedDpdk& dpdk = facts.embedded;
  if (dpdk.version.empty()) return skipped("this manactl is built without DPDK");
  std::vector<std::string> evidence{"drivers: " + join(dpdk.drivers, ", ")};
  std::vector<std::string> absent;
  for (const std::string_view driver : {"net_mana", "net_netvsc"}) {
    if (!embeds(dpdk, driver)) absent.emplace_back(driver);
  }
  const std::string name = fmt::format("DPDK {} ({})", dpdk.version, dpdk.linkage);
  if (absent.empty()) return pass(name, std::move(evidence));
  // Without MANA nobody misses them.
  if (!facts.has_mana()) {
    return skipped(fmt::format("no MANA function; {} has no {}", name, join(absent, " and no ")));
  }
  Remedy remedy = dpdk_with_mana(facts);
  remedy.why = "manactl has the drivers of the DPDK that it was built with; " + remedy.why;
  return warn(fmt::format("{} has no {}: bench takes direct verbs", name, join(absent, " and no ")),
              std::move(remedy),
              std::move(evidence));
}

std::string installed_text(const host::SystemDpdk& dpdk) {
  const std::string plugins =
      dpdk.plugin_directory.empty() ? "no plugin directory" : "plugins in " + dpdk.plugin_directory;
  const std::string drivers = fmt::format(
      "{}net_mana, {}net_netvsc", dpdk.net_mana ? "" : "no ", dpdk.net_netvsc ? "" : "no ");
  return fmt::format("DPDK {} ({}; {}; {})", dpdk.version, dpdk.library, plugins, drivers);
}

void installed_one(const host::SystemDpdk& dpdk, Tally& tally, bool another_has_it) {
  const std::string name = fmt::format("DPDK {}", dpdk.version);
  if (dpdk.net_mana && dpdk.net_netvsc) {
    tally.ok(name);
  } else if (dpdk.net_mana) {
    tally.warn(name + " with net_mana, without net_netvsc: no fallback while the VF is away");
  } else if (another_has_it || dpdk.plugin_directory.empty()) {
    tally.warn(fmt::format("{} without net_mana", name));
  } else {
    tally.fail(fmt::format("{} without net_mana: programs fall back to the synthetic path", name));
  }
}

Finding installed(const host::Facts& facts, const Question& /*question*/) {
  if (!facts.dpdk) return unknown(facts.dpdk.error().message);
  const auto& all = *facts.dpdk;
  const bool any = std::any_of(
      all.begin(), all.end(), [](const host::SystemDpdk& dpdk) { return dpdk.net_mana; });
  Tally tally;
  for (const host::SystemDpdk& dpdk : all) installed_one(dpdk, tally, any);
  Remedy remedy = dpdk_with_mana(facts);
  Finding finding = tally.finding("no shared DPDK is installed", remedy.why);
  if (finding.remedy) finding.remedy->commands = std::move(remedy.commands);
  finding.evidence.clear();
  for (const host::SystemDpdk& dpdk : all) finding.evidence.push_back(installed_text(dpdk));
  return finding;
}

// ---- advisor ------------------------------------------------------------------------------------

struct Subject {
  std::string name;     // "embedded DPDK"
  std::string version;  // "22.11.11", or "22.11 to 23.07" when only the ABI is known
  bool net_mana = false;
};

// Those that can drive MANA; all when none can, so that the way to go is named anyway.
std::vector<Subject> subjects(const host::Facts& facts) {
  std::vector<Subject> all;
  if (!facts.embedded.version.empty()) {
    all.push_back({"embedded DPDK", facts.embedded.version, embeds(facts.embedded, "net_mana")});
  }
  if (facts.dpdk) {
    for (const host::SystemDpdk& dpdk : *facts.dpdk) {
      all.push_back({"installed DPDK", dpdk.version, dpdk.net_mana});
    }
  }
  const auto able = [](const Subject& s) { return s.net_mana; };
  if (std::any_of(all.begin(), all.end(), able)) {
    std::erase_if(all, [&able](const Subject& s) { return !able(s); });
  }
  return all;
}

bool any_jumbo(const host::Facts& facts) {
  constexpr unsigned kUsualMtu = 1500;
  if (!facts.nics) return false;
  return std::any_of(facts.nics->begin(), facts.nics->end(), [](const host::Nic& nic) {
    return (nic.vf && nic.vf->mtu > kUsualMtu) || (nic.synthetic && nic.synthetic->mtu > kUsualMtu);
  });
}

AdvisorInput machine_of(const host::Facts& facts) {
  AdvisorInput input;
  input.arm64 = facts.kernel && facts.kernel->machine == "aarch64";
  for (const host::PciFunction* function : mana_functions(facts)) {
    const auto& devices = function->rdma_devices;
    const bool two = std::any_of(devices.begin(), devices.end(), [](const std::string& name) {
      return name.starts_with("manae_");
    });
    input.manae = input.manae || two;
    input.pf = input.pf || function->adapter == host::Adapter::mana_pf;
  }
  for (const host::RdmaDevice* device : mana_rdma_devices(facts)) {
    input.manae = input.manae || device->name.starts_with("manae_");
  }
  input.jumbo = any_jumbo(facts);
  return input;
}

std::vector<std::string> texts_of(const std::vector<const Fix*>& fixes) {
  std::vector<std::string> texts;
  texts.reserve(fixes.size());
  for (const Fix* fix : fixes) texts.push_back(fmt::format("{}: {}", fix->driver, fix->what));
  return texts;
}

void add_evidence(const Subject& subject,
                  const Advice& advice,
                  std::vector<std::string>& evidence) {
  const std::array lists = {std::pair{"lacks, needed", &advice.required},
                            std::pair{"lacks, advised", &advice.advised},
                            std::pair{"lacks, for servicing", &advice.servicing},
                            std::pair{"lacks, speed and comfort", &advice.other}};
  for (const auto& [label, fixes] : lists) {
    for (const std::string& text : texts_of(*fixes)) {
      evidence.push_back(fmt::format("{} {}: {}", subject.version, label, text));
    }
  }
  if (advice.survives_servicing) {
    evidence.push_back(fmt::format("{} does not survive host servicing; {} does",
                                   subject.version,
                                   dpdk_name(*advice.survives_servicing)));
  }
}

// "nearest with all of it: 23.11.7"
std::string way_out(const Advice& advice) {
  return advice.nearest ? fmt::format("nearest with all of it: {}", dpdk_name(*advice.nearest))
                        : std::string("no release has all of it");
}

void judge_release(const std::string& name, const Advice& advice, Tally& tally) {
  if (!advice.required.empty()) {
    tally.fail(fmt::format("{} lacks what this VM needs ({}); {}",
                           name,
                           brief(texts_of(advice.required)),
                           way_out(advice)));
  } else if (!advice.advised.empty()) {
    tally.warn(fmt::format("{} lacks {} against crashes and leaks; {}",
                           name,
                           advice.advised.size() == 1
                               ? std::string("a fix")
                               : fmt::format("{} fixes", advice.advised.size()),
                           way_out(advice)));
  } else {
    tally.ok(name + " has every fix that matters here", name);
  }
}

// "23.11 to 24.07": all that is known is the ABI. What neither the last point release of the oldest
// line nor the newest mainline release has, none of them has.
void judge_range(const std::string& name,
                 const Release& oldest,
                 const Release& newest,
                 const AdvisorInput& machine,
                 Tally& tally) {
  Release last_point = oldest;
  for (const Release& tip : release_table().tips) {
    if (tip.major == oldest.major && tip.minor == oldest.minor) last_point = tip;
  }
  Advice advice = advise(last_point, machine);
  std::erase_if(advice.required,
                [&newest](const Fix* fix) { return release_table().has(newest, *fix); });
  if (!advice.required.empty()) {
    judge_release(name, advice, tally);
  } else {
    tally.unknown(
        name +
        ": the ABI alone does not tell which fixes it has; the package manager knows the release");
  }
}

void judge_subject(const Subject& subject,
                   const AdvisorInput& machine,
                   Tally& tally,
                   std::vector<std::string>& evidence) {
  const std::string name = fmt::format("{} {}", subject.name, subject.version);
  constexpr std::string_view kTo = " to ";
  const auto to = subject.version.find(kTo);
  const auto release = Release::parse(subject.version);
  if (!release) {
    tally.unknown(name + ": not a release number");
  } else if (to != std::string::npos) {
    const auto newest = Release::parse(subject.version.substr(to + kTo.size()));
    judge_range(name, *release, newest ? *newest : *release, machine, tally);
  } else {
    const Advice advice = advise(*release, machine);
    judge_release(name, advice, tally);
    add_evidence(subject, advice, evidence);
  }
}

Finding fixes(const host::Facts& facts, const Question& /*question*/) {
  const AdvisorInput machine = machine_of(facts);
  Tally tally;
  std::vector<std::string> evidence{fmt::format("release table as of {}", release_table().as_of)};
  for (const Subject& subject : subjects(facts)) {
    judge_subject(subject, machine, tally, evidence);
  }
  Finding finding =
      tally.finding("no DPDK is installed or built in",
                    "the distribution's newer packages, or a build from source of the release that "
                    "is named (-v lists every fix)");
  if (finding.status == Status::skipped) return finding;
  finding.evidence.insert(finding.evidence.end(), evidence.begin(), evidence.end());
  return finding;
}

constexpr std::array kChecks = {
    Check{"dpdk.embedded",
          "this manactl can drive MANA",
          "This manactl cannot drive MANA",
          Needs::nothing,
          embedded},
    Check{"dpdk.installed",
          "the installed DPDK can drive MANA",
          "The installed DPDK cannot drive MANA",
          Needs::mana,
          installed},
    Check{"dpdk.fixes",
          "DPDK has the fixes that this VM needs",
          "DPDK lacks fixes that this VM needs",
          Needs::mana,
          fixes},
};

}  // namespace

std::span<const Check> dpdk_checks() {
  return kChecks;
}

}  // namespace manactl::diag
