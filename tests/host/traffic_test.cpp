// SPDX-License-Identifier: MIT

#include "host/traffic.h"

#include <gmock/gmock.h>

#include "support/changing_nics.h"

namespace manactl::host::traffic_test {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;

constexpr const char* kVf = "enP30832p0s0d1";

class TrafficOfNics : public ::testing::Test {
 protected:
  TrafficOfNics() {
    for (const auto* synthetic : {"eth0", "eth1"}) nics_.set_queues(synthetic, "_queue_", 2);
    for (const auto* vf : {"enP30832p0s0", kVf}) nics_.set_queues(vf, "_", 2);
    last_ = *sampler_.sample(seconds(0));
  }

  // The increases of the last second.
  TrafficInterval next() {
    auto sample = sampler_.sample(last_.time + seconds(1));
    EXPECT_TRUE(sample) << sample.error().message;
    auto interval = interval_between(last_, *sample);
    last_ = std::move(*sample);
    return interval;
  }

  NicTraffic next_eth1() { return next().nics.at(1); }

  test::ChangingNics nics_{"healthy-two-nics"};
  TrafficSampler sampler_{nics_.system()};
  TrafficSample last_;
};

TEST_F(TrafficOfNics, IsCountedOnEachPath) {
  nics_.counter(kVf, "rx_0_packets") += 10;
  nics_.counter(kVf, "rx_1_packets") += 5;
  nics_.counter(kVf, "rx_1_bytes") += 640;
  nics_.counter(kVf, "tx_1_packets") += 3;
  nics_.counter(kVf, "tx_1_xdp_drop") += 1000;
  nics_.counter("eth1", "tx_queue_0_packets") += 1;
  nics_.counter("eth1", "tx_queue_0_bytes") += 60;
  nics_.counter("eth1", "vf_tx_packets") += 3;
  nics_.link("eth1").drops += 2;
  const auto interval = next();
  EXPECT_EQ(interval.seconds, 1);
  const auto& nic = interval.nics.at(1);
  EXPECT_EQ(nic.name, "eth1");
  EXPECT_EQ(nic.use, VfUse::used);
  EXPECT_EQ(nic.vf->interface, kVf);
  EXPECT_EQ(nic.vf->total, (Traffic{15, 640, 3, 0, 0}));
  EXPECT_THAT(nic.vf->queues, ElementsAre(Traffic{10, 0, 0, 0}, Traffic{5, 640, 3, 0}));
  EXPECT_EQ(nic.synthetic->total, (Traffic{0, 0, 1, 60, 2})) << "without those of the VF";
  EXPECT_EQ(next_eth1().synthetic->total, Traffic{});
  EXPECT_EQ(interval.nics.at(0).vf->total, Traffic{});
}

TEST_F(TrafficOfNics, IsReadWithOneRequestForNamesUntilTheirNumberChanges) {
  const auto at_start = nics_.reads_of_names;
  EXPECT_EQ(at_start, 4U);
  next();
  EXPECT_EQ(nics_.reads_of_names, at_start);
  nics_.set_queues(kVf, "_", 4);
  EXPECT_EQ(next_eth1().vf->total, Traffic{});
  EXPECT_EQ(nics_.reads_of_names, at_start + 1);
}

TEST_F(TrafficOfNics, IsReadWithTheNamesOfOtherDrivers) {
  nics_.set_queues(kVf, "", 64);
  next();
  nics_.counter(kVf, "rx63_bytes") += 64;
  const auto vf = *next_eth1().vf;
  EXPECT_EQ(vf.total, (Traffic{0, 64, 0, 0}));
  ASSERT_EQ(vf.queues.size(), 64U);
  EXPECT_EQ(vf.queues[63], (Traffic{0, 64, 0, 0}));
  EXPECT_EQ(vf.queues[62], Traffic{});
}

TEST_F(TrafficOfNics, IsAddedUpFor64QueuesOnEachPath) {
  for (const auto* synthetic : {"eth0", "eth1"}) {
    nics_.set_queues(synthetic, "_queue_", 64);
    for (int cpu = 0; cpu < 64; ++cpu) {
      for (const auto* name : {"rx_packets", "rx_bytes", "vf_tx_packets", "vf_tx_bytes"}) {
        nics_.counters[synthetic].emplace_back("cpu" + std::to_string(cpu) + "_" + name, 5);
      }
    }
  }
  for (const auto* vf : {"enP30832p0s0", kVf}) nics_.set_queues(vf, "_", 64);
  next();
  const auto reads = nics_.reads_of_names;
  for (int i = 0; i < 10; ++i) {
    for (auto& [interface, counters] : nics_.counters) {
      for (auto& counter : counters) ++counter.second;
    }
    const auto nic = next_eth1();
    EXPECT_EQ(nic.vf->total, (Traffic{64, 64, 64, 64, 0}));
    EXPECT_EQ(nic.synthetic->total, (Traffic{64, 64, 64, 64, 0}));
    EXPECT_EQ(nic.synthetic->queues.at(63), (Traffic{1, 1, 1, 1, 0}));
  }
  EXPECT_EQ(nics_.reads_of_names, reads);
}

TEST_F(TrafficOfNics, IncludesPacketsWithoutABufferOnce) {
  nics_.counter(kVf, "hc_rx_discards_no_wqe") = 0;
  next();
  nics_.counter(kVf, "hc_rx_discards_no_wqe") = 7;
  nics_.link(kVf).drops = 1;
  EXPECT_EQ(next_eth1().vf->total->drops, 8U);
  nics_.link(kVf).missed = 7;
  EXPECT_EQ(next_eth1().vf->total->drops, 0U);
  nics_.link(kVf).missed = 9;
  EXPECT_EQ(next_eth1().vf->total->drops, 2U);
}

TEST_F(TrafficOfNics, IsUnknownWhileCountersRestart) {
  nics_.counter(kVf, "rx_0_packets") = 1'000'000;
  EXPECT_EQ(next_eth1().vf->total->rx_packets, 1'000'000U);
  nics_.counter(kVf, "rx_0_packets") = 3;
  const auto vf = *next_eth1().vf;
  EXPECT_EQ(vf.total, std::nullopt);
  EXPECT_TRUE(vf.restarted);
  EXPECT_THAT(vf.queues, ElementsAre());
  nics_.counter(kVf, "rx_0_packets") = 5;
  EXPECT_EQ(next_eth1().vf->total->rx_packets, 2U);
  // hv_netvsc has no counters while it replaces its queues.
  const auto counters = nics_.counters.at("eth1");
  nics_.counters.erase("eth1");
  EXPECT_EQ(next_eth1().synthetic->total, std::nullopt);
  nics_.counters["eth1"] = counters;
  const auto synthetic = *next_eth1().synthetic;
  EXPECT_EQ(synthetic.total, std::nullopt);
  EXPECT_FALSE(synthetic.restarted);
  EXPECT_EQ(next_eth1().synthetic->total, Traffic{});
}

TEST_F(TrafficOfNics, FollowsAVfThatLeavesAndReturns) {
  VfHistories histories;
  const std::chrono::system_clock::time_point start{};
  const auto history_after = [&](int second) {
    const auto interval = next();
    histories.add(interval, start + seconds(second));
    return std::pair(histories.of(interval.nics.at(1)), interval.nics.at(1));
  };
  nics_.counter(kVf, "rx_0_packets") = 1'000'000;
  EXPECT_EQ(history_after(1).first.since, std::nullopt);

  auto vf = nics_.remove(kVf);
  nics_.counter("eth1", "rx_queue_0_packets") += 4;
  auto [history, nic] = history_after(2);
  EXPECT_EQ(history.use, VfUse::absent);
  EXPECT_EQ(history.since, start + seconds(2));
  EXPECT_FALSE(nic.vf);
  EXPECT_EQ(nic.synthetic->total->rx_packets, 4U);

  vf.index = 17;
  vf.master.reset();
  nics_.counter(kVf, "rx_0_packets") = 50;
  nics_.links.push_back(vf);
  std::tie(history, nic) = history_after(3);
  EXPECT_EQ(history.use, VfUse::not_joined);
  EXPECT_EQ(nic.vf->total, std::nullopt);

  nics_.link(kVf).master = nics_.link("eth1").index;
  nics_.counter(kVf, "rx_0_packets") = 60;
  std::tie(history, nic) = history_after(4);
  EXPECT_EQ(history.use, VfUse::used);
  EXPECT_EQ(history.changes, 3U);
  EXPECT_EQ(nic.vf->total->rx_packets, 10U);

  // Between two samples, the VF has been replaced.
  nics_.link(kVf).index = 18;
  nics_.counter(kVf, "rx_0_packets") = 70;
  std::tie(history, nic) = history_after(5);
  EXPECT_EQ(history.resets, 1U);
  EXPECT_EQ(history.since, start + seconds(4));
  EXPECT_EQ(nic.vf->total, std::nullopt);
  nics_.link(kVf).flags = 0;
  EXPECT_EQ(history_after(6).first.use, VfUse::down);
}

TEST_F(TrafficOfNics, TakesTheBeginningOfAStateFromTheKernelLog) {
  const std::chrono::system_clock::time_point start{};
  nics_.remove("enP30832p0s0");
  const auto interval = next();
  const auto since = [&](std::size_t nic, bool to_vf) {
    VfHistories histories;
    histories.set_switch(interval.nics[nic].id, to_vf, start - seconds(60));
    histories.add(interval, start);
    return histories.of(interval.nics[nic]).since;
  };
  EXPECT_EQ(since(1, true), start - seconds(60));
  EXPECT_EQ(since(1, false), std::nullopt) << "the VF is used";
  EXPECT_EQ(since(0, false), start - seconds(60));
  EXPECT_EQ(since(0, true), std::nullopt) << "there is no VF";
}

TEST_F(TrafficOfNics, ShowsThatSentPacketsBypassTheVf) {
  VfHistories histories;
  const auto use_after = [&](std::uint64_t synthetic, std::uint64_t vf) {
    nics_.counter("eth1", "tx_queue_0_packets") += synthetic;
    nics_.counter("eth1", "rx_queue_0_packets") += 100;  // multicasts
    nics_.counter(kVf, "tx_0_packets") += vf;
    const auto interval = next();
    histories.add(interval, {});
    return histories.of(interval.nics.at(1)).use;
  };
  EXPECT_EQ(use_after(0, 0), VfUse::used);
  EXPECT_EQ(use_after(1, 8), VfUse::used);
  EXPECT_EQ(use_after(8, 1), VfUse::bypassed);
  EXPECT_EQ(use_after(0, 0), VfUse::bypassed) << "no packet shows a change";
  EXPECT_EQ(use_after(0, 1), VfUse::used);
}

TEST_F(TrafficOfNics, ShowsANicThatWasRemoved) {
  nics_.remove(kVf);
  nics_.remove("eth1");
  for (int i = 0; i < 2; ++i) {
    const auto interval = next();
    ASSERT_EQ(interval.nics.size(), 2U);
    EXPECT_EQ(interval.nics[1].name, "eth1");
    EXPECT_EQ(interval.nics[1].use, VfUse::removed);
    EXPECT_FALSE(interval.nics[1].synthetic);
  }
}

TEST(VfUse, IsThatOfTheFixture) {
  struct Expected {
    const char* fixture;
    std::size_t nic;
    const char* word;
    const char* phrase;
  };

  for (const auto& [fixture, nic, word, phrase] :
       {Expected{"healthy-two-nics", 0, "used", "VF enP30832p0s0 is in use"},
        Expected{"vf-unpaired", 1, "not-joined", "VF enP30832p0s0d1 has not joined the NIC"},
        Expected{"vf-missing", 1, "absent", "no VF"},
        Expected{"prepared-uio", 1, "user-space", "VF enP30832p0s0d1 is in user space"},
        Expected{"unbound-vmbus", 1, "unbound", "the NIC is bound to no driver"},
        Expected{"mana-direct", 1, "used", "VF enP30833p0s0 is in use"}}) {
    const auto facts = facts_of(fixture);
    const auto& one = facts.nics->at(nic);
    const auto use = vf_use_of(one, has_idle_function(facts.functions));
    EXPECT_EQ(word_of(kVfUseWords, use), word) << fixture;
    EXPECT_EQ(phrase_of(use, one.vf ? one.vf->name : ""), phrase) << fixture;
  }
}

TEST(VfUse, ShowsAFunctionWithoutAnInterface) {
  auto facts = facts_of("vf-missing");
  EXPECT_FALSE(has_idle_function(facts.functions));
  facts.functions->push_back({});
  EXPECT_TRUE(has_idle_function(facts.functions));
  EXPECT_EQ(vf_use_of(facts.nics->at(1), true), VfUse::no_interface);
  EXPECT_EQ(phrase_of(VfUse::no_interface, ""), "the VF is on the PCI bus, but has no interface");
  EXPECT_EQ(phrase_of(VfUse::user_space, ""), "in user space");
}

}  // namespace
}  // namespace manactl::host::traffic_test
