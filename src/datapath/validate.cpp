// SPDX-License-Identifier: MIT
#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "datapath/plan.h"
#include "datapath/request.h"
#include "datapath/traffic.h"

namespace manactl::datapath {

namespace {

constexpr unsigned kMaxQueues = 64;  // net_mana and net_netvsc
constexpr unsigned kMinDescriptors = 64, kMaxDescriptors = 8192;
constexpr unsigned kMinFrame = 64, kMaxFrame = 9018;  // MTU 9000 with header and FCS
constexpr unsigned kMaxShare = 1000;
constexpr unsigned kMaxBurst = 256;  // the cache below holds two of them
constexpr unsigned kMaxCpu = 1023;   // the size of EAL's CPU sets
constexpr double kMaxSeconds = 30.0 * 24 * 3600;
constexpr double kMinInterval = 0.01;
constexpr std::size_t kMaxDevice = 1024;
constexpr std::size_t kMaxPorts = 32;  // as many as DPDK has by default

Result<> validate_mac(const MacAddress& mac) {
  if (!mac.is_zero() && !mac.is_multicast()) return {};
  return fail(Errc::invalid, fmt::format("{} is no address of a device", mac.str()));
}

Result<> validate_vdev(const std::string& device) {
  const auto plain = [](char c) { return c > ' ' && c < '\x7f'; };
  if (device.empty() || device.size() > kMaxDevice ||
      !std::all_of(device.begin(), device.end(), plain)) {
    return fail(Errc::invalid,
                fmt::format("--vdev '{}': a device name with options, without blanks, is expected",
                            printable(device, 80)));
  }
  const auto name = std::string_view(device).substr(0, device.find(','));
  if (!PciAddress::parse(name)) {
    if (name.find_first_of("/=") == std::string_view::npos) return {};
    return fail(Errc::invalid, fmt::format("--vdev '{}': '{}' is no device name", device, name));
  }
  const auto macs = macs_in(device);
  for (const auto text : macs) {
    const auto mac = MacAddress::parse(text);
    if (!mac) return because(mac.error(), fmt::format("--vdev '{}'", device));
    if (auto ok = validate_mac(*mac); !ok) return ok;
  }
  if (!macs.empty()) return {};
  return fail(
      Errc::invalid,
      fmt::format("--vdev '{}': mac= is missing, and without it the driver takes every port "
                  "of the device, the one of this session too",
                  device));
}

// EAL knows a device by its name alone.
Result<> validate_names(const BenchPlan& plan) {
  std::vector<std::string_view> names;
  for (const auto& device : plan.vdevs) {
    const auto name = std::string_view(device).substr(0, device.find(','));
    if (std::find(names.begin(), names.end(), name) != names.end()) {
      return fail(Errc::invalid, fmt::format("--vdev: '{}' is given twice", name));
    }
    names.push_back(name);
  }
  for (auto nic = plan.nics.begin(); nic != plan.nics.end(); ++nic) {
    const auto same = [&](const Nic& other) { return other.mac == nic->mac; };
    if (std::any_of(plan.nics.begin(), nic, same)) {
      return fail(Errc::invalid, fmt::format("'{}' is given twice", nic->interface));
    }
  }
  return {};
}

Result<> validate_devices(const BenchPlan& plan) {
  const auto devices = plan.vdevs.size() + plan.nics.size();
  if (devices == 0) return fail(Errc::invalid, "a device is missing: an interface or --vdev");
  for (const auto& nic : plan.nics) {
    if (auto ok = validate_mac(nic.mac); !ok) return ok;
  }
  for (const auto& device : plan.vdevs) {
    if (auto ok = validate_vdev(device); !ok) return ok;
  }
  if (port_count(plan) > kMaxPorts) {
    return fail(Errc::invalid,
                fmt::format("{} ports: DPDK takes at most {}", port_count(plan), kMaxPorts));
  }
  return validate_names(plan);
}

Result<> within(std::string_view option,
                std::uint64_t value,
                std::uint64_t min,
                std::uint64_t max) {
  if (value >= min && value <= max) return {};
  return fail(Errc::invalid, fmt::format("{} {}: {} to {} are possible", option, value, min, max));
}

Result<> validate_queues(const BenchPlan& plan) {
  if (auto ok = within("--queues", plan.queues, 1, kMaxQueues); !ok) return ok;
  if (!plan.nics.empty() && (plan.queues & (plan.queues - 1U)) != 0) {
    return fail(
        Errc::invalid,
        fmt::format("--queues {}: net_mana takes powers of two (1, 2, 4 to 64)", plan.queues));
  }
  if (auto ok = within("--descriptors", plan.descriptors, kMinDescriptors, kMaxDescriptors); !ok) {
    return ok;
  }
  if (plan.descriptors % 64 != 0) {
    return fail(Errc::invalid,
                fmt::format("--descriptors {}: net_mana takes multiples of 64", plan.descriptors));
  }
  return {};
}

Result<> validate_host(std::string_view option, const std::optional<Ipv4Address>& address) {
  if (!address) return {};
  const auto first = address->value >> 24U;
  // "This" network, loopback, multicast and what is reserved above it: no packet comes from there
  // or gets there.
  if (first != 0 && first != 127 && first < 224) return {};
  return fail(Errc::invalid,
              fmt::format("{} {}: no address that a machine can have", option, address->str()));
}

// The MTU of an interface counts neither the Ethernet header nor the FCS.
Result<> validate_mtu(const BenchPlan& plan) {
  constexpr unsigned kAround = 18;
  for (const auto& nic : plan.nics) {
    if (nic.mtu == 0 || plan.traffic.largest() <= nic.mtu + kAround) continue;
    return fail(Errc::invalid,
                fmt::format("--size {}: '{}' has an MTU of {}, so frames have at most {} bytes",
                            plan.traffic.largest(),
                            nic.interface,
                            nic.mtu,
                            nic.mtu + kAround));
  }
  return {};
}

Result<> validate_traffic(const BenchPlan& plan) {
  const auto& traffic = plan.traffic;
  if (traffic.sizes.empty()) return fail(Errc::invalid, "--size: a size is missing");
  for (const auto& size : traffic.sizes) {
    if (auto ok = within("--size", size.bytes, kMinFrame, kMaxFrame); !ok) return ok;
    if (auto ok = within("--size: share", size.share, 1, kMaxShare); !ok) return ok;
    if (plan.mode == Mode::rtt && size.bytes < kLeastRequestFrame) {
      return fail(Errc::invalid,
                  fmt::format("--size {}: a request of --mode rtt, with its number and time, takes "
                              "frames of at least {} bytes",
                              size.bytes,
                              kLeastRequestFrame));
    }
  }
  if (auto ok = within("--flows", traffic.flows, 1, most_flows(plan.queues)); !ok) return ok;
  if (auto ok = validate_mac(traffic.destination); !ok) return because(ok.error(), "--dst-mac");
  if (auto ok = validate_host("--src-ip", traffic.source_ip); !ok) return ok;
  if (auto ok = validate_host("--peer", traffic.peer_ip); !ok) return ok;
  return makes_packets(plan.mode) ? validate_mtu(plan) : Result<>{};
}

// What only a sender does.
Result<> validate_sender(const BenchPlan& plan) {
  if (makes_packets(plan.mode)) return {};
  const auto* option = plan.trial.rate ? "--rate" : plan.traffic.flows > 1 ? "--flows" : nullptr;
  if (option == nullptr) return {};
  return fail(Errc::invalid,
              fmt::format("{} with --mode {}: it makes no packets; give it to the sender",
                          option,
                          name_of(plan.mode)));
}

Result<> validate_time(const TrialPlan& plan) {
  // Written so that NaN is refused too.
  if (!(plan.seconds > 0 && plan.seconds <= kMaxSeconds)) {
    return fail(Errc::invalid,
                fmt::format("--duration {}: more than 0 and at most 30 days", plan.seconds));
  }
  if (!(plan.warmup_seconds >= 0 && plan.warmup_seconds < plan.seconds)) {
    return fail(Errc::invalid,
                fmt::format("--warmup {}: less than the {} seconds of --duration",
                            plan.warmup_seconds,
                            plan.seconds));
  }
  if (!(plan.ramp_seconds >= 0 && plan.ramp_seconds < plan.seconds)) {
    return fail(
        Errc::invalid,
        fmt::format(
            "--ramp {}: less than the {} seconds of --duration", plan.ramp_seconds, plan.seconds));
  }
  if (plan.ramp_seconds > 0 && !plan.rate) {
    return fail(Errc::invalid, "--ramp: there is nothing to reach without --rate");
  }
  if (!(plan.interval_seconds >= kMinInterval && plan.interval_seconds <= kMaxSeconds)) {
    return fail(Errc::invalid,
                fmt::format("--interval {}: at least {} seconds and at most 30 days",
                            plan.interval_seconds,
                            kMinInterval));
  }
  return {};
}

}  // namespace

Result<> validate(const BenchPlan& plan) {
  if (auto ok = validate_devices(plan); !ok) return ok;
  if (auto ok = validate_queues(plan); !ok) return ok;
  if (auto ok = within("--burst", plan.burst, 1, kMaxBurst); !ok) return ok;
  if (auto ok = validate_traffic(plan); !ok) return ok;
  if (auto ok = validate_sender(plan); !ok) return ok;
  for (const auto& list : {plan.cpus, plan.near_cpus}) {
    for (const auto cpu : list.cpus) {
      if (auto ok = within("--cpus", cpu, 0, kMaxCpu); !ok) return ok;
    }
  }
  return validate_time(plan.trial);
}

}  // namespace manactl::datapath
