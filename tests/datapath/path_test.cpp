// SPDX-License-Identifier: MIT

#include "datapath/analysis/path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace manactl::datapath::path_test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

PortReport port_of(const std::string& driver, const std::string& lower = {}) {
  PortReport port;
  port.device = "7870:00:00.0";
  port.driver = driver;
  port.lower = lower;
  return port;
}

BenchReport report_of(const PortReport& port, std::optional<PathCounters> count = {}) {
  BenchReport report;
  report.engine = "dpdk";
  report.ports = {port};
  report.trials.resize(1);
  report.trials[0].paths = {count};
  report.trials[0].total.seconds = 1;
  return report;
}

PathCounters sent(std::uint64_t vf, std::uint64_t synthetic) {
  PathCounters count;
  count.tx = {vf, synthetic};
  return count;
}

Path verdict(Mode mode, const BenchReport& report) {
  return path_of(mode, report).verdict;
}

TEST(PathCounters, AddUpTheQueuesOfTheSyntheticDevice) {
  const std::vector<NamedCount> counts = {{"tx_good_packets", 1000},
                                          {"tx_q0_packets", 1000},
                                          {"tx_q0_good_packets", 7},
                                          {"tx_q11_good_packets", 5},
                                          {"rx_q0_good_packets", 3},
                                          {"rx_q0_good_bytes", 999},
                                          {"vf_tx_good_packets", 988},
                                          {"vf_rx_good_packets", 10},
                                          {"vf_tx_q0_packets", 988},
                                          {"tx_q_good_packets", 1 << 20},
                                          {"tx_q0x_good_packets", 999},
                                          {"q0_good_packets", 999},
                                          {"tx_q1_good_packets_x", 999},
                                          {"", 999}};
  const auto count = sum_path_counters(counts);
  ASSERT_TRUE(count);
  EXPECT_EQ(count->tx.vf, 988U);
  EXPECT_EQ(count->tx.synthetic, 12U);
  EXPECT_EQ(count->rx.vf, 10U);
  EXPECT_EQ(count->rx.synthetic, 3U);
}

TEST(PathCounters, AreAbsentForADriverWithOnePath) {
  EXPECT_FALSE(sum_path_counters({}));
  const std::vector<NamedCount> counts = {{"tx_good_packets", 1000}, {"tx_q0_packets", 1000}};
  EXPECT_FALSE(sum_path_counters(counts));
}

TEST(PathCounters, AreSubtractedBetweenTwoReadings) {
  const PathCounters before{{10, 20}, {30, 40}}, now{{11, 22}, {3, 44}};
  const auto between = now - before;
  EXPECT_EQ(between.tx.vf, 1U);
  EXPECT_EQ(between.tx.synthetic, 2U);
  EXPECT_EQ(between.rx.vf, 0U);  // the VF was removed, which reset its counters
  EXPECT_EQ(between.rx.synthetic, 4U);
}

