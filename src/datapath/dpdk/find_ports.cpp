// SPDX-License-Identifier: MIT

#include <rte_dev.h>
#include <rte_ethdev.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "datapath/dpdk/eal.h"
#include "datapath/dpdk/eal_log.h"
#include "datapath/dpdk/port.h"
#include "datapath/engines.h"
#include "datapath/plan/plan.h"

namespace manactl::datapath::dpdk {

namespace {

// A port that is not yet assigned to a device of the plan.
struct Candidate {
  std::uint16_t id = 0;
  std::string name, device;
  MacAddress mac;
};

// Ports without an owner. net_netvsc owns the port of the VF below it.
std::vector<Candidate> free_ports() {
  std::vector<Candidate> found;
  auto id = rte_eth_find_next_owned_by(0, RTE_ETH_DEV_NO_OWNER);
  for (; id < RTE_MAX_ETHPORTS;
       id = rte_eth_find_next_owned_by(found.back().id + 1U, RTE_ETH_DEV_NO_OWNER)) {
    Candidate one;
    one.id = static_cast<std::uint16_t>(id);
    one.mac = mac_of(one.id).value_or(MacAddress{});
    one.name = name_of(one.id);
    const auto info = device_info(one.id);
    if (info && info->device != nullptr) one.device = rte_dev_name(info->device);
    found.push_back(std::move(one));
  }
  return found;
}

// A device of the plan, with the names and addresses that identify its ports.
struct PlannedDevice {
  std::string shown;  // for messages
  std::string name;
  std::vector<MacAddress> macs;
  std::size_t ports = 1;
  bool physical = false;  // passes packets through a NIC
};

std::vector<PlannedDevice> devices_of(const BenchPlan& plan) {
  const bool simulated = is_simulated();
  std::vector<PlannedDevice> devices;
  for (const auto& text : plan.vdevs) {
    PlannedDevice device{text, text.substr(0, text.find(',')), macs_of(text), 1, false};
    device.physical = !simulated && PciAddress::parse(device.name).has_value();
    device.ports = std::max<std::size_t>(1, device.macs.size());
    devices.push_back(std::move(device));
  }
  for (const auto& nic : plan.nics) {
    devices.push_back({nic.interface, nic.pci.str(), {nic.mac}, 1, !simulated});
  }
  return devices;
}

bool belongs(const Candidate& port, const PlannedDevice& device) {
  // Two ports of one slot differ only in their addresses.
  if (!device.macs.empty()) {
    return std::find(device.macs.begin(), device.macs.end(), port.mac) != device.macs.end();
  }
  return port.name == device.name || port.device == device.name;
}

std::vector<std::uint16_t> take(std::vector<Candidate>& ports, const PlannedDevice& device) {
  std::vector<std::uint16_t> ids;
  for (const auto& port : ports) {
    if (belongs(port, device)) ids.push_back(port.id);
  }
  std::erase_if(ports, [&](const Candidate& port) { return belongs(port, device); });
  return ids;
}

}  // namespace

Result<std::vector<Port>> find_ports(const BenchPlan& plan) {
  auto candidates = free_ports();
  std::vector<Port> ports;
  for (const auto& device : devices_of(plan)) {
    auto ids = take(candidates, device);
    // A driver may give its port another name. If the plan has a single port, no name is needed.
    if (ids.empty() && port_count(plan) == 1) {
      for (const auto& candidate : candidates) ids.push_back(candidate.id);
    }
    if (ids.empty()) {
      return because(reason_of(log_text()),
                     fmt::format("cannot open '{}'", printable(device.shown)));
    }
    if (ids.size() != device.ports) {
      return fail(Errc::invalid,
                  fmt::format("'{}' created {} {}, but the plan requires {}",
                              printable(device.shown),
                              ids.size(),
                              ids.size() == 1 ? "port" : "ports",
                              device.ports));
    }
    for (const auto id : ids) {
      auto port = Port::open(id, device.name, device.physical);
      if (!port) return tl::unexpected<Error>(port.error());
      ports.push_back(std::move(*port));
    }
  }
  return ports;
}

}  // namespace manactl::datapath::dpdk
