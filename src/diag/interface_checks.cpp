// SPDX-License-Identifier: MIT

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "diag/groups.h"
#include "diag/remedies.h"
#include "diag/tally.h"
#include "diag/view.h"

namespace manactl::diag {

namespace {

using host::Nic;

// ---- binding ------------------------------------------------------------------------------------

// Its VMBus device has no driver: neither the kernel nor DPDK has it.
bool is_unbound(const Nic& nic) {
  return nic.vmbus && nic.vmbus_driver.empty() && !nic.synthetic;
}

Finding binding(const host::Facts& facts, const Question& question) {
  Tally tally;
  for (const Nic* nic : nics_of(facts, question)) {
    if (is_unbound(*nic)) {
      const std::string& id = nic->vmbus->str();
      tally.fail(fmt::format("{}: VMBus device {} has no driver", nic->name(), id),
                 {"modprobe hv_netvsc",
                  fmt::format("echo {} | tee /sys/bus/vmbus/drivers/hv_netvsc/bind", id)});
    } else if (nic->is_direct()) {
      tally.ok(fmt::format("{} needs none (MANA direct)", nic->name()),
               nic->name() + " (MANA direct)");
    } else {
      const bool usual = nic->vmbus_driver == "hv_netvsc";
      tally.ok(fmt::format("{} is bound to {}", nic->name(), nic->vmbus_driver),
               usual ? nic->name() : fmt::format("{} ({})", nic->name(), nic->vmbus_driver));
    }
  }
  return tally.finding("no Azure NIC",
                       "a move to user space stopped half way: neither the kernel nor DPDK has the "
                       "NIC; this gives it back to the kernel:");
}

// ---- pairing ------------------------------------------------------------------------------------

void pair_without_vf(const Nic& nic, Tally& tally) {
  if (nic.is_prepared()) {
    tally.fail(fmt::format("{} is in user space and has no VF: synthetic path only", nic.name()));
  } else if (!nic.carries.empty()) {
    tally.warn(fmt::format("{} has no VF (it carries {})", nic.name(), brief(nic.carries)));
  } else {
    tally.fail(fmt::format("{} has no VF: synthetic path only", nic.name()));
  }
}

void pair_with_vf(const Nic& nic, Tally& tally) {
  const std::string vf = vf_name(*nic.vf);
  const std::string both =
      nic.name() == nic.vf->name ? nic.name() : fmt::format("{} ({})", nic.name(), nic.vf->name);
  if (nic.is_direct()) {
    tally.ok(fmt::format("{}: MANA direct, no synthetic NIC", vf), nic.vf->name + " (MANA direct)");
  } else if (nic.is_prepared() || !nic.synthetic) {
    tally.ok(fmt::format("{} has VF {}", nic.name(), vf), both);
  } else if (nic.synthetic->mac != nic.vf->mac) {
    tally.fail(fmt::format("{} has VF {}, but the MAC addresses differ: {} and {}",
                           nic.name(),
                           vf,
                           nic.synthetic->mac.str(),
                           nic.vf->mac.str()));
  } else if (nic.vf->master != nic.synthetic->index) {
    tally.fail(fmt::format(
        "{} has the MAC address of {}, but hv_netvsc did not take it as its VF", vf, nic.name()));
  } else {
    tally.ok(fmt::format("{} has VF {}, paired by {}", nic.name(), vf, nic.paired_by), both);
  }
}

Finding pairing(const host::Facts& facts, const Question& question) {
  Tally tally;
  for (const Nic* nic : nics_of(facts, question)) {
    nic->vf ? pair_with_vf(*nic, tally) : pair_without_vf(*nic, tally);
  }
  Finding finding = tally.finding(
      "no Azure NIC",
      "without a paired VF everything still works, but over the vSwitch: accelerated networking "
      "must be on for this NIC, the mana driver bound, and the VF not taken away for servicing; "
      "the kernel says what it did:");
  if (finding.remedy) finding.remedy->commands = {"dmesg | grep -iE 'hv_netvsc|mana|VF slot'"};
  return finding;
}

// ---- links --------------------------------------------------------------------------------------

void links_of_pair(const host::Facts& facts, const Nic& nic, Tally& tally) {
  const host::Netdev& synthetic = *nic.synthetic;
  const host::Netdev& vf = *nic.vf;
  if (synthetic.up && vf.up) {
    if (synthetic.running) {
      tally.ok(fmt::format("{} and its VF {} are up", synthetic.name, vf.name), synthetic.name);
    } else {
      tally.warn(fmt::format("{} is up, but has no carrier", synthetic.name));
    }
  } else if (synthetic.up) {
    tally.fail(fmt::format("{} is up, but its VF {} is down", synthetic.name, vf.name),
               {set_link(vf, "up")});
  } else if (vf.up) {
    tally.warn(fmt::format("{} is down, but its VF {} is up", synthetic.name, vf.name),
               set_down(facts, nic, vf));
  } else {
    tally.warn(fmt::format("{} and its VF {} are down", synthetic.name, vf.name),
               {set_link(synthetic, "up")});
  }
}

void links_of_single(const host::Netdev& device, Tally& tally) {
  if (device.up && device.running) {
    tally.ok(fmt::format("{} is up", device.name), device.name);
  } else if (device.up) {
    tally.warn(fmt::format("{} is up, but has no carrier", device.name));
  } else {
    tally.warn(fmt::format("{} is down", device.name), {set_link(device, "up")});
  }
}

Finding links(const host::Facts& facts, const Question& question) {
  Tally tally;
  for (const Nic* nic : nics_of(facts, question)) {
    if (nic->is_prepared() || is_unbound(*nic)) continue;
    if (nic->synthetic && nic->vf) {
      links_of_pair(facts, *nic, tally);
    } else if (nic->synthetic) {
      links_of_single(*nic->synthetic, tally);
    } else if (nic->vf) {
      links_of_single(*nic->vf, tally);
    }
  }
  return tally.finding("the kernel has no NIC: see interfaces.prepared",
                       "the kernel moves packets over the VF only while the synthetic NIC and its "
                       "VF are both up; a NIC that DPDK is about to take may stay down");
}

// ---- NICs in user space -------------------------------------------------------------------------

void prepared_nic(const host::Facts& facts, const Nic& nic, Tally& tally) {
  const std::string name = nic.name();
  if (nic.uio.empty()) {
    tally.fail(fmt::format("{} is bound to uio_hv_generic, but has no uio device", name));
  } else if (!nic.vf) {
    tally.fail(fmt::format("{} is {}, but has no VF", name, nic.uio));
  } else if (has_mana_vf(nic) && nic.vf->up) {
    tally.fail(
        fmt::format(
            "{} is {}, but its VF {} is up and keeps the port busy", name, nic.uio, nic.vf->name),
        set_down(facts, nic, *nic.vf));
  } else if (!has_mana_vf(nic) && !nic.vf->up) {
    tally.fail(fmt::format("{} is {}, but its {} VF is down", name, nic.uio, nic.vf->driver),
               {set_link(*nic.vf, "up")});
  } else {
    const std::string_view state = nic.vf->up ? "up" : "down";
    tally.ok(fmt::format("{} is {}, VF {} is {}", name, nic.uio, nic.vf->name, state),
             fmt::format("{} ({}, VF {})", name, nic.uio, state));
  }
}

Finding prepared(const host::Facts& facts, const Question& question) {
  Tally tally;
  for (const Nic* nic : nics_of(facts, question)) {
    if (nic->is_prepared()) prepared_nic(facts, *nic, tally);
  }
  return tally.finding("no NIC is in user space",
                       "a MANA port has one user at a time: while its VF is up, DPDK fails with "
                       "'failed to start tx queues' and -19 (16 since Linux 7.2); unbinding "
                       "hv_netvsc leaves the VF as it was");
}

// ---- who needs which NIC ------------------------------------------------------------------------

// "eth0 carries SSH session": the weightiest of what it carries, without addresses.
std::string carried(const Nic& nic) {
  const auto& all = nic.carries;
  const auto ssh = std::find_if(
      all.begin(), all.end(), [](const std::string& what) { return what.starts_with("SSH"); });
  const std::string& what = ssh == all.end() ? all.front() : *ssh;
  return fmt::format(
      "{} carries {}", nic.name(), what.substr(0, std::min(what.find(" from "), what.find(" ("))));
}

Finding spare(const host::Facts& facts, const Question& question) {
  std::vector<std::string> evidence;
  std::vector<std::string> carrying;
  std::vector<std::string> in_short;
  std::vector<std::string> free_ones;
  for (const Nic* nic : nics_of(facts, question)) {
    if (nic->carries.empty()) {
      free_ones.push_back(nic->name());
      evidence.push_back(fmt::format("{} carries neither SSH nor the default route", nic->name()));
    } else {
      carrying.push_back(fmt::format("{} carries {}", nic->name(), join(nic->carries, ", ")));
      in_short.push_back(carried(*nic));
      evidence.push_back(carrying.back());
    }
  }
  if (free_ones.empty()) {
    return warn(fmt::format("{}; none is free for DPDK", brief(carrying)),
                {"a NIC that DPDK takes disappears from the kernel: taking this one would end the "
                 "session; give the VM a second NIC with accelerated networking",
                 {}},
                std::move(evidence));
  }
  // "Carries nothing" is then only "nothing was seen".
  if (!facts.carriers) return unknown(facts.carriers.error().message);
  std::string detail = brief(free_ones, ", ");
  if (!in_short.empty()) detail += fmt::format(" ({})", brief(in_short));
  return pass(std::move(detail), std::move(evidence));
}

// ---- network managers ---------------------------------------------------------------------------

constexpr std::string_view kManagerFile =
    "/etc/NetworkManager/conf.d/99-azure-unmanaged-devices.conf";
constexpr std::string_view kNetworkdFile = "/etc/systemd/network/01-azure-unmanaged-vf.network";
constexpr std::string_view kDrivers = "mana mlx4_core mlx5_core";

// networkd matches the first file in the order of names: 01- comes before netplan's 10-.
std::vector<std::string> leave_vf_alone(Family family) {
  const bool networkd =
      family == Family::ubuntu || family == Family::debian || family == Family::azurelinux;
  if (networkd) {
    return {write_file(kNetworkdFile,
                       {"[Match]", fmt::format("Driver={}", kDrivers), "[Link]", "Unmanaged=yes"}),
            "networkctl reload"};
  }
  return {
      write_file(kManagerFile,
                 {"[keyfile]", "unmanaged-devices=driver:mana;driver:mlx4_core;driver:mlx5_core"}),
      "nmcli general reload conf"};
}

Finding unmanaged(const host::Facts& facts, const Question& question) {
  Tally tally;
  // A rule for the driver would take MANA-direct interfaces, too: they need their manager.
  const bool any_direct = std::any_of(
      facts.nics->begin(), facts.nics->end(), [](const Nic& nic) { return nic.is_direct(); });
  const auto commands = any_direct ? std::vector<std::string>{} : leave_vf_alone(family_of(facts));
  for (const Nic* nic : nics_of(facts, question)) {
    if (!nic->vf || nic->is_direct()) continue;
    if (!nic->management) {
      tally.unknown(fmt::format("{}: {}", nic->vf->name, nic->management.error().message));
    } else if (nic->management->unmanaged) {
      tally.ok(fmt::format("{} is left alone ({})", nic->vf->name, nic->management->evidence),
               nic->vf->name);
    } else {
      tally.warn(
          fmt::format(
              "{} is not marked as unmanaged ({})", nic->vf->name, nic->management->evidence),
          // Whoever logged in over an address of the VF needs its manager.
          nic->vf->addresses.empty() ? commands : std::vector<std::string>{});
    }
  }
  return tally.finding("no synthetic NIC has a VF",
                       "a manager that configures the VF gives it addresses of its own, renames "
                       "it, or raises it while DPDK needs it down; many images have the rule for "
                       "mlx5 only");
}

// ---- data path ----------------------------------------------------------------------------------

// Below this nothing can be said: the first packets of a boot always take the synthetic path.
constexpr std::uint64_t kEnoughPackets = 1000;

void path_by_counters(const Nic& nic, Tally& tally) {
  const host::PathCounters& seen = *nic.counters;
  const std::uint64_t vf = seen.vf_rx + seen.vf_tx;
  const std::uint64_t all = std::max(seen.rx + seen.tx, vf);
  const std::string numbers = fmt::format(
      "vf_rx_packets {} of {}, vf_tx_packets {} of {}", seen.vf_rx, seen.rx, seen.vf_tx, seen.tx);
  if (all == 0) {
    tally.unknown(fmt::format("{}: no traffic since boot", nic.name()));
  } else if (vf * 2 >= all) {
    const auto permille =
        static_cast<unsigned>(1000.0 * static_cast<double>(vf) / static_cast<double>(all));
    tally.ok(fmt::format("{}: VF ({})", nic.name(), numbers),
             fmt::format("{} {}.{} %", nic.name(), permille / 10, permille % 10));
  } else if (all < kEnoughPackets) {
    tally.unknown(fmt::format("{}: too little traffic to tell ({})", nic.name(), numbers));
  } else if (vf == 0) {
    tally.fail(fmt::format("{}: synthetic ({})", nic.name(), numbers));
  } else {
    tally.warn(fmt::format("{}: mostly synthetic ({})", nic.name(), numbers));
  }
}

void path_of(const Nic& nic, Tally& tally) {
  if (nic.is_direct()) {
    tally.ok(fmt::format("{}: MANA direct, there is no other path", nic.name()), nic.name());
  } else if (!nic.vf) {
    // interfaces.pairing judges the missing VF; here it is the reason.
    nic.carries.empty() ? tally.fail(fmt::format("{}: synthetic, it has no VF", nic.name()))
                        : tally.warn(fmt::format("{}: synthetic, it has no VF", nic.name()));
  } else if (nic.synthetic && nic.vf->master != nic.synthetic->index) {
    tally.fail(fmt::format("{}: synthetic, VF {} is not paired", nic.name(), nic.vf->name));
  } else if (nic.synthetic && nic.synthetic->up && !nic.vf->up) {
    tally.fail(fmt::format("{}: synthetic, VF {} is down", nic.name(), nic.vf->name));
  } else if (!nic.counters) {
    tally.unknown(fmt::format("{}: {}", nic.name(), nic.counters.error().message));
  } else {
    path_by_counters(nic, tally);
  }
}

Finding path(const host::Facts& facts, const Question& question) {
  Tally tally;
  std::vector<std::string> commands;
  for (const Nic* nic : nics_of(facts, question)) {
    if (nic->is_prepared() || is_unbound(*nic)) continue;
    path_of(*nic, tally);
    if (nic->synthetic) {
      const std::string name = shell_word(nic->synthetic->name);
      commands.push_back(fmt::format("ethtool -S {} | grep -E '^ +vf_'", name));
    }
  }
  commands.emplace_back("dmesg | grep 'Data path switched'");
  Finding finding = tally.finding(
      "the kernel has no NIC and sees no packets",
      "packets go through the vSwitch, slower and with no sign of it elsewhere; the counters since "
      "boot and the kernel log tell when the VF left:");
  if (finding.remedy) finding.remedy->commands = std::move(commands);
  return finding;
}

constexpr std::array<std::string_view, 1> kBindingCauses = {"kernel.hv-netvsc"};
constexpr std::array<std::string_view, 5> kPairingCauses = {
    "interfaces.binding", "hardware.mana", "kernel.mana", "hardware.driver", "hardware.ports"};
constexpr std::array<std::string_view, 2> kLinkCauses = {"interfaces.pairing", "kernel.hv-netvsc"};
constexpr std::array<std::string_view, 1> kPreparedCauses = {"interfaces.pairing"};
constexpr std::array<std::string_view, 5> kPathCauses = {
    "interfaces.pairing", "interfaces.links", "kernel.mana", "hardware.driver", "hardware.mana"};

constexpr std::array kChecks = {
    Check{"interfaces.binding",
          "each NIC has its driver",
          "A NIC has no driver",
          Needs::nic,
          binding,
          kBindingCauses},
    Check{"interfaces.pairing",
          "each NIC has its VF",
          "A NIC is without its VF",
          Needs::nic,
          pairing,
          kPairingCauses},
    Check{"interfaces.links",
          "links are up where the kernel uses them",
          "A link is down that the kernel needs",
          Needs::nic,
          links,
          kLinkCauses},
    Check{"interfaces.prepared",
          "NICs in user space are ready for DPDK",
          "A NIC in user space is not ready for DPDK",
          Needs::nic,
          prepared,
          kPreparedCauses},
    Check{
        "interfaces.spare", "a NIC is free for DPDK", "No NIC is free for DPDK", Needs::nic, spare},
    Check{"interfaces.unmanaged",
          "network managers leave the VFs alone",
          "Network managers do not leave the VFs alone",
          Needs::nic,
          unmanaged},
    Check{"interfaces.path",
          "the kernel's packets take the VF",
          "The kernel's packets do not take the VF",
          Needs::nic,
          path,
          kPathCauses},
};

}  // namespace

std::span<const Check> interface_checks() {
  return kChecks;
}

}  // namespace manactl::diag
