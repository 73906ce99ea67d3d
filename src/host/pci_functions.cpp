// SPDX-License-Identifier: MIT

#include <algorithm>

#include "base/text.h"
#include "host/gather.h"

namespace manactl::host {
namespace {

constexpr std::uint16_t kMicrosoftVendor = 0x1414;
constexpr std::uint16_t kMellanox = 0x15b3;
constexpr std::uint32_t kEthernet = 0x0200;  // base class and subclass: the upper 16 of 24 bits

Adapter adapter_of(const os::PciDevice& device) {
  if (device.vendor == kMellanox) return Adapter::mlx;
  if (device.vendor != kMicrosoftVendor || device.class_code >> 8 != kEthernet)
    return Adapter::other;
  switch (device.device) {
    case 0x00ba:
      return Adapter::mana_vf;
    case 0x00b9:
      return Adapter::mana_pf;
    case 0x00c1:
      return Adapter::mana_pf2;
    default:
      return Adapter::other;
  }
}

// Returns pairs of a slot's address, which lacks the function number ("7870:00:00"), and its name.
std::vector<std::pair<std::string, std::string>> gather_slots(const os::Files& files) {
  const std::string directory = "sys/bus/pci/slots";
  std::vector<std::pair<std::string, std::string>> slots;
  for (const auto& name : files.list(directory).value_or(std::vector<std::string>{})) {
    const auto address = files.read(fmt::format("{}/{}/address", directory, name));
    if (address) slots.emplace_back(*address, name);
  }
  return slots;
}

}  // namespace

Result<std::vector<PciFunction>> gather_functions(const os::System& system) {
  const auto devices = system.devices.pci_network();
  if (!devices) return tl::unexpected<Error>(devices.error());
  std::vector<PciFunction> functions;
  for (const auto& device : *devices) {
    const Adapter adapter = adapter_of(device);
    if (adapter == Adapter::other) continue;
    PciFunction function;
    function.address = device.address;
    function.vendor = device.vendor;
    function.device = device.device;
    function.adapter = adapter;
    function.driver = device.driver;
    function.numa_node = device.numa_node;
    // The directories net and infiniband exist only if the driver has created such devices.
    function.netdevs = system.files.list(device.path + "/net").value_or(std::vector<std::string>{});
    function.rdma_devices =
        system.files.list(device.path + "/infiniband").value_or(std::vector<std::string>{});
    functions.push_back(std::move(function));
  }
  if (functions.empty()) return functions;
  const auto slots = gather_slots(system.files);
  for (auto& function : functions) {
    const std::string address = function.address.str();
    const auto slot = std::find_if(slots.begin(), slots.end(), [&](const auto& entry) {
      return address.starts_with(entry.first + ".");
    });
    if (slot != slots.end()) function.slot = slot->second;
  }
  return functions;
}

}  // namespace manactl::host
