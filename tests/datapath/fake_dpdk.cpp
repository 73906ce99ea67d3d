// SPDX-License-Identifier: MIT

#include "datapath/fake_dpdk.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <net/if.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace manactl::datapath::dpdk {
namespace {

FakeDpdk* fake = nullptr;

// The result of `function` on a port that must exist.
int result_of(const std::string& function, std::uint16_t port) {
  for (const auto& name : {function, fmt::format("{} {}", function, port)}) {
    if (const auto found = fake->results.find(name); found != fake->results.end()) {
      return found->second;
    }
  }
  return fake->ports.contains(port) ? 0 : -ENODEV;
}

int recorded(const std::string& function, std::uint16_t port, const std::string& arguments = "") {
  fake->log.push_back(fmt::format("{} {}{}", function, port, arguments));
  return result_of(function, port);
}

std::uint16_t transmit(void* queue, rte_mbuf** /*packets*/, std::uint16_t count) {
  fake->log.push_back(fmt::format("burst {} {}", reinterpret_cast<std::uintptr_t>(queue), count));
  if (fake->on_burst) fake->on_burst();
  return 0;
}

// The number of a queue takes the place of the driver's data.
std::array<void*, RTE_MAX_QUEUES_PER_PORT> queue_data;
std::array<void*, RTE_MAX_QUEUES_PER_PORT> no_callbacks;

}  // namespace

FakePort::FakePort(const std::string& port, const char* driver) : name(port) {
  info.driver_name = driver;
  info.max_rx_queues = info.max_tx_queues = 8;
  info.max_mtu = 9000;
}

void FakePort::set_queue_packets(const std::vector<std::uint64_t>& rx,
                                 const std::vector<std::uint64_t>& tx) {
#ifdef RTE_ETHDEV_QUEUE_STAT_CNTRS
  std::copy(rx.begin(), rx.end(), stats.q_ipackets);
  std::copy(tx.begin(), tx.end(), stats.q_opackets);
#else
  const auto add = [this](const char* direction, const std::vector<std::uint64_t>& counts) {
    for (std::size_t i = 0; i < counts.size(); ++i) {
      xstats.emplace_back(fmt::format("{}_q{}_packets", direction, i), counts[i]);
    }
  };
  std::erase_if(xstats, [](const auto& one) {
    return one.first.find("_q") == 2 && !one.first.ends_with("_good_packets");
  });
  add("rx", rx);
  add("tx", tx);
#endif
}

FakeDpdk::FakeDpdk() {
  fake = this;
  for (std::size_t i = 0; i < queue_data.size(); ++i) queue_data[i] = reinterpret_cast<void*>(i);
  for (auto& port : rte_eth_fp_ops) {
    port.tx_pkt_burst = transmit;
    port.txq = {queue_data.data(), no_callbacks.data()};
  }
}

FakeDpdk::~FakeDpdk() {
  fake = nullptr;
}

void FakeDpdk::announce(std::uint16_t port, rte_eth_event_type event) {
  for (const auto& callback : callbacks) {
    if (callback.event == event) callback.function(port, event, callback.argument, nullptr);
  }
}

}  // namespace manactl::datapath::dpdk

