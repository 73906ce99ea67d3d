// SPDX-License-Identifier: MIT
//
// Conclusions from the counters of testpmd. tests/logs/story has whole logs.

#include "diag/counters.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "diag/logs.h"

namespace manactl::diag::counters_test {
namespace {

using test::diagnose_text;
using test::ids;
using test::read_text;
using test::root_id;

std::string start(const std::string& mode) {
  return "EAL: Detected CPU lcores: 8\n" + mode +
         " packet forwarding - ports=1 - cores=1 - streams=1 - NUMA support enabled\n";
}

struct Port {
  std::uint64_t rx = 0, tx = 0, missed = 0, no_mbuf = 0, tx_errors = 0;
  std::uint64_t rx_rate = 0, tx_rate = 0;
};

std::string report(const Port& port, const std::string& name = "0") {
  return fmt::format(
      "  ######################## NIC statistics for port {}  ########################\n"
      "  RX-packets: {:<10} RX-missed: {:<10} RX-bytes:  {}\n"
      "  RX-errors: 0\n"
      "  RX-nombuf:  {:<10}\n"
      "  TX-packets: {:<10} TX-errors: {:<10} TX-bytes:  {}\n"
      "\n"
      "  Throughput (since last show)\n"
      "  Rx-pps: {:12}          Rx-bps: {:12}\n"
      "  Tx-pps: {:12}          Tx-bps: {:12}\n"
      "  ############################################################################\n",
      name,
      port.rx,
      port.missed,
      port.rx * 64,
      port.no_mbuf,
      port.tx,
      port.tx_errors,
      port.tx * 64,
      port.rx_rate,
      port.rx_rate * 512,
      port.tx_rate,
      port.tx_rate * 512);
}

std::string sent(std::initializer_list<std::uint64_t> counts) {
  std::string text;
  std::uint64_t before = 0;
  for (const auto count : counts) {
    text += report({.tx = count, .tx_rate = count > before ? count - before : 0});
    before = count;
  }
  return text;
}

std::string received(std::initializer_list<std::uint64_t> counts) {
  std::string text;
  for (const auto count : counts) text += report({.rx = count});
  return text;
}

// ---- traffic that stops -------------------------------------------------------------------------

TEST(Counters, ThatNoLongerChangeShowWhenTheTrafficStopped) {
  const auto text = start("txonly") + sent({5213345, 5213401, 5213401, 5213401});
  const auto diagnosis = diagnose_text(text);
  ASSERT_EQ(root_id(diagnosis), "testpmd-send-stopped");
  EXPECT_EQ(diagnosis.verdict->answer, Answer::worked_until);
  // The first of the two reports without a change.
  EXPECT_EQ(diagnosis.root->quote->line, 2U + 2U * 10U + 5U);
  EXPECT_THAT(diagnosis.root->quote->text, testing::HasSubstr("TX-packets: 5213401"));
  EXPECT_EQ(diagnosis.root->title, "testpmd no longer sends on port 0");
  EXPECT_THAT(diagnosis.root->cause, testing::HasSubstr("since line 17,"));
}

TEST(Counters, ThatChangeOrStandStillOnceAreNormal) {
  for (const auto& counts : {std::vector<std::uint64_t>{1, 2, 3, 4},
                             std::vector<std::uint64_t>{7},
                             std::vector<std::uint64_t>{7, 7, 7, 7},  // has never changed
                             std::vector<std::uint64_t>{7, 8, 8},
                             std::vector<std::uint64_t>{7, 8, 8, 9, 9, 10}}) {
    std::string text = start("txonly");
    for (const auto count : counts) text += sent({count});
    EXPECT_EQ(root_id(diagnose_text(text)), "") << text;
  }
}

TEST(Counters, ThatChangeAgainShowRecovery) {
  const auto diagnosis = diagnose_text(start("txonly") + sent({7, 8, 8, 8, 8, 9000}));
  EXPECT_EQ(root_id(diagnosis), "");
  EXPECT_EQ(diagnosis.verdict->answer, Answer::works);
  EXPECT_THAT(ids(diagnosis.recovered), testing::ElementsAre("testpmd-send-stopped"));
}

TEST(Counters, OfAnotherPortDoNotShowRecovery) {
  std::string text = start("io");
  for (const std::uint64_t count : {10U, 20U, 30U, 40U, 50U}) {
    text += report({.rx = std::min<std::uint64_t>(count, 20)}, "0");
    text += report({.rx = count, .rx_rate = 10}, "1");
  }
  const auto diagnosis = diagnose_text(text);
  ASSERT_EQ(root_id(diagnosis), "traffic-stopped");
  EXPECT_EQ(diagnosis.root->title, "No more packets pass port 0");
}

// VPP prints names instead of the numbers of DPDK ports.
std::string vpp_report(const std::vector<std::pair<std::string, std::uint64_t>>& interfaces) {
  std::string text =
      "              Name               Idx    State  MTU (L3/IP4/IP6/MPLS)     Counter          "
      "Count     \n";
  for (const auto& [name, packets] : interfaces) {
    text +=
        fmt::format("{:<34}1      up          9000/0/0/0     rx packets {:>21}\n", name, packets);
  }
  return text;
}

TEST(Counters, OfAnotherInterfaceDoNotShowRecovery) {
  const auto rounds = [](std::uint64_t last_of_a, std::uint64_t last_of_b) {
    std::string text = "EAL: Detected CPU lcores: 8\n";
    for (const std::uint64_t count : {10U, 20U, 20U, 20U}) {
      text += vpp_report({{"nic-a", count}, {"nic-b", count}});
    }
    return diagnose_text(text + vpp_report({{"nic-a", last_of_a}, {"nic-b", last_of_b}}));
  };
  const auto diagnosis = rounds(20, 30);
  ASSERT_EQ(root_id(diagnosis), "traffic-stopped");
  EXPECT_EQ(diagnosis.root->title, "No more packets pass nic-a");
  EXPECT_THAT(ids(diagnosis.recovered), testing::ElementsAre("traffic-stopped"));
  EXPECT_EQ(root_id(rounds(30, 30)), "");
}

TEST(Counters, ThatGoBackBeginANewSeries) {
  EXPECT_EQ(root_id(diagnose_text(start("txonly") + sent({70, 80, 8, 8, 8}))), "");
  EXPECT_EQ(root_id(diagnose_text(start("txonly") + sent({70, 80, 8, 9, 9, 9}))),
            "testpmd-send-stopped");
}

TEST(Counters, OfTwoRunsAreNotCompared) {
  const auto text = start("txonly") + sent({7, 8, 8}) + start("txonly") + sent({8, 8});
  EXPECT_EQ(root_id(diagnose_text(text)), "");
}

TEST(Counters, OfAProgramThatStoppedForwardingStandStill) {
  const auto stopped = start("txonly") + sent({7, 8}) + "Telling cores to stop...\n";
  EXPECT_EQ(root_id(diagnose_text(stopped + sent({9, 9, 9}))), "");
  EXPECT_EQ(root_id(diagnose_text(stopped + start("txonly").substr(28) + sent({9, 10, 10, 10}))),
            "testpmd-send-stopped");
}

TEST(Counters, OfAReportThatIsCutAreNotUsed) {
  const auto text = start("txonly") + sent({7000, 8000, 8000});
  const auto next = sent({8000});
  for (std::size_t size = 0; size < next.find("TX-bytes: "); ++size) {
    EXPECT_EQ(root_id(diagnose_text(text + next.substr(0, size))), "") << size;
  }
  // A value that is cut has not gone back.
  const auto stopped = start("txonly") + sent({7000, 8000, 8000, 8000});
  for (std::size_t size = 0; size < next.size(); ++size) {
    EXPECT_EQ(root_id(diagnose_text(stopped + next.substr(0, size))), "testpmd-send-stopped");
  }
}

TEST(Counters, AreReadInEveryPieceOfTheLog) {
  const auto text = start("txonly") + sent({10, 20, 30, 40, 40, 40, 40});
  const auto expected = diagnose_text(text);
  for (const std::size_t piece : {1U, 7U, 100U, 523U, 1000U}) {
    const auto diagnosis = diagnose(Report{}, {read_text(text, piece)});
    ASSERT_EQ(root_id(diagnosis), "testpmd-send-stopped") << piece;
    EXPECT_EQ(diagnosis.root->quote->line, expected.root->quote->line) << piece;
  }
}

// Reports with rates are not all read: only the newest before each line of interest.
TEST(Counters, OfManyReportsShowTheFirstWithoutAChange) {
  constexpr std::uint64_t kReports = 3000;
  std::string text = start("txonly");
  for (std::uint64_t i = 1; i <= kReports; ++i) {
    text +=
        report({.tx = std::min<std::uint64_t>(i, 2500) * 1000, .tx_rate = i < 2501 ? 1000U : 0U});
  }
  const auto diagnosis = diagnose_text(text);
  ASSERT_EQ(root_id(diagnosis), "testpmd-send-stopped");
  EXPECT_EQ(diagnosis.root->quote->line, 2U + 2500U * 10U + 5U);
}

TEST(Counters, HaveATimeIfTheLogHasOne) {
  const auto text =
      test::wrap(start("rxonly") + received({1, 2, 2, 2}), "Nov 21 03:00:00 vm x[8]: ");
  const auto diagnosis = diagnose_text(text);
  ASSERT_EQ(root_id(diagnosis), "traffic-stopped");
  EXPECT_EQ(diagnosis.root->quote->time, "Nov 21 03:00:00");
}

// ---- losses -------------------------------------------------------------------------------------

TEST(Counters, OfLostPacketsHaveAFigure) {
  const auto text =
      start("rxonly") + report({.rx = 900000}) + report({.rx = 990000, .missed = 6000});
  const auto diagnosis = diagnose_text(text);
  ASSERT_EQ(root_id(diagnosis), "receive-drops");
  EXPECT_EQ(diagnosis.verdict->answer, Answer::degraded);
  EXPECT_EQ(diagnose_text(text + "Segmentation fault\n").verdict->answer, Answer::failed);
  EXPECT_EQ(diagnosis.root->title, "port 0 drops 6.2 % of the packets that arrive");
  EXPECT_THAT(diagnosis.root->quote->text, testing::HasSubstr("RX-missed: 6000"));
}

TEST(Counters, OfOnlyLostPacketsShowThatNothingPasses) {
  const auto drops = diagnose_text(start("rxonly") + report({}) + report({.missed = 6000}));
  ASSERT_EQ(root_id(drops), "receive-drops");
  EXPECT_EQ(drops.root->title, "port 0 drops 100.0 % of the packets that arrive");
  EXPECT_EQ(drops.verdict->answer, Answer::failed);
  const auto pool = diagnose_text(start("rxonly") + report({}) + report({.no_mbuf = 6000}));
  EXPECT_EQ(root_id(pool), "receive-pool-empty");
}

TEST(Counters, OfEachPortWithLossesAreReported) {
  const auto diagnosis = diagnose_text(start("rxonly") + report({.rx = 100000, .missed = 1300}) +
                                       report({.rx = 15000, .missed = 85000}, "1"));
  ASSERT_EQ(root_id(diagnosis), "receive-drops");
  EXPECT_EQ(diagnosis.root->title, "port 0 drops 1.3 % of the packets that arrive");
  ASSERT_THAT(ids(diagnosis.others), testing::ElementsAre("receive-drops"));
  EXPECT_EQ(diagnosis.others[0].title, "port 1 drops 85.0 % of the packets that arrive");
}

TEST(Counters, OfFewLostPacketsAreNormal) {
  // Packets that were lost before the first report are not lost since then.
  for (const auto& [first, second] :
       {std::pair(Port{.rx = 900000}, Port{.rx = 990000, .missed = 800}),
        std::pair(Port{.rx = 900000, .missed = 400000}, Port{.rx = 990000, .missed = 400000})}) {
    EXPECT_EQ(root_id(diagnose_text(start("rxonly") + report(first) + report(second))), "");
  }
}

TEST(Counters, OfAPoolWithoutMbufsExplainLostPackets) {
  const auto diagnosis = diagnose_text(start("rxonly") + report({.rx = 900000}) +
                                       report({.rx = 990000, .missed = 6000, .no_mbuf = 7000}));
  EXPECT_EQ(root_id(diagnosis), "receive-pool-empty");
  EXPECT_THAT(ids(diagnosis.consequences), testing::ElementsAre("receive-drops"));
}

TEST(Counters, OfOneReportShowOnlyLargeLosses) {
  EXPECT_EQ(root_id(diagnose_text(report({.rx = 90000, .missed = 990}))), "");
  EXPECT_EQ(root_id(diagnose_text(report({.rx = 90000, .missed = 9900}))), "receive-drops");
}

TEST(Counters, OfOneDirectionShowThatNothingIsForwarded) {
  const auto reports = received({64, 40064, 80064});
  EXPECT_EQ(root_id(diagnose_text(start("macswap") + reports)), "nothing-forwarded");
  EXPECT_EQ(root_id(diagnose_text(start("rxonly") + reports)), "");
  EXPECT_EQ(root_id(diagnose_text("EAL: Detected CPU lcores: 8\n" + reports)), "");
  // Another port sends what this one receives, but its newest report is missing.
  const auto round = [](std::uint64_t packets) {
    return report({.rx = packets}, "0") + report({.tx = packets}, "1");
  };
  EXPECT_EQ(root_id(diagnose_text(start("io") + round(0) + round(40000))), "");
  EXPECT_EQ(root_id(diagnose_text(start("io") + round(0) + report({.rx = 40000}, "0"))), "");
}

// ---- the VF in the kernel
// ------------------------------------------------------------------------

std::string vf_counters(std::uint64_t packets) {
  return fmt::format("vm:~$ ethtool -S eth0 | grep vf_\n     vf_rx_packets: {}\n", packets);
}

std::string interface_counters(const std::string& name, std::uint64_t packets) {
  return fmt::format(
      "vm:~$ ip -s link show {0}\n"
      "3: {0}: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP qlen 1000\n"
      "    RX:  bytes packets errors dropped  missed   mcast\n"
      "    0 {1}       0       0       0    7555\n",
      name,
      packets);
}

TEST(Counters, OfTheVfThatGrowShowThatItWorks) {
  const std::string driver = "vm:~$ ethtool -i enP30832s1\ndriver: mana\nvm:~$\n";
  const auto answer = [&driver](const std::string& text) {
    return diagnose_text(driver + text + "vm:~$\n").verdict->answer;
  };
  EXPECT_EQ(answer(vf_counters(7) + vf_counters(8)), Answer::works);
  EXPECT_EQ(answer(vf_counters(7) + vf_counters(7)), Answer::no_failure);
  EXPECT_EQ(answer(vf_counters(7)), Answer::no_failure);
  const auto twice = [](const std::string& name) {
    return interface_counters(name, 7) + interface_counters(name, 900);
  };
  EXPECT_EQ(answer(twice("enP30832s1")), Answer::works);
  // The synthetic NIC may carry them itself.
  EXPECT_EQ(answer(twice("eth0")), Answer::no_failure);
  EXPECT_EQ(answer("vm:~$ ip -br link\n"
                   "ens1             UP             00:0d:3a:15:e5:05 "
                   "<BROADCAST,MULTICAST,SLAVE,UP,LOWER_UP> \n" +
                   twice("ens1")),
            Answer::works);
}

// ---- long logs
// -----------------------------------------------------------------------------------

std::string command(const std::string& mode, const std::string& mac, const std::string& more = "") {
  return "# dpdk-testpmd --vdev=7870:00:00.0,mac=00:0d:3a:21:19:" + mac +
         " -- --forward-mode=" + mode + more + "\n";
}

TEST(Counters, OfAReceiverThatGetsNearlyNothingAreAFault) {
  const auto sender = report({.tx = 1000000}) + report({.tx = 9000000});
  const auto receiver = report({}) + report({.rx = 2}) + report({.rx = 2});
  const auto text = command("txonly", "aa") + sender;
  const auto diagnosis = diagnose_text(text + command("rxonly", "ab") + receiver);
  ASSERT_EQ(root_id(diagnosis), "sent-packets-missing");
  EXPECT_EQ(diagnosis.verdict->answer, Answer::failed);
  EXPECT_EQ(diagnosis.root->title, "The receiver got 2 of 8000000 packets");
  EXPECT_EQ(diagnosis.root->alternatives[0].confirmation, Confirmation::confirmed);
  const auto addresses = diagnose_text(command("txonly", "aa", " --tx-ip=10.5.0.4,10.5.0.5") +
                                       sender + command("rxonly", "ab") + receiver);
  EXPECT_EQ(addresses.root->alternatives[0].confirmation, Confirmation::undecided);
  const auto corrected =
      command("txonly", "aa") + command("txonly", "aa", " --tx-ip=10.5.0.4,10.5.0.5");
  EXPECT_EQ(diagnose_text(corrected + sender + command("rxonly", "ab") + receiver)
                .root->alternatives[0]
                .confirmation,
            Confirmation::undecided);
  // One port that sends and later waits for packets, and a receiver that gets them.
  EXPECT_NE(root_id(diagnose_text(text + command("rxonly", "aa") + receiver)),
            "sent-packets-missing");
  const auto received = report({}) + report({.rx = 4000000}) + report({.rx = 8000000});
  EXPECT_EQ(root_id(diagnose_text(text + command("rxonly", "ab") + received)), "");
}

TEST(Counters, InALoopOfAShellAreThoseOfSeveralDevices) {
  const std::string loop = "vm:~$ for i in eth0 eth1; do ethtool -S $i | grep vf_rx; done\n";
  const auto output = [&loop](int packets) {
    return fmt::format("{}     vf_rx_packets: {}\n     vf_rx_packets: 0\n", loop, packets);
  };
  EXPECT_TRUE(read_text(output(55012033) + output(55190442)).runs.empty());
}

TEST(Counters, OfAVfThatCarriedAllPacketsShowThatItWorks) {
  const std::string driver = "vm:~$ ethtool -i enP30832s1\ndriver: mana\n";
  const std::string sent = "     vf_tx_packets: 690110034\n";
  EXPECT_EQ(diagnose_text(driver + vf_counters(771101220) + sent + "vm:~$\n").verdict->answer,
            Answer::works);
  EXPECT_EQ(diagnose_text(driver + vf_counters(771101220) + "vm:~$\n").verdict->answer,
            Answer::no_failure);
}

// 100 MB of one repeated block would take the test too long; memory does not depend on the number.
TEST(Counters, OfARepeatedReportAreThoseOfAnIdlePort) {
  std::string text = start("rxonly");
  for (int i = 0; i < 5000; ++i) text += report({.rx = 7});
  const auto diagnosis = diagnose_text(text);
  EXPECT_EQ(root_id(diagnosis), "");
  EXPECT_TRUE(diagnosis.others.empty());
}

TEST(Counters, ThatNeverChangeDoNotShowThatTheProgramWorks) {
  const Port idle;
  const std::string command = "# ovs-vsctl get Interface up0 statistics\n";
  const auto same = command + "{rx_packets=90211334117, tx_packets=881}\n";
  for (const auto& text : {start("io") + report(idle) + report(idle), same + same}) {
    const auto verdict = diagnose_text("EAL: Detected CPU lcores: 8\n" + text).verdict.value();
    EXPECT_EQ(verdict.answer, Answer::no_failure) << text;
    EXPECT_TRUE(verdict.idle) << text;
    EXPECT_FALSE(verdict.worked) << text;
  }
  const auto since_start = report({.rx = 12}) + report({.rx = 12});
  EXPECT_EQ(diagnose_text(start("io") + since_start).verdict->answer, Answer::works);
  EXPECT_EQ(diagnose_text(start("io") + report(idle)).verdict->answer, Answer::works);
  const auto moves = report({.rx = 99, .tx = 99});
  EXPECT_EQ(diagnose_text(start("io") + report(idle) + moves).verdict->answer, Answer::works);
  const auto second = report({}, "1") + report({}, "1");
  EXPECT_EQ(diagnose_text(start("io") + report(idle) + moves + second).verdict->answer,
            Answer::works);
}

TEST(Counters, OfManyDevicesDoNotFillTheMemory) {
  std::string text = start("rxonly");
  for (int i = 0; i < 3000; ++i) text += report({.rx = 7, .missed = 9000}, std::to_string(i));
  const auto log = read_text(text);
  EXPECT_LE(log.entries.size(), Story::kMaxDevices + Story::kMaxUnknown + 1);
  EXPECT_EQ(root_id(diagnose(Report{}, {log})), "receive-drops");
}

}  // namespace
}  // namespace manactl::diag::counters_test
