// SPDX-License-Identifier: MIT
#include "datapath/plan/plan.h"

#include <algorithm>
#include <bit>
#include <string_view>

#include "base/text.h"

namespace manactl::datapath {

namespace {

constexpr std::size_t kMaxWorkers = 127;  // EAL's lcores without the main one

constexpr unsigned kSmallPage = 4096;
constexpr std::uint64_t kHugePage = 2U << 20U;

// DPDK's memory layout. dpdk/pool.cpp compares these with DPDK's headers.
constexpr unsigned kHeadroom = 128;
constexpr unsigned kMinReceive = 1536;                // enough for an MTU of 1500
constexpr unsigned kDefaultReceive = 2048;            // RTE_MBUF_DEFAULT_DATAROOM
constexpr unsigned kObjectOverhead = 64 + 128 + 64;   // object header, mbuf, memory-channel padding
constexpr std::uint64_t kCacheBytes = 128ULL * 8320;  // one cache per possible lcore
constexpr std::uint64_t kPoolBytes = 64ULL << 10U;    // header, chunk list, names
constexpr std::uint64_t kEngineBytes = 2U << 20U;     // devices, queues and EAL
constexpr std::uint64_t kPerQueueBytes = 64ULL << 10U;  // a driver's rings

unsigned round_up(unsigned value, unsigned multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// The memory of a mempool's objects. No object crosses a page boundary, so pages have unused ends.
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
  std::uint64_t slots = 1;  // slots of the mempool's ring: a power of two
  while (slots <= mbufs) slots *= 2;
  const auto object = kObjectOverhead + round_up(mbuf_bytes, 64);
  const auto bytes = object_bytes(mbufs, object, hugepages) + slots * sizeof(void*) + kPoolBytes +
                     (cached ? kCacheBytes : 0);
  // EAL allocates whole hugepages and leaves their ends unused (measured).
  return hugepages ? (bytes + kHugePage - 1) / kHugePage * kHugePage : bytes;
}

bool is_on_pci(const std::string& device) {
  return PciAddress::parse(std::string_view(device).substr(0, device.find(','))).has_value();
}

// The data room of a receive buffer. A small one saves memory and TLB entries. AF_PACKET and AF_XDP
// need DPDK's default for a whole frame of their rings, and many NICs size buffers in KiB.
unsigned min_receive(const BenchPlan& plan) {
  const auto needs_default = [](const std::string& device) {
    return device.starts_with("net_af_") || is_on_pci(device);
  };
  const bool any = std::any_of(plan.vdevs.begin(), plan.vdevs.end(), needs_default);
  return any ? kDefaultReceive : kMinReceive;
}

bool uses_netvsc(const BenchPlan& plan) {
  return std::any_of(
      plan.nics.begin(), plan.nics.end(), [](const Nic& nic) { return nic.vmbus.has_value(); });
}

// The host reads net_netvsc's messages at their physical addresses. With virtual addresses, the
// driver waits 60 s for the answer to its first RNDIS message and then fails. EAL has physical
// addresses only in hugepages.
std::string_view iova_mode(const BenchPlan& plan) {
  return uses_netvsc(plan) && plan.hugepages ? "--iova-mode=pa" : "--iova-mode=va";
}

// net_null receives packets of its argument "size", 64 by default, which does not include the FCS.
// Returns this argument, so that received packets are as long as those of the plan.
std::string received_size(std::string_view device, const BenchPlan& plan) {
  const bool is_null = device.starts_with("net_null");
  if (!is_null || !receives(plan.mode) || device.find(",size=") != device.npos) return {};
  return fmt::format(",size={:.0f}", plan.traffic.mean_bytes() - kFcsBytes);
}

}  // namespace

std::uint16_t Traffic::largest() const {
  const auto smaller = [](const SizeShare& a, const SizeShare& b) { return a.bytes < b.bytes; };
  const auto max = std::max_element(sizes.begin(), sizes.end(), smaller);
  return max == sizes.end() ? std::uint16_t{0} : max->bytes;
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

bool device_creates_packets(const BenchPlan& plan) {
  return std::ranges::any_of(
      plan.vdevs, [&](const std::string& device) { return !received_size(device, plan).empty(); });
}

std::vector<std::string_view> macs_in(std::string_view device) {
  constexpr std::string_view kKey = "mac=";
  std::vector<std::string_view> macs;
  if (!PciAddress::parse(device.substr(0, device.find(',')))) return macs;
  for (const auto option : split(device, ',')) {
    if (option.starts_with(kKey)) macs.push_back(option.substr(kKey.size()));
  }
  return macs;
}

std::vector<MacAddress> macs_of(std::string_view device) {
  std::vector<MacAddress> macs;
  for (const auto text : macs_in(device))
    macs.push_back(MacAddress::parse(text).value_or(MacAddress{}));
  return macs;
}

bool measures_mana(const BenchPlan& plan) {
  return !plan.nics.empty() || std::any_of(plan.vdevs.begin(), plan.vdevs.end(), is_on_pci);
}

std::size_t port_count(const BenchPlan& plan) {
  auto ports = plan.nics.size();
  for (const auto& device : plan.vdevs) ports += std::max<std::size_t>(1, macs_in(device).size());
  return std::max<std::size_t>(1, ports);  // a plan without devices still has a memory estimate
}

PoolSize pool_size(const BenchPlan& plan) {
  PoolSize size;
  const auto ports = port_count(plan);
  const auto frame_room = round_up(plan.traffic.largest(), 64);
  const auto receive_room = kHeadroom + std::max(min_receive(plan), frame_room);
  // A cache of two bursts serves each burst without the mempool's ring.
  size.cache = std::max(64U, 2U * plan.burst);
  // A mempool flushes a cache that contains 1.5 times the requested number of mbufs.
  const auto cached = size.cache + size.cache / 2 + plan.burst;
  const bool own = generates_packets(plan.mode);
  // Each queue of net_netvsc has a ring for packets of the synthetic device. Reserve
  // mbufs for it too, so that its packets do not hold those that a returning VF needs.
  const auto received =
      plan.descriptors + (uses_netvsc(plan) ? std::bit_ceil<unsigned>(plan.descriptors) : 0U);
  size.mbufs = (own ? plan.descriptors : received) + cached;
  // Mode fwd: packets occupy both the receive ring and the send ring.
  if (forwards(plan.mode)) size.mbufs += plan.descriptors;
  // net_netvsc limits the descriptors of a queue to the pool's mbufs divided by the number of
  // queues.
  if (!own && uses_netvsc(plan)) {
    size.mbufs = std::max<unsigned>(size.mbufs, plan.queues * plan.descriptors);
  }
  size.mbuf_bytes = own ? kHeadroom + frame_room : receive_room;
  size.bytes = ports * plan.queues *
               (pool_bytes(size.mbufs, size.mbuf_bytes, true, plan.hugepages) + kPerQueueBytes);
  if (own) {
    const bool reads = receives(plan.mode);
    size.ring_mbufs = plan.queues * (received + (reads ? cached : 0U)) + 64U;
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
  // The main thread mostly sleeps, but it would preempt a worker on the same CPU.
  const auto main = std::find_if_not(cpus.begin(), cpus.end(), is_near);
  placement.main_cpu = main == cpus.end() ? cpus.front() : *main;
  if (cpus.size() > 1) std::erase(cpus, placement.main_cpu);
  std::stable_partition(cpus.begin(), cpus.end(), is_near);
  if (cpus.size() > kMaxWorkers) cpus.resize(kMaxWorkers);
  const auto lanes = port_count(plan) * plan.queues;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    placement.worker_cpus.push_back(cpus[lane % cpus.size()]);
  }
  placement.has_own_main_cpu = cpus.front() != placement.main_cpu;
  placement.shared = lanes > cpus.size() || !placement.has_own_main_cpu;
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
    return "1 queue shares its CPU with the main thread: the figures do not represent MANA";
  return fmt::format("{} queues share {} {}{}: the figures do not represent MANA",
                     worker_cpus.size(),
                     cpus,
                     cpus == 1 ? "CPU" : "CPUs",
                     has_own_main_cpu ? " besides that of the main thread" : "");
}

std::vector<std::string> device_arguments(const BenchPlan& plan) {
  auto devices = plan.vdevs;
  for (auto& device : devices) device += received_size(device, plan);
  for (const auto& nic : plan.nics) {
    const auto slot = nic.pci.str();
    const auto known =
        std::find_if(devices.begin() + static_cast<std::ptrdiff_t>(plan.vdevs.size()),
                     devices.end(),
                     [&](const std::string& device) { return device.starts_with(slot); });
    auto& device = known != devices.end() ? *known : devices.emplace_back(slot);
    device += ",mac=" + nic.mac.str();
  }
  return devices;
}

std::vector<std::string> eal_arguments(const BenchPlan& plan) {
  std::vector<std::string> arguments;
  if (plan.hugepages) {
    arguments.emplace_back("--in-memory");  // needs no hugetlbfs mount; leaves no files behind
  } else {
    // EAL rejects --in-memory with --no-huge; --no-shconf keeps EAL from writing to /var/run.
    const auto mib = (pool_size(plan).bytes + (1U << 20U) - 1) >> 20U;
    arguments.insert(arguments.end(), {"--no-huge", "--no-shconf", "-m", std::to_string(mib)});
  }
  arguments.emplace_back(iova_mode(plan));
  arguments.insert(arguments.end(), {"--no-telemetry", "--log-level=*:warning"});

  const auto placement = place(plan);
  auto lcores = fmt::format("--lcores=0@{}", placement.main_cpu);
  unsigned lcore = 1;
  for (const auto cpu : placement.workers()) lcores += fmt::format(",{}@{}", lcore++, cpu);
  arguments.push_back(std::move(lcores));
  arguments.emplace_back("--main-lcore=0");

  if (!measures_mana(plan)) arguments.emplace_back("--no-pci");
  // Naming one device of a bus keeps EAL from probing the others. On the VMBus this works since
  // DPDK 23.11; in earlier releases, net_netvsc takes all devices that are bound to uio_hv_generic.
  for (const auto& device : device_arguments(plan)) arguments.push_back("--vdev=" + device);
  for (const auto& nic : plan.nics) {
    if (nic.vmbus) arguments.push_back("--allow=" + nic.vmbus->str());
  }
  return arguments;
}

}  // namespace manactl::datapath
