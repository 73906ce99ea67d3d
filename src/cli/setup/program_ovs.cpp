// SPDX-License-Identifier: MIT

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cli/setup/programs.h"

namespace manactl::cli {
namespace {

constexpr unsigned kSocketMiB = 1024;  // the default of Open vSwitch

std::uint64_t bytes_of_ovs(const ArgsDevices& /*devices*/) {
  return std::uint64_t{kSocketMiB} << 20U;
}

// Returns the mask of the CPUs in hexadecimal digits: "0x6".
std::string mask_of(const std::vector<unsigned>& cpus) {
  constexpr unsigned kBits = 4;  // of a digit
  std::vector<unsigned> digits(*std::ranges::max_element(cpus) / kBits + 1);
  for (const auto cpu : cpus) digits[digits.size() - 1 - cpu / kBits] |= 1U << (cpu % kBits);
  return fmt::format("0x{:x}", fmt::join(digits, ""));
}

// A port is named by its MAC address, because the ports of a PCI function share its address, and a
// port of net_netvsc has another name than its VF. Open vSwitch sees only the port that owns the
// VF.
std::string add_port(const PortOfNic& port, std::size_t index, unsigned queues) {
  return fmt::format(
      "ovs-vsctl --may-exist add-port br-mana dpdk{0} -- set Interface dpdk{0} type=dpdk "
      "options:dpdk-devargs=class=eth,mac={1} options:n_rxq={2} options:n_rxq_desc={3} "
      "options:n_txq_desc={3}",
      index,
      port.mac.str(),
      queues,
      kDescriptors);
}

std::vector<std::string> render_ovs(const ArgsDevices& devices, const host::ProgramSize& size) {
  const auto lcores = lcores_of(size);
  std::string memory;
  for (int node = 0; node < devices.node; ++node) memory += "0,";
  const auto eal = join(eal_arguments(devices.slots, devices.allow_channels), " ");
  std::vector<std::string> lines = {
      fmt::format("ovs-vsctl --no-wait set Open_vSwitch . other_config:dpdk-init=true "
                  "other_config:dpdk-lcore-mask={} other_config:pmd-cpu-mask={} "
                  "other_config:dpdk-socket-mem={}{} other_config:dpdk-extra={}",
                  mask_of({lcores.main}),
                  mask_of(lcores.workers),
                  memory,
                  kSocketMiB,
                  shell_word(eal)),
      "# Restart Open vSwitch now: it reads these settings when it starts.",
      "ovs-vsctl --may-exist add-br br-mana -- set Bridge br-mana datapath_type=netdev"};
  std::size_t index = 0;
  for (const auto& port : ports_of(devices)) lines.push_back(add_port(port, index++, size.queues));
  return lines;
}

}  // namespace

// Open vSwitch creates a transmit queue for each PMD thread and one for its other threads
// (reconfigure_datapath() in lib/dpif-netdev.c); net_mana requires as many receive queues.
const Program kOpenVswitch{.name = "ovs",
                           .title = "Open vSwitch",
                           .threads = "PMD threads",
                           .other_queues = 1,
                           .hugepage_bytes = bytes_of_ovs,
                           .render = render_ovs};

}  // namespace manactl::cli
