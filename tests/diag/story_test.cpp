// SPDX-License-Identifier: MIT

#include "diag/story.h"

#include <gmock/gmock.h>

#include "diag/log_time.h"
#include "diag/logs.h"

namespace manactl::diag::story_test {
namespace {

using test::diagnose_text;
using test::ids;
using test::read_text;
using test::root_id;
using testing::ElementsAre;

constexpr const char* kStart = "EAL: Detected CPU lcores: 2\n";
constexpr const char* kBusy = "mana_dev_start(): failed to start tx queues -19\n";
constexpr const char* kForwards =
    "txonly packet forwarding - ports=1 - cores=1 - streams=1 - NUMA support enabled\n";
constexpr const char* kTraffic = "  Tx-pps:     10421337          Tx-bps:   5335724544\n";
constexpr const char* kNoVf = "HN_DRIVER: hn_vf_attach(): Couldn't find port for VF\n";
constexpr const char* kVf = "HN_DRIVER: hn_vf_attach(): found matching VF port 1\n";
constexpr const char* kClash = "mana_probe_port(): ibv_alloc_parent_domain failed port 2\n";
constexpr const char* kVport = "mana 7870:00:00.0 eth2: Failed to configure vPort: -71\n";

std::string log_of(std::initializer_list<std::string_view> lines) {
  std::string text;
  for (const auto line : lines) text += line;
  return text;
}

// Every line with a state is compared with every open error.
TEST(OpenErrors, AreLimitedInNumber) {
  std::string text = kStart;
  for (int port = 0; port < 2000; ++port) {
    text += "MANA_DRIVER: mana_rss_hash_update(): Port " + std::to_string(port) +
            " invalid RSS HF 0x20\n";
  }
  const auto log = read_text(text);
  EXPECT_LE(log.entries.size(), 310U);
  EXPECT_EQ(log.matched_lines, 2001U);
  EXPECT_EQ(root_id(diagnose(Report{}, {log})), "mana-rss-bad-argument");
}

std::vector<State> states(const Run& run) {
  std::vector<State> states;
  for (const auto& one : run.milestones) states.push_back(one.state);
  return states;
}

TEST(Runs, BeginWithEachStartOfEal) {
  const auto report = read_text(
      log_of({kStart, "EAL: RTE Version: 'DPDK 24.11.2'\n", kForwards, kStart, kForwards}));
  ASSERT_EQ(report.runs.size(), 2U);
  EXPECT_EQ(report.runs[0].dpdk_release, "24.11.2");
  EXPECT_EQ(report.runs[0].last_line, 3U);
  EXPECT_EQ(report.runs[1].first_line, 4U);
  EXPECT_EQ(report.runs[1].kind, RunKind::program);
}

TEST(Runs, OfKernelAndProgramMayOverlap) {
  const auto report =
      read_text(log_of({"[    0.0] Linux version 6.14.0-1012-azure (x) #12\n",
                        kStart,
                        "[ 9.5] mana 7870:00:00.0 eth2: Configured vPort 281476 PD 18 DB 16\n",
                        kForwards}));
  ASSERT_EQ(report.runs.size(), 2U);
  EXPECT_EQ(report.runs[0].kind, RunKind::boot);
  EXPECT_EQ(report.runs[0].last_line, 3U);
  EXPECT_EQ(report.runs[0].milestones.at(0).time, "9.5");
  EXPECT_EQ(report.runs[0].milestones.at(0).device.text(), "7870:00:00.0 eth2");
  EXPECT_THAT(states(report.runs[1]), ElementsAre(State::started));
}

TEST(Runs, EndInAnOrderlyWayOrWithAFailure) {
  const auto ending = [](const char* line) {
    return read_text(log_of({kStart, line})).runs.at(0).ending;
  };
  EXPECT_EQ(ending("Shutting down port 0...\n"), Ending::stopped);
  EXPECT_EQ(ending("EAL: Error - exiting with code: 1\n"), Ending::failed);
  EXPECT_EQ(ending("Segmentation fault (core dumped)\n"), Ending::failed);
  EXPECT_EQ(ending(kForwards), Ending::none);
}

TEST(Runs, AreLimitedToTheFirstAndTheNewest) {
  std::string text;
  for (int i = 0; i < 500; ++i) text += log_of({kStart, kForwards});
  const auto report = read_text(text);
  EXPECT_EQ(report.runs.size(), Story::kMaxRuns);
  EXPECT_EQ(report.more_runs, 500 - Story::kMaxRuns);
  EXPECT_EQ(report.runs.front().number, 1U);
  EXPECT_EQ(report.runs.back().number, 500U);
}

TEST(States, AreLimitedToTheFirstAndTheNewest) {
  std::string text = kStart;
  for (int i = 0; i < 500; ++i) text += log_of({kVf, kNoVf});
  const auto report = read_text(text);
  ASSERT_EQ(report.runs.size(), 1U);
  EXPECT_EQ(report.runs[0].milestones.size(), Story::kMaxMilestones);
  EXPECT_EQ(report.runs[0].milestones.back().quote.line, 1001U);
  EXPECT_EQ(report.runs[0].more_milestones, 1000 - Story::kMaxMilestones);
}

TEST(States, MergesRepeatedLines) {
  const auto report = read_text(log_of({kStart, kTraffic, "x\n", kTraffic}));
  ASSERT_EQ(report.runs.at(0).milestones.size(), 1U);
  EXPECT_EQ(report.runs[0].milestones[0].quote.line, 2U);
  EXPECT_EQ(report.runs[0].milestones[0].last_line, 4U);
  EXPECT_EQ(report.runs[0].worked->last_line, 4U);
}

TEST(States, OfTrafficEndWithAnotherLine) {
  const std::string mixed = "  Tx-pps:  12  Tx-bps:  5 failed to start tx queues -19\n";
  EXPECT_EQ(root_id(diagnose_text(log_of({kStart, kTraffic, kTraffic, mixed}))),
            "mana-start-tx-enodev");
  const auto report = read_text(log_of({kStart,
                                        kTraffic,
                                        kTraffic,
                                        kBusy,
                                        kTraffic,
                                        kTraffic,
                                        "  Tx-pps:            0          Tx-bps:            0\n"}));
  EXPECT_EQ(report.matched_lines, 6U);
  EXPECT_EQ(report.runs.at(0).worked->last_line, 6U);
  EXPECT_EQ(report.entries.at(0).proof->line, 5U);
}

constexpr const char* kSlot =
    "hv_netvsc 6045bdc0-bd67-6045-bdc0-bd676045bdc0 (unnamed net_device): VF slot 1 added\n";
constexpr const char* kJoined =
    "hv_netvsc 6045bdc0-bd67-6045-bdc0-bd676045bdc0 eth0: VF registering: eth2\n";
constexpr const char* kOtherSlot =
    "hv_netvsc 6045bdc1-bd67-6045-bdc1-bd676045bdc1 (unnamed net_device): VF slot 2 added\n";
constexpr const char* kUnmatched = "mana 7870:00:00.0 eth4: no netdev found for vf serial:1\n";

TEST(OpenErrors, OfAVfMatterOnlyWhileASyntheticNicWaitsForItsVf) {
  EXPECT_EQ(root_id(diagnose_text(log_of({kUnmatched}))), "hvnetvsc-vf-unmatched");
  EXPECT_EQ(root_id(diagnose_text(log_of({kSlot, kUnmatched}))), "hvnetvsc-vf-unmatched");
  EXPECT_EQ(root_id(diagnose_text(log_of({kSlot, kOtherSlot, kJoined, kUnmatched}))),
            "hvnetvsc-vf-unmatched");
  // A NIC that starts to wait later does not wait for this VF.
  EXPECT_EQ(root_id(diagnose_text(log_of({kSlot, kJoined, kUnmatched, kOtherSlot}))), "");
  const auto diagnosis = diagnose_text(log_of({kSlot, kJoined, kUnmatched}));
  EXPECT_EQ(root_id(diagnosis), "");
  ASSERT_THAT(ids(diagnosis.expected), ElementsAre("hvnetvsc-vf-unmatched"));
  EXPECT_EQ(diagnosis.expected[0].proof->line, 2U);
}

TEST(OpenErrors, OfAVfAreAboutTheChannelThatItJoined) {
  const auto unmatched = "mana 7870:00:00.0 eth2: no netdev found for vf serial:1\n";
  const auto left = "hv_netvsc 6045bdc0-bd67-6045-bdc0-bd676045bdc0 eth0: VF unregistering: eth2\n";
  const auto diagnosis = diagnose_text(log_of({kSlot, kJoined, left, kOtherSlot, unmatched}));
  EXPECT_THAT(ids(diagnosis.expected), ElementsAre("hvnetvsc-vf-unmatched"));
}

TEST(OpenErrors, AreRecoveredByTheStateThatTheyBlock) {
  const auto diagnosis = diagnose_text(log_of({kStart, kBusy, kTraffic}));
  EXPECT_EQ(root_id(diagnosis), "");
  ASSERT_THAT(ids(diagnosis.recovered), ElementsAre("mana-start-tx-enodev"));
  EXPECT_EQ(diagnosis.recovered[0].proof->line, 3U);
  EXPECT_EQ(root_id(diagnose_text(log_of({kStart, kForwards, kBusy}))), "mana-start-tx-enodev");
}

TEST(OpenErrors, AreNotRecoveredByAnEarlierStep) {
  const auto diagnosis = diagnose_text(
      log_of({kBusy, "testpmd: create a new mbuf pool <mb_pool_0>: n=163456, size=2176\n"}));
  EXPECT_EQ(root_id(diagnosis), "mana-start-tx-enodev");
}

TEST(OpenErrors, AreRecoveredByALaterRunThatWorks) {
  const char* const rejected = "mana_tx_comp_oob(): mana_tx_comp_oob cqe_type 33 vendor_err 1\n";
  EXPECT_EQ(root_id(diagnose_text(log_of({kStart, rejected, kTraffic}))), "mana-tx-cqe-error");
  EXPECT_EQ(root_id(diagnose_text(log_of({kStart, rejected, kStart, kTraffic}))), "");
}

TEST(OpenErrors, OfManaStayOpenOnTheSyntheticPath) {
  const auto diagnosis = diagnose_text(log_of({kStart, kClash, kNoVf, kForwards, kTraffic}));
  EXPECT_EQ(root_id(diagnosis), "mana-alloc-parent-domain");
  EXPECT_EQ(root_id(diagnose_text(log_of({kStart, kNoVf, kForwards, kTraffic}))),
            "netvsc-vf-not-found");
  EXPECT_EQ(root_id(diagnose_text(log_of({kStart, kClash, kNoVf, kVf, kForwards}))), "");
}

TEST(OpenErrors, OfTheKernelAreRecoveredForTheSamePortOnly) {
  const std::string other = "mana 7870:00:00.0 eth3: Configured vPort 101 PD 5 DB 1\n";
  const std::string same = "mana 7870:00:00.0 eth2: Configured vPort 100 PD 5 DB 1\n";
  const std::string renamed =
      "mana 7870:00:00.0 enP1: renamed from eth2\n"
      "mana 7870:00:00.0 enP1: Configured vPort 100 PD 5 DB 1\n";
  EXPECT_EQ(root_id(diagnose_text(kVport + other)), "manako-vport-config");
  EXPECT_EQ(root_id(diagnose_text(kVport + same)), "");
  EXPECT_EQ(root_id(diagnose_text(kVport + renamed)), "");
}

TEST(OpenErrors, OfOnePortWithoutInterfaceAreNotRecoveredByAnotherPort) {
  const std::string probed =
      "mana 7870:00:00.0: Microsoft Azure Network Adapter protocol version: 0.1.1\n";
  const std::string error = "mana 7870:00:00.0: Probe Failed for port 2\n";
  const std::string other =
      "mana 7870:00:00.0 eth3: joined to eth1\n"
      "mana 7870:00:00.0 eth3: Configured vPort 101 PD 5 DB 1\n";
  const auto diagnosis = diagnose_text(probed + error + other);
  EXPECT_EQ(root_id(diagnosis), "manako-port-probe");
  EXPECT_EQ(diagnosis.verdict->answer, Answer::degraded);
  EXPECT_EQ(root_id(diagnose_text(probed + error + probed + other)), "");
}

TEST(OpenErrors, OfTheSetUpAreNotRecoveredByTheEndOfTheReset) {
  const std::string reset = "mana 7870:00:00.0: MANA reset cycle start\n";
  const std::string error = "mana 7870:00:00.0: Failed to establish HWC: -110\n";
  const std::string completed = "mana 7870:00:00.0: MANA reset cycle completed\n";
  const std::string configured = "mana 7870:00:00.0 eth3: Configured vPort 101 PD 5 DB 1\n";
  EXPECT_EQ(root_id(diagnose_text(reset + error + completed)), "manako-hwc-setup");
  EXPECT_EQ(root_id(diagnose_text(reset + error + completed + configured)), "");
}

TEST(OpenErrors, OfAProgramAreNotRecoveredByTheKernel) {
  const auto diagnosis = diagnose_text(
      log_of({kStart, kBusy, "mana 7870:00:00.0 eth2: Configured vPort 100 PD 5 DB 1\n"}));
  EXPECT_EQ(root_id(diagnosis), "mana-start-tx-enodev");
}

TEST(OpenErrors, AreExpectedAfterAnOrderlyStop) {
  const char* const teardown = "mana_dev_close(): Failed to deallocate PD: 16\n";
  const auto diagnosis =
      diagnose_text(log_of({kStart, kForwards, "Shutting down port 0...\n", teardown}));
  EXPECT_EQ(root_id(diagnosis), "");
  ASSERT_THAT(ids(diagnosis.expected), ElementsAre("mana-teardown-failed"));
  EXPECT_EQ(diagnosis.expected[0].proof->line, 3U);
  EXPECT_EQ(root_id(diagnose_text(log_of({kStart, kForwards, teardown}))), "mana-teardown-failed");
}

TEST(OpenErrors, OfARemovedRdmaDeviceAreExpectedDuringAReset) {
  constexpr const char* kReset = "[ 10.6] mana 7870:00:00.0: MANA reset cycle start\n";
  constexpr const char* kWarning =
      "[ 10.8] WARNING: drivers/infiniband/core/uverbs_main.c:1006 at "
      "uverbs_destroy_ufile_hw+0xce/0xf0 [ib_uverbs], CPU#0: kworker/0:0/9\n";
  const auto expected = diagnose_text(log_of({kReset, kWarning}));
  EXPECT_THAT(ids(expected.expected), ElementsAre("rdma-removed-while-open"));
  const auto open = diagnose_text(log_of({kVport, kWarning}));
  EXPECT_THAT(ids(open.consequences), ElementsAre("rdma-removed-while-open"));
}

TEST(OpenErrors, OfADriverAreOverWhenItProbesTheFunctionAgain) {
  constexpr const char* kProbed =
      "mana 7870:00:00.0: Microsoft Azure Network Adapter protocol version: 0.1.1\n";
  for (const std::string error :
       {"mana 7870:00:00.0 eth2: RX pkt len=0, rq=6, cq=5, rxobj=0x2052\n",
        "mana 7870:00:00.0 eth2: Failed to destroy WQ object: -71\n",
        "WARNING: CPU: 0 PID: 0 at drivers/net/ethernet/microsoft/mana/gdma_main.c:376 "
        "mana_gd_process_eq_events+0xe8/0x200 [mana]\n"}) {
    const auto recovered = diagnose_text(kProbed + error + kProbed).recovered;
    ASSERT_EQ(recovered.size(), 1U) << error;
    EXPECT_EQ(recovered[0].proof->line, 3U) << error;
    EXPECT_TRUE(diagnose_text(kProbed + error).recovered.empty()) << error;
  }
}

TEST(OpenErrors, OfTheEndOfAQueueAreNeverTheRootCause) {
  const auto diagnosis = diagnose_text(
      "mana 7870:00:00.0 eth2: Failed to create WQ object: -71\n"
      "mana 7870:00:00.0: Unexpected mana message response: 2,2,76,2f45b0f3\n"
      "mana 7870:00:00.0 eth3: Failed to destroy WQ object: -71\n");
  EXPECT_EQ(root_id(diagnosis), "manako-hwc-protocol");
  EXPECT_THAT(ids(diagnosis.consequences), ElementsAre("manako-wq-object", "manako-teardown"));
}

TEST(OpenErrors, OfStatisticsAreNeverTheRootCause) {
  const auto diagnosis = diagnose_text(
      "mana 7870:00:00.0 mana_0: Failed to query vf counters err -95\n"
      "mana 7870:00:00.0 mana_0: Failed to create cq err -95\n"
      "infiniband mana_0: Couldn't create ib_mad CQ\n"
      "mana 7870:00:00.0 eth0: HWC timeout occurred\n");
  EXPECT_EQ(root_id(diagnosis), "");
  EXPECT_THAT(ids(diagnosis.benign),
              ElementsAre("manaib-counters", "manaib-object", "manaib-no-management"));
  EXPECT_EQ(root_id(diagnose_text("mana 7870:00:00.0 mana_0: Failed to create cq err -71\n")),
            "manaib-object");
}

TEST(OpenErrors, AreOpenAgainIfTheyOccurAfterTheirRecovery) {
  const auto diagnosis = diagnose_text(log_of({kNoVf, kVf, kNoVf, kVf, kNoVf}));
  EXPECT_EQ(root_id(diagnosis), "netvsc-vf-not-found");
  EXPECT_EQ(diagnosis.root->quote->line, 5U);
  EXPECT_EQ(diagnosis.root->count, 1U);
  ASSERT_THAT(ids(diagnosis.recovered), ElementsAre("netvsc-vf-not-found"));
  EXPECT_EQ(diagnosis.recovered[0].count, 2U);
}

constexpr const char* kAzurePort = "Port 0: 00:0D:3A:76:3B:D0\n";
constexpr const char* kQueue =
    "MANA_DRIVER: mana_mr_btree_init(): B-tree initialized table 0x1 size 64 len 1\n";

// Diagnoses the log on a VM that has a MANA adapter.
Diagnosis diagnose_with_mana(const std::string& text) {
  const auto* const check = find_check("hardware.mana");
  return diagnose({{{*check, pass("7870:00:00.0")}}}, {read_text(text)});
}

TEST(Absences, OfNetManaShowTheSyntheticPathIfThereIsMana) {
  const auto log = log_of({kStart, kAzurePort, kForwards, kTraffic});
  EXPECT_EQ(root_id(diagnose_text(log)), "") << "the port may be that of another adapter";
  const auto diagnosis = diagnose_with_mana(log);
  ASSERT_EQ(root_id(diagnosis), "mana-silent");
  EXPECT_EQ(diagnosis.root->quote->line, 2U);
  EXPECT_EQ(diagnosis.verdict->answer, Answer::degraded);
  EXPECT_EQ(diagnose_with_mana(log_of({kStart, kAzurePort, kForwards})).verdict->answer,
            Answer::failed);
  const auto other = diagnose_with_mana(log_of({kStart, "Port 0: 86:CB:87:DB:99:FD\n", kForwards}));
  EXPECT_EQ(root_id(other), "");
}

TEST(Absences, AreNoEvidenceInALogThatLacksLines) {
  const std::string start = log_of({kStart, "Suppressed 211 messages from testpmd.service\n"});
  const auto diagnosis = diagnose_text(start + log_of({kAzurePort, kForwards, kTraffic}));
  EXPECT_EQ(root_id(diagnosis), "");
  EXPECT_EQ(diagnosis.verdict->answer, Answer::works);
}

TEST(Absences, AreRecoveredByALateLine) {
  const auto diagnosis = diagnose_text(log_of({kStart, kAzurePort, kQueue, kForwards}));
  EXPECT_EQ(root_id(diagnosis), "");
  EXPECT_THAT(ids(diagnosis.recovered), ElementsAre("mana-silent"));
  EXPECT_EQ(diagnosis.verdict->answer, Answer::works);
}

TEST(Absences, AreThoseOfOneRun) {
  EXPECT_EQ(root_id(diagnose_text(log_of({kStart, kQueue, kStart, kAzurePort}))), "mana-silent");
  EXPECT_EQ(root_id(diagnose_text(log_of({kStart, kQueue, kAzurePort, kAzurePort}))), "");
  EXPECT_EQ(root_id(diagnose_text(log_of({kAzurePort, kForwards}))), "");
  const auto after_boot = diagnose_text(
      "hv_netvsc 000d3a76-3bd0-000d-3a76-3bd0000d3a76 eth: VF slot 1 added\n"
      "[    0.0] Linux version 6.14.0-1012-azure (x) #12\n"
      "[ 11.0] systemd[1]: Startup finished in 2.114s (kernel).\n");
  EXPECT_EQ(root_id(after_boot), "");
}

TEST(Absences, AreThoseOfOneChannel) {
  constexpr const char* kStarted = "[ 11.0] systemd[1]: Startup finished in 2.114s (kernel).\n";
  const auto line = [](const std::string& channel, const std::string& text) {
    return "[ 2.0] hv_netvsc 000d3a76-3b" + channel + "-000d-3a76-3b" + channel +
           "000d3a76 eth: " + text + "\n";
  };
  const auto log = line("d0", "VF slot 1 added") + line("d1", "VF slot 2 added") +
                   line("d0", "VF registering: eth2") + kStarted;
  const auto diagnosis = diagnose_text(log);
  ASSERT_EQ(root_id(diagnosis), "hvnetvsc-vf-without-driver");
  EXPECT_EQ(diagnosis.root->count, 1U);
  EXPECT_THAT(ids(diagnosis.benign), testing::Contains("hvnetvsc-vf-unused"));
  const auto complete = line("d0", "VF slot 1 added") + line("d0", "VF registering: eth2") +
                        line("d0", "Data path switched to VF: eth2") + kStarted;
  EXPECT_EQ(root_id(diagnose_text(complete)), "");
  EXPECT_THAT(ids(diagnose_text(complete).benign),
              testing::Not(testing::Contains("hvnetvsc-vf-unused")));
}

TEST(Devices, AreTheSameUnlessANameDiffers) {
  const Device vf{"7870:00:00.0", "", "eth2", ""};
  EXPECT_TRUE(vf.may_be({}));
  EXPECT_TRUE(vf.may_be({"", "uuid", "eth2", ""}));
  EXPECT_FALSE(vf.may_be({"", "uuid", "eth3", ""}));
  EXPECT_FALSE(vf.may_be({"7871:00:00.0", "", "", ""}));
  EXPECT_EQ((Device{"", "", "", "1"}).text(), "port 1");
}

TEST(Devices, HaveNoInterfaceBeforeItHasAName) {
  const Captures captures = {{"bdf", "7870:00:00.0"}, {"ifname", "(unnamed net_device)"}};
  EXPECT_EQ(DeviceNames().device_of({}, captures).text(), "7870:00:00.0");
}

TEST(TimeOf, ReadsThePrefixOfALine) {
  const auto time = [](std::string_view line) {
    return std::string(time_of(line, line.substr(line.find("EAL"))));
  };
  EXPECT_EQ(time("[   12.345678] EAL: x"), "12.345678");
  EXPECT_EQ(time("Nov 21 03:00:00 vm dpdk[12]: EAL: x\r\n"), "Nov 21 03:00:00");
  EXPECT_EQ(time("2026-11-21T03:00:00.123456789Z stderr F EAL: x"), "2026-11-21T03:00:00");
  EXPECT_EQ(time("EAL: 12.5"), "");
  EXPECT_EQ(time("web_1  | EAL: x"), "");
  EXPECT_EQ(time_of(R"({"log":"EAL: x","time":"2026-11-21T03:00:00Z"})", "EAL: x"),
            "2026-11-21T03:00:00");
}

}  // namespace
}  // namespace manactl::diag::story_test
