// SPDX-License-Identifier: MIT

#include <net/if.h>

#include <algorithm>
#include <functional>

#include "base/text.h"
#include "host/gather.h"

namespace manactl::host {
namespace {

bool is_vf_driver(std::string_view driver) {
  return driver == kManaDriver || driver == "mlx5_core" || driver == "mlx4_core";
}

std::string class_path(const std::string& interface) {
  return "sys/class/net/" + interface;
}

struct Binding {
  std::string driver;  // empty without a driver, or if the interface has disappeared
  std::string device;  // the parent device: a PCI address or a VMBus id
};

Binding binding_of(const os::System& system, const InterfaceName& name, const os::Link& link) {
  const std::string path = class_path(name.str());
  const auto driver = os::link_name(system.files, path + "/device/driver");
  if (driver) return {*driver, os::link_name(system.files, path + "/device").value_or("")};
  if (exists(system.files, path)) return {};
  // In a container, sysfs may show another network namespace; ethtool and rtnetlink always use our
  // own. ethtool truncates VMBus ids.
  const auto info = system.ethtool.driver(name);
  if (!info) return {};
  return {info->driver, link.device.empty() ? info->bus_info : link.device};
}

Netdev netdev_of(const os::System& system, const os::Link& link, const Binding& binding) {
  Netdev netdev;
  netdev.index = link.index;
  netdev.name = link.name;
  netdev.alternative_names = link.alternative_names;
  netdev.mac = link.mac;
  netdev.driver = binding.driver;
  netdev.up = link.is_up();
  netdev.running = link.is_running();
  netdev.mtu = link.mtu;
  netdev.master = link.master;
  netdev.rx_packets = link.rx_packets;
  netdev.tx_packets = link.tx_packets;
  if (const auto pci = PciAddress::parse(binding.device)) netdev.pci = *pci;
  if (const auto vmbus = VmbusId::parse(binding.device)) netdev.vmbus = *vmbus;
  if (is_vf_driver(netdev.driver)) {
    const auto text = system.files.read(class_path(link.name) + "/dev_port");
    if (text) {
      const auto port = parse_unsigned(*text, UINT16_MAX);
      if (port) netdev.dev_port = static_cast<unsigned>(*port);
    }
  }
  return netdev;
}

// Azure usually repeats the MAC address in the id of the channel (000d3a76-3bd0-...), but does not
// guarantee it.
bool repeats_mac(const VmbusId& id, const MacAddress& mac) {
  std::string digits;
  for (const char c : id.str()) {
    if (c != '-') digits += c;
  }
  std::string expected;
  for (const auto byte : mac.bytes) expected += fmt::format("{:02x}", byte);
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (digits[i] != expected[i % expected.size()]) return false;
  }
  return !mac.is_zero();
}

// Builds the NICs and assigns the VFs to them, starting with the most reliable evidence.
class Pairing {
 public:
  void add(Netdev netdev) {
    if (netdev.driver == kSyntheticDriver) {
      Nic nic;
      nic.vmbus = netdev.vmbus;
      nic.vmbus_driver = netdev.driver;
      nic.synthetic = std::move(netdev);
      nics_.push_back(std::move(nic));
    } else {
      vfs_.push_back(std::move(netdev));
    }
  }

  // Adds a channel without a synthetic interface: bound to uio_hv_generic or unbound. Other NICs
  // have a synthetic interface until paired() adds those that consist of a VF.
  void add_channel(const os::VmbusDevice& device, std::string uio) {
    Nic nic;
    nic.vmbus = device.id;
    nic.vmbus_driver = device.driver;
    nic.uio = std::move(uio);
    nics_.push_back(std::move(nic));
  }

  // The number of synthetic interfaces, VFs and channels.
  std::size_t size() const { return nics_.size() + vfs_.size(); }

  std::vector<Nic> paired() {
    by_master();
    by_mac();
    by_channel_id();
    by_elimination();
    for (auto& vf : vfs_) {
      // Without a synthetic NIC, only a MANA function is an Azure NIC.
      if (vf.driver != kManaDriver) continue;
      Nic nic;
      nic.vf = std::move(vf);
      nics_.push_back(std::move(nic));
    }
    std::sort(nics_.begin(), nics_.end(), [](const Nic& a, const Nic& b) {
      return std::pair(!a.synthetic, a.name()) < std::pair(!b.synthetic, b.name());
    });
    return std::move(nics_);
  }

 private:
  using Vf = std::vector<Netdev>::iterator;

  void assign(Nic& nic, Vf vf, std::string evidence) {
    nic.vf = std::move(*vf);
    nic.paired_by = std::move(evidence);
    vfs_.erase(vf);
  }

