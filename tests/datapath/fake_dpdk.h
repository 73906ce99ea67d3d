// SPDX-License-Identifier: MIT
//
// Ethernet ports and kernel interfaces that exist only in memory. The linker replaces the functions
// of DPDK and libc that fake_dpdk.cpp defines (option --wrap).

#pragma once

#include <rte_ethdev.h>

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace manactl::datapath::dpdk {

struct FakePort {
  std::string name;      // "net_fake0"
  std::string device;    // the device that has the port, such as "7870:00:00.0"; may be empty
  std::uint8_t mac = 0;  // last byte of the address
  std::uint64_t owner = RTE_ETH_DEV_NO_OWNER;
  std::uint32_t link_mbps = 0;
  int node = 0;
  rte_eth_dev_info info{};
  rte_eth_stats stats{};
  std::vector<std::pair<std::string, std::uint64_t>> xstats;

  FakePort() = default;
  FakePort(const std::string& port, const char* driver);

  void set_queue_packets(const std::vector<std::uint64_t>& rx,
                         const std::vector<std::uint64_t>& tx);
};

struct FakeInterface {
  std::string name;
  int mtu = 1500;
  bool up = true;
};

// While an object exists, it provides all ports and interfaces. At most one may exist at a time.
class FakeDpdk {
 public:
  FakeDpdk();
  ~FakeDpdk();
  FakeDpdk(const FakeDpdk&) = delete;
  FakeDpdk& operator=(const FakeDpdk&) = delete;

  // The calls since the last take_log() that change ports, such as "start 3".
  std::vector<std::string> take_log() { return std::exchange(log, {}); }

  // Calls all callbacks that are registered for `event`.
  void announce(std::uint16_t port, rte_eth_event_type event);

  std::map<std::uint16_t, FakePort> ports;
  std::map<unsigned, FakeInterface> interfaces;
  // Results of functions that fail: on all ports, such as {"start", -EIO}, or on one: {"mac 2",
  // -EIO}.
  std::map<std::string, int> results;
  std::uint64_t first_value = 0;  // number of the first extended statistic
  FakePort next;                  // the port that rte_eal_hotplug_add() adds
  std::uint16_t next_id = 0;
  std::map<std::uint16_t, FakePort> also_next;  // further ports that it adds
  std::set<std::string> rdma_devices;           // PCI functions that have one
  std::function<void()> on_burst;               // called whenever packets are sent
  std::vector<std::string> log;

  struct Callback {
    rte_eth_event_type event;
    rte_eth_dev_cb_fn function;
    void* argument;
  };

  std::vector<Callback> callbacks;
};

}  // namespace manactl::datapath::dpdk
