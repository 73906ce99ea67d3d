// SPDX-License-Identifier: MIT
#include "datapath/plan.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/text.h"
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
constexpr std::size_t kMaxPorts = 32;     // as many as DPDK has by default
constexpr std::size_t kMaxWorkers = 127;  // EAL's lcores without the main one

constexpr unsigned kSmallPage = 4096;
constexpr std::uint64_t kHugePage = 2U << 20U;

// How DPDK lays out memory. dpdk/pool.cpp holds these against the headers it is built with.
constexpr unsigned kHeadroom = 128;
constexpr unsigned kMinReceive = 2048;                // data room that every driver accepts
constexpr unsigned kObjectOverhead = 64 + 128 + 64;   // pool header, mbuf, padding between channels
constexpr std::uint64_t kCacheBytes = 128ULL * 8320;  // one cache for each possible core
constexpr std::uint64_t kPoolBytes = 64ULL << 10U;    // header, chunk list, names
constexpr std::uint64_t kEngineBytes = 2U << 20U;     // devices, queues and what EAL keeps
constexpr std::uint64_t kPerQueueBytes = 64ULL << 10U;  // a driver's rings

unsigned round_up(unsigned value, unsigned multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// A packet never crosses the border of a page, so small pages are filled badly.
std::uint64_t object_bytes(unsigned objects, unsigned object, bool hugepages) {
  if (hugepages) {
    const auto bytes = std::uint64_t{objects} * object;
    return bytes + (bytes / kHugePage + 1) * object;
  }
  if (object > kSmallPage) return std::uint64_t{objects} * round_up(object, kSmallPage);
  const auto per_page = kSmallPage / object;
  return (std::uint64_t{objects} + per_page - 1) / per_page * kSmallPage;
}

std::uint64_t pool_bytes(unsigned mbufs, unsigned mbuf_bytes, bool cached, bool hugepages) {
  std::uint64_t slots = 1;  // the ring below the pool has a power of two of them
  while (slots <= mbufs) slots *= 2;
  const auto object = kObjectOverhead + round_up(mbuf_bytes, 64);
  const auto bytes = object_bytes(mbufs, object, hugepages) + slots * sizeof(void*) + kPoolBytes +
                     (cached ? kCacheBytes : 0);
  // EAL grows by whole pages and fills their ends badly: measured, not derived.
  return hugepages ? (bytes + kHugePage - 1) / kHugePage * kHugePage : bytes;
}

// Ports of one slot in one argument: the driver takes a device once.
std::vector<std::string> slot_devices(const BenchPlan& plan) {
  std::vector<std::string> devices;
  for (const auto& nic : plan.nics) {
    const auto slot = nic.pci.str();
    const auto known = std::find_if(devices.begin(), devices.end(), [&](const std::string& device) {
      return device.starts_with(slot);
    });
    auto& device = known != devices.end() ? *known : devices.emplace_back(slot);
    device += ",mac=" + nic.mac.str();
  }
  return devices;
}

Result<> validate_mac(const MacAddress& mac) {
  if (!mac.is_zero() && !mac.is_multicast()) return {};
  return fail(Errc::invalid, fmt::format("{} is no address of a device", mac.str()));
}

// The values of mac= in a device argument.
std::vector<std::string_view> macs_in(std::string_view device) {
  constexpr std::string_view kKey = "mac=";
  std::vector<std::string_view> macs;
  if (!PciAddress::parse(device.substr(0, device.find(',')))) return macs;
  for (const auto option : split(device, ',')) {
    if (option.starts_with(kKey)) macs.push_back(option.substr(kKey.size()));
  }
  return macs;
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
              fmt::format("{} {}: no address of another machine", option, address->str()));
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
  return validate_host("--peer", traffic.peer_ip);
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

std::uint16_t Traffic::largest() const {
  const auto bigger = [](const SizeShare& a, const SizeShare& b) { return a.bytes < b.bytes; };
  const auto most = std::max_element(sizes.begin(), sizes.end(), bigger);
  return most == sizes.end() ? std::uint16_t{0} : most->bytes;
}

double Traffic::mean_bytes() const {
  double bytes = 0;
  double shares = 0;
  for (const auto& size : sizes) {
    bytes += static_cast<double>(size.bytes) * size.share;
    shares += size.share;
  }
  return shares > 0 ? bytes / shares : 0;
}

Result<> validate(const BenchPlan& plan) {
  if (auto ok = validate_devices(plan); !ok) return ok;
  if (auto ok = validate_queues(plan); !ok) return ok;
  if (auto ok = within("--burst", plan.burst, 1, kMaxBurst); !ok) return ok;
  if (auto ok = validate_traffic(plan); !ok) return ok;
  for (const auto& list : {plan.cpus, plan.near_cpus}) {
    for (const auto cpu : list.cpus) {
      if (auto ok = within("--cpus", cpu, 0, kMaxCpu); !ok) return ok;
    }
  }
  return validate_time(plan.trial);
}

std::vector<MacAddress> macs_of(std::string_view device) {
  std::vector<MacAddress> macs;
  for (const auto text : macs_in(device))
    macs.push_back(MacAddress::parse(text).value_or(MacAddress{}));
  return macs;
}

std::size_t port_count(const BenchPlan& plan) {
  auto ports = plan.nics.size();
  for (const auto& device : plan.vdevs) ports += std::max<std::size_t>(1, macs_in(device).size());
  return ports;
}

PoolSize pool_size(const BenchPlan& plan) {
  PoolSize size;
  const auto ports = port_count(plan);
  const auto frame_room = round_up(plan.traffic.largest(), 64);
  const auto receive_room = kHeadroom + std::max(kMinReceive, frame_room);
  // Two bursts, so that a burst is served from the cache and not from the ring below it.
  size.cache = std::max(64U, 2U * plan.burst);
  // A cache may hold half as much again before it gives some back.
  const auto held = size.cache + size.cache / 2 + plan.burst;
  const bool own = makes_packets(plan.mode);
  size.mbufs = plan.descriptors + held;
  // What is forwarded waits in a ring of the device a second time.
  if (plan.mode == Mode::fwd) size.mbufs += plan.descriptors;
  size.mbuf_bytes = own ? kHeadroom + frame_room : receive_room;
  size.bytes = ports * plan.queues *
               (pool_bytes(size.mbufs, size.mbuf_bytes, true, plan.hugepages) + kPerQueueBytes);
  if (own) {
    const bool reads = receives(plan.mode);
    size.ring_mbufs = plan.queues * (plan.descriptors + (reads ? held : 0U)) + 64U;
    size.ring_mbuf_bytes = receive_room;
    size.ring_cache = reads ? size.cache : 0;
    size.bytes += ports * pool_bytes(size.ring_mbufs, size.ring_mbuf_bytes, reads, plan.hugepages);
  }
  size.bytes += kEngineBytes;
  return size;
}

std::uint64_t pages_needed(const BenchPlan& plan, std::uint64_t page_kib) {
  const auto page = page_kib * 1024;
  return page == 0 ? 0 : (pool_size(plan).bytes + page - 1) / page;
}

Placement place(const BenchPlan& plan) {
  const auto& near = plan.near_cpus.cpus;
  const auto is_near = [&](unsigned cpu) {
    return std::find(near.begin(), near.end(), cpu) != near.end();
  };
  auto cpus = plan.cpus.cpus;
  if (cpus.empty()) cpus.push_back(0);
  Placement placement;
  // The main thread only sleeps and reads counters, but a worker beside it would be disturbed.
  const auto main = std::find_if_not(cpus.begin(), cpus.end(), is_near);
  placement.main_cpu = main == cpus.end() ? cpus.front() : *main;
  if (cpus.size() > 1) std::erase(cpus, placement.main_cpu);
  std::stable_partition(cpus.begin(), cpus.end(), is_near);
  if (cpus.size() > kMaxWorkers) cpus.resize(kMaxWorkers);
  const auto lanes = port_count(plan) * plan.queues;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    placement.worker_cpus.push_back(cpus[lane % cpus.size()]);
  }
  placement.shared = lanes > cpus.size() || cpus.front() == placement.main_cpu;
  return placement;
}

