// SPDX-License-Identifier: MIT
//
// The checks of speed that judge settings of NICs. A setting that the driver does not support is
// not judged. The values that drivers set by themselves pass.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "base/text.h"
#include "diag/check.h"
#include "diag/fact_lookups.h"
#include "host/nic_state.h"
#include "host/tuning.h"

namespace manactl::diag {
namespace {

using host::Netdev;
using host::Nic;
using host::Tunable;

constexpr std::string_view kUnsupported = "not supported by this kernel";

std::vector<const Nic*> nics_of_kernel(const host::Facts& facts, const CheckOptions& options) {
  auto nics = selected_nics(facts, options);
  std::erase_if(nics, [](const Nic* nic) { return host::owner_of(*nic) != host::Owner::kernel; });
  return nics;
}

std::string tune_command(const Nic& nic, std::string_view options = {}) {
  return fmt::format("manactl tune {}{}", shell_word(nic.name()), options);
}

struct JudgedSetting {
  const Tunable& tunable;
  const Netdev& netdev;
  const Nic& nic;
  std::string now;
};

// Calls judge() for each selected row that the drivers of the NICs support. Returns a finding if
// the settings were not read.
std::optional<Finding> judge_settings(const host::Facts& facts,
                                      const CheckOptions& options,
                                      const std::function<bool(const Tunable&)>& is_selected,
                                      const std::function<void(const JudgedSetting&)>& judge) {
  for (const Nic* nic : nics_of_kernel(facts, options)) {
    for (const auto& tunable : host::tunables()) {
      const auto* netdev = is_selected(tunable) ? host::interface_for(tunable, *nic) : nullptr;
      if (netdev == nullptr) continue;
      if (!netdev->settings) {
        const auto& error = netdev->settings.error();
        // Of a VM that an earlier version captured, they are not known.
        const bool was_read = error.code != Errc::invalid && error.code != Errc::unsupported;
        return was_read ? unknown(error.message) : skipped(error.message);
      }
      if (const auto now = host::present_value(tunable, *netdev)) {
        judge({tunable, *netdev, *nic, *now});
      }
    }
  }
  return std::nullopt;
}

// ---- rings --------------------------------------------------------------------------------------

Finding rings(const host::Facts& facts, const CheckOptions& options) {
  FindingBuilder findings;
  const auto judge = [&](const JudgedSetting& it) {
    const auto wanted = host::wanted_value(it.tunable, host::Profile::standard, it.netdev, facts);
    const auto usual = parse_unsigned(it.tunable.usual).value_or(0);
    const auto text = fmt::format("{} of {} is {}", it.tunable.name, it.netdev.name, it.now);
    if (parse_unsigned(it.now).value_or(usual) < usual) {
      findings.warn(fmt::format("{}, and the driver's default is at least {}", text, usual),
                    {tune_command(it.nic)});
    } else if (!host::is_satisfied(it.tunable, host::Profile::standard, it.now, wanted)) {
      findings.ok(
          fmt::format("{}; Microsoft recommends {}: '{}'", text, wanted, tune_command(it.nic)),
          fmt::format("{} {}", it.tunable.name, it.now));
    } else {
      findings.ok(text, fmt::format("{} {}", it.tunable.name, it.now));
    }
  };
  const auto is_ring = [](const Tunable& tunable) { return tunable.key == "ethtool/rings"; };
  const auto unread = judge_settings(facts, options, is_ring, judge);
  if (unread) return *unread;
  return findings.build(kUnsupported,
                        "set the rings to Microsoft's figures: a burst that is longer than the "
                        "ring overflows it, and "
                        "the device discards packets without a buffer");
}

// ---- channels -----------------------------------------------------------------------------------

Finding channels(const host::Facts& facts, const CheckOptions& options) {
  FindingBuilder findings;
  const auto judge = [&](const JudgedSetting& it) {
    const auto wanted = host::wanted_value(it.tunable, host::Profile::standard, it.netdev, facts);
    const auto text = fmt::format(
        "{} has {}", it.netdev.name, counted(parse_unsigned(it.now).value_or(0), "channel"));
    if (wanted.empty() || host::is_satisfied(it.tunable, host::Profile::standard, it.now, wanted)) {
      findings.ok(text);
    } else {
      findings.warn(fmt::format("{}, and could have {}", text, wanted), {tune_command(it.nic)});
    }
  };
  const auto is_selected = [](const Tunable& tunable) {
    return tunable.key == "ethtool/channels" && tunable.is_of_vf();
  };
  const auto unread = judge_settings(facts, options, is_selected, judge);
  if (unread) return *unread;
  return findings.build(kUnsupported,
                        "give the VF a channel for each CPU, at most 16: each channel has one "
                        "receive queue, which one CPU serves");
}

// ---- MTU ----------------------------------------------------------------------------------------

void judge_mtu(const Nic& nic, FindingBuilder& findings) {
  constexpr unsigned kUsual = 1500;
  const auto& netdev = nic.synthetic ? *nic.synthetic : *nic.vf;
  // The limits of "Configure maximum transmission unit" of Microsoft Learn.
  const unsigned limit = nic.has_mana_vf() ? 9000 : 3900;
  const auto text = fmt::format("{} has MTU {}", netdev.name, netdev.mtu);
  const auto name = shell_word(netdev.name);
  if (nic.vf && netdev.mtu > limit) {
    findings.warn(fmt::format("{}, and the path with {} ends at {}", text, nic.vf->driver, limit),
                  {fmt::format("ip link set dev {} mtu {}", name, limit)});
  } else if (netdev.mtu != 0 && netdev.mtu < kUsual) {
    findings.warn(fmt::format("{}, and Azure's path takes {}", text, kUsual),
                  {fmt::format("ip link set dev {} mtu {}", name, kUsual)});
  } else {
    findings.ok(text);
  }
}

Finding mtu(const host::Facts& facts, const CheckOptions& options) {
  FindingBuilder findings;
  for (const Nic* nic : nics_of_kernel(facts, options)) {
    if (nic->synthetic || nic->vf) judge_mtu(*nic, findings);
  }
  return findings.build("every NIC is in user space",
                        "set an MTU that fits the path: longer packets are lost, and shorter ones "
                        "need more headers and interrupts");
}

// ---- offloads -----------------------------------------------------------------------------------

Finding offloads(const host::Facts& facts, const CheckOptions& options) {
  FindingBuilder findings;
  const auto judge = [&](const JudgedSetting& it) {
    const auto text = fmt::format("{} of {} is {}", it.tunable.name, it.netdev.name, it.now);
    if (it.now == "on") {
      findings.ok(text, it.netdev.name + ' ' + std::string(it.tunable.name));
    } else {
      findings.warn(text, {tune_command(it.nic)});
    }
  };
  const auto is_feature = [](const Tunable& tunable) {
    return tunable.form == host::ValueForm::feature;
  };
  const auto unread = judge_settings(facts, options, is_feature, judge);
  if (unread) return *unread;
  return findings.build(kUnsupported,
                        "turn the offloads on: without them, the CPUs cut large sends, merge "
                        "packets and compute checksums");
}

// ---- coalescing ---------------------------------------------------------------------------------

Finding coalescing(const host::Facts& facts, const CheckOptions& options) {
  // The longest time of the profiles in lib/dim/net_dim.c of Linux.
  constexpr std::uint64_t kLongest = 256;
  FindingBuilder findings;
  const auto judge = [&](const JudgedSetting& it) {
    const auto text = fmt::format("{} of {} is {}", it.tunable.name, it.netdev.name, it.now);
    if (parse_unsigned(it.now).value_or(0) > kLongest) {
      findings.warn(text, {tune_command(it.nic, fmt::format(" --set {}=0", it.tunable.name))});
    } else {
      findings.ok(text);
    }
  };
  const auto is_time = [](const Tunable& tunable) { return tunable.name.ends_with("-usecs"); };
  const auto unread = judge_settings(facts, options, is_time, judge);
  if (unread) return *unread;
  return findings.build(kUnsupported,
                        "let interrupts follow after at most 256 us: packets wait for them");
}

// ---- queueing discipline ------------------------------------------------------------------------

Finding qdisc(const host::Facts& facts, const CheckOptions& options) {
  FindingBuilder findings;
  const auto judge = [&](const JudgedSetting& it) {
    if (!it.nic.vf || !it.nic.vf->settings) return;
    const auto& vf = *it.nic.vf;
    const auto kind = host::present_value(it.tunable, vf).value_or("default");
    if (kind != "default" && kind != "noqueue") {
      findings.warn(
          fmt::format("{} has {}, although {} has a queue", vf.name, kind, it.netdev.name),
          {fmt::format("tc qdisc del dev {} root", shell_word(vf.name))});
    } else {
      findings.ok(fmt::format("{} has {}, its VF {}", it.netdev.name, it.now, kind));
    }
  };
  const auto is_kind = [](const Tunable& tunable) { return tunable.form == host::ValueForm::kind; };
  const auto unread = judge_settings(facts, options, is_kind, judge);
  if (unread) return *unread;
  return findings.build("no synthetic NIC of the kernel has a VF",
                        "remove the discipline of the VF: packets have passed that of the "
                        "synthetic interface before");
}

constexpr std::array kSpeedChecks = {
    Check{"speed.rings",
          "rings are at least as long as the driver's default",
          "A ring is shorter than the driver's default",
          Requirement::nic,
          Use::kernel,
          rings},
    Check{"speed.channels",
          "VFs have a channel for each CPU, up to 16",
          "A VF has too few channels",
          Requirement::nic,
          Use::kernel,
          channels},
    Check{"speed.mtu",
          "MTUs fit Azure's path",
          "An MTU does not fit Azure's path",
          Requirement::nic,
          Use::kernel,
          mtu},
    Check{"speed.offloads",
          "offloads are switched on",
          "An offload is switched off",
          Requirement::nic,
          Use::kernel,
          offloads},
    Check{"speed.coalescing",
          "interrupts are not delayed for a long time",
          "Interrupts are delayed for a long time",
          Requirement::nic,
          Use::kernel,
          coalescing},
    Check{"speed.qdisc",
          "packets pass one queueing discipline",
          "Packets pass two queueing disciplines",
          Requirement::nic,
          Use::kernel,
          qdisc},
};

}  // namespace

std::span<const Check> speed_checks() {
  return kSpeedChecks;
}

}  // namespace manactl::diag
