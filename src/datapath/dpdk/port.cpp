// SPDX-License-Identifier: MIT
#include "datapath/dpdk/port.h"

#include <rte_ethdev.h>
#include <rte_version.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>
#include <utility>

#include "base/text.h"
#include "datapath/analysis/path.h"
#include "datapath/dpdk/eal.h"
#include "datapath/dpdk/eal_log.h"
#include "datapath/dpdk/kernel_interface.h"
#include "datapath/dpdk/path_counters.h"
#include "datapath/engines.h"
#include "datapath/plan/plan.h"

namespace manactl::datapath::dpdk {

namespace {

constexpr unsigned kFrameOverhead = 18;  // header and FCS

Result<> check_frame(unsigned frame, const rte_eth_dev_info& info) {
  const auto mtu = mtu_of_interface(info.if_index);
  if (mtu == 0 || frame <= mtu + kFrameOverhead) return {};
  return fail(Errc::invalid,
              fmt::format("{} {}: the interface has an MTU of {}, so frames have at most {} bytes",
                          name_of(PlanField::sizes),
                          frame,
                          mtu,
                          mtu + kFrameOverhead));
}

Result<rte_eth_conf> configuration(const BenchPlan& plan, const rte_eth_dev_info& info) {
  rte_eth_conf conf{};
  // Without this request, net_mana does not announce that its device was removed or reset.
  const bool announces = info.dev_flags != nullptr && (*info.dev_flags & RTE_ETH_DEV_INTR_RMV) != 0;
  conf.intr_conf.rmv = announces ? 1 : 0;
  const auto queues = std::min(info.max_rx_queues, info.max_tx_queues);
  if (queues < plan.queues) {
    return fail(Errc::invalid,
                fmt::format("{} {}: {} supports at most {}",
                            name_of(PlanField::queues),
                            plan.queues,
                            info.driver_name,
                            queues));
  }
  if (plan.queues > 1) {
    const std::uint64_t wanted = RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP;
    conf.rx_adv_conf.rss_conf.rss_hf = wanted & info.flow_type_rss_offloads;
    if (conf.rx_adv_conf.rss_conf.rss_hf != 0) conf.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
  }
  if (plan.traffic.largest() > kMaxStandardFrame) {
    conf.rxmode.mtu = plan.traffic.largest() - kFrameOverhead;
    if (info.max_mtu < conf.rxmode.mtu) {
      return fail(Errc::invalid,
                  fmt::format("{} {}: {} supports frames of at most {} bytes",
                              name_of(PlanField::sizes),
                              plan.traffic.largest(),
                              info.driver_name,
                              info.max_mtu + kFrameOverhead));
    }
  }
  return conf;
}

// False if the driver leaves `imissed` at 0, whatever the device or the kernel drops.
bool reports_missed(std::string_view driver) {
  constexpr std::array<std::string_view, 4> kSilent = {
      "net_mana", "net_af_packet", "net_tap", "net_tun"};
  return std::find(kSilent.begin(), kSilent.end(), driver) == kSilent.end();
}

// The difference; 0 if a counter went backwards, as when the other side of a memif disconnects.
std::uint64_t since(std::uint64_t before, std::uint64_t now) {
  return now - std::min(now, before);
}

void subtract(DirectionCount& now, const DirectionCount& before) {
  now.packets = since(before.packets, now.packets);
  now.errors = since(before.errors, now.errors);
  for (std::size_t i = 0; i < before.queue_packets.size(); ++i) {
    now.queue_packets[i] = since(before.queue_packets[i], now.queue_packets[i]);
  }
}

void add(DirectionCount& now, const DirectionCount& earlier) {
  now.packets += earlier.packets;
  now.errors += earlier.errors;
  now.queue_packets.resize(std::max(now.queue_packets.size(), earlier.queue_packets.size()));
  for (std::size_t i = 0; i < earlier.queue_packets.size(); ++i) {
    now.queue_packets[i] += earlier.queue_packets[i];
  }
}

#if RTE_VERSION < RTE_VERSION_NUM(25, 11, 0, 0)

void read_queues(std::uint16_t /*port*/,
                 std::size_t queues,
                 const rte_eth_stats& stats,
                 PortCount& count) {
  const auto counted = std::min<std::size_t>(queues, RTE_ETHDEV_QUEUE_STAT_CNTRS);
  count.tx.queue_packets.assign(stats.q_opackets, stats.q_opackets + counted);
  count.rx.queue_packets.assign(stats.q_ipackets, stats.q_ipackets + counted);
}

#else

// Returns the counters whose names start with `prefix`, such as "tx_q", up to the first queue that
// the driver does not count.
std::vector<std::uint64_t> queue_counters(std::uint16_t port,
                                          std::size_t queues,
                                          std::string_view prefix) {
  std::vector<std::uint64_t> counts;
  for (std::size_t queue = 0; queue < queues; ++queue) {
    const auto name = fmt::format("{}{}_packets", prefix, queue);
    std::uint64_t id = 0;
    std::uint64_t value = 0;
    if (rte_eth_xstats_get_id_by_name(port, name.c_str(), &id) != 0 ||
        rte_eth_xstats_get_by_id(port, &id, &value, 1) != 1) {
      break;
    }
    counts.push_back(value);
  }
  return counts;
}

// From this release on, only the extended statistics have counters of queues.
void read_queues(std::uint16_t port,
                 std::size_t queues,
                 const rte_eth_stats& /*stats*/,
                 PortCount& count) {
  count.tx.queue_packets = queue_counters(port, queues, "tx_q");
  count.rx.queue_packets = queue_counters(port, queues, "rx_q");
}

#endif

}  // namespace

std::string name_of(std::uint16_t id) {
  std::array<char, RTE_ETH_NAME_MAX_LEN> name{};
  return rte_eth_dev_get_name_by_port(id, name.data()) == 0 ? name.data() : "";
}

Result<rte_eth_dev_info> device_info(std::uint16_t id) {
  rte_eth_dev_info info{};
  if (const int error = rte_eth_dev_info_get(id, &info); error != 0) {
    return fail_errno(-error, "cannot read the capabilities of the device");
  }
  return info;
}

Result<MacAddress> mac_of(std::uint16_t id) {
  rte_ether_addr address{};
  if (const int error = rte_eth_macaddr_get(id, &address); error != 0) {
    return fail_errno(-error, "cannot read the MAC address of the device");
  }
  MacAddress mac;
  std::copy_n(address.addr_bytes, mac.bytes.size(), mac.bytes.begin());
  return mac;
}

Result<Port> Port::open(std::uint16_t id, const std::string& device, bool physical) {
  Port port(id, device, physical);
  const auto info = device_info(id);
  if (!info) return because(info.error(), printable(device));
  port.name_ = name_of(id);
  port.driver_ = info->driver_name;
  port.interface_ = info->if_index;
  port.interface_name_ = name_of_interface(info->if_index);
  port.node_ = rte_eth_dev_socket_id(id);
  return port;
}

Port::Port(Port&& other) noexcept {
  *this = std::move(other);
}

Port& Port::operator=(Port&& other) noexcept {
  std::swap(id_, other.id_);
  std::swap(open_, other.open_);
  std::swap(physical_, other.physical_);
  std::swap(node_, other.node_);
  std::swap(queues_, other.queues_);
  std::swap(reports_missed_, other.reports_missed_);
  std::swap(device_, other.device_);
  std::swap(name_, other.name_);
  std::swap(interface_, other.interface_);
  std::swap(driver_, other.driver_);
  std::swap(interface_name_, other.interface_name_);
  std::swap(plan_, other.plan_);
  std::swap(receive_pools_, other.receive_pools_);
  std::swap(before_, other.before_);
  std::swap(earlier_, other.earlier_);
  std::swap(paths_before_, other.paths_before_);
  return *this;
}

Port::~Port() {
  if (!open_) return;
  // Errors are ignored, because they mean that the port is already stopped or removed.
  static_cast<void>(rte_eth_dev_stop(id_));
  static_cast<void>(rte_eth_dev_close(id_));
}

Result<> Port::start(const BenchPlan& plan, const std::vector<rte_mempool*>& receive_pools) {
  const auto info = device_info(id_);
  if (!info) return because(info.error(), driver_);
  if (generates_packets(plan.mode)) {
    if (auto ok = check_frame(plan.traffic.largest(), *info); !ok)
      return because(ok.error(), device_);
  }
  const auto conf = configuration(plan, *info);
  if (!conf) return tl::unexpected<Error>(conf.error());
  queues_ = plan.queues;
  if (const int error = rte_eth_dev_configure(id_, queues_, queues_, &*conf); error != 0) {
    return fail_errno(-error, fmt::format("{} rejects {} queues", driver_, queues_));
  }
  auto receive = plan.descriptors;
  auto send = plan.descriptors;
  if (const int error = rte_eth_dev_adjust_nb_rx_tx_desc(id_, &receive, &send); error != 0) {
    return fail_errno(-error, fmt::format("{} rejects {} descriptors", driver_, plan.descriptors));
  }
  const auto node = static_cast<unsigned>(node_);
  for (std::uint16_t queue = 0; queue < queues_; ++queue) {
    int error = rte_eth_rx_queue_setup(id_, queue, receive, node, nullptr, receive_pools[queue]);
    if (error == 0) error = rte_eth_tx_queue_setup(id_, queue, send, node, nullptr);
    if (error != 0)
      return fail_errno(-error, fmt::format("{} cannot set up queue {}", driver_, queue));
  }
  if (const int error = rte_eth_dev_start(id_); error != 0) {
    const auto log = log_text();
    if (!log.empty()) return because(reason_of(log), fmt::format("{} cannot start", driver_));
    return fail_errno(-error, fmt::format("{} cannot start", driver_));
  }
  plan_ = &plan;
  receive_pools_ = receive_pools;
  reports_missed_ = reports_missed(driver_) && reports_missed(lower_driver(id_));
  mark();
  return {};
}

bool Port::has_returned() const {
  if (driver_ == "net_mana") return is_simulated() || has_rdma_device(device_);
  if (has_interface(interface_)) return false;
  if (driver_ == "net_tap" || driver_ == "net_tun") return true;
  return driver_ == "net_af_packet" && is_up(interface_name_);
}

// Closes the port and adds its counts to those of earlier ports.
void Port::release() {
  const auto counted = count().value_or(PortCount{});
  if (open_) {
    static_cast<void>(rte_eth_dev_stop(id_));
    static_cast<void>(rte_eth_dev_close(id_));
    open_ = false;
  }
  earlier_ = counted;
}

// Takes over the new port of the same name and starts it.
Result<> Port::resume() {
  if (rte_eth_dev_get_port_by_name(name_.c_str(), &id_) != 0) {
    return fail(Errc::not_found, fmt::format("'{}' created no port '{}'", device_, name_));
  }
  open_ = true;
  const auto counted = earlier_;
  const auto pools = receive_pools_;
  auto started = start(*plan_, pools);
  earlier_ = counted;
  if (!started) return started;
  if (const auto info = device_info(id_)) interface_ = info->if_index;
  return {};
}

Result<> Port::reopen(const std::vector<Port*>& ports) {
  const auto& name = ports.front()->device_;
  const auto devices = device_arguments(*ports.front()->plan_);
  const auto device = std::find_if(devices.begin(), devices.end(), [&](const std::string& text) {
    return text.substr(0, text.find(',')) == name;
  });
  if (device == devices.end()) return fail(Errc::unsupported, name + " has no arguments");
  for (auto* port : ports) port->release();
  const char* bus = PciAddress::parse(name) ? "pci" : "vdev";
  // This call fails harmlessly if a previous reopen() removed the device and then failed.
  static_cast<void>(rte_eal_hotplug_remove(bus, name.c_str()));
  const auto arguments = device->substr(std::min(device->size(), name.size() + 1));
  const int error = rte_eal_hotplug_add(bus, name.c_str(), arguments.c_str());
  if (error != 0) return fail_errno(-error, fmt::format("cannot open '{}' again", name));
  for (auto* port : ports) {
    if (auto resumed = port->resume(); !resumed) return resumed;
  }
  return {};
}

Result<MacAddress> Port::mac() const {
  return mac_of(id_);
}

PortReport Port::report() const {
  PortReport report{device_, driver_, lower_driver(id_), mac().value_or(MacAddress{}), 0};
  rte_eth_link link{};
  // Virtual devices report a meaningless speed.
  if (physical_ && rte_eth_link_get_nowait(id_, &link) == 0 &&
      link.link_speed != RTE_ETH_SPEED_NUM_UNKNOWN) {
    report.link_mbps = link.link_speed;
  }
  return report;
}

std::optional<PortCount> Port::read() const {
  rte_eth_stats stats{};
  if (rte_eth_stats_get(id_, &stats) != 0) return std::nullopt;
  PortCount count;
  count.tx.packets = stats.opackets;
  count.tx.errors = stats.oerrors;
  count.rx.packets = stats.ipackets;
  count.rx.errors = stats.ierrors;
  read_queues(id_, queues_, stats, count);
  count.rx_missed = reports_missed_ ? ReportedCount(stats.imissed) : ReportedCount();
  count.rx_no_buffer = stats.rx_nombuf;
  return count;
}

void Port::mark() {
  earlier_ = {};
  before_ = read().value_or(PortCount{});
  paths_before_ = read_path_counters(id_);
}

std::optional<PortCount> Port::count() const {
  auto now = open_ ? since_mark() : PortCount{};
  if (!now) return now;
  add(now->tx, earlier_.tx);
  add(now->rx, earlier_.rx);
  now->rx_missed = sum_of(now->rx_missed, earlier_.rx_missed);
  now->rx_no_buffer = sum_of(now->rx_no_buffer, earlier_.rx_no_buffer);
  return now;
}

std::optional<PortCount> Port::since_mark() const {
  auto now = read();
  if (!now) return now;
  subtract(now->tx, before_.tx);
  subtract(now->rx, before_.rx);
  now->rx_missed = difference_of(now->rx_missed, before_.rx_missed);
  now->rx_no_buffer = difference_of(now->rx_no_buffer, before_.rx_no_buffer);
  return now;
}

std::optional<PathCounters> Port::path_counters() const {
  const auto now = paths_before_ ? read_path_counters(id_) : std::nullopt;
  return now ? std::optional(*now - *paths_before_) : std::nullopt;
}

void Port::drain(std::uint16_t queues, std::uint64_t posted) const {
  constexpr auto kStep = std::chrono::milliseconds(1);
  constexpr int kIdleSteps = 10;
  std::uint64_t last = 0;
  for (int idle = 0; idle < kIdleSteps; ++idle) {
    const auto now = count();
    if (!now || now->tx.packets + now->tx.errors >= posted) return;
    if (now->tx.packets != last) idle = 0;
    last = now->tx.packets;
    // An empty burst makes the driver process its completions.
    for (std::uint16_t queue = 0; queue < queues; ++queue) {
      rte_eth_tx_burst(id_, queue, nullptr, 0);
    }
    std::this_thread::sleep_for(kStep);
  }
}

}  // namespace manactl::datapath::dpdk