std::vector<unsigned> Placement::workers() const {
  std::vector<unsigned> unique;
  for (const auto cpu : worker_cpus) {
    if (std::find(unique.begin(), unique.end(), cpu) == unique.end()) unique.push_back(cpu);
  }
  return unique;
}

std::string Placement::note() const {
  if (!shared) return {};
  const auto cpus = workers().size();
  if (worker_cpus.size() == 1)
    return "1 queue shares its CPU with the main thread: not a MANA number";
  return fmt::format("{} queues share {} {}: not a MANA number",
                     worker_cpus.size(),
                     cpus,
                     cpus == 1 ? "CPU" : "CPUs");
}

std::vector<std::string> eal_arguments(const BenchPlan& plan) {
  std::vector<std::string> arguments;
  if (plan.hugepages) {
    arguments.emplace_back("--in-memory");  // no files, no mount needed, nothing left after a kill
  } else {
    // EAL refuses --in-memory with --no-huge; --no-shconf keeps it from writing to /var/run.
    const auto mib = (pool_size(plan).bytes + (1U << 20U) - 1) >> 20U;
    arguments.insert(arguments.end(), {"--no-huge", "--no-shconf", "-m", std::to_string(mib)});
  }
  arguments.insert(arguments.end(), {"--iova-mode=va", "--no-telemetry", "--log-level=*:warning"});

  const auto placement = place(plan);
  auto lcores = fmt::format("--lcores=0@{}", placement.main_cpu);
  unsigned lcore = 1;
  for (const auto cpu : placement.workers()) lcores += fmt::format(",{}@{}", lcore++, cpu);
  arguments.push_back(std::move(lcores));
  arguments.emplace_back("--main-lcore=0");

  const auto on_pci = [](const std::string& device) {
    return PciAddress::parse(std::string_view(device).substr(0, device.find(','))).has_value();
  };
  if (plan.nics.empty() && std::none_of(plan.vdevs.begin(), plan.vdevs.end(), on_pci)) {
    arguments.emplace_back("--no-pci");
  }
  for (const auto& device : plan.vdevs) arguments.push_back("--vdev=" + device);
  // One device named on a bus keeps EAL from all others there: no other function is probed. For the
  // VMBus DPDK obeys since 23.11; before, net_netvsc takes all that belong to uio_hv_generic.
  for (const auto& device : slot_devices(plan)) arguments.push_back("--vdev=" + device);
  for (const auto& nic : plan.nics) {
    if (nic.vmbus) arguments.push_back("--allow=" + nic.vmbus->str());
  }
  return arguments;
}

}  // namespace manactl::datapath
