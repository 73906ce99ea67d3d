// SPDX-License-Identifier: MIT

#include <fmt/format.h>

#include <array>

#include "base/text.h"
#include "diag/check.h"
#include "diag/fact_lookups.h"
#include "diag/finding.h"
#include "diag/release_table.h"
#include "diag/remedies.h"

namespace manactl::diag {

namespace {

Finding azure(const host::Facts& facts, const CheckOptions& /*options*/) {
  if (!facts.platform) return unknown(facts.platform.error().message);
  const host::Platform& platform = *facts.platform;
  const std::string evidence =
      platform.evidence.empty() ? "" : fmt::format(" ({})", platform.evidence);
  if (platform.azure) return pass("the chassis asset tag is Azure's", {platform.evidence});
  if (platform.hyperv) {
    return warn("Hyper-V, but not Azure's chassis asset tag" + evidence,
                {"use an Azure VM: other Hyper-V VMs have only the synthetic NIC", {}});
  }
  return warn("the chassis asset tag is not Azure's" + evidence,
              {"use an Azure VM for MANA; here manactl can still read logs and bundles (doctor) "
               "and measure DPDK's virtual devices (bench)",
               {}});
}

std::vector<std::string> addresses_of(const std::vector<const host::PciFunction*>& functions) {
  std::vector<std::string> addresses;
  addresses.reserve(functions.size());
  for (const host::PciFunction* function : functions) addresses.push_back(function->address.str());
  return addresses;
}

Finding no_mana(const host::Facts& facts) {
  std::vector<std::string> mlx;
  for (const host::PciFunction& function : *facts.functions) {
    if (function.adapter == host::Adapter::mlx) mlx.push_back(function.address.str());
  }
  if (!mlx.empty()) {
    return warn(fmt::format("no MANA function, but Mellanox hardware ({})", join(mlx, ", ")),
                {"use Mellanox's drivers until Azure moves the VM to MANA, for DPDK mlx5 instead "
                 "of net_mana: Azure chooses the NIC hardware each time the VM starts after it was "
                 "deallocated",
                 {}});
  }
  if (facts.platform && !facts.platform->azure) return skipped("not an Azure VM");
  return fail(
      "no PCI function 1414:00ba, 1414:00b9 or 1414:00c1",
      {"wait a minute, and look again: a VF that the host has removed for servicing returns by "
       "itself",
       {"dmesg | grep 'VF slot'"},
       {{"ask Azure whether accelerated networking is on: on a machine with the Azure CLI, set "
         "GROUP, VM and NIC to the names of the resource group, the VM and its NIC",
         {"az network nic show --resource-group \"$GROUP\" --name \"$NIC\" "
          "--query enableAcceleratedNetworking"}},
        {"turn it on if it is off, which stops the VM; it has no effect if the VM size has no "
         "MANA",
         {"az vm deallocate --resource-group \"$GROUP\" --name \"$VM\"",
          "az network nic update --resource-group \"$GROUP\" --name \"$NIC\" "
          "--accelerated-networking true",
          "az vm start --resource-group \"$GROUP\" --name \"$VM\""}}}});
}

Finding judge_functions(const host::Facts& facts) {
  const auto functions = mana_functions(facts);
  if (functions.empty()) return no_mana(facts);
  std::vector<std::string> evidence;
  for (const host::PciFunction* function : functions) {
    const bool pf2 = function->adapter == host::Adapter::mana_pf2;
    evidence.push_back(
        fmt::format("{}: {}, NUMA node {}{}",
                    function->address.str(),
                    pci_id(*function),
                    function->numa_node,
                    pf2 ? "; net_mana up to DPDK 26.07 does not support this id" : ""));
  }
  return pass(brief(addresses_of(functions), ", "), std::move(evidence));
}

Finding mana(const host::Facts& facts, const CheckOptions& /*options*/) {
  if (!facts.functions) return unknown(facts.functions.error().message);
  auto finding = judge_functions(facts);
  if (!facts.devices_note.empty()) finding.evidence.push_back(facts.devices_note);
  return finding;
}

std::vector<std::string> bind_to_mana(const host::Facts& facts, const host::PciFunction& function) {
  const std::string address = function.address.str();
  auto commands = load_module_commands(facts, host::kManaDriver);
  if (!function.driver.empty()) {
    commands.push_back(fmt::format("echo | tee /sys/bus/pci/devices/{}/driver_override", address));
    commands.push_back(
        fmt::format("echo {} | tee /sys/bus/pci/devices/{}/driver/unbind", address, address));
  }
  commands.push_back(fmt::format("echo {} | tee /sys/bus/pci/drivers_probe", address));
  return commands;
}

// True if the driver of this kernel may be too old for the adapter: older ones do not support every
// adapter, unless a distribution has ported newer code to them.
bool has_old_driver(const host::Facts& facts) {
  constexpr Release kFirstForAll{6, 8, 0};
  if (!facts.kernel) return false;
  const auto release = Release::parse(facts.kernel->release);
  return release && *release < kFirstForAll && find_backport(*facts.kernel) == nullptr;
}

bool is_mana_loaded(const host::Facts& facts) {
  const auto* const mana = module_named(facts, host::kManaDriver);
  return mana != nullptr && mana->presence && *mana->presence == Presence::loaded;
}

// A function without driver although the module is loaded: the driver refused it.
Finding refused(const host::Facts& facts, const host::PciFunction& function) {
  return fail(
      fmt::format("{} has no driver, although mana of kernel {} is loaded",
                  function.address.str(),
                  facts.kernel->release),
      {"install the newest kernel for Azure, and restart the VM: a mana driver that is older "
       "than that of Linux 6.8.0-1046-azure refuses newer adapters (dmesg shows why)",
       newer_kernel_commands(facts)});
}

Finding driver(const host::Facts& facts, const CheckOptions& /*options*/) {
  FindingBuilder findings;
  const auto functions = mana_functions(facts);
  const bool is_refused = functions.size() == 1 && functions.front()->driver.empty() &&
                          is_mana_loaded(facts) && has_old_driver(facts);
  if (is_refused) return refused(facts, *functions.front());
  for (const host::PciFunction* function : mana_functions(facts)) {
    const std::string address = function->address.str();
    if (function->driver == "mana") {
      findings.ok(fmt::format("{} is bound to mana", address), address);
    } else if (function->driver.empty()) {
      findings.fail(fmt::format("{} has no driver", address), bind_to_mana(facts, *function));
    } else {
      findings.fail(fmt::format("{} is bound to {}", address, function->driver),
                    bind_to_mana(facts, *function));
    }
  }
  return findings.build(
      "no MANA function",
      "bind the function to the kernel driver mana, which net_mana needs (dmesg shows why a probe "
      "failed); without it, or bound to vfio-pci, a function has no ports and no RDMA device");
}

Finding ports(const host::Facts& facts, const CheckOptions& /*options*/) {
  FindingBuilder findings;
  for (const host::PciFunction* function : mana_functions(facts)) {
    if (function->driver.empty()) continue;
    const std::string slot = function->slot.empty() ? "no slot" : "slot " + function->slot;
    const std::string address = function->address.str();
    if (!function->netdevs.empty()) {
      findings.ok(fmt::format("{}, {}: {} ({})",
                              address,
                              slot,
                              counted(function->netdevs.size(), "port"),
                              join(function->netdevs, ", ")),
                  fmt::format("{} has {}", address, counted(function->netdevs.size(), "port")));
    } else {
      findings.fail(fmt::format("{}, {}: no port", address, slot), {"dmesg | grep -i mana"});
    }
  }
  Finding finding = findings.build("no MANA function has a driver: see hardware.driver",
                                   "read the kernel log, which shows why the driver did not start");
  add_other_remedy(finding,
                   {"run manactl in the network namespace that has the interfaces of the ports; "
                    "these commands list the namespaces:",
                    {"ip netns", "lsns -t net"}});
  return finding;
}

Finding coexistence(const host::Facts& facts, const CheckOptions& /*options*/) {
  const host::Module* mlx5 = module_named(facts, "mlx5_core");
  if (mlx5 == nullptr) return skipped("no information about module mlx5_core");
  if (!mlx5->presence) return unknown(mlx5->presence.error().message);
  switch (*mlx5->presence) {
    case Presence::loaded:
      return pass("mlx5_core is loaded");
    case Presence::builtin:
      return pass("mlx5_core is built in");
    case Presence::available:
      return pass("mlx5_core is available");
    case Presence::blacklisted:
    case Presence::missing:
      break;
  }
  const bool missing = *mlx5->presence == Presence::missing;
  return warn(
      missing ? "mlx5_core is missing" : "mlx5_core is blacklisted",
      {"install mlx5_core, or remove the line that blacklists it: the next start of this VM may be "
       "on Mellanox hardware, and without this driver it would have only the synthetic path",
       missing ? source_of_module(facts, "mlx5_core").commands
               : std::vector<std::string>{"grep -r mlx5_core /etc/modprobe.d"}});
}

constexpr std::array<std::string_view, 1> kManaCauses = {"hardware.azure"};
constexpr std::array<std::string_view, 1> kDriverCauses = {"kernel.mana"};
constexpr std::array<std::string_view, 2> kPortCauses = {"hardware.driver", "kernel.mana"};

constexpr std::array kHardwareChecks = {
    Check{"hardware.azure",
          "this is an Azure VM",
          "This is not an Azure VM",
          Requirement::none,
          Use::both,
          azure},
    Check{"hardware.mana",
          "the VM has a MANA function",
          "The VM has no MANA function",
          Requirement::none,
          Use::both,
          mana,
          kManaCauses},
    Check{"hardware.driver",
          "every MANA function is bound to the mana driver",
          "A MANA function is not bound to the mana driver",
          Requirement::mana,
          Use::both,
          driver,
          kDriverCauses},
    Check{"hardware.ports",
          "every MANA function has ports",
          "A MANA function has no port",
          Requirement::mana,
          Use::both,
          ports,
          kPortCauses},
    Check{"hardware.coexistence",
          "the mlx5 driver is available as a fallback",
          "The mlx5 driver is not available if the VM moves to Mellanox hardware",
          Requirement::mana,
          Use::both,
          coexistence},
};

}  // namespace

std::span<const Check> hardware_checks() {
  return kHardwareChecks;
}

}  // namespace manactl::diag
