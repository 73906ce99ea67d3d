// SPDX-License-Identifier: MIT
//
// Runs programs on the software adapter with the sim command.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/run_manactl.h"

namespace manactl::test::cmd_sim_test {
namespace {

using testing::HasSubstr;
using Words = std::vector<std::string>;

Outcome sim(const Words& options, const Words& command) {
  Words words = {"sim"};
  words.insert(words.end(), options.begin(), options.end());
  words.emplace_back("--");
  words.insert(words.end(), command.begin(), command.end());
  ProcessOptions process;
  process.environment.emplace_back("PATH=/usr/bin:/bin");
  return manactl(words, process);
}

nlohmann::json document_of(const Outcome& outcome) {
  return nlohmann::json::parse(outcome.out);
}

TEST(Sim, CountsSentPackets) {
  const auto outcome = sim({"--json"}, {MANACTL_VERBS_CLIENT, "100"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const auto json = document_of(outcome);
  EXPECT_EQ(json["ports"][0]["tx_packets"], 100);
  EXPECT_EQ(json["ports"][0]["tx_doorbells"], 100);
  EXPECT_EQ(json["violations"], 0);
  EXPECT_EQ(outcome.err, "mana_0\n") << "the program's own output";
}

TEST(Sim, CountsInjectedFaults) {
  const Words faults = {"--fault",
                        "tx=34,every=10",
                        "--fault",
                        "doorbell=duplicated,every=50",
                        "--fault",
                        "rx=drop",
                        "--fault",
                        "create_wq=missing"};
  auto with_json = faults;
  with_json.emplace_back("--json");
  const auto document = document_of(sim(with_json, {MANACTL_VERBS_CLIENT, "100"}));
  EXPECT_EQ(document.at("faults"), nlohmann::json::parse(R"([{"fault": "tx", "injected": 10},
                                      {"fault": "rx=drop", "injected": 0},
                                      {"fault": "doorbell=duplicated", "injected": 2}])"));
  EXPECT_EQ(document["ports"][0]["tx_errors"], 10);
  EXPECT_THAT(sim(faults, {MANACTL_VERBS_CLIENT, "100"}).err,
              HasSubstr("Injected faults: 10 tx, 0 rx=drop, 2 doorbell=duplicated.\n"));
  const auto refused =
      sim({"--json", "--fault", "create_qp=errno:EBUSY"}, {MANACTL_VERBS_CLIENT, "1"});
  EXPECT_EQ(document_of(refused).at("faults").at(0).at("injected"), 1);
  EXPECT_EQ(document_of(sim({"--json"}, {MANACTL_VERBS_CLIENT, "1"})).at("faults").size(), 0U);
}

struct UnitCase {
  const char *option, *value, *config;
};

TEST(Sim, AcceptsUnits) {
  for (const auto& [option, value, config] : {UnitCase{"--bps", "10G", "bps=10000000000"},
                                              {"--bps", "2.5Gbit", "bps=2500000000"},
                                              {"--bps", "10Gbps", "bps=10000000000"},
                                              {"--bps", "100mbit/s", "bps=100000000"},
                                              {"--bps", "1000000", "bps=1000000"},
                                              {"--pps", "1M", "pps=1000000"},
                                              {"--pps", "500kpps", "pps=500000"},
                                              {"--latency", "50us", "latency=50"},
                                              {"--latency", "1.5ms", "latency=1500"},
                                              {"--jitter", "20", "jitter=20"}}) {
    const auto outcome = sim({option, value}, {"sh", "-c", "echo $MANACTL_SIM_SETUP"});
    EXPECT_EQ(outcome.code, 0) << value << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr(config)) << value;
  }
  for (const auto* value : {"10X", "G", "1.5", "10Gpps", "9999G"}) {
    EXPECT_EQ(sim({"--bps", value}, {"true"}).code, 2) << value;
  }
}

TEST(Sim, LeavesStdoutToTheProgram) {
  const auto outcome = sim({}, {MANACTL_VERBS_CLIENT, "3"});
  EXPECT_EQ(outcome.out, "mana_0\n");
  EXPECT_THAT(outcome.err, HasSubstr("sent 3 packets, 192 bytes"));
}

TEST(Sim, ExitsWith1OnContractViolations) {
  const auto outcome = sim({"--json"}, {MANACTL_VERBS_CLIENT, "5", "wrong-key"});
  EXPECT_EQ(outcome.code, 1);
  const auto json = document_of(outcome);
  EXPECT_EQ(json["exit"], 1);
  EXPECT_EQ(json["status"], 0);
  EXPECT_EQ(json["violations"], 5);
  EXPECT_EQ(json["rules"][0]["id"], "sge.key");
  EXPECT_EQ(json["ports"][0]["tx_errors"], 5);
  EXPECT_EQ(json["reports"].size(), 2U);
}

TEST(Sim, KeepsTheCountersOfAProgramThatCrashes) {
  for (const auto* habit : {"crash", "raise"}) {
    const auto outcome = sim({"--json"}, {MANACTL_VERBS_CLIENT, "7", habit});
    EXPECT_EQ(outcome.code, 128 + 11) << habit;
    const auto json = document_of(outcome);
    EXPECT_EQ(json["signal"], 11);
    EXPECT_EQ(json["ports"][0]["tx_packets"], 7);
  }
}

TEST(Sim, ReturnsTheDeviceAfterAReset) {
  const auto outcome = sim({"--json", "--fault", "device=reset,ms=500,back=1"},
                           {MANACTL_VERBS_CLIENT, "10", "recover"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const auto json = document_of(outcome);
  EXPECT_EQ(json["ports"][0]["tx_packets"], 20);
  EXPECT_EQ(json["ports"][0]["tx_doorbells"], 30);
  EXPECT_EQ(json["violations"], 0);
}

TEST(Sim, ModelsALink) {
  const auto outcome = sim({"--json",
                            "--pps",
                            "1000000",
                            "--latency",
                            "5",
                            "--jitter",
                            "2",
                            "--backend",
                            "loopback",
                            "--fault",
                            "doorbell=delayed,every=2,us=10"},
                           {MANACTL_VERBS_CLIENT, "8"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(document_of(outcome)["violations"], 0);
  EXPECT_EQ(document_of(outcome)["ports"][0]["tx_lost"], 0);
}

TEST(Sim, WritesSentPacketsAndReceivesACapture) {
  const TemporaryDirectory directory;
  const auto path = directory.path("sent packets");
  const auto written = sim({"--json", "--write", path}, {MANACTL_VERBS_CLIENT, "50", "raise"});
  EXPECT_EQ(written.code, 128 + 11) << written.err;
  const auto size = std::filesystem::file_size(path);
  EXPECT_EQ(size, 24U + 50U * (16U + 64U)) << "sent packets are missing after a crash";
  const auto read =
      sim({"--json", "--backend", "pcap", "--read", path}, {MANACTL_VERBS_CLIENT, "1"});
  EXPECT_EQ(read.code, 0) << read.err;
  EXPECT_EQ(sim({"--ports", "2", "--write", path}, {MANACTL_VERBS_CLIENT, "3"}).code, 0);
  EXPECT_EQ(std::filesystem::file_size(path + ".0"), 24U + 3U * 80U);
  EXPECT_EQ(std::filesystem::file_size(path + ".1"), 24U);
}

TEST(Sim, InjectsFaults) {
  const auto refused = sim({"--fault", "create_qp=errno:EBUSY"}, {MANACTL_VERBS_CLIENT, "1"});
  EXPECT_EQ(refused.code, 4);
  EXPECT_THAT(refused.err, HasSubstr("create_qp: Device or resource busy"));
  const auto missing = sim({"--fault", "alloc_parent_domain=missing"}, {MANACTL_VERBS_CLIENT, "1"});
  EXPECT_THAT(missing.err, HasSubstr("alloc_parent_domain: Operation not supported"));
  const auto failed = sim({"--json", "--fault", "tx=34,every=10"}, {MANACTL_VERBS_CLIENT, "100"});
  EXPECT_EQ(failed.code, 0);
  EXPECT_EQ(document_of(failed)["ports"][0]["tx_errors"], 10);
}

TEST(Sim, RaisesAFatalEventAtTheGivenTime) {
  const auto outcome =
      sim({"--json", "--fault", "device=fatal,ms=500"}, {MANACTL_VERBS_CLIENT, "10", "wait"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "mana_0\nevent 8\n") << "IBV_EVENT_DEVICE_FATAL";
  EXPECT_EQ(document_of(outcome)["ports"][0]["tx_packets"], 10)
      << "packets were sent after the fatal event";
}

TEST(Sim, ReportsAProgramThatDidNotUseTheAdapter) {
  const auto outcome = sim({}, {"true"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.err, "The program did not use the adapter.\n");
}

constexpr const char* kLacksNetMana =
    "The program did not use the adapter: its DPDK 22.11.11 has no net_mana. Debian 13 has "
    "net_mana in librte-net-mana25; elsewhere, use a DPDK that is built with it.\n";

TEST(Sim, ReportsADpdkWithoutNetMana) {
  const auto outcome = sim({}, {MANACTL_DPDK_CLIENT});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.err, kLacksNetMana);
  const auto json = document_of(sim({"--json"}, {"sh", "-c", MANACTL_DPDK_CLIENT " ; true"}));
  EXPECT_EQ(json["driver"], "DPDK 22.11.11");
  EXPECT_THAT(json["unused_reason"].get<std::string>(), HasSubstr("has no net_mana"));
  EXPECT_EQ(document_of(sim({"--json"}, {"true"}))["unused_reason"], nullptr);
  EXPECT_EQ(document_of(sim({"--json"}, {MANACTL_VERBS_CLIENT, "1"}))["unused_reason"], nullptr);
}

// Runs the client with a copy of DPDK, and with this driver in the directory of its libraries.
std::string report_with_driver(const std::string& driver) {
  const TemporaryDirectory directory;
  const std::filesystem::path file = directory.path(driver);
  std::filesystem::create_directories(file.parent_path());
  std::filesystem::copy_file(MANACTL_FAKE_EAL, directory.path("librte_eal.so"));
  std::filesystem::copy_file(MANACTL_FAKE_EAL, file);
  return sim({}, {"env", "LD_LIBRARY_PATH=" + directory.path(""), MANACTL_DPDK_CLIENT}).err;
}

TEST(Sim, DoesNotMissANetManaThatIsInstalled) {
  const std::string unused = "The program did not use the adapter.\n";
  EXPECT_EQ(report_with_driver("librte_net_mlx5.so.25"), kLacksNetMana);
  EXPECT_EQ(report_with_driver("librte_net_mana.so.25"), unused);
  EXPECT_EQ(report_with_driver("dpdk/pmds-25.0/librte_net_mana.so.25.0"), unused);
}

TEST(Sim, DoesNotMissANetManaThatIsLoadedFromElsewhere) {
  const TemporaryDirectory directory;
  const auto driver = directory.path("librte_net_mana.so.25");
  std::filesystem::copy_file(MANACTL_FAKE_EAL, driver);
  EXPECT_EQ(sim({}, {MANACTL_DPDK_CLIENT, driver}).err, "The program did not use the adapter.\n");
}

TEST(Sim, PassesOptionsAfterTheCommandOn) {
  EXPECT_EQ(sim({}, {"echo", "--config", "--json", "-v", "--"}).out, "--config --json -v --\n");
}

TEST(Sim, ExitsWithTheStatusOfTheProgram) {
  EXPECT_EQ(sim({}, {"sh", "-c", "exit 42"}).code, 42);
}

struct BadSetting {
  Words options, command;
  const char* message;
};

TEST(Sim, PrintsOneLineForBadSettings) {
  const BadSetting cases[] = {
      {{}, {}, "COMMAND is missing"},
      {{}, {"/nonexistent"}, "cannot run '/nonexistent': No such file or directory"},
      {{}, {"/etc"}, "cannot run '/etc': Permission denied"},
      {{"--ports", "9"}, {"true"}, "--ports: 9 is not between 1 and 8"},
      {{"--ports", "2 queues=1"}, {"true"}, "contains spaces"},
      {{"--backend", "cross"}, {"true"}, "pairs"},
      {{"--backend", "sinc"}, {"true"}, "sink, loopback"},
      {{"--doorbell", "poll"}, {"true"}, "engine=threaded"},
      {{"--fault", "creat_qp=missing"}, {"true"}, "did you mean 'create_qp'?"},
      {{"--fault", "device=reset,back=x"}, {"true"}, "back: "},
      {{"--fault", "provider=mana"}, {"true"}, "unknown fault 'mana'"},
      {{"--backend", "pcap"}, {"true"}, "--read FILE"},
      {{"--read", "/dev/null"}, {"true"}, "--read needs --backend pcap"},
      {{"--backend", "pcap", "--read", "/dev/null"}, {"true"}, "is a device"},
      {{"--backend", "pcap", "--read", "/nonexistent"}, {"true"}, "No such file"},
      {{"--write", "/nonexistent/x"},
       {"true"},
       "cannot open the directory '/nonexistent': No such file"},
      {{"--write", ""}, {"true"}, "--write: the file name is empty"},
      {{"--coalesce", "2"}, {"true"}, "--coalesce: '2' is not 1, 4 or 8"},
      {{"--pps", "0"}, {"true"}, "--pps: 0 is not between"},
      {{"--bps", "10X"}, {"true"}, "--bps: "},
      {{"--latency", "10000001"}, {"true"}, "--latency: "},
      {{"--jitter", "-1"}, {"true"}, "--jitter: "},
      {{"--root", "/"}, {"true"}, "--root"},
      {{"--port", "1"}, {"true"}, "did you mean '--ports'?"},
  };
  for (const auto& bad : cases) {
    const auto outcome = sim(bad.options, bad.command);
    EXPECT_EQ(outcome.code, 2) << bad.message;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.error_lines(), 1U) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(bad.message));
  }
}

// Results and DPDK's messages contain these names.
TEST(Sim, LetsBenchNameThePortOfTheAdapter) {
  for (const std::string name : {"sim0", "7870:00:00.0"}) {
    const auto outcome =
        manactl({"sim", "--", MANACTL_PROGRAM, "bench", name, "--duration", "50ms", "--no-save"});
    EXPECT_THAT(outcome.out, HasSubstr("simulated: tx")) << outcome.err;
  }
  const auto other = manactl({"sim", "--", MANACTL_PROGRAM, "bench", "sim7", "--no-save"});
  EXPECT_THAT(other.err, HasSubstr("'sim7' does not exist"));
}

TEST(Sim, RunsTheExampleOfItsHelp) {
  const auto help = manactl({"sim", "--help"}).out;
  EXPECT_THAT(help, HasSubstr("manactl sim --fault tx=33 -- manactl bench --duration 5\n"));
  const auto outcome =
      manactl({"sim", "--fault", "tx=33", "--", MANACTL_PROGRAM, "bench", "--duration", "50ms"});
  EXPECT_NE(outcome.code, 2) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("sent")) << outcome.err;
}

}  // namespace
}  // namespace manactl::test::cmd_sim_test
