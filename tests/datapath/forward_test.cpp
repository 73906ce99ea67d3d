// SPDX-License-Identifier: MIT
//
// Mode fwd on a driver that accepts only a part of a burst.

#include <gtest/gtest.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include <algorithm>
#include <array>

#include "datapath/dpdk/modes.h"

namespace manactl::datapath::dpdk::forward_test {
namespace {

constexpr unsigned kBurst = 8;

// The driver: receives one burst, of which it accepts `accepted` packets for sending.
struct Driver {
  Team team;
  std::array<std::array<std::uint8_t, 256>, kBurst> buffers{};
  std::array<rte_mbuf, kBurst> packets{};
  std::uint16_t accepted = 0;
  bool has_received = false;
};

Driver* driver = nullptr;

std::uint16_t receive(void* /*queue*/, rte_mbuf** packets, std::uint16_t /*count*/) {
  driver->team.phase = Phase::stopping;
  if (driver->has_received) return 0;
  driver->has_received = true;
  for (auto& packet : driver->packets) *packets++ = &packet;
  return kBurst;
}

std::uint16_t transmit(void* /*queue*/, rte_mbuf** /*packets*/, std::uint16_t count) {
  return std::min(count, driver->accepted);
}

// The functions of port 0 while an object exists.
class DriverFunctions {
 public:
  DriverFunctions() {
    auto& port = rte_eth_fp_ops[0];
    port.rx_pkt_burst = receive;
    port.tx_pkt_burst = transmit;
    port.rxq = {queues_.data(), callbacks_.data()};
    port.txq = port.rxq;
  }

  ~DriverFunctions() { rte_eth_fp_ops[0] = before_; }

  DriverFunctions(const DriverFunctions&) = delete;
  DriverFunctions& operator=(const DriverFunctions&) = delete;

 private:
  struct rte_eth_fp_ops before_ = rte_eth_fp_ops[0];
  std::array<void*, 1> queues_{}, callbacks_{};
};

TEST(Forward, CountsAndFreesPacketsThatTheDriverRejects) {
  for (const unsigned accepted : {0U, 1U, 7U, 8U}) {
    Driver here;
    driver = &here;
    here.accepted = static_cast<std::uint16_t>(accepted);
    here.team.phase = Phase::running;
    std::uint64_t all = 0, sent = 0;
    for (unsigned i = 0; i < kBurst; ++i) {
      auto& packet = here.packets[i];
      packet.buf_addr = here.buffers[i].data();
      packet.pkt_len = packet.data_len = static_cast<std::uint16_t>(60 + i);
      packet.nb_segs = 1;
      packet.refcnt = 2;  // freeing decrements it, without a mempool
      all += packet.pkt_len;
      if (i < accepted) sent += packet.pkt_len;
    }
    Lane lane;
    lane.burst = kBurst;
    Worker worker;
    worker.team = &here.team;
    worker.lanes = {&lane};
    const DriverFunctions functions;
    kFwd.work(worker);
    EXPECT_EQ(lane.counters.rx_packets.get(), kBurst);
    EXPECT_EQ(lane.counters.rx_bytes.get(), all);
    EXPECT_EQ(lane.counters.tx_packets.get(), accepted);
    EXPECT_EQ(lane.counters.tx_bytes.get(), sent);
    EXPECT_EQ(lane.counters.tx_missed.get(), kBurst - accepted);
    for (unsigned i = 0; i < kBurst; ++i) {
      EXPECT_EQ(here.packets[i].refcnt, i < accepted ? 2U : 1U) << i << " of " << accepted;
    }
  }
}

}  // namespace
}  // namespace manactl::datapath::dpdk::forward_test
