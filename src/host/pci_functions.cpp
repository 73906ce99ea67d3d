// SPDX-License-Identifier: MIT

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "host/gather.h"

namespace manactl::host {
namespace {

constexpr std::size_t kMaxAddress = 4096;    // sysfs returns at most one page
constexpr std::uint32_t kEthernet = 0x0200;  // base class and subclass: the upper 16 of 24 bits

Adapter adapter_of(const os::PciDevice& device) {
  const auto adapter = adapter_of_ids(device.vendor, device.device);
  const bool is_ethernet = device.class_code >> 8 == kEthernet;
  return adapter == Adapter::mlx || is_ethernet ? adapter : Adapter::other;
}

// Returns the names of slots by their addresses, which lack the function number ("7870:00:00").
std::map<std::string, std::string, std::less<>> gather_slots(const os::Files& files) {
  const std::string directory = "sys/bus/pci/slots";
  std::map<std::string, std::string, std::less<>> slots;
  for (const auto& name : files.list(directory).value_or(std::vector<std::string>{})) {
    auto address = files.read(fmt::format("{}/{}/address", directory, name), kMaxAddress);
    if (address) slots.try_emplace(std::move(*address), name);
  }
  return slots;
}

}  // namespace

Adapter adapter_of_ids(std::uint16_t vendor, std::uint16_t device) {
  constexpr std::uint16_t kMicrosoftVendor = 0x1414;
  constexpr std::uint16_t kMellanoxVendor = 0x15b3;
  if (vendor == kMellanoxVendor) return Adapter::mlx;
  if (vendor != kMicrosoftVendor) return Adapter::other;
  switch (device) {
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

Result<std::vector<PciFunction>> gather_functions(const os::System& system) {
  const auto devices = system.devices.pci_network();
  if (!devices) return tl::unexpected<Error>(devices.error());
  std::vector<PciFunction> functions;
  for (const auto& device : *devices) {
    const Adapter adapter = adapter_of(device);
    if (adapter == Adapter::other) continue;
    if (functions.size() == kMaxDevices) {
      return fail(Errc::invalid,
                  fmt::format("there are more than {} PCI functions of NICs, more than Azure gives "
                              "to a VM",
                              kMaxDevices));
    }
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
    const auto slot = slots.find(std::string_view(address).substr(0, address.find('.')));
    if (slot != slots.end()) function.slot = slot->second;
  }
  return functions;
}

}  // namespace manactl::host
