// SPDX-License-Identifier: MIT

#include "host/tuning.h"

#include <algorithm>
#include <bit>
#include <iterator>

#include "base/text.h"
#include "os/interface_settings.h"

namespace manactl::host {
namespace {

constexpr std::string_view kRings = "ethtool/rings";
constexpr std::string_view kChannels = "ethtool/channels";
constexpr std::string_view kCoalescing = "ethtool/coalescing";
constexpr std::string_view kQdisc = "link/qdisc";

constexpr std::string_view kMicrosoft =
    "https://learn.microsoft.com/azure/virtual-network/virtual-network-optimize-network-bandwidth";
constexpr std::string_view kMicrosoftMtu =
    "https://learn.microsoft.com/azure/virtual-network/how-to-virtual-machine-mtu";
constexpr std::string_view kManaHeader = "include/net/mana/mana.h of Linux";
constexpr std::string_view kManaEthtool =
    "drivers/net/ethernet/microsoft/mana/mana_ethtool.c of Linux";
constexpr std::string_view kNetvscHeader = "drivers/net/hyperv/hyperv_net.h of Linux";
constexpr std::string_view kNetvscDriver = "drivers/net/hyperv/netvsc_drv.c of Linux";
constexpr std::string_view kOffloads =
    "Documentation/networking/segmentation-offloads.rst of Linux";
constexpr std::string_view kFeatures = "Documentation/networking/netdev-features.rst of Linux";

constexpr std::string_view kBurst = "a longer ring holds a burst until a CPU has time for it";
constexpr std::string_view kShare = "one channel for each CPU spreads the packets over all CPUs";
constexpr std::string_view kOneCopy = "the driver need not copy a packet into one piece";
constexpr std::string_view kSums = "the device computes checksums instead of a CPU";
constexpr std::string_view kSegments = "the device cuts large sends into packets instead of a CPU";
constexpr std::string_view kLateCut = "large sends pass the stack as one, also without TSO";
constexpr std::string_view kMerge = "received packets pass the stack as one";
constexpr std::string_view kModeration =
    "moderation that adapts saves interrupts under load; without it, each packet is served at once";

constexpr std::array<std::string_view, 3> kKeep = {};
constexpr std::array<std::string_view, 3> kOn = {"on", "on", "on"};
constexpr std::array<std::string_view, 3> kAdaptive = {"", "on", "off"};
constexpr std::array<std::string_view, 3> kAtOnce = {"", "", "0"};

constexpr Tunable number(std::string_view name,
                         std::string_view driver,
                         std::string_view key,
                         std::size_t word,
                         std::array<std::string_view, 3> wanted) {
  Tunable row;
  row.name = name;
  row.driver = driver;
  row.key = key;
  row.word = word;
  row.wanted = wanted;
  return row;
}

constexpr Tunable ring(std::string_view name,
                       std::string_view driver,
                       std::size_t word,
                       std::array<std::string_view, 3> wanted,
                       std::string_view usual) {
  auto row = number(name, driver, kRings, word, wanted);
  const bool is_vf = driver == kManaDriver;
  row.is_minimum = true;
  row.min = is_vf ? 128 : 10;  // MIN_RX_BUFFERS_PER_QUEUE, NETVSC_MIN_RX_SECTIONS
  row.max = 65536;
  row.needs_power_of_two = is_vf;
  row.usual = usual;
  row.interrupts = true;
  row.since = is_vf ? "6.12" : "";
  row.link_option = word == 0 ? "RxBufferSize" : "TxBufferSize";
  row.link_since = 244;
  row.why = kBurst;
  row.source = kMicrosoft;
  return row;
}

constexpr Tunable channels(std::string_view name,
                           std::string_view driver,
                           std::array<std::string_view, 3> wanted) {
  auto row = number(name, driver, kChannels, 3, wanted);
  row.is_minimum = true;
  row.min = 1;
  row.max = 1024;
  row.interrupts = true;
  row.link_option = "CombinedChannels";
  row.link_since = 239;
  row.why = kShare;
  row.source = driver == kManaDriver ? kManaEthtool : kNetvscDriver;
  return row;
}

constexpr Tunable feature(std::string_view name,
                          std::string_view driver,
                          std::string_view key,
                          std::string_view why,
                          std::string_view source,
                          std::string_view link_option = {},
                          unsigned link_since = 0) {
  auto row = number(name, driver, key, 0, kOn);
  row.form = ValueForm::feature;
  row.link_option = link_option;
  row.link_since = link_since;
  row.why = why;
  row.source = source;
  return row;
}

constexpr Tunable coalescing(std::string_view name,
                             std::size_t word,
                             ValueForm form,
                             std::array<std::string_view, 3> wanted) {
  auto row = number(name, kManaDriver, kCoalescing, word, wanted);
  row.form = form;
  row.max = UINT16_MAX;
  row.interrupts = true;
  row.since = "7.2";
  row.why = kModeration;
  row.source = kManaEthtool;
  return row;
}

constexpr Tunable mtu() {
  auto row = number("mtu", kSyntheticDriver, kMtuKey, 0, kKeep);
  row.min = 1280;
  row.max = 9000;
  row.interrupts = true;
  row.link_option = "MTUBytes";
  row.link_since = 215;
  row.why = "larger packets need fewer headers and interrupts, inside a virtual network only";
  row.source = kMicrosoftMtu;
  return row;
}

constexpr Tunable qdisc() {
  auto row = number("qdisc", kSyntheticDriver, kQdisc, 0, kKeep);
  row.form = ValueForm::kind;
  row.why = "fq paces flows, but all CPUs share one root discipline: measure both";
  row.source = kMicrosoft;
  return row;
}

// Settings on which others depend come first: the kernel switches TSO off without SG and checksums,
// and drivers reset the rings with the channels. The rings of latency are the defaults of mana,
// whose receive ring has 512 packets in older kernels.
constexpr std::array kTunables = {
    mtu(),
    channels("channels", kSyntheticDriver, kKeep),
    ring("rx-ring", kSyntheticDriver, 0, {"1024", "1024", ""}, ""),
    ring("tx-ring", kSyntheticDriver, 3, {"1024", "1024", ""}, ""),
    feature("sg", kSyntheticDriver, "ethtool/feature/tx-scatter-gather", kOneCopy, kFeatures),
    feature("tx-checksum", kSyntheticDriver, "ethtool/feature/tx-checksum-ipv4", kSums, kFeatures),
    feature("rx-checksum", kSyntheticDriver, "ethtool/feature/rx-checksum", kSums, kFeatures),
    feature("tso",
            kSyntheticDriver,
            "ethtool/feature/tx-tcp-segmentation",
            kSegments,
            kOffloads,
            "TCPSegmentationOffload",
            229),
    feature("gso",
            kSyntheticDriver,
            "ethtool/feature/tx-generic-segmentation",
            kLateCut,
            kOffloads,
            "GenericSegmentationOffload",
            229),
    feature("gro",
            kSyntheticDriver,
            "ethtool/feature/rx-gro",
            kMerge,
            kOffloads,
            "GenericReceiveOffload",
            229),
    qdisc(),
    channels(
        "vf-channels", kManaDriver, {kOneForEachOf16Cpus, kOneForEachCpu, kOneForEachOf16Cpus}),
    ring("vf-rx-ring", kManaDriver, 0, {"4096", "4096", "1024"}, "512"),
    ring("vf-tx-ring", kManaDriver, 3, {"4096", "4096", "256"}, "256"),
    feature("vf-sg", kManaDriver, "ethtool/feature/tx-scatter-gather", kOneCopy, kFeatures),
    feature("vf-tx-checksum", kManaDriver, "ethtool/feature/tx-checksum-ipv4", kSums, kFeatures),
    feature("vf-rx-checksum", kManaDriver, "ethtool/feature/rx-checksum", kSums, kFeatures),
    feature("vf-tso",
            kManaDriver,
            "ethtool/feature/tx-tcp-segmentation",
            kSegments,
            kOffloads,
            "TCPSegmentationOffload",
            229),
    feature("vf-gso",
            kManaDriver,
            "ethtool/feature/tx-generic-segmentation",
            kLateCut,
            kOffloads,
            "GenericSegmentationOffload",
            229),
    feature("vf-gro",
            kManaDriver,
            "ethtool/feature/rx-gro",
            kMerge,
            kOffloads,
            "GenericReceiveOffload",
            229),
    coalescing("vf-adaptive-rx", 9, ValueForm::flag, kAdaptive),
    coalescing("vf-adaptive-tx", 10, ValueForm::flag, kAdaptive),
    coalescing("vf-rx-usecs", 0, ValueForm::number, kAtOnce),
    coalescing("vf-rx-frames", 1, ValueForm::number, kKeep),
    coalescing("vf-tx-usecs", 4, ValueForm::number, kAtOnce),
    coalescing("vf-tx-frames", 5, ValueForm::number, kKeep),
};

std::string word_at(const std::string& value, std::size_t number) {
  const auto parts = words(value);
  return number < parts.size() ? std::string(parts[number]) : std::string();
}

std::map<std::string, std::string> tuning_settings(const os::InterfaceSettings& all) {
  std::map<std::string, std::string> found;
  for (const auto& [key, value] : all) {
    if (is_tuning_key(key)) found.emplace(key, value);
  }
  return found;
}

}  // namespace

std::span<const Tunable> tunables() {
  return kTunables;
}

const Tunable* find_tunable(std::string_view name) {
  const auto found = std::ranges::find(kTunables, name, &Tunable::name);
  return found == std::end(kTunables) ? nullptr : &*found;
}

bool is_tuning_key(std::string_view key) {
  return key != kMtuKey && std::ranges::find(kTunables, key, &Tunable::key) != std::end(kTunables);
}

const Netdev* interface_for(const Tunable& tunable, const Nic& nic) {
  // MANA without a synthetic interface has the MTU of its VF.
  const bool uses_vf = tunable.is_of_vf() || (nic.is_direct() && tunable.key == kMtuKey);
  const auto& netdev = uses_vf ? nic.vf : nic.synthetic;
  if (!netdev) return nullptr;
  // hv_netvsc gives its features to the VF (netvsc_set_features), so those that the host does not
  // offer cannot be on.
  const bool follows = tunable.is_of_vf() && tunable.form == ValueForm::feature;
  if (follows && nic.synthetic && nic.synthetic->settings &&
      !nic.synthetic->settings->contains(std::string(tunable.key))) {
    return nullptr;
  }
  return netdev->driver == (uses_vf ? kManaDriver : kSyntheticDriver) ? &*netdev : nullptr;
}

std::optional<std::string> present_value(const Tunable& tunable, const Netdev& netdev) {
  if (tunable.key == kMtuKey) return std::to_string(netdev.mtu);
  if (!netdev.settings) return std::nullopt;
  const auto found = netdev.settings->find(std::string(tunable.key));
  const bool exists = found != netdev.settings->end();
  if (tunable.form == ValueForm::kind) {
    return exists ? word_at(found->second, 0) : std::string(os::kDefaultQueueing);
  }
  if (!exists) return std::nullopt;
  auto value = word_at(found->second, tunable.word);
  if (value.empty()) return std::nullopt;
  if (tunable.form == ValueForm::flag) return value == "0" ? "off" : "on";
  return value;
}

std::optional<std::uint64_t> limit_of(const Tunable& tunable, const Netdev& netdev) {
  const auto found = netdev.limits.find(std::string(tunable.key));
  if (found == netdev.limits.end()) return std::nullopt;
  const auto limit = parse_unsigned(word_at(found->second, tunable.word));
  if (!limit || *limit == 0) return std::nullopt;
  return *limit;
}

std::string wanted_value(const Tunable& tunable,
                         Profile profile,
                         const Netdev& netdev,
                         const Facts& facts) {
  std::string wanted(tunable.wanted[static_cast<std::size_t>(profile)]);
  if (wanted.starts_with(kOneForEachCpu)) {
    if (!facts.cpus || facts.cpus->cpus.empty()) return {};
    // Since Linux 7.1, mana uses at most 16 queues by default.
    constexpr std::size_t kQueues = 16;
    const auto cpus = facts.cpus->cpus.size();
    wanted = std::to_string(wanted == kOneForEachCpu ? cpus : std::min(cpus, kQueues));
  }
  const auto limit = limit_of(tunable, netdev);
  const auto value = parse_unsigned(wanted);
  return limit && value && *value > *limit ? std::to_string(*limit) : wanted;
}

bool is_satisfied(const Tunable& tunable,
                  std::optional<Profile> profile,
                  const std::string& now,
                  const std::string& wanted) {
  const auto present = parse_unsigned(now), least = parse_unsigned(wanted);
  const bool is_minimum = tunable.is_minimum && profile && *profile != Profile::latency;
  if (!is_minimum || !present || !least) return now == wanted;
  return *present >= *least;
}

Result<> check_value(const Tunable& tunable, std::string_view value) {
  const auto refuse = [&](const std::string& accepted) {
    return fail(
        Errc::invalid,
        fmt::format("'{}' is not a value of {}: {}", printable(value), tunable.name, accepted));
  };
  switch (tunable.form) {
    case ValueForm::number: {
      const auto number = parse_unsigned(value);
      if (!number || *number < tunable.min || *number > tunable.max) {
        return refuse(fmt::format("use a number from {} to {}", tunable.min, tunable.max));
      }
      if (!tunable.needs_power_of_two || std::has_single_bit(*number)) return {};
      return refuse(fmt::format("use a power of two, such as {}: the driver would round it up",
                                std::bit_ceil(*number)));
    }
    case ValueForm::feature:
    case ValueForm::flag:
      if (value == "on" || value == "off") return {};
      return refuse("use on or off");
    case ValueForm::kind: {
      // Disciplines without classes, which restore can attach again.
      constexpr std::string_view kKinds[] = {"default", "fq", "fq_codel", "noqueue", "pfifo"};
      if (std::ranges::find(kKinds, value) != std::end(kKinds)) return {};
      return refuse("use " + join({std::begin(kKinds), std::end(kKinds)}, ", "));
    }
  }
  return {};
}

bool is_kernel_older(const Tunable& tunable, const Facts& facts) {
  const auto since = Release::parse(tunable.since);
  if (tunable.since.empty() || !since || !facts.kernel) return false;
  const auto running = Release::parse(facts.kernel->release);
  return running && *running < *since;
}

void gather_settings(const os::Links& links, std::vector<Nic>& nics) {
  const auto gather = [&](std::optional<Netdev>& netdev) {
    if (!netdev) return;
    const auto settings = links.settings(netdev->index);
    const auto limits = links.limits(netdev->index);
    if (!settings || !limits) {
      netdev->settings = tl::unexpected<Error>(settings ? limits.error() : settings.error());
      return;
    }
    netdev->settings = tuning_settings(*settings);
    netdev->limits = tuning_settings(*limits);
  };
  for (auto& nic : nics) {
    gather(nic.synthetic);
    gather(nic.vf);
  }
}

}  // namespace manactl::host
