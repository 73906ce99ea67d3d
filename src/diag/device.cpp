// SPDX-License-Identifier: MIT

#include "diag/device.h"

#include <algorithm>

namespace manactl::diag {
namespace {

bool may_be_same(const std::string& one, const std::string& other) {
  return one.empty() || other.empty() || one == other;
}

// A PCI function in a domain of its own, as udev names it: "enP30832s1", or "enP30832p0s0" without
// the number of a slot, and "enP30832s1d1" for its second port. In a VM of Azure, it is a VF. A NIC
// behind a bridge, such as "enP2p1s0f0", is not.
bool is_name_of_vf(std::string_view name) {
  constexpr std::string_view kPrefix = "enP";
  if (!name.starts_with(kPrefix)) return false;
  const auto skip_number = [&name] {
    const auto end = std::min(name.find_first_not_of("0123456789"), name.size());
    name.remove_prefix(end);
    return end > 0;
  };
  name.remove_prefix(kPrefix.size());
  if (!skip_number()) return false;
  if (name.starts_with("p0s")) name.remove_prefix(2);
  if (!name.starts_with('s')) return false;
  name.remove_prefix(1);
  return skip_number() && (name.empty() || name.front() == 'd');
}

std::string_view vf_in(const Captures& captures) {
  const auto name = interface_name(captures, "vf");
  return name.empty() ? interface_name(captures, "vf2") : name;
}

std::string nic_in(const Captures& captures) {
  const auto name = interface_name(captures, "ifname");
  return std::string(name.empty() ? interface_name(captures, "ifname2") : name);
}

}  // namespace

bool Device::may_be(const Device& other) const {
  return may_be_same(pci, other.pci) && may_be_same(channel, other.channel) &&
         may_be_same(interface, other.interface) && may_be_same(port, other.port) &&
         may_be_same(series, other.series) && may_be_same(index, other.index);
}

std::string Device::text() const {
  std::string text;
  for (const auto& name :
       {pci, channel, interface, port.empty() ? port : "port " + port, series, index}) {
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
  learn(signature, captures);
  Device device;
  device.pci = capture(captures, "bdf");
  device.channel = capture(captures, "uuid");
  // The kernel numbers the ports of an adapter, DPDK those of all adapters.
  if (kind_of(signature) == RunKind::program) device.port = capture(captures, "port");
  for (const auto* const key : {"index", "index2", "index3"}) {
    if (device.index.empty()) device.index = capture(captures, key);
  }
  for (const auto* const key : {"series", "series2", "series3", "series4", "series5"}) {
    if (device.series.empty()) device.series = capture(captures, key);
  }
  if (signature.about == NicPart::synthetic) {
    const auto nic = nics_.find(nic_in(captures));
    if (nic != nics_.end()) device.channel = nic->second;
    return device;
  }
  device.interface = vf_in(captures);
  // In lines of hv_netvsc, `ifname` is the synthetic interface.
  if (device.interface.empty() && device.channel.empty()) device.interface = nic_in(captures);
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

// Only lines of kernel drivers show which interface is a VF. In them, `ifname` is the VF if
// the line names its PCI function, and the synthetic NIC if it names the channel. Some outputs of
// commands show that an interface belongs to a NIC.
void DeviceNames::learn(const Signature& signature, const Captures& captures) {
  if (signature.about || kind_of(signature) != RunKind::boot) return;
  const std::string name(interface_name(captures, "ifname"));
  const std::string old_name(interface_name(captures, "renamed_from"));
  const std::string channel(capture(captures, "uuid"));
  const bool has_vf_name = !capture(captures, "bdf").empty() && !name.empty();
  if (!old_name.empty()) vfs_.erase(old_name);
  if (!channel.empty() && !name.empty() && nics_.size() < kMaxNames) {
    nics_[name] = channel;
    vfs_.erase(name);
  }
  for (const auto& vf : {has_vf_name ? name : "", std::string(interface_name(captures, "vf"))}) {
    if (!vf.empty() && vfs_.size() < kMaxNames) vfs_.insert(vf);
  }
}

bool DeviceNames::is_about(const Signature& signature, const Captures& captures) const {
  if (!signature.about) return true;
  if (*signature.about == NicPart::synthetic) {
    return nics_.contains(nic_in(captures));
  }
  auto name = vf_in(captures);
  if (name.empty()) name = capture(captures, "device");  // of counters
  return vfs_.contains(name) || is_name_of_vf(name);
}

void DeviceNames::complete(std::string& name, Names& names, const std::string& interface) {
  const auto known = names.find(interface);
  if (name.empty()) {
    if (known != names.end()) name = known->second;
  } else if (known != names.end() || names.size() < kMaxNames) {
    names[interface] = name;
  }
}

std::vector<std::string> shortened(std::vector<std::string> names) {
  constexpr std::size_t kNamed = 2;
  if (names.size() <= kNamed + 1) return names;
  const auto others = names.size() - kNamed;
  names.resize(kNamed);
  names.push_back(std::to_string(others) + " more");
  return names;
}

}  // namespace manactl::diag