  // Returns the only VF that matches, or end() if several do: a wrong pair is worse than no pair.
  Vf only_vf(const std::function<bool(const Netdev&)>& matches) {
    const auto first = std::find_if(vfs_.begin(), vfs_.end(), matches);
    if (first == vfs_.end()) return first;
    return std::find_if(std::next(first), vfs_.end(), matches) == vfs_.end() ? first : vfs_.end();
  }

  void by_master() {
    for (auto& nic : nics_) {
      if (!nic.synthetic) continue;
      const auto vf = std::find_if(vfs_.begin(), vfs_.end(), [&](const Netdev& candidate) {
        return candidate.master == nic.synthetic->index;
      });
      if (vf != vfs_.end()) assign(nic, vf, "master");
    }
  }

  void by_mac() {
    for (auto& nic : nics_) {
      if (!nic.synthetic || nic.vf || nic.synthetic->mac.is_zero()) continue;
      const auto& mac = nic.synthetic->mac;
      // The members of a bond share its MAC address, so several NICs may have the same one.
      const auto same = std::count_if(nics_.begin(), nics_.end(), [&](const Nic& other) {
        return other.synthetic && !other.vf && other.synthetic->mac == mac;
      });
      const auto vf = only_vf([&](const Netdev& candidate) { return candidate.mac == mac; });
      if (same == 1 && vf != vfs_.end()) assign(nic, vf, "MAC address");
    }
  }

  void by_channel_id() {
    for (auto& nic : nics_) {
      if (nic.synthetic || nic.vf) continue;
      const auto vf =
          only_vf([&](const Netdev& candidate) { return repeats_mac(*nic.vmbus, candidate.mac); });
      if (vf != vfs_.end()) assign(nic, vf, "MAC address in the VMBus id");
    }
  }

  void by_elimination() {
    const auto is_channel_only = [](const Nic& nic) { return !nic.synthetic && !nic.vf; };
    if (std::count_if(nics_.begin(), nics_.end(), is_channel_only) != 1) return;
    const auto vf =
        only_vf([](const Netdev& candidate) { return candidate.driver == kManaDriver; });
    if (vf != vfs_.end()) {
      assign(*std::find_if(nics_.begin(), nics_.end(), is_channel_only), vf, "the only VF left");
    }
  }

  std::vector<Nic> nics_;
  std::vector<Netdev> vfs_;
};

}  // namespace

std::string kind_and_name(const os::Link& link) {
  return fmt::format("{} {}", link.kind.empty() ? "interface" : link.kind, printable(link.name));
}

void add_uppers(const std::vector<os::Link>& links, Nic& nic) {
  for (const auto& link : links) {
    if (nic.has_interface(link.index)) continue;
    if (link.lower && nic.has_interface(*link.lower)) {
      nic.uppers.push_back(kind_and_name(link) + " is stacked on it");
    }
    const bool is_master = (nic.synthetic && nic.synthetic->master == link.index) ||
                           (nic.vf && nic.vf->master == link.index);
    if (is_master) nic.uppers.push_back("it is a member of " + kind_and_name(link));
  }
}

Result<std::vector<Nic>> gather_nics(const os::System& system, const std::vector<os::Link>& links) {
  Pairing pairing;
  for (const auto& link : links) {
    // VLANs, bonds and bridges have the address of a lower interface but are not VFs.
    if (!link.kind.empty() || (link.flags & IFF_LOOPBACK) != 0) continue;
    const auto name = InterfaceName::parse(link.name);
    if (!name) continue;
    const Binding binding = binding_of(system, *name, link);
    if (binding.driver != kSyntheticDriver && !is_vf_driver(binding.driver)) continue;
    pairing.add(netdev_of(system, link, binding));
  }
  const auto channels = system.devices.vmbus_network();
  if (!channels) return tl::unexpected<Error>(channels.error());
  for (const auto& channel : *channels) {
    // The synthetic interface of this channel was added above or is in another network namespace.
    if (channel.driver == kSyntheticDriver) continue;
    const auto uio = system.files.list(channel.path + "/uio").value_or(std::vector<std::string>{});
    pairing.add_channel(channel, uio.empty() ? std::string() : uio.front());
  }
  if (pairing.size() > kMaxDevices) {
    return fail(Errc::invalid,
                fmt::format("there are more than {} NICs and VFs, more than Azure gives to a VM",
                            kMaxDevices));
  }
  auto nics = pairing.paired();
  for (auto& nic : nics) add_uppers(links, nic);
  return nics;
}

}  // namespace manactl::host
