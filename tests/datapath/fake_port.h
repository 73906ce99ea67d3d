// SPDX-License-Identifier: MIT
//
// A fixture for tests of a port that exists only in memory.

#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "datapath/dpdk/port.h"
#include "datapath/fake_dpdk.h"

namespace manactl::datapath::dpdk {

inline rte_mempool* pool_at(std::uintptr_t address) {
  return reinterpret_cast<rte_mempool*>(address);
}

inline const std::vector<rte_mempool*> kPools = {pool_at(0xa0), pool_at(0xb0)};

// Port 3, which is on NUMA node 1 and above the interface fake0.
struct PortTest : testing::Test {
  PortTest() {
    auto& port = fake.ports[3] = FakePort("net_fake0", "net_fake");
    port.mac = 7;
    port.node = 1;
    port.info.if_index = 9;
    port.stats.ipackets = 1000;
    port.stats.opackets = 2000;
    port.stats.ierrors = 10;
    port.stats.oerrors = 20;
    port.stats.imissed = 30;
    port.stats.rx_nombuf = 40;
    port.set_queue_packets({400, 600}, {900, 1100});
    port.xstats.emplace_back("vf_rx_good_packets", 5);
    port.xstats.emplace_back("tx_q0_good_packets", 8);
    fake.interfaces[9] = {"fake0", 1500, true};
    plan.mode = Mode::rx;
    plan.vdevs = {"net_other0,a=1", "net_fake0,iface=fake0,b=2", "net_fake01"};
    plan.queues = 2;
    plan.descriptors = 512;
  }

  Port opened(bool physical = false) { return Port::open(3, "net_fake0", physical).value(); }

  Port started() {
    auto port = opened();
    EXPECT_TRUE(port.start(plan, kPools).has_value());
    fake.take_log();
    return port;
  }

  FakeDpdk fake;
  BenchPlan plan;
};

inline std::string text_of(const Result<>& result) {
  return result ? "" : result.error().message;
}

inline std::string text_of(const std::optional<PortCount>& count) {
  if (!count) return "none";
  const auto text = [](const DirectionCount& one) {
    std::string queues;
    for (const auto packets : one.queue_packets) queues += " " + std::to_string(packets);
    return std::to_string(one.packets) + " (" + queues + " ) " + std::to_string(one.errors);
  };
  const auto known = [](const ReportedCount& one) { return one ? std::to_string(*one) : "?"; };
  return "rx " + text(count->rx) + " " + known(count->rx_missed) + " " +
         known(count->rx_no_buffer) + ", tx " + text(count->tx);
}

}  // namespace manactl::datapath::dpdk
