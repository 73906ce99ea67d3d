// SPDX-License-Identifier: MIT
//
// validate() of plan.h.

#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "datapath/plan/plan.h"
#include "datapath/traffic/traffic.h"

namespace manactl::datapath {

namespace {

constexpr unsigned kMaxQueues = 64;  // limit of net_mana and net_netvsc
constexpr unsigned kMinDescriptors = 64, kMaxDescriptors = 8192;
constexpr unsigned kMinFrame = 64, kMaxFrame = 9018;  // maximum: MTU 9000, header and FCS
constexpr unsigned kMaxShare = 1000;
constexpr unsigned kMaxBurst = 256;  // a mempool cache holds two bursts; its limit is 512 mbufs
constexpr unsigned kMaxCpu = 1023;   // CPU_SETSIZE - 1
constexpr double kMaxSeconds = 30.0 * 24 * 3600;
constexpr double kMinInterval = 0.01;
constexpr std::size_t kMaxDevice = 1024;
constexpr std::size_t kMaxPorts = 32;  // RTE_MAX_ETHPORTS by default

template <class Value>
tl::unexpected<Error> invalid(PlanField field, const Value& value, std::string_view rule) {
  return fail(Errc::invalid, fmt::format("{} {}: {}", name_of(field), value, rule));
}

tl::unexpected<Error> invalid_vdev(std::string_view device, std::string_view rule) {
  return invalid(PlanField::vdevs, fmt::format("'{}'", printable(device)), rule);
}

Result<> validate_range(PlanField field,
                        std::uint64_t value,
                        std::uint64_t min,
                        std::uint64_t max) {
  if (value >= min && value <= max) return {};
  return invalid(field, value, fmt::format("must be {} to {}", min, max));
}

Result<> validate_mac(const MacAddress& mac) {
  if (!mac.is_zero() && !mac.is_multicast()) return {};
  return fail(Errc::invalid, fmt::format("{} is not a unicast MAC address", mac.str()));
}

Result<> validate_vdev(const std::string& device) {
  const auto is_plain = [](char c) { return c > ' ' && c < '\x7f'; };
  if (device.empty() || device.size() > kMaxDevice ||
      !std::all_of(device.begin(), device.end(), is_plain)) {
    return invalid_vdev(device, "must be a device name, optionally with options, without blanks");
  }
  const auto name = std::string_view(device).substr(0, device.find(','));
  if (!PciAddress::parse(name)) {
    if (name.find_first_of("/=") == std::string_view::npos) return {};
    return invalid_vdev(device, fmt::format("'{}' is not a device name", name));
  }
  const auto macs = macs_in(device);
  for (const auto text : macs) {
    const auto mac = MacAddress::parse(text);
    if (!mac) return invalid_vdev(device, mac.error().message);
    if (auto ok = validate_mac(*mac); !ok) return ok;
  }
  if (!macs.empty()) return {};
  return invalid_vdev(device,
                      "add mac=; without it, the driver takes every port of the device, "
                      "including one that carries SSH");
}

// EAL identifies a device by its name alone, so the names must differ.
Result<> validate_names(const BenchPlan& plan) {
  std::vector<std::string_view> names;
  for (const auto& device : plan.vdevs) {
    const auto name = std::string_view(device).substr(0, device.find(','));
    if (std::find(names.begin(), names.end(), name) != names.end()) {
      return invalid_vdev(name, "is given twice");
    }
    names.push_back(name);
  }
  for (auto nic = plan.nics.begin(); nic != plan.nics.end(); ++nic) {
    const auto is_same = [&](const Nic& other) { return other.mac == nic->mac; };
    if (std::any_of(plan.nics.begin(), nic, is_same)) {
      return fail(Errc::invalid, fmt::format("'{}' is given twice", nic->interface));
    }
  }
  return {};
}

Result<> validate_devices(const BenchPlan& plan) {
  if (plan.vdevs.empty() && plan.nics.empty()) {
    return fail(
        Errc::invalid,
        fmt::format("no device is given: name an interface or use {}", name_of(PlanField::vdevs)));
  }
  for (const auto& nic : plan.nics) {
    if (auto ok = validate_mac(nic.mac); !ok) return ok;
  }
  for (const auto& device : plan.vdevs) {
    if (auto ok = validate_vdev(device); !ok) return ok;
  }
  if (port_count(plan) > kMaxPorts) {
    return fail(Errc::invalid,
                fmt::format("{} ports: DPDK supports at most {}", port_count(plan), kMaxPorts));
  }
  return validate_names(plan);
}

Result<> validate_queues(const BenchPlan& plan) {
  using enum PlanField;
  if (auto ok = validate_range(queues, plan.queues, 1, kMaxQueues); !ok) return ok;
  if (measures_mana(plan) && (plan.queues & (plan.queues - 1U)) != 0) {
    return invalid(queues, plan.queues, "MANA requires a power of two (1, 2, 4, 8, 16, 32 or 64)");
  }
  const auto count = plan.descriptors;
  if (auto ok = validate_range(descriptors, count, kMinDescriptors, kMaxDescriptors); !ok) {
    return ok;
  }
  if (count % 64 != 0) return invalid(descriptors, count, "net_mana requires a multiple of 64");
  return {};
}

// Rejects 0.0.0.0/8, loopback, multicast and reserved addresses, which no NIC can have.
Result<> validate_host(PlanField field, const std::optional<Ipv4Address>& address) {
  if (!address) return {};
  const auto first = address->value >> 24U;
  if (first != 0 && first != 127 && first < 224) return {};
  return invalid(field, address->str(), "no NIC can have this address");
}

Result<> validate_mtu(const BenchPlan& plan) {
  constexpr unsigned kOutsideMtu = 18;  // Ethernet header and FCS
  for (const auto& nic : plan.nics) {
    const auto max = nic.mtu + kOutsideMtu;
    if (nic.mtu == 0 || plan.traffic.largest() <= max) continue;
    const auto rule = fmt::format(
        "'{}' has an MTU of {}, so frames have at most {} bytes", nic.interface, nic.mtu, max);
    return invalid(PlanField::sizes, plan.traffic.largest(), rule);
  }
  return {};
}

Result<> validate_sizes(const BenchPlan& plan) {
  const auto min = row_of(plan.mode).min_frame;
  if (plan.traffic.sizes.empty()) return invalid(PlanField::sizes, "''", "a size is missing");
  for (const auto& size : plan.traffic.sizes) {
    if (auto ok = validate_range(PlanField::sizes, size.bytes, kMinFrame, kMaxFrame); !ok)
      return ok;
    if (size.share < 1 || size.share > kMaxShare) {
      const auto text = fmt::format("{}:{}", size.bytes, size.share);
      return invalid(PlanField::sizes, text, fmt::format("the share must be 1 to {}", kMaxShare));
    }
    if (size.bytes >= min) continue;
    const auto rule = fmt::format("{} {} requires frames of at least {} bytes",
                                  name_of(PlanField::mode),
                                  name_of(plan.mode),
                                  min);
    return invalid(PlanField::sizes, size.bytes, rule);
  }
  return {};
}

Result<> validate_traffic(const BenchPlan& plan) {
  using enum PlanField;
  const auto& traffic = plan.traffic;
  if (auto ok = validate_sizes(plan); !ok) return ok;
  if (auto ok = validate_range(flows, traffic.flows, 1, max_flows(plan.queues)); !ok) return ok;
  if (auto ok = validate_mac(traffic.destination); !ok) {
    return because(ok.error(), name_of(destination));
  }
  if (auto ok = validate_host(source_ip, traffic.source_ip); !ok) return ok;
  if (auto ok = validate_host(peer_ip, traffic.peer_ip); !ok) return ok;
  return generates_packets(plan.mode) ? validate_mtu(plan) : Result<>{};
}

// Rejects fields that only apply to modes that generate packets.
Result<> validate_sender(const BenchPlan& plan) {
  if (generates_packets(plan.mode)) return {};
  const auto& traffic = plan.traffic;
  const std::pair<PlanField, bool> fields[] = {
      {PlanField::rate, plan.trial.rate.has_value()},
      {PlanField::flows, traffic.flows != 1},
      {PlanField::destination, traffic.destination != Traffic{}.destination},
      {PlanField::source_ip, traffic.source_ip.has_value()},
      {PlanField::peer_ip, traffic.peer_ip.has_value()}};
  const auto* field = std::ranges::find_if(fields, [](const auto& one) { return one.second; });
  if (field == std::end(fields)) return {};
  return fail(Errc::invalid,
              fmt::format("{} applies to senders only: {} {} generates no packets",
                          name_of(field->first),
                          name_of(PlanField::mode),
                          name_of(plan.mode)));
}

// All comparisons reject NaN as well.
Result<> validate_time(const TrialPlan& plan) {
  using enum PlanField;
  const auto rule = fmt::format("must be less than {} ({} s)", name_of(seconds), plan.seconds);
  if (!(plan.seconds > 0 && plan.seconds <= kMaxSeconds)) {
    return invalid(seconds, plan.seconds, "must be more than 0 and at most 30 days");
  }
  if (!(plan.warmup_seconds >= 0 && plan.warmup_seconds < plan.seconds)) {
    return invalid(warmup, plan.warmup_seconds, rule);
  }
  if (!(plan.ramp_seconds >= 0 && plan.ramp_seconds < plan.seconds)) {
    return invalid(ramp, plan.ramp_seconds, rule);
  }
  if (plan.ramp_seconds > 0 && !plan.rate) {
    return invalid(ramp, plan.ramp_seconds, fmt::format("requires {}", name_of(rate)));
  }
  if (!(plan.interval_seconds >= kMinInterval && plan.interval_seconds <= kMaxSeconds)) {
    const auto range = fmt::format("must be at least {} s and at most 30 days", kMinInterval);
    return invalid(interval, plan.interval_seconds, range);
  }
  return {};
}

}  // namespace

Result<> validate(const BenchPlan& plan) {
  if (auto ok = validate_devices(plan); !ok) return ok;
  if (auto ok = validate_queues(plan); !ok) return ok;
  if (auto ok = validate_range(PlanField::burst, plan.burst, 1, kMaxBurst); !ok) return ok;
  if (auto ok = validate_traffic(plan); !ok) return ok;
  if (auto ok = validate_sender(plan); !ok) return ok;
  for (const auto& list : {plan.cpus, plan.near_cpus}) {
    for (const auto cpu : list.cpus) {
      if (auto ok = validate_range(PlanField::cpus, cpu, 0, kMaxCpu); !ok) return ok;
    }
  }
  return validate_time(plan.trial);
}

}  // namespace manactl::datapath