TEST(Path, IsTheVfIfTheCountersShowIt) {
  const auto report = report_of(port_of("net_netvsc", "net_mana"), sent(100'000, 3));
  const auto path = path_of(Mode::tx, report);
  EXPECT_EQ(path.verdict, Path::vf);
  EXPECT_THAT(path.evidence, Contains(HasSubstr("100000 packets went through the VF and 3 ")));
  EXPECT_THAT(path.evidence, Contains(HasSubstr("net_mana drives the VF")));
}

TEST(Path, IsSyntheticIfMoreThanOnePercentTookIt) {
  const auto port = port_of("net_netvsc", "net_mana");
  EXPECT_EQ(verdict(Mode::tx, report_of(port, sent(98'000, 2000))), Path::synthetic);
  EXPECT_EQ(verdict(Mode::tx, report_of(port, sent(99'000, 1000))), Path::vf);
  EXPECT_EQ(verdict(Mode::tx, report_of(port, sent(0, 5))), Path::synthetic);
}

TEST(Path, DependsOnTheDirectionsOfTheMode) {
  auto count = sent(1000, 0);
  count.rx = {0, 1000};
  const auto report = report_of(port_of("net_netvsc", "net_mana"), count);
  EXPECT_EQ(verdict(Mode::tx, report), Path::vf);
  EXPECT_EQ(verdict(Mode::rx, report), Path::synthetic);
  EXPECT_EQ(verdict(Mode::txrx, report), Path::synthetic);
}

TEST(Path, IsUnknownIfNothingMoved) {
  EXPECT_EQ(verdict(Mode::tx, report_of(port_of("net_netvsc", "net_mana"), sent(0, 0))),
            Path::unknown);
}

TEST(Path, OfNetvscWithoutCountersIsUnknown) {
  EXPECT_EQ(verdict(Mode::tx, report_of(port_of("net_netvsc", "net_mana"))), Path::unknown);
  EXPECT_EQ(verdict(Mode::tx, report_of(port_of("net_netvsc"))), Path::synthetic);
}

TEST(Path, DependsOnAllTrials) {
  auto report = report_of(port_of("net_netvsc", "net_mana"), sent(1000, 0));
  report.trials.push_back(report.trials.front());
  report.trials.back().paths = {sent(0, 1000)};
  EXPECT_EQ(verdict(Mode::tx, report), Path::synthetic);
  report.trials.back().paths = {std::nullopt};
  EXPECT_EQ(verdict(Mode::tx, report), Path::unknown);
  report.trials.back().paths = {};
  EXPECT_EQ(verdict(Mode::tx, report), Path::unknown);
}

TEST(Path, IsTheVfIfTheEngineDrivesIt) {
  EXPECT_EQ(verdict(Mode::tx, report_of(port_of("net_mana"))), Path::vf);
  EXPECT_EQ(verdict(Mode::tx, report_of(port_of("libmana"))), Path::vf);
}

TEST(Path, OfADeviceWithoutHardwareIsVirtual) {
  for (const char* driver : {"net_null", "net_ring", "net_af_packet", "net_memif", "net_tap"}) {
    EXPECT_EQ(verdict(Mode::tx, report_of(port_of(driver))), Path::emulated) << driver;
  }
  EXPECT_EQ(name_of(Path::emulated), "virtual");
}

TEST(Path, OfAnotherDriverIsUnknown) {
  EXPECT_EQ(verdict(Mode::tx, report_of(port_of("net_mlx5"))), Path::unknown);
  EXPECT_EQ(verdict(Mode::tx, BenchReport{}), Path::unknown);
}

TEST(Path, OfSeveralPortsIsTheWorstOne) {
  const auto of = [](const std::string& one, const std::string& other) {
    auto report = report_of(port_of(one));
    report.ports.push_back(port_of(other));
    return verdict(Mode::tx, report);
  };
  EXPECT_EQ(of("net_mana", "net_mana"), Path::vf);
  EXPECT_EQ(of("net_mana", "net_netvsc"), Path::synthetic);
  EXPECT_EQ(of("net_netvsc", "net_mana"), Path::synthetic);
  EXPECT_EQ(of("net_mana", "net_null"), Path::unknown);
}

TEST(Path, UsesTheLimitOfLisaOnlyAsAHint) {
  auto report = report_of(port_of("net_netvsc", "net_mana"), sent(1'100'000, 0));
  report.trials[0].total.tx.packets = 1'100'000;
  EXPECT_EQ(verdict(Mode::tx, report), Path::vf);
  EXPECT_THAT(path_of(Mode::tx, report).evidence,
              Contains(HasSubstr("1.10 Mpps does not indicate the VF")));
  report.trials[0].total.tx.packets = 1'300'000;
  report.trials[0].paths = {sent(0, 1'300'000)};
  EXPECT_EQ(verdict(Mode::tx, report), Path::synthetic);
  EXPECT_THAT(path_of(Mode::tx, report).evidence,
              Contains(HasSubstr("1.30 Mpps indicates the VF")));
  report.ports = {port_of("net_null")};
  EXPECT_THAT(path_of(Mode::tx, report).evidence, Not(Contains(HasSubstr("LISA"))));
}

TEST(Path, HasOneSentenceOfEvidencePerPort) {
  using testing::ElementsAre;
  const auto evidence = [](const PortReport& port, std::optional<PathCounters> count = {}) {
    return path_of(Mode::tx, report_of(port, count)).evidence;
  };
  const std::string lisa =
      "0.00 Mpps does not indicate the VF (LISA assumes the VF above 1.2 Mpps; this is only a "
      "hint)";
  EXPECT_THAT(evidence(port_of("net_mana")),
              ElementsAre("7870:00:00.0: net_mana drives the VF directly"));
  EXPECT_THAT(evidence(port_of("net_null")),
              ElementsAre("7870:00:00.0: net_null is not a NIC driver"));
  EXPECT_THAT(evidence(port_of("net_x")),
              ElementsAre("7870:00:00.0: the path of driver net_x is unknown"));
  EXPECT_THAT(evidence(port_of("net_netvsc")),
              ElementsAre("7870:00:00.0: net_netvsc has no VF below it", lisa));
  EXPECT_THAT(
      evidence(port_of("net_netvsc", "net_mana")),
      ElementsAre("7870:00:00.0: net_mana drives a VF below net_netvsc, and no counter shows "
                  "whether it carried the packets",
                  lisa));
  EXPECT_THAT(
      evidence(port_of("net_netvsc"), sent(2, 1)),
      ElementsAre("7870:00:00.0: 2 packets went through the VF and 1 through the synthetic device",
                  lisa));
}

TEST(Path, OfTwoUnknownPortsIsUnknownAndOneSyntheticPortDecides) {
  auto report = report_of(port_of("net_x"));
  report.ports.push_back(port_of("net_netvsc"));
  EXPECT_EQ(verdict(Mode::tx, report), Path::synthetic);
  EXPECT_EQ(path_of(Mode::tx, report).evidence.size(), 3U);
  report.ports[1] = port_of("net_null");
  EXPECT_EQ(verdict(Mode::tx, report), Path::unknown);
}

TEST(Path, HintsAtTheFastestTrial) {
  auto report = report_of(port_of("net_netvsc", "net_mana"), sent(1, 0));
  report.trials.resize(3, report.trials[0]);
  const auto set = [](Sample& total, double seconds, std::uint64_t packets) {
    total.seconds = seconds;
    total.tx.packets = packets;
  };
  set(report.trials[0].total, 0, 9'000'000);
  set(report.trials[1].total, 2, 2'400'000);
  set(report.trials[2].total, 1, 1'000'000);
  EXPECT_THAT(path_of(Mode::tx, report).evidence,
              Contains(HasSubstr("1.20 Mpps does not indicate the VF")));
}

}  // namespace
}  // namespace manactl::datapath::path_test
