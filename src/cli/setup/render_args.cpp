// SPDX-License-Identifier: MIT

#include <algorithm>

#include "base/text.h"
#include "cli/setup/render_setup.h"

namespace manactl::cli {
namespace {

// Returns the lcores of testpmd, which needs at least two: EAL's main lcore does not forward.
std::string lcore_options(const std::vector<unsigned>& cores) {
  if (cores.empty()) return "-l 0-1";
  if (cores.size() == 1) return fmt::format("--lcores=0@{0},1@{0}", cores.front());
  return "-l " + CpuList{cores}.str();
}

void print_vpp(std::ostream& out, const ArgsOutput& result) {
  out << "dpdk {\n";
  for (const auto& slot : result.slots) {
    std::string macs;
    for (const auto& mac : slot.macs) macs += (macs.empty() ? "mac=" : ",mac=") + mac.str();
    out << "  dev " << slot.pci.str() << " {\n    devargs " << macs << "\n"
        << fmt::format("    num-rx-queues {}\n    num-tx-queues {}\n", result.queues, result.queues)
        << fmt::format(
               "    num-rx-desc {}\n    num-tx-desc {}\n  }}\n", kDescriptors, kDescriptors);
    for (const auto& channel : slot.channels) {
      if (result.allow_channels) out << "  dev " << channel << '\n';
    }
  }
  out << "}\n";
}

void print_environment(std::ostream& out, const ArgsOutput& result) {
  std::vector<std::string> buses, macs, channels;
  for (const auto& slot : result.slots) {
    buses.push_back(slot.pci.str());
    for (const auto& mac : slot.macs) macs.push_back(mac.str());
    channels.insert(channels.end(), slot.channels.begin(), slot.channels.end());
  }
  out << "BUS_INFO=" << shell_word(join(buses, " ")) << "\nMANA_MAC=" << shell_word(join(macs, " "))
      << "\nDEV_UUID=" << shell_word(join(channels, " "))
      << "\nEAL_ARGS=" << shell_word(join(eal_arguments(result.slots, result.allow_channels), " "))
      << '\n';
}

}  // namespace

bool accepts_channels(const host::Facts& facts) {
  static constexpr Release kFirst{23, 11, 0};
  const auto installed = facts.dpdk.value_or(std::vector<host::SystemDpdk>{});
  return std::ranges::all_of(installed, [](const host::SystemDpdk& dpdk) {
    const auto release = Release::parse(dpdk.version);
    return !release || *release >= kFirst;
  });
}

std::vector<std::string> eal_arguments(const std::vector<setup::Slot>& slots, bool allow_channels) {
  std::vector<std::string> arguments;
  for (const auto& slot : slots) {
    arguments.push_back("--vdev=" + setup::vdev_of(slot));
    if (!allow_channels) continue;
    for (const auto& channel : slot.channels) {
      arguments.emplace_back("-a");
      arguments.push_back(channel);
    }
  }
  return arguments;
}

void print_args(Screen& screen, const ArgsOutput& result, ArgsFormat format) {
  auto& out = screen.stream();
  const auto eal = join(eal_arguments(result.slots, result.allow_channels), " ");
  switch (format) {
    case ArgsFormat::eal:
      out << eal << '\n';
      return;
    case ArgsFormat::vpp:
      return print_vpp(out, result);
    case ArgsFormat::environment:
      return print_environment(out, result);
    case ArgsFormat::json:
      return print_json(screen, result);
    case ArgsFormat::testpmd:
      out << fmt::format(
          "dpdk-testpmd {} {} -- --forward-mode=txonly --auto-start --nb-cores={} --txq={} "
          "--rxq={} --txd={} --rxd={} --stats 2\n",
          lcore_options(result.cores),
          eal,
          result.cores.size() > 1 ? result.cores.size() - 1 : 1,
          result.queues,
          result.queues,
          kDescriptors,
          kDescriptors);
  }
}

}  // namespace manactl::cli
