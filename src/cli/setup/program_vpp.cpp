// SPDX-License-Identifier: MIT

#include <fmt/format.h>

#include "base/text.h"
#include "cli/setup/programs.h"

namespace manactl::cli {
namespace {

// The settings of `dev default` apply to the port of net_netvsc, which VPP uses, and without it to
// the port of net_mana. Those of the PCI function would apply to the latter only.
std::vector<std::string> render_vpp(const ArgsDevices& devices, const host::ProgramSize& size) {
  const auto [main, workers] = lcores_of(size);
  std::vector<std::string> lines = {"cpu {", fmt::format("  main-core {}", main)};
  // Without workers, the main thread polls the ports.
  if (workers.front() != main) lines.push_back("  corelist-workers " + CpuList{workers}.str());
  lines.insert(lines.end(),
               {"}",
                "# Remove no-pci and no-vmbus from this section: the drivers need both buses.",
                "dpdk {",
                "  dev default {",
                fmt::format("    num-rx-queues {}", size.queues),
                fmt::format("    num-tx-queues {}", size.queues),
                fmt::format("    num-rx-desc {}", kDescriptors),
                fmt::format("    num-tx-desc {}", kDescriptors),
                "  }"});
  for (const auto& slot : devices.slots) {
    lines.push_back(fmt::format("  dev {} {{", slot.pci.str()));
    lines.push_back("    devargs " + setup::mac_devargs_of(slot));
    lines.emplace_back("  }");
    if (!devices.allow_channels) continue;
    for (const auto& channel : slot.channels) lines.push_back("  dev " + channel);
  }
  lines.emplace_back("}");
  return lines;
}

// vlib_vmbus_bind_to_uio() in VPP's src/vlib/linux/vmbus.c
std::vector<std::string> limits_of_vpp(const ArgsDevices& devices) {
  std::vector<std::string> warnings;
  for (const auto& port : ports_of(devices)) {
    if (port.channel.empty() || port.nic->is_prepared()) continue;
    warnings.push_back(fmt::format(
        "VPP binds '{}' itself unless 'manactl prepare' has done so, and sets its VF up, although "
        "net_mana needs it down",
        printable(port.nic->name())));
  }
  return warnings;
}

}  // namespace

const Program kVpp{.name = "vpp",
                   .title = "VPP",
                   .threads = "workers",
                   .render = render_vpp,
                   .limits = limits_of_vpp};

}  // namespace manactl::cli
