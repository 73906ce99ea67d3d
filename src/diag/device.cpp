// SPDX-License-Identifier: MIT

#include "diag/device.h"

namespace manactl::diag {
namespace {

bool may_be_same(const std::string& one, const std::string& other) {
  return one.empty() || other.empty() || one == other;
}

}  // namespace

bool Device::may_be(const Device& other) const {
  return may_be_same(pci, other.pci) && may_be_same(channel, other.channel) &&
         may_be_same(interface, other.interface) && may_be_same(port, other.port) &&
         may_be_same(series, other.series);
}

std::string Device::text() const {
  std::string text;
  for (const auto& name : {pci, channel, interface, port.empty() ? port : "port " + port, series}) {
    if (name.empty()) continue;
    if (!text.empty()) text += ' ';
    text += name;
  }
  return text;
}

std::string_view interface_name(const Captures& captures, std::string_view key) {
  const auto name = capture(captures, key);
  return name.starts_with('(') ? std::string_view() : name;
}

Device DeviceNames::device_of(const Signature& signature, const Captures& captures) {
  Device device;
  device.pci = capture(captures, "bdf");
  device.channel = capture(captures, "uuid");
  // The kernel numbers the ports of an adapter, DPDK those of all adapters.
  if (kind_of(signature) == RunKind::program) device.port = capture(captures, "port");
  device.interface = interface_name(captures, "vf");
  // In lines of hv_netvsc, `ifname` is the synthetic interface.
  for (const auto* const key : {"ifname", "ifname2"}) {
    if (!device.interface.empty() || !device.channel.empty()) break;
    device.interface = interface_name(captures, key);
  }
  const auto first_name = [this](const std::string& name) {
    const auto found = first_names_.find(name);
    return found == first_names_.end() ? name : found->second;
  };
  const std::string old_name(interface_name(captures, "renamed_from"));
  if (!old_name.empty() && !device.interface.empty() && first_names_.size() < kMaxNames) {
    first_names_[device.interface] = first_name(old_name);
  }
  device.interface = first_name(device.interface);
  if (device.interface.empty()) return device;
  complete(device.channel, channels_, device.interface);
  complete(device.pci, functions_, device.interface);
  return device;
}

void DeviceNames::complete(std::string& name, Names& names, const std::string& interface) {
  const auto known = names.find(interface);
  if (name.empty()) {
    if (known != names.end()) name = known->second;
  } else if (known != names.end() || names.size() < kMaxNames) {
    names[interface] = name;
  }
}

}  // namespace manactl::diag