using manactl::datapath::dpdk::fake;
using manactl::datapath::dpdk::recorded;
using manactl::datapath::dpdk::result_of;

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): names of the linker
extern "C" {

int __wrap_rte_eth_dev_info_get(std::uint16_t port, rte_eth_dev_info* info) {
  const int result = result_of("info", port);
  if (result == 0) {
    *info = fake->ports[port].info;
    const auto& device = fake->ports[port].device;
    // See rte_dev_name() below.
    if (!device.empty())
      info->device = reinterpret_cast<rte_device*>(const_cast<char*>(device.c_str()));
  }
  return result;
}

const char* __wrap_rte_dev_name(const rte_device* device) {
  return reinterpret_cast<const char*>(device);
}

int __wrap_rte_eth_macaddr_get(std::uint16_t port, rte_ether_addr* address) {
  const int result = result_of("mac", port);
  if (result == 0) *address = {{2, 0, 0, 0, 0, fake->ports[port].mac}};
  return result;
}

int __wrap_rte_eth_dev_socket_id(std::uint16_t port) {
  return fake->ports[port].node;
}

int __wrap_rte_eth_dev_stop(std::uint16_t port) {
  return recorded("stop", port);
}

int __wrap_rte_eth_dev_close(std::uint16_t port) {
  const int result = recorded("close", port);
  if (fake->ports.contains(port)) fake->announce(port, RTE_ETH_EVENT_DESTROY);
  fake->ports.erase(port);
  return result;
}

int __wrap_rte_eth_dev_configure(std::uint16_t port,
                                 std::uint16_t rx,
                                 std::uint16_t tx,
                                 const rte_eth_conf* conf) {
  const bool spreads = conf->rxmode.mq_mode == RTE_ETH_MQ_RX_RSS;
  return recorded("configure",
                  port,
                  fmt::format(": {} {} queues, mtu {}, {}rss {:x}{}",
                              rx,
                              tx,
                              conf->rxmode.mtu,
                              spreads ? "" : "no ",
                              conf->rx_adv_conf.rss_conf.rss_hf,
                              conf->intr_conf.rmv != 0 ? ", removal" : ""));
}

int __wrap_rte_eth_dev_adjust_nb_rx_tx_desc(std::uint16_t port,
                                            std::uint16_t* rx,
                                            std::uint16_t* tx) {
  ++*rx;
  --*tx;
  return recorded("adjust", port);
}

// NOLINTNEXTLINE(readability-function-size): parameters of DPDK
int __wrap_rte_eth_rx_queue_setup(std::uint16_t port,
                                  std::uint16_t queue,
                                  std::uint16_t descriptors,
                                  unsigned node,
                                  const rte_eth_rxconf* /*conf*/,
                                  rte_mempool* pool) {
  const auto address = reinterpret_cast<std::uintptr_t>(pool);
  return recorded(
      "rx", port, fmt::format(" {}: {} on node {}, pool {:x}", queue, descriptors, node, address));
}

int __wrap_rte_eth_tx_queue_setup(std::uint16_t port,
                                  std::uint16_t queue,
                                  std::uint16_t descriptors,
                                  unsigned node,
                                  const rte_eth_txconf* /*conf*/) {
  return recorded("tx", port, fmt::format(" {}: {} on node {}", queue, descriptors, node));
}

int __wrap_rte_eth_dev_start(std::uint16_t port) {
  return recorded("start", port);
}

int __wrap_rte_eal_hotplug_remove(const char* bus, const char* device) {
  fake->log.push_back(fmt::format("remove {} {}", bus, device));
  return 0;
}

int __wrap_rte_eal_hotplug_add(const char* bus, const char* device, const char* options) {
  fake->log.push_back(fmt::format("add {} {} '{}'", bus, device, options));
  if (const int result = fake->results["add"]; result != 0) return result;
  fake->ports[fake->next_id] = fake->next;
  fake->announce(fake->next_id, RTE_ETH_EVENT_NEW);
  for (const auto& [id, port] : std::exchange(fake->also_next, {})) {
    fake->ports[id] = port;
    fake->announce(id, RTE_ETH_EVENT_NEW);
  }
  return 0;
}

int __real_access(const char* path, int mode);

int __wrap_access(const char* path, int mode) {
  const std::string_view text = path;
  constexpr std::string_view kFunctions = "/sys/bus/pci/devices/", kRdma = "/infiniband";
  if (fake == nullptr || !text.starts_with(kFunctions)) return __real_access(path, mode);
  EXPECT_TRUE(text.ends_with(kRdma)) << text;
  const auto name = text.substr(kFunctions.size(), text.size() - kFunctions.size() - kRdma.size());
  return fake->rdma_devices.contains(std::string(name)) ? 0 : -1;
}

int __wrap_rte_eth_dev_get_port_by_name(const char* name, std::uint16_t* port) {
  for (const auto& [id, one] : fake->ports) {
    if (one.name == name) return *port = id, 0;
  }
  return -ENODEV;
}

int __wrap_rte_eth_dev_get_name_by_port(std::uint16_t port, char* name) {
  const int result = result_of("name", port);
  if (result == 0) std::snprintf(name, RTE_ETH_NAME_MAX_LEN, "%s", fake->ports[port].name.c_str());
  return result;
}

int __wrap_rte_eth_link_get_nowait(std::uint16_t port, rte_eth_link* link) {
  const int result = result_of("link", port);
  link->link_speed = fake->ports[port].link_mbps;
  return result;
}

int __wrap_rte_eth_stats_get(std::uint16_t port, rte_eth_stats* stats) {
  const int result = result_of("stats", port);
  if (result == 0) *stats = fake->ports[port].stats;
  return result;
}

int __wrap_rte_eth_xstats_get_names(std::uint16_t port, rte_eth_xstat_name* names, unsigned size) {
  if (const int result = result_of(names == nullptr ? "count" : "names", port); result != 0) {
    return result;
  }
  const auto& xstats = fake->ports[port].xstats;
  for (std::size_t i = 0; i < std::min<std::size_t>(size, xstats.size()); ++i) {
    std::snprintf(names[i].name, RTE_ETH_XSTATS_NAME_SIZE, "%s", xstats[i].first.c_str());
  }
  return static_cast<int>(xstats.size());
}

// The values have the opposite order of the names.
int __wrap_rte_eth_xstats_get(std::uint16_t port, rte_eth_xstat* values, unsigned size) {
  if (const int result = result_of("values", port); result != 0) return result;
  const auto& xstats = fake->ports[port].xstats;
  const auto count = std::min<std::size_t>(size, xstats.size());
  for (std::size_t i = 0; i < count; ++i) {
    values[count - 1 - i] = {fake->first_value + i, xstats[i].second};
  }
  return static_cast<int>(xstats.size());
}

int __wrap_rte_eth_dev_is_valid_port(std::uint16_t port) {
  return fake->ports.contains(port) ? 1 : 0;
}

int __wrap_rte_eth_dev_owner_get(const std::uint16_t port, rte_eth_dev_owner* owner) {
  const int result = result_of("owner", port);
  if (result == 0) owner->id = fake->ports[port].owner;
  return result;
}

std::uint64_t __wrap_rte_eth_find_next_owned_by(std::uint16_t port, const std::uint64_t owner) {
  for (const auto& [id, one] : fake->ports) {
    if (id >= port && one.owner == owner) return id;
  }
  return RTE_MAX_ETHPORTS;
}

int __wrap_rte_eth_dev_callback_register(std::uint16_t port,
                                         rte_eth_event_type event,
                                         rte_eth_dev_cb_fn function,
                                         void* argument) {
  if (port != RTE_ETH_ALL) return -EINVAL;
  fake->callbacks.push_back({event, function, argument});
  return 0;
}

// The first call for an event fails as if a callback were running.
int __wrap_rte_eth_dev_callback_unregister(std::uint16_t port,
                                           rte_eth_event_type event,
                                           rte_eth_dev_cb_fn function,
                                           void* argument) {
  if (port != RTE_ETH_ALL) return -EINVAL;
  auto& tried = fake->results[fmt::format("unregister {}", static_cast<int>(event))];
  if (tried++ == 0) return -EAGAIN;
  std::erase_if(fake->callbacks, [&](const auto& one) {
    return one.event == event && one.function == function && one.argument == argument;
  });
  return 0;
}

char* __wrap_if_indextoname(unsigned index, char* name) {
  const auto found = fake->interfaces.find(index);
  if (found == fake->interfaces.end()) {
    errno = fake->results.contains("indextoname") ? fake->results["indextoname"] : ENXIO;
    return nullptr;
  }
  return std::strcpy(name, found->second.name.c_str());
}

int __wrap_ioctl(int /*file*/, unsigned long request, ...) {
  va_list arguments;
  va_start(arguments, request);
  auto* answer = va_arg(arguments, ifreq*);
  va_end(arguments);
  for (const auto& [index, one] : fake->interfaces) {
    if (one.name != answer->ifr_name) continue;
    if (request == SIOCGIFMTU) answer->ifr_mtu = one.mtu;
    if (request == SIOCGIFFLAGS)
      answer->ifr_flags = one.up ? IFF_UP | IFF_BROADCAST : IFF_BROADCAST;
    return 0;
  }
  errno = ENODEV;
  return -1;
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
