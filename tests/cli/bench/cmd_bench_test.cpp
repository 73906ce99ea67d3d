// SPDX-License-Identifier: MIT

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <nlohmann/json.hpp>

#include "cli/run_manactl.h"
#include "datapath/engines.h"

namespace manactl::test::cmd_bench_test {
namespace {

using testing::Contains;
using testing::HasSubstr;

TEST(Bench, MeasuresAVirtualDevice) {
  const std::vector<std::string> words = {
      "bench", "--vdev", "net_null0", "--duration", "200ms", "--no-huge", "--json"};
  const auto outcome = manactl(words);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto document = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(document["schema"], "manactl.bench/2");
  EXPECT_EQ(document["interrupted"], false);
  EXPECT_GT(document["total"]["packets"], 0);
  EXPECT_EQ(document["plan"]["hugepages"], false);
  EXPECT_EQ(document["command"].get<std::vector<std::string>>(), words);
  EXPECT_TRUE(document["machine"]["host"].is_string());
}

TEST(Bench, ReportsTheRateOfSteadyIntervals) {
  const std::vector<std::string> words = {"bench",
                                          "--vdev",
                                          "net_null0",
                                          "--duration",
                                          "2s",
                                          "--warmup",
                                          "500ms",
                                          "--interval",
                                          "100ms",
                                          "--no-huge"};
  const auto outcome = manactl(words);
  EXPECT_THAT(outcome.out, HasSubstr("the median of"));
  auto with_json = words;
  with_json.emplace_back("--json");
  // On a busy machine, all intervals may be disturbed.
  nlohmann::json document;
  do {
    document = nlohmann::json::parse(manactl(with_json).out);
  } while (!document["statistics"]["confidence_95"].is_array());
  const auto& statistics = document["statistics"];
  EXPECT_GT(statistics["median"], 0);
  EXPECT_GE(statistics["left_out"], 5);  // the warm-up intervals
  EXPECT_EQ(statistics["intervals"].get<std::size_t>() + statistics["left_out"].get<std::size_t>(),
            document["series"][0]["seconds"].size());
  ASSERT_TRUE(statistics["confidence_95"].is_array());
  EXPECT_LE(statistics["confidence_95"][0], statistics["median"]);
  EXPECT_GE(statistics["confidence_95"][1], statistics["median"]);
}

TEST(Bench, SendsTheSmallestFramesOfItsMode) {
  for (const auto& [mode, bytes] : {std::pair{"txrx", 64}, std::pair{"rtt", 78}}) {
    const auto outcome = manactl({"bench",
                                  "--vdev",
                                  "net_ring0",
                                  "--mode",
                                  mode,
                                  "--duration",
                                  "100ms",
                                  "--no-huge",
                                  "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const auto document = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(document["plan"]["sizes"][0]["bytes"], bytes);
    EXPECT_GT(document["total"]["packets"], 0);
  }
}

TEST(Bench, RepeatsTrials) {
  const auto outcome = manactl({"bench",
                                "--vdev",
                                "net_null0",
                                "--repeat",
                                "3",
                                "--duration",
                                "60ms",
                                "--interval",
                                "10ms",
                                "--no-huge",
                                "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto document = nlohmann::json::parse(outcome.out);
  ASSERT_EQ(document["trials"].size(), 3U);
  EXPECT_LT(document["trials"][0]["started"], document["trials"][2]["started"]);
  // One rate for each trial that has undisturbed intervals. On a busy machine, a trial may have
  // none.
  const auto rates = std::ranges::count_if(
      document["trials"], [](const auto& trial) { return trial["statistics"]["intervals"] > 0; });
  EXPECT_EQ(document["statistics"]["intervals"], rates);
  EXPECT_EQ(document["series"].size(), 3U);
  EXPECT_EQ(document["path"]["verdict"], "virtual");
}

TEST(Bench, RejectsPlansThatItCannotMeasure) {
  struct Case {
    std::vector<std::string> words;
    int code;
    const char* message;
  };

  for (const auto& [words, code, message] : std::vector<Case>{
           {{"bench", "abcdefghijklmnop"}, 3, "does not exist"},
           {{"bench", "--vdev", "net_null0", "--warmup", "10"},
            2,
            "--warmup 10: must be less than --duration"},
           {{"bench", "--vdev", "net_null0", "--find", "ndr"}, 2, "a sender does not see"},
           {{"bench", "--vdev", "net_null0", "--no-huge", "--rate", "50%"},
            2,
            "link speed is unknown"},
           {{"bench", "--vdev", "net_null0", "--ramp", "1"}, 2, "--ramp 1: requires --rate"},
           {{"bench", "--vdev", "net_null0", "--peer", "127.0.0.1"}, 2, "--peer 127.0.0.1"},
           {{"bench", "--vdev", "net_null0", "--peer", "224.0.0.1"}, 2, "--peer 224.0.0.1"},
           {{"bench", "--vdev", "net_null0", "--dst-mac", "01:00:5e:00:00:01"}, 2, "--dst-mac"},
           {{"bench", "--vdev", "net_null0", "--dst-mac", "00:00:00:00:00:00"}, 2, "--dst-mac"},
           {{"bench", "--vdev", "net_null0", "--vdev", "net_null0"}, 2, "given twice"},
           {{"bench", "--port", "nosuch0"}, 3, "does not exist"}}) {
    const auto outcome = manactl(words);
    EXPECT_EQ(outcome.code, code);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.error_lines(), 1U);
    EXPECT_THAT(outcome.err, HasSubstr(message));
  }
}

TEST(Bench, SendsAMixOfSizesAndFlowsOverTwoPorts) {
  const auto outcome = manactl({"bench",
                                "--vdev",
                                "net_null0",
                                "--vdev",
                                "net_null1",
                                "--size",
                                "imix",
                                "--flows",
                                "7",
                                "--duration",
                                "200ms",
                                "--no-huge",
                                "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto document = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(document["engine"]["template_mode"], "per-packet");
  EXPECT_EQ(document["queues"].size(), 2U);
}

class StoppedBench : public testing::TestWithParam<int> {};

const std::vector<std::string> kLong = {
    "bench", "--vdev", "net_null0", "--duration", "60", "--no-huge", "--json"};

TEST_P(StoppedBench, PrintsAPartialResult) {
  ProcessOptions process;
  process.signal = GetParam();
  // This thread uses CPU time only while packets flow. Its name is rte-worker-1 or dpdk-worker1.
  process.signal_thread = "-worker";
  process.signal_ticks = 3;
  const auto outcome = manactl(kLong, process);
  EXPECT_EQ(outcome.code, 128 + GetParam()) << outcome.err;
  const auto document = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(document["interrupted"], true);
  EXPECT_EQ(document["exit"], 128 + GetParam());
}

// The result of a search has only some trials, which may have ended long before the signal.
TEST_P(StoppedBench, PrintsAPartialSearch) {
  ProcessOptions process;
  process.signal = GetParam();
  process.signal_thread = "-worker";
  process.signal_ticks = 100;
  auto words = kLong;
  words[2] = "net_ring0";
  for (const auto* word : {"--mode", "txrx", "--find", "ndr"}) words.emplace_back(word);
  const auto outcome = manactl(words, process);
  EXPECT_EQ(outcome.code, 128 + GetParam()) << outcome.err;
  const auto document = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(document["interrupted"], true);
  EXPECT_EQ(document["exit"], 128 + GetParam());
  EXPECT_EQ(document["plan"]["warmup_seconds"], 0);
}

TEST_P(StoppedBench, ExitsDuringItsStart) {
  ProcessOptions process;
  process.signal = GetParam();
  // EAL starts this thread first, long before the first packet: eal-intr-thread or dpdk-intr.
  process.signal_thread = "-intr";
  const auto outcome = manactl(kLong, process);
  EXPECT_EQ(outcome.code, 128 + GetParam()) << outcome.err;
}

INSTANTIATE_TEST_SUITE_P(Signals, StoppedBench, testing::Values(SIGINT, SIGTERM, SIGHUP));

TEST(Bench, ReportsThatItsResultCannotBeWritten) {
  const std::vector<std::string> brief = {
      "bench", "--vdev", "net_null0", "--duration", "10ms", "--no-huge"};
  ProcessOptions full;
  full.stdout_path = "/dev/full";
  ProcessOptions closed;
  closed.stdout_closed = true;
  for (const auto& process : {full, closed}) {
    const auto outcome = manactl(brief, process);
    EXPECT_EQ(outcome.code, 70);
    EXPECT_EQ(outcome.error_lines(), 1U) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("cannot write the result"));
  }
}

struct Device {
  const char* text;
  int code;
  const char* message;
};

TEST(Bench, RejectsDevicesWithOneLine) {
  for (const auto& [text, code, message] : std::vector<Device>{
           {"7870:00:00.0", 2, "add mac="},
           {"7870:00:00.0,mac=", 2, "mac="},
           {"7870:00:00.0,mac=00:22:48:01:02", 2, "00:22:48:01:02"},
           {"7870:00:00.0,mac=00:00:00:00:00:00", 2, "is not a unicast MAC address"},
           {"7870:00:00.0,mac=01:00:5e:00:00:01", 2, "is not a unicast MAC address"},
           {"00:00.0,mac=00:22:48:01:02:03", 2, "does not contain the driver"},
           {"7870:00:00.8,mac=00:22:48:01:02:03", 2, "does not contain the driver"},
           {"net_nul0", 2, "does not contain the driver; did you mean 'net_null0'?"},
           {"net_pcap0", 2, "does not contain the driver; it has net_null"},
           {"net_null0,nope=1", 2, "rejects its options"},
           {"net_null0,net_null1", 2, "rejects its options"},
           {"net_af_packet0,iface=nosuch0", 2, "No such device"},
           {"net_null0 x", 2, "without blanks"},
           {"/etc/passwd", 2, "is not a device name"},
       }) {
    const auto outcome = manactl({"bench", "--no-huge", "--duration", "10ms", "--vdev", text});
    EXPECT_EQ(outcome.code, code) << text;
    EXPECT_EQ(outcome.out, "") << text;
    EXPECT_EQ(outcome.error_lines(), 1U) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(message));
  }
}

TEST(Bench, ListsDrivers) {
  const auto outcome = manactl({"bench", "--list-drivers", "--json"});
  EXPECT_EQ(outcome.code, 0);
  const auto document = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(document["dpdk"]["drivers"], nlohmann::json(datapath::kDpdkEngine.info().drivers));
}

TEST(Bench, ListsTheChoicesForAnInterfaceThatIsNoAzureNic) {
  const auto outcome = manactl({"bench", "lo"});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.err,
              HasSubstr("interface 'lo' is not an Azure NIC\nChoose what to measure:\n"));
  EXPECT_THAT(outcome.err, HasSubstr("\n    manactl bench --vdev net_null0 "));
}

TEST(Bench, RefusesWhatListDriversWouldIgnore) {
  const std::vector<std::pair<std::vector<std::string>, const char*>> cases = {
      {{"--root", "/tmp"}, "bench: --root cannot be used with --list-drivers"},
      {{"--queues", "4"}, "bench: --queues cannot be used with --list-drivers"},
      {{"eth1"}, "bench: IFACE cannot be used with --list-drivers"},
      {{"-o", "csv"}, "bench: this format of --output cannot be used with --list-drivers"}};
  for (const auto& [more, message] : cases) {
    std::vector<std::string> words = {"bench", "--list-drivers"};
    words.insert(words.end(), more.begin(), more.end());
    const auto outcome = manactl(words);
    EXPECT_EQ(outcome.code, 2) << message;
    EXPECT_THAT(outcome.err, HasSubstr(message));
  }
}

TEST(Bench, ReportsThatAnInterfaceDoesNotExist) {
  const auto outcome = manactl({"bench", "nosuch0"});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_EQ(outcome.error_lines(), 1U);
  EXPECT_EQ(outcome.out, "");
}

}  // namespace
}  // namespace manactl::test::cmd_bench_test
