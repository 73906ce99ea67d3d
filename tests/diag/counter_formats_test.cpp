// SPDX-License-Identifier: MIT
//
// The counters of other programs than testpmd, and the patterns of lines with counters.

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "diag/counter_format.h"
#include "diag/logs.h"

namespace manactl::diag::counter_formats_test {
namespace {

using test::diagnose_text;
using test::ids;
using test::root_id;

// ---- other programs -----------------------------------------------------------------------------

std::string netvsc(std::uint64_t vf, std::uint64_t queue, std::uint64_t full = 0) {
  return fmt::format(
      "NIC statistics:\n     tx_send_full: {}\n     vf_rx_packets: {}\n     vf_tx_packets: {}\n"
      "     tx_queue_0_packets: {}\n     tx_queue_0_bytes: 7\n     rx_queue_0_packets: {}\n",
      full,
      vf,
      vf,
      queue,
      queue);
}

TEST(CountersOfPrograms, OfTheVfShowTheSyntheticPath) {
  const std::string command = "# ethtool -S eth0\n";
  EXPECT_EQ(root_id(diagnose_text(command + netvsc(0, 60000))), "vf-carries-nothing");
  EXPECT_EQ(root_id(diagnose_text(command + netvsc(0, 600))), "");
  EXPECT_EQ(root_id(diagnose_text(command + netvsc(1, 60000))), "");
  EXPECT_EQ(root_id(diagnose_text(command + netvsc(0, 600) + command + netvsc(0, 1200))),
            "vf-carries-nothing");
  const auto diagnosis = diagnose_text(command + netvsc(0, 60000));
  ASSERT_TRUE(diagnosis.root);
  EXPECT_THAT(diagnosis.root->title, testing::StartsWith("The VF of eth0 carries no packets"));
}

TEST(CountersOfPrograms, OfAnotherVfDoNotMatter) {
  const auto text = "# ethtool -S eth0\n" + netvsc(7, 60000) + "# ethtool -S eth1\n";
  EXPECT_EQ(root_id(diagnose_text(text + netvsc(7, 60000))), "");
  EXPECT_EQ(root_id(diagnose_text(text + netvsc(0, 60000))), "vf-carries-nothing");
}

TEST(CountersOfPrograms, OfTheSyntheticPathShowThatTheBufferToTheHostIsFull) {
  EXPECT_EQ(root_id(diagnose_text(netvsc(9, 48323650, 75776))), "host-ring-full");
  EXPECT_EQ(root_id(diagnose_text(netvsc(9, 48323650, 757))), "");
  const auto diagnosis = diagnose_text(netvsc(0, 48323650, 75776));
  EXPECT_EQ(root_id(diagnosis), "vf-carries-nothing");
  EXPECT_THAT(ids(diagnosis.consequences), testing::ElementsAre("host-ring-full"));
}

// The output of two commands may be about two NICs.
TEST(CountersOfPrograms, WithoutANameAreNotCompared) {
  EXPECT_EQ(root_id(diagnose_text(netvsc(0, 600) + "\n" + netvsc(0, 1200))), "");
}

TEST(CountersOfPrograms, OfSuricataShowLostPackets) {
  const auto at = [](int seconds, int packets, int lost) {
    return fmt::format(
        "Date: 4/23/2026 -- 08:11:{} (uptime: 0d, 00h 00m {}s)\n"
        "-----------------------------------------------------\n"
        "Counter                 | TM Name             | Value\n"
        "capture.packets         | Total               | {}\n"
        "capture.dpdk.imissed    | Total               | {}\n"
        "decoder.pkts            | Total               | {}\n",
        seconds,
        seconds,
        packets,
        lost,
        packets - lost);
  };
  const auto diagnosis = diagnose_text(at(10, 100000, 1) + at(18, 200000, 5001));
  ASSERT_EQ(root_id(diagnosis), "receive-drops");
  EXPECT_THAT(diagnosis.root->title, testing::HasSubstr("5.0 %"));
  const auto stopped = at(10, 1, 0) + at(18, 2, 0) + at(26, 2, 0) + at(34, 2, 0);
  const auto no_reason = diagnose_text(stopped);
  EXPECT_EQ(root_id(no_reason), "traffic-stopped");
  EXPECT_TRUE(no_reason.benign.empty());
  EXPECT_EQ(
      root_id(diagnose_text(
          stopped + "hv_netvsc 6045bdc0-bd67-6045-bdc0-bd676045bdc0 eth0: VF slot 1 removed\n")),
      "program-port-dead");
}

TEST(CountersOfPrograms, OfIntervalsShowThatAProgramWorks) {
  const std::string start = "EAL: Detected CPU lcores: 8\nMANA_DRIVER: mana_init_once(): MP INIT\n";
  const auto interval = [](int packets) {
    return fmt::format("probed: 60s rx {} tx 0 missed 0 nombuf 0\n", packets);
  };
  EXPECT_EQ(diagnose_text(start + interval(50110233) + interval(50098112)).verdict->answer,
            Answer::works);
  EXPECT_EQ(diagnose_text(start + interval(0) + interval(0)).verdict->answer, Answer::no_failure);
}

TEST(CountersOfPrograms, OfVppShowPacketsThatItCouldNotSend) {
  const std::string text =
      "              Name               Idx    State  MTU (L3/IP4/IP6/MPLS)     Counter    Count\n"
      "mana0                             1      up          9000/0/0/0     rx packets   4000\n"
      "                                                                    tx packets   96000\n"
      "vpp# show errors\n"
      "   Count                    Node                  Reason\n"
      "      4000         mana0-tx               Tx packet drops (dpdk tx failure)\n";
  const auto diagnosis = diagnose_text(text);
  ASSERT_EQ(root_id(diagnosis), "send-errors");
  EXPECT_EQ(diagnosis.root->title, "mana0 could not send 4.0 % of its packets");
}

TEST(CountersOfPrograms, OfOpenVSwitchAreThoseOfOneInterface) {
  const auto statistics = [](const std::string& name, int rx, int dropped) {
    return fmt::format(
        "# ovs-vsctl get Interface {} statistics\n"
        "{{ovs_rx_qos_drops=0, rx_bytes=7, rx_dropped={}, rx_packets={}, tx_packets=1}}\n",
        name,
        dropped,
        rx);
  };
  EXPECT_EQ(root_id(diagnose_text(statistics("m0", 90000, 0) + statistics("m0", 190000, 9000))),
            "receive-drops");
  EXPECT_EQ(root_id(diagnose_text(statistics("m0", 90000, 0) + statistics("m1", 190000, 900))), "");
  const auto port = [](int rx, int tx) {
    return fmt::format(
        "OFPST_PORT reply (xid=0x2): 1 ports\n"
        "  port  m0: rx pkts={}, bytes=0, drop=0, errs=0, frame=?, over=?, crc=?\n"
        "           tx pkts={}, bytes=0, drop=?, errs=?, coll=?\n",
        rx,
        tx);
  };
  EXPECT_EQ(root_id(diagnose_text(port(0, 10) + port(0, 20010))), "nothing-received");
  EXPECT_EQ(root_id(diagnose_text(port(1, 10) + port(1, 20010))), "");
}

TEST(CountersOfPrograms, OfAllThreadsOfOpenVSwitchAreAddedUp) {
  const auto threads = [](int first, int second) {
    return fmt::format(
        "# ovs-appctl dpif-netdev/pmd-stats-show\n"
        "pmd thread numa_id 0 core_id 1:\n  packets received: {}\n  packet recirculations: 0\n"
        "pmd thread numa_id 0 core_id 2:\n  packets received: {}\n  packet recirculations: 0\n",
        first,
        second);
  };
  EXPECT_EQ(root_id(diagnose_text(threads(1, 5) + threads(2, 6) + threads(2, 6) + threads(2, 6))),
            "traffic-stopped");
  EXPECT_EQ(root_id(diagnose_text(threads(1, 5) + threads(2, 6) + threads(2, 7) + threads(2, 8))),
            "");
}

TEST(CountersOfPrograms, OfIntervalsOfBenchStopAtZero) {
  std::string text;
  for (const int packets : {1000, 900, 0, 0}) {
    text += fmt::format(
        R"({{"schema":"manactl.bench-event/2","event":"interval","trial":0,"total":{{"tx_packets":0,)"
        R"("rx_packets":{}}},"queues":{{"rx_packets":[1]}}}})"
        "\n",
        packets);
  }
  const auto diagnosis = diagnose_text(text);
  ASSERT_EQ(root_id(diagnosis), "traffic-stopped");
  EXPECT_EQ(diagnosis.root->quote->line, 3U);
}

TEST(CountersOfPrograms, OfTheKernelShowLostPackets) {
  const auto link = [](int packets, int missed) {
    return fmt::format(
        "2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP mode DEFAULT\n"
        "    link/ether 60:45:bd:3c:11:07 brd ff:ff:ff:ff:ff:ff\n"
        "    RX:  bytes packets errors dropped  missed   mcast           \n"
        "    918273645 {:7}      0       7 {:7}    9821 \n"
        "    TX:  bytes packets errors dropped carrier collsns           \n"
        "    412938471  874622      0       0       0        0 \n",
        packets,
        missed);
  };
  const std::string mana =
      "mana 7870:00:00.0: Microsoft Azure Network Adapter protocol version: 0.1.1\n";
  const auto diagnosis = diagnose_text(mana + link(204837, 0) + link(404837, 9000));
  ASSERT_EQ(root_id(diagnosis), "kernel-receive-drops");
  EXPECT_EQ(diagnosis.root->title, "eth0 drops 4.3 % of the packets that arrive");
  EXPECT_EQ(root_id(diagnose_text(mana + link(204837, 0) + link(404837, 90))), "");
}

// ---- patterns -----------------------------------------------------------------------------------

TEST(CounterPattern, RefusesNamesThatItDoesNotKnow) {
  EXPECT_FALSE(CounterPattern::parse("RX: {receive}"));
  EXPECT_FALSE(CounterPattern::parse("..."));
  EXPECT_FALSE(CounterPattern::parse(""));
}

TEST(CounterPattern, FindsValuesInTheMiddleOfALineOnlyAtTheBeginningOfAWord) {
  const auto pattern = CounterPattern::parse("...rx_packets={rx}");
  ASSERT_TRUE(pattern);
  CounterRow row;
  EXPECT_FALSE(pattern->match("{ovs_rx_packets=7}", row));
  EXPECT_TRUE(pattern->match("{ovs_rx_packets=7, rx_packets=8}", row));
  EXPECT_THAT(row.values, testing::ElementsAre(testing::Pair(Counter::rx, 8U)));
}

TEST(CounterPattern, RefusesNumbersThatAreTooLarge) {
  const auto pattern = CounterPattern::parse("RX: {rx}");
  ASSERT_TRUE(pattern);
  CounterRow row;
  EXPECT_FALSE(pattern->match("RX: 18446744073709551616", row));
  EXPECT_TRUE(pattern->match("RX: 18446744073709551615", row));
  EXPECT_EQ(row.values.size(), 1U);
}

TEST(CounterFormats, HaveLiteralsOfTheirFirstLine) {
  const auto& formats = test::signatures().counter_formats();
  EXPECT_GE(formats.size(), 12U);
  for (const auto& signature : test::signatures().all()) {
    if (!signature.counters) continue;
    for (const auto& program : signature.counters->programs) {
      EXPECT_TRUE(std::ranges::count(formats, program, &CounterFormat::program)) << program;
    }
  }
  for (const auto& format : formats) {
    EXPECT_FALSE(format.literals.empty()) << format.program;
    for (const auto& literal : format.literals) EXPECT_GE(literal.size(), 8U) << literal;
  }
}

TEST(CounterFormats, AreNotReadIfTheyAreMalformed) {
  EXPECT_FALSE(parse_counter_formats("{"));
  EXPECT_FALSE(parse_counter_formats(R"({"counters": [{"program": "x"}]})"));
  const auto unknown = parse_counter_formats(
      R"({"counters": [{"program": "x", "literals": [], "begin": "{y}", "rows": []}]})");
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message, testing::HasSubstr("{y}"));
}

}  // namespace
}  // namespace manactl::diag::counter_formats_test
