// SPDX-License-Identifier: MIT

#include "host/load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/gather.h"
#include "host/recording.h"
#include "support/fixtures.h"

namespace manactl::host::load_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

Load load_of(const std::vector<test::Edit>& edits = {}) {
  return *facts_of("ubuntu-two-nics", edits).load;
}

TEST(Load, HasTheInterruptsOfTheQueues) {
  const auto interrupts = load_of().interrupts;
  ASSERT_TRUE(interrupts) << interrupts.error().message;
  ASSERT_EQ(interrupts->size(), 8U);
  const auto& third = interrupts->at(2);
  EXPECT_EQ(third.name, "mana_q2@pci:7870:00:00.0");
  EXPECT_EQ(third.function.str(), "7870:00:00.0");
  EXPECT_EQ(third.affinity.str(), "2");
  EXPECT_EQ(third.counts.at(2), 40002U);
  EXPECT_EQ(third.counts.at(7), 0U);
}

TEST(Load, ReadsTheRequestedAffinityIfTheEffectiveOneIsUnknown) {
  const auto load = load_of({{"proc/irq/30/effective_affinity_list", "", "\n"},
                             {"proc/irq/30/smp_affinity_list", "", "0-3\n"},
                             {"proc/irq/31/effective_affinity_list", "", "x\n"}});
  EXPECT_EQ(load.interrupts->at(0).affinity.str(), "0-3");
  EXPECT_THAT(load.interrupts->at(1).affinity.cpus, IsEmpty());
}

TEST(Load, IgnoresOtherInterruptsAndRefusesMalformedRows) {
  const auto interrupts = [](const std::string& text) {
    return load_of({{"proc/interrupts", "", text}}).interrupts;
  };
  EXPECT_THAT(*interrupts("  CPU0 CPU4\n 1: 2 3 mana_hwc@pci:7870:00:00.0\n 2: 5 6 nvme0q1\n\n"),
              IsEmpty());
  const auto offline = interrupts("  CPU0 CPU4\n 1: 2 3 MSI mana_q0@pci:7870:00:00.0\n");
  EXPECT_THAT(offline->at(0).counts, ElementsAre(Pair(0U, 2U), Pair(4U, 3U)));
  EXPECT_THAT(interrupts("  CPU0 CPU4\n 1: 2 mana_q0@pci:7870:00:00.0\n").error().message,
              HasSubstr("unexpected line ' 1: 2 mana_q0"));
  EXPECT_FALSE(interrupts("  CPU0\n 1: 2 mana_q0@pci:7870\n"));
  EXPECT_FALSE(interrupts("  CPU0\n ../1: 2 mana_q0@pci:7870:00:00.0\n"));
  EXPECT_THAT(interrupts("").error().message, HasSubstr("does not begin with CPUs"));
  EXPECT_FALSE(interrupts("  CPUx\n"));
}

TEST(Load, HasTheTimeOfEachCpu) {
  const auto load = load_of(
      {{"proc/stat", "", "cpu  9 9 9 9 9 9 9 9 9 9\ncpu1 1 2 3 4 5 6 7 8 9 10\ncpu2 1 2\nintr 7\n"},
       {"proc/softirqs", "", "  CPU0 CPU1\n NET_TX: 1 2\n NET_RX: 3 4\n"}});
  ASSERT_TRUE(load.cpus);
  ASSERT_EQ(load.cpus->size(), 1U);
  EXPECT_EQ(load.cpus->at(0).cpu, 1U);
  EXPECT_EQ(load.cpus->at(0).total, 36U);
  EXPECT_EQ(load.cpus->at(0).softirq, 7U);
  EXPECT_EQ(load.cpus->at(0).net_rx, 4U);
  EXPECT_FALSE(load_of({{"proc/stat", "", "intr 7\n"}}).cpus);
}

TEST(Load, HasTheTimeSinceBoot) {
  EXPECT_DOUBLE_EQ(load_of().seconds, 3600);
  EXPECT_DOUBLE_EQ(load_of({{"proc/uptime", "", "12.34 5.00\n"}}).seconds, 12.34);
  EXPECT_DOUBLE_EQ(load_of({{"proc/uptime", "", "12 5\n"}}).seconds, 0);
  EXPECT_DOUBLE_EQ(load_of({{"proc/uptime", "", "x.34 5\n"}}).seconds, 0);
}

TEST(Load, HasCountersOfBothInterfacesButNotOfSingleQueues) {
  const std::string base = "sys/devices/pci7870:00/7870:00:00.0/net/enP30832p0s0/";
  const auto load = load_of({{"manactl/ethtool.json", "\"tx_cq_err\": 0", "\"rx_3_drops\": 1", 2},
                             {base + "statistics/rx_missed_errors", "", "12\n"},
                             {base + "statistics/tx_dropped", "", "x\n"},
                             {base + "queues/tx-1/tx_timeout", "", "3\n"},
                             {base + "queues/rx-1/rps_cpus", "", "00000000,0000000f\n"}});
  const auto& nic = load.nics.at(0);
  EXPECT_EQ(nic.name, "eth0");
  EXPECT_EQ(nic.synthetic.at("vf_rx_packets"), 91000U);
  EXPECT_EQ(nic.synthetic.at("rx_packets"), 91250U);  // of rtnetlink
  EXPECT_EQ(nic.vf.at("rx_missed_errors"), 12U);
  EXPECT_EQ(nic.vf.at("tx_timeout"), 3U);
  EXPECT_EQ(nic.vf.count("tx_dropped"), 0U);
  EXPECT_EQ(nic.vf.count("rx_3_drops"), 0U);
  EXPECT_EQ(nic.rx_queues, 2U);
  EXPECT_EQ(nic.rps_queues, 1U);
}

TEST(Load, NamesTheInterfacesOfWireGuard) {
  EXPECT_THAT(load_of().wireguard, IsEmpty());
  EXPECT_THAT(facts_of("slow-path").load->wireguard, ElementsAre("wg0"));
}

TEST(Load, IsPartOfBundles) {
  const auto captured = test::system_of("ubuntu-two-nics");
  const auto system = captured->system();
  const auto recording = start_recording(system);
  const auto facts = gather(recording->system());
  gather_load(recording->system(), facts);
  const auto tree = recording->tree();
  for (const char* path : {"proc/interrupts",
                           "proc/irq/37/effective_affinity_list",
                           "proc/stat",
                           "proc/softirqs",
                           "proc/uptime",
                           "sys/devices/pci7870:00/7870:00:00.0/net/enP30832p0s0/queues/rx-0/"
                           "rps_cpus"}) {
    EXPECT_EQ(tree.count(path), 1U) << path;
  }
}

}  // namespace
}  // namespace manactl::host::load_test
