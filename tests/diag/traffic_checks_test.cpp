// SPDX-License-Identifier: MIT

#include "base/text.h"
#include "diag/vm.h"

namespace manactl::diag::traffic_checks_test {
namespace {

using host::Load;
using test::commands_of;
using test::healthy_vm;
using test::run_check;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

// A load of healthy_vm() after an hour.
Load load() {
  Load all;
  all.seconds = 3600;
  all.nics = {{"eth0"}, {"eth1"}};
  for (auto& nic : all.nics) {
    nic.synthetic = {{"rx_packets", 1000000},
                     {"tx_packets", 500000},
                     {"vf_rx_packets", 999000},
                     {"vf_tx_packets", 499000}};
    nic.vf = {{"hc_rx_discards_no_wqe", 0}, {"rx_packets", 999000}, {"tx_timeout", 0}};
  }
  return all;
}

host::Facts measured() {
  auto facts = healthy_vm();
  facts.load = load();
  return facts;
}

// The counters of eth0 have grown in 10 s.
host::Facts measured_twice() {
  auto facts = measured();
  facts.earlier_load = load();
  facts.load->seconds += 10;
  for (auto* counter : {"rx_packets", "vf_rx_packets", "tx_packets", "vf_tx_packets"}) {
    facts.load->nics[0].synthetic[counter] += 20000;
  }
  return facts;
}

TEST(VfShare, IsJudgedOnlyInAnInterval) {
  EXPECT_EQ(run_check(measured(), "speed.vf-share").status, Status::skipped);
  EXPECT_THAT(run_check(healthy_vm(), "speed.vf-share").detail, HasSubstr("only --interval"));
  const auto finding = run_check(measured_twice(), "speed.vf-share");
  EXPECT_EQ(finding.status, Status::pass);
  EXPECT_THAT(finding.evidence,
              Contains("eth0: VF received 20000 of 20000 (2000/s) packets, sent 20000 of 20000 "
                       "(2000/s) in 10.0 s"));
}

TEST(VfShare, WarnsOfSentPacketsThatTookTheSyntheticPath) {
  auto facts = measured_twice();
  facts.load->nics[0].synthetic["vf_tx_packets"] -= 201;
  const auto finding = run_check(facts, "speed.vf-share");
  EXPECT_EQ(finding.status, Status::warn);
  EXPECT_THAT(finding.detail, HasSubstr("sent 19799 of 20000"));
  facts.load->nics[0].synthetic["vf_tx_packets"] += 1;
  EXPECT_EQ(run_check(facts, "speed.vf-share").status, Status::pass);
}

TEST(VfShare, WarnsIfMostReceivedPacketsTookTheSyntheticPath) {
  auto facts = measured_twice();
  facts.load->nics[0].synthetic["vf_rx_packets"] -= 10001;
  EXPECT_EQ(run_check(facts, "speed.vf-share").status, Status::warn);
  facts.load->nics[0].synthetic["vf_rx_packets"] += 1;
  EXPECT_EQ(run_check(facts, "speed.vf-share").status, Status::pass);
  // Few packets prove nothing.
  facts = measured();
  facts.earlier_load = load();
  facts.load->nics[0].synthetic["tx_packets"] += 999;
  EXPECT_EQ(run_check(facts, "speed.vf-share").status, Status::pass);
}

TEST(VfShare, IsSkippedWithoutAPair) {
  auto facts = measured_twice();
  for (auto& nic : *facts.nics) nic.vf.reset();
  EXPECT_EQ(run_check(facts, "speed.vf-share").detail, "no NIC is paired with a VF");
}

TEST(Drops, PassWithFewLosses) {
  auto facts = measured();
  EXPECT_THAT(run_check(facts, "speed.drops").evidence, Contains("eth0: no losses since boot"));
  facts.load->nics[0].vf["hc_rx_discards_no_wqe"] = 99;  // of 1,000,000, below the number
  facts.load->nics[1].synthetic["tx_send_full"] = 499;   // of 500,000, below the share
  const auto finding = run_check(facts, "speed.drops");
  EXPECT_EQ(finding.status, Status::pass);
  EXPECT_THAT(finding.evidence, Contains("eth0: hc_rx_discards_no_wqe 99 since boot"));
  EXPECT_EQ(run_check(healthy_vm(), "speed.drops").detail, "the load was not measured");
}

TEST(Drops, WarnOfPacketsWithoutABufferAndEnlargeTheRingIfTheKernelCan) {
  auto facts = measured();
  facts.load->nics[0].vf["hc_rx_discards_no_wqe"] = 1800;
  auto finding = run_check(facts, "speed.drops");
  EXPECT_EQ(finding.status, Status::warn);
  EXPECT_THAT(finding.detail,
              HasSubstr("eth0: the device had no buffer for 1800 packets since boot, 0.18 "
                        "% (hc_rx_discards_no_wqe)"));
  EXPECT_EQ(commands_of(finding), "") << "the driver reported no rings";
  facts.nics->at(0).vf->settings =
      std::map<std::string, std::string>{{"ethtool/rings", "1024 0 0 256"}};
  EXPECT_EQ(commands_of(run_check(facts, "speed.drops")), "manactl tune eth0");
}

TEST(Drops, CountTheSamePacketsOnce) {
  auto facts = measured();
  auto& vf = facts.load->nics[0].vf;
  vf["hc_rx_discards_no_wqe"] = vf["rx_missed_errors"] = 1800;
  EXPECT_EQ(run_check(facts, "speed.drops").detail.find("rx_missed_errors"), std::string::npos);
  vf.erase("hc_rx_discards_no_wqe");
  EXPECT_THAT(run_check(facts, "speed.drops").detail, HasSubstr("(rx_missed_errors)"));
}

TEST(Drops, WarnOfFullRingsAndOfRejectedPackets) {
  auto facts = measured();
  facts.load->nics[0].synthetic["tx_send_full"] = 900;
  facts.load->nics[1].vf["hc_tx_err_inval_oob"] = 60;
  facts.load->nics[1].vf["hc_tx_err_gdma"] = 50;
  const auto finding = run_check(facts, "speed.drops");
  EXPECT_THAT(finding.detail, HasSubstr("eth0: the ring to the host was full for 900"));
  EXPECT_THAT(finding.detail, HasSubstr("eth1: the device rejected 110"));
  EXPECT_EQ(commands_of(finding), "manactl tune eth0");
}

TEST(Drops, OfAnIntervalDoNotIncludeEarlierOnes) {
  auto facts = measured_twice();
  facts.earlier_load->nics[0].vf["hc_rx_discards_no_wqe"] = 5000;
  facts.load->nics[0].vf["hc_rx_discards_no_wqe"] = 5000;
  EXPECT_EQ(run_check(facts, "speed.drops").status, Status::pass);
  facts.load->nics[0].vf["hc_rx_discards_no_wqe"] = 5200;
  const auto finding = run_check(facts, "speed.drops");
  EXPECT_EQ(finding.status, Status::warn);
  EXPECT_THAT(finding.detail, HasSubstr("200 (20/s) packets in 10.0 s"));
}

TEST(Drops, AreSkippedInUserSpace) {
  auto facts = test::prepared_vm();
  facts.load = load();
  const auto finding = run_check(facts, "speed.drops");
  EXPECT_THAT(join(finding.evidence, "\n"), testing::Not(HasSubstr("eth1")));
}

TEST(Timeouts, AreCountedOnBothInterfaces) {
  auto facts = measured();
  EXPECT_EQ(run_check(facts, "speed.timeouts").status, Status::pass);
  facts.load->nics[1].vf["tx_timeout"] = 2;
  facts.load->nics[1].synthetic["tx_timeout"] = 1;
  const auto finding = run_check(facts, "speed.timeouts");
  EXPECT_EQ(finding.status, Status::warn);
  EXPECT_EQ(finding.detail, "eth1: 3 timeouts of send queues since boot");
  EXPECT_EQ(run_check(healthy_vm(), "speed.timeouts").status, Status::skipped);
}

TEST(Timeouts, IncludeAVfThatWasResetInTheInterval) {
  auto facts = measured_twice();
  EXPECT_EQ(run_check(facts, "speed.timeouts").status, Status::pass);
  facts.load->nics[0].vf["rx_packets"] = 7;
  EXPECT_EQ(run_check(facts, "speed.timeouts").detail,
            "eth0: the VF was reset or replaced in 10.0 s");
  facts.load->nics[0].vf.clear();  // it has not returned
  EXPECT_EQ(run_check(facts, "speed.timeouts").status, Status::warn);
}

}  // namespace
}  // namespace manactl::diag::traffic_checks_test
