// SPDX-License-Identifier: MIT

#include <fmt/format.h>

#include <array>

#include "base/text.h"
#include "diag/groups.h"
#include "diag/remedies.h"
#include "diag/tally.h"
#include "diag/view.h"

namespace manactl::diag {

namespace {

Finding azure(const host::Facts& facts, const Question& /*question*/) {
  if (!facts.platform) return unknown(facts.platform.error().message);
  const host::Platform& platform = *facts.platform;
  const std::string evidence =
      platform.evidence.empty() ? "" : fmt::format(" ({})", platform.evidence);
  if (platform.azure) return pass("its chassis asset tag says so", {platform.evidence});
  if (platform.hyperv) {
    return warn("Hyper-V, but without Azure's chassis tag" + evidence,
                {"MANA is offered to Azure VMs; elsewhere expect the synthetic NIC only", {}});
  }
  return warn("not an Azure VM" + evidence,
              {"MANA exists on Azure only; here manactl can read logs and bundles (doctor), and "
               "measure DPDK's virtual devices (bench)",
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
    return warn(
        fmt::format("no MANA function; this VM got Mellanox hardware ({})", join(mlx, ", ")),
        {"the host decides which NIC a VM gets, and decides anew at stop (deallocate) and "
         "start; DPDK needs the mlx5 driver here, not net_mana",
         {}});
  }
  if (facts.platform && !facts.platform->azure) return skipped("not an Azure VM");
  return fail("no PCI function 1414:00ba, 1414:00b9 or 1414:00c1",
              {"accelerated networking is off for every NIC, this VM size has no MANA, or the host "
               "has taken the VF away for servicing (then it comes back by itself); with the VM "
               "deallocated, from a machine with the Azure CLI, names filled in:",
               {"az network nic update --resource-group \"$GROUP\" --name \"$NIC\" "
                "--accelerated-networking true"}});
}

Finding mana(const host::Facts& facts, const Question& /*question*/) {
  if (!facts.functions) return unknown(facts.functions.error().message);
  const auto functions = mana_functions(facts);
  if (functions.empty()) return no_mana(facts);
  std::vector<std::string> evidence;
  for (const host::PciFunction* function : functions) {
    const bool pf2 = function->adapter == host::Adapter::mana_pf2;
    evidence.push_back(fmt::format("{}: {}, NUMA node {}{}",
                                   function->address.str(),
                                   pci_id(*function),
                                   function->numa_node,
                                   pf2 ? "; net_mana up to DPDK 26.07 does not know this id" : ""));
  }
  return pass(brief(addresses_of(functions), ", "), std::move(evidence));
}

std::vector<std::string> bind_to_mana(const host::PciFunction& function) {
  const std::string address = function.address.str();
  std::vector<std::string> commands{"modprobe mana"};
  if (!function.driver.empty()) {
    commands.push_back(fmt::format("echo | tee /sys/bus/pci/devices/{}/driver_override", address));
    commands.push_back(
        fmt::format("echo {} | tee /sys/bus/pci/devices/{}/driver/unbind", address, address));
  }
  commands.push_back(fmt::format("echo {} | tee /sys/bus/pci/drivers_probe", address));
  return commands;
}

Finding driver(const host::Facts& facts, const Question& /*question*/) {
  Tally tally;
  for (const host::PciFunction* function : mana_functions(facts)) {
    const std::string address = function->address.str();
    if (function->driver == "mana") {
      tally.ok(fmt::format("{} is bound to mana", address), address);
    } else if (function->driver.empty()) {
      tally.fail(fmt::format("{} has no driver", address), bind_to_mana(*function));
    } else {
      tally.fail(fmt::format("{} is bound to {}", address, function->driver),
                 bind_to_mana(*function));
    }
  }
  return tally.finding("no MANA function",
                       "net_mana works beside the kernel driver mana, never in place of it: a "
                       "function without it, or given to vfio-pci, has no ports and no RDMA "
                       "device (dmesg says why a probe failed)");
}

Finding ports(const host::Facts& facts, const Question& /*question*/) {
  Tally tally;
  for (const host::PciFunction* function : mana_functions(facts)) {
    if (function->driver.empty()) continue;
    const std::string slot = function->slot.empty() ? "no slot" : "slot " + function->slot;
    const std::string address = function->address.str();
    if (!function->netdevs.empty()) {
      tally.ok(fmt::format("{}, {}: {} ({})",
                           address,
                           slot,
                           counted(function->netdevs.size(), "port"),
                           join(function->netdevs, ", ")),
               fmt::format("{} has {}", address, function->netdevs.size()));
    } else {
      tally.fail(fmt::format("{}, {}: no port", address, slot), {"dmesg | grep -i mana"});
    }
  }
  return tally.finding("no MANA function has a driver: see hardware.driver",
                       "each port of a MANA function is a network interface; none means that the "
                       "driver did not come up, or that the interfaces are in another network "
                       "namespace (then run manactl there)");
}

Finding coexistence(const host::Facts& facts, const Question& /*question*/) {
  const host::Module* mlx5 = module_named(facts, "mlx5_core");
  if (mlx5 == nullptr) return skipped("nothing was gathered about mlx5_core");
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
  return warn(missing ? "mlx5_core is missing" : "mlx5_core is blacklisted",
              {"after the next stop and start this VM may get Mellanox hardware; without mlx5_core "
               "it then runs on the synthetic path only",
               missing ? source_of_module(facts, "mlx5_core").commands
                       : std::vector<std::string>{"grep -r mlx5_core /etc/modprobe.d"}});
}

constexpr std::array<std::string_view, 1> kNeedsAzure = {"hardware.azure"};
constexpr std::array<std::string_view, 1> kNeedsDriverModule = {"kernel.mana"};
constexpr std::array<std::string_view, 2> kNeedsDriver = {"hardware.driver", "kernel.mana"};

constexpr std::array kChecks = {
    Check{
        "hardware.azure", "this is an Azure VM", "This is not an Azure VM", Needs::nothing, azure},
    Check{"hardware.mana",
          "the VM has a MANA function",
          "The VM has no MANA function",
          Needs::nothing,
          mana,
          kNeedsAzure},
    Check{"hardware.driver",
          "every MANA function is bound to the mana driver",
          "A MANA function is not bound to the mana driver",
          Needs::mana,
          driver,
          kNeedsDriverModule},
    Check{"hardware.ports",
          "every MANA function has its ports",
          "A MANA function has no port",
          Needs::mana,
          ports,
          kNeedsDriver},
    Check{"hardware.coexistence",
          "the mlx5 driver is there too, in case the VM moves",
          "The mlx5 driver is not there, should the VM move",
          Needs::mana,
          coexistence},
};

}  // namespace

std::span<const Check> hardware_checks() {
  return kChecks;
}

}  // namespace manactl::diag
