// SPDX-License-Identifier: MIT

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cli/setup/programs.h"

namespace manactl::cli {
namespace {

constexpr unsigned kMempoolSize = 65535;  // of each port, the default of Suricata
constexpr unsigned kMempoolCache = 257;   // a divisor of it, as Suricata advises
constexpr unsigned kDefaultMtu = 1500;

unsigned mtu_of(const PortOfNic& port) {
  return port.nic->vf->mtu != 0 ? port.nic->vf->mtu : kDefaultMtu;
}

// DeviceConfigureQueues() in Suricata's src/runmode-dpdk.c rounds the size of a frame up.
std::uint64_t bytes_of_suricata(const ArgsDevices& devices) {
  constexpr std::uint64_t kFrameOverhead = 22, kRound = 1024;
  constexpr std::uint64_t kMbuf = 64 + 128 + 128;  // mempool object, rte_mbuf, headroom
  constexpr std::uint64_t kOther = 64U << 20U;     // of EAL and the drivers
  std::uint64_t bytes = kOther;
  for (const auto& port : ports_of(devices)) {
    const auto data = (mtu_of(port) + kFrameOverhead + kRound - 1) / kRound * kRound;
    bytes += kMempoolSize * (data + kMbuf);
  }
  return bytes;
}

// The device of a port, and the name that Suricata uses.
struct NamedPort {
  PortOfNic port;
  std::string device;  // for net_failsafe; empty if it cannot use the port
  std::string name;
};

// Suricata 7 names a mempool "mempool_" and the name of the port (DeviceConfigureQueues() in
// src/runmode-dpdk.c). DPDK accepts 25 characters (RTE_MEMPOOL_NAMESIZE), so the ports of net_mana
// ("7870:00:00.0_port1") and net_netvsc (a VMBus id) have names that are too long. A port of
// net_failsafe has a short name. It finds its port by the name of the device, so it cannot use one
// of several ports of a PCI function.
std::vector<NamedPort> named_ports(const ArgsDevices& devices) {
  std::vector<NamedPort> named;
  for (const auto& port : ports_of(devices)) {
    const auto slot = std::ranges::find(devices.slots, port.pci, &setup::Slot::pci);
    NamedPort entry{port, port.channel, {}};
    if (entry.device.empty() && slot != devices.slots.end() && slot->macs.size() == 1)
      entry.device = port.pci.str();
    entry.name = entry.device.empty() ? fmt::format("{}_port{}", port.pci.str(), port.number)
                                      : fmt::format("net_failsafe{}", named.size());
    named.push_back(std::move(entry));
  }
  return named;
}

// Returns the list as YAML: ["a", "b"].
std::string list_of(const std::vector<std::string>& values) {
  return "[\"" + join(values, "\", \"") + "\"]";
}

std::vector<std::string> interface_lines(const NamedPort& named, unsigned threads) {
  return {"    - interface: " + named.name,
          fmt::format("      threads: {}", threads),
          "      promisc: false  # net_mana does not support it, and Suricata crashes with true",
          "      multicast: false  # net_mana does not support it",
          "      checksum-checks: true",
          "      checksum-checks-offload: true",
          fmt::format("      mtu: {}", mtu_of(named.port)),
          fmt::format("      mempool-size: {}", kMempoolSize),
          fmt::format("      mempool-cache-size: {}", kMempoolCache),
          fmt::format("      rx-descriptors: {}", kDescriptors),
          fmt::format("      tx-descriptors: {}", kDescriptors),
          "      copy-mode: none",
          "      copy-iface: none"};
}

std::vector<std::string> render_suricata(const ArgsDevices& devices,
                                         const host::ProgramSize& size) {
  std::vector<std::string> vdevs, channels;
  for (const auto& slot : devices.slots) {
    vdevs.push_back(setup::vdev_of(slot));
    channels.insert(channels.end(), slot.channels.begin(), slot.channels.end());
  }
  const auto ports = named_ports(devices);
  for (const auto& named : ports) {
    if (!named.device.empty()) vdevs.push_back(fmt::format("{},dev({})", named.name, named.device));
  }
  std::vector<std::string> lines = {
      "dpdk:", "  eal-params:", "    proc-type: primary", "    vdev: " + list_of(vdevs)};
  if (devices.allow_channels && !channels.empty())
    lines.push_back("    allow: " + list_of(channels));
  lines.emplace_back("  interfaces:");
  for (const auto& named : ports) {
    const auto more = interface_lines(named, size.threads);
    lines.insert(lines.end(), more.begin(), more.end());
  }
  const auto [main, workers] = lcores_of(size);
  lines.insert(lines.end(),
               {"threading:",
                "  set-cpu-affinity: yes",
                "  cpu-affinity:",
                "    - management-cpu-set:",
                fmt::format("        cpu: [ \"{}\" ]", main),
                "    - worker-cpu-set:",
                fmt::format("        cpu: [ \"{}\" ]", CpuList{workers}.str()),
                "        mode: \"exclusive\""});
  return lines;
}

std::vector<std::string> limits_of_suricata(const ArgsDevices& devices) {
  std::vector<std::string> warnings;
  if (devices.nics.size() > 1) {
    warnings.emplace_back(
        "Suricata starts the threads for each interface: add CPUs to worker-cpu-set, so that each "
        "thread has one of its own");
  }
  bool needs_failsafe = false;
  for (const auto& named : named_ports(devices)) {
    needs_failsafe = needs_failsafe || !named.device.empty();
    if (!named.device.empty()) continue;
    warnings.push_back(
        fmt::format("Suricata 7 fails with 'File name too long' on the port {}, because it names a "
                    "mempool after the port: name one NIC of {} only, or use Suricata 8",
                    named.name,
                    named.port.pci.str()));
  }
  if (needs_failsafe) {
    warnings.emplace_back(
        "net_failsafe gives each port a name that is short enough for Suricata 7: it must be "
        "installed (Debian: librte-net-failsafe)");
  }
  return warnings;
}

}  // namespace

const Program kSuricata{.name = "suricata",
                        .title = "Suricata",
                        .threads = "threads",
                        .hugepage_bytes = bytes_of_suricata,
                        .render = render_suricata,
                        .limits = limits_of_suricata};

}  // namespace manactl::cli
