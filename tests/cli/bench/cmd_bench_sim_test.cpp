// SPDX-License-Identifier: MIT
//
// Tests bench on the software adapter: the program starts itself with the adapter preloaded before
// libibverbs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/run_manactl.h"
#include "datapath/engines.h"
#include "datapath/mode.h"

namespace manactl::test::cmd_bench_sim_test {
namespace {

using testing::HasSubstr;
using testing::Not;
using Words = std::vector<std::string>;

constexpr const char* kNoViolations = "No contract violations.";

Words bench(const Words& more) {
  Words words = {"bench", "--duration", "100ms", "--interval", "50ms", "--json"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// Repeats a run in which no worker got a CPU, on a busy machine.
Outcome bench_until_it_counts(const Words& more) {
  auto outcome = manactl(bench(more));
  const bool is_empty =
      outcome.code == 0 && nlohmann::json::parse(outcome.out)["total"]["packets"] == 0;
  return is_empty ? bench_until_it_counts(more) : outcome;
}

class EngineOnAdapter : public testing::TestWithParam<const datapath::EngineRow*> {};

TEST_P(EngineOnAdapter, HasNoContractViolationsInAnyMode) {
  const auto& engine = *GetParam();
  const std::string name(engine.name);
  for (const auto& row : datapath::kModes) {
    for (const auto* queues : {"1", "8"}) {
      const std::string mode(row.name);
      const auto outcome = bench_until_it_counts(
          {"--sim", "-v", "--engine", name, "--mode", mode, "--queues", queues, "--size", "128"});
      if (outcome.err.find("does not support mode " + mode) != std::string::npos) {
        EXPECT_EQ(outcome.code, 3) << outcome.err;
        continue;
      }
      ASSERT_EQ(outcome.code, 0) << outcome.err;
      EXPECT_THAT(outcome.err, HasSubstr(kNoViolations));
      const auto document = nlohmann::json::parse(outcome.out);
      EXPECT_EQ(document["engine"]["name"], name);
      EXPECT_EQ(document["simulated"], true);
      EXPECT_EQ(document["path"]["verdict"], "virtual");
      EXPECT_GT(document["total"]["packets"], 0);
      EXPECT_EQ(document["queues"].size(), std::stoul(queues));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Of,
                         EngineOnAdapter,
                         testing::ValuesIn(datapath::kEngines),
                         [](const auto& tested) { return std::string(tested.param->name); });

TEST(BenchOnAdapter, UsesTheEngineWithTheCheapestDoorbells) {
  const auto outcome = manactl(bench({"--sim"}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(nlohmann::json::parse(outcome.out)["engine"]["name"], "verbs");
}

// The rows of a text on a terminal that is this wide, if lines are wrapped at spaces.
std::size_t rows_at(std::size_t width, const std::string& text) {
  std::size_t rows = 0, column = 0;
  for (const auto line : split(text, '\n')) {
    if (line.empty()) continue;
    ++rows;
    column = 0;
    for (const auto word : split(line, ' ')) {
      if (column + word.size() > width) {
        ++rows;
        column = 0;
      }
      column += word.size() + 1;
    }
  }
  return rows;
}

// The report of the adapter is printed only with -v.
TEST(BenchOnAdapter, FitsOneScreenInEveryMode) {
  constexpr std::size_t kMaxRows = 16;
  for (const auto& row : datapath::kModes) {
    for (const auto* name : {row.name.data(), row.alias.data()}) {
      if (name == nullptr) continue;
      const auto outcome =
          manactl({"bench", "--sim", "--mode", name, "--duration", "100ms", "--interval", "20ms"});
      ASSERT_EQ(outcome.code, 0) << outcome.err;
      EXPECT_LE(rows_at(80, outcome.out), kMaxRows) << outcome.out;
      EXPECT_EQ(outcome.err, "");
      EXPECT_THAT(outcome.out, HasSubstr("simulated: " + std::string(row.name) + " on"));
    }
  }
}

TEST(BenchOnAdapter, RunsModesWhoseNamesAreTypedWithAHyphen) {
  for (const auto& [typed, mode] : {std::pair("tx-only", "tx"), std::pair("rx-only", "rx")}) {
    const auto outcome = bench_until_it_counts({"--sim", "--mode", typed});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(nlohmann::json::parse(outcome.out)["plan"]["mode"], mode);
  }
}

// net_mana sees a device on PCI, which --vdev names like EAL does.
TEST(BenchOnAdapter, MeasuresADeviceOfVdevWithNetMana) {
  Words words = {"sim", "--", MANACTL_PROGRAM};
  const auto nested = bench({"--no-huge", "--vdev", "7870:00:00.0,mac=00:0d:3a:76:3b:d0"});
  words.insert(words.end(), nested.begin(), nested.end());
  const auto outcome = manactl(words);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto document = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(document["simulated"], true);
  EXPECT_EQ(document["ports"][0]["driver"], "net_mana");

  words.insert(words.end(), {"--queues", "3"});
  const auto three = manactl(words);
  EXPECT_EQ(three.code, 2);
  EXPECT_THAT(three.err, HasSubstr("--queues 3: MANA requires a power of two"));
}

TEST(BenchOnAdapter, IsNotMeasuredWithoutBeingNamed) {
  const bool without_mana = manactl({"check"}).code == 3;
  for (const auto& words : {Words{}, Words{"--engine", "dpdk"}, Words{"--queues", "2"}}) {
    const auto outcome = manactl(bench(words));
    EXPECT_EQ(outcome.code, without_mana ? 3 : 2);
    const auto error = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(error.at("exit"), outcome.code);
    EXPECT_THAT(error.at("hint"), HasSubstr("Choose what to measure:\n    manactl bench "));
    EXPECT_THAT(outcome.err, HasSubstr(without_mana ? "no MANA NIC" : "a device is missing"));
    EXPECT_THAT(outcome.err, HasSubstr("Choose what to measure:\n    manactl bench "));
    EXPECT_THAT(outcome.err, HasSubstr("manactl bench --sim "));
  }
}

TEST(BenchOnAdapter, NeverReplacesANamedInterface) {
  // "list" is also a subcommand of bench.
  for (const auto& words :
       std::vector<Words>{{"nosuch0"}, {"--iface", "list"}, {"--port", "no0"}}) {
    const auto outcome = manactl(bench(words));
    EXPECT_EQ(outcome.code, 3) << words.back();
    EXPECT_EQ(nlohmann::json::parse(outcome.out).at("exit"), 3);
    EXPECT_EQ(outcome.error_lines(), 1U) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("'" + words.back() + "'"));
  }
}

constexpr int kLink = 20000;  // packets/s

// Searches until a result is conclusive: on a busy machine, workers may get no CPU.
nlohmann::json search_on_a_link() {
  const auto outcome = manactl({"sim",
                                "--backend",
                                "loopback",
                                "--pps",
                                std::to_string(kLink),
                                "--",
                                MANACTL_PROGRAM,
                                "bench",
                                "--mode",
                                "txrx",
                                "--find",
                                "ndr,pdr=0.5%",
                                "--duration",
                                "500ms",
                                "--interval",
                                "100ms",
                                "--no-save",
                                "--json"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr(kNoViolations));
  auto search = nlohmann::json::parse(outcome.out)["search"];
  const bool inconclusive = std::ranges::any_of(
      search["found"], [](const auto& found) { return found["end"] == "inconclusive"; });
  return inconclusive ? search_on_a_link() : search;
}

// The emulated link limits the rate. The sender waits for it, so no packet is lost.
TEST(BenchOnAdapter, FindsTheRateOfALink) {
  const auto search = search_on_a_link();
  ASSERT_EQ(search["found"].size(), 2U);
  EXPECT_EQ(search["found"][1]["loss"], 0.005);
  for (const auto& found : search["found"]) {
    ASSERT_TRUE(found["lower"].is_number()) << search;
    EXPECT_GT(found["lower"], 0);
    EXPECT_LT(found["lower"], 1.5 * kLink);  // packets are still in flight when a short trial ends
    EXPECT_TRUE(found["upper"].is_null()) << "nothing was lost at any rate";
  }
  for (const auto& probe : search["probes"]) {
    // A probe is not valid if, on a busy machine, a worker had no CPU.
    if (probe["valid"]) {
      EXPECT_EQ(probe["received"], probe["sent"]);
    }
  }
}

// Measures with each engine of this build that can drive the adapter.
TEST(BenchOnAdapter, SendsFlowsToEachReceiveQueue) {
  for (const auto* engine : datapath::kEngines) {
    // Each queue gets packets only if each worker gets a CPU, so a busy machine needs more time.
    std::string received;
    bool complete = false;
    for (int milliseconds = 100; !complete && milliseconds <= 12'800; milliseconds *= 2) {
      const auto outcome = manactl({"bench",
                                    "--sim",
                                    "--engine",
                                    std::string(engine->name),
                                    "--mode",
                                    "txrx",
                                    "--queues",
                                    "8",
                                    "--duration",
                                    std::to_string(milliseconds) + "ms",
                                    "--json"});
      ASSERT_EQ(outcome.code, 0) << outcome.err;
      const auto queues = nlohmann::json::parse(outcome.out)["queues"];
      ASSERT_EQ(queues.size(), 8U);
      complete =
          std::ranges::all_of(queues, [](const auto& queue) { return queue["rx"]["packets"] > 0; });
      received = queues.dump(2);
    }
    EXPECT_TRUE(complete) << engine->name << ": " << received;
  }
}

// Some engines end their workers with the trial, so their times must be read before.
TEST(BenchOnAdapter, MeasuresTheCpuTimeOfTheWorkers) {
  const auto document = nlohmann::json::parse(bench_until_it_counts({"--sim"}).out);
  constexpr double kMinNanoseconds = 1;  // no CPU handles a packet in a few cycles
  ASSERT_TRUE(document["cpu_ns_per_packet"].is_number());
  EXPECT_GT(document["cpu_ns_per_packet"], kMinNanoseconds);
}

// A dropped frame leaves its buffer unused. The sender must use it for another frame.
TEST(BenchOnAdapter, ReceivesUntilTheEndAlthoughFramesAreDropped) {
  const auto outcome = manactl({"sim",
                                "--fault",
                                "rx=drop,every=10",
                                "--backend",
                                "generator",
                                "--",
                                MANACTL_PROGRAM,
                                "bench",
                                "--mode",
                                "rx",
                                "--duration",
                                "1",
                                "--interval",
                                "250ms",
                                "--no-save",
                                "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto document = nlohmann::json::parse(outcome.out);
  constexpr auto kDescriptors = 256;
  EXPECT_GT(document["total"]["rx"]["packets"], 100 * kDescriptors);
  EXPECT_THAT(outcome.out, Not(HasSubstr("any more")));
}

TEST(BenchOnAdapter, StopsAReceiverWhoseFileIsDeleted) {
  const TemporaryDirectory directory;
  const auto file = directory.path("running");
  const auto outcome = manactl_until(
      {"bench", "--sim", "--mode", "rx", "--duration", "60", "--json", "--until-deleted", file},
      file,
      [&] { return unlink(file.c_str()) == 0; });
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto document = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(document["interrupted"], false);
  EXPECT_LT(document["plan"]["seconds"], 60);
}

struct Fault {
  const char* fault;
  int code;
  const char* message;
};

// The message contains the errno, the owner of the port and the command that frees it.
TEST(BenchOnAdapter, ExplainsErrorsOfTheDriver) {
  for (const auto& [fault, code, message] : std::vector<Fault>{
           {"create_qp=errno:EBUSY", 5, "(EBUSY): --fault caused this error"},
           {"create_qp=errno:ENODEV",
            5,
            "(ENODEV on kernels before 7.2): --fault caused this error"},
           {"create_qp=errno:EOPNOTSUPP", 3, "mana_ib of this kernel does not support it"},
           {"create_qp=errno:EPERM", 4, "CAP_NET_RAW"},
           {"alloc_parent_domain=missing",
            3,
            "is not libmana (alloc_parent_domain: EOPNOTSUPP); compare the driver ids of kernel "
            "and libibverbs: manactl check --only rdma"},
           {"open_device=errno:EACCES", 4, "open_device"},
       }) {
    const auto outcome =
        manactl({"sim", "--fault", fault, "--", MANACTL_PROGRAM, "bench", "--duration", "10ms"});
    EXPECT_EQ(outcome.code, code) << fault;
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, HasSubstr(message));
    EXPECT_THAT(outcome.err, HasSubstr(kNoViolations)) << "nothing is left behind";
  }
}

TEST(BenchOnAdapter, AcceptsAShareOfTheModeledLinkSpeed) {
  Words words = {"sim", "--bps", "1000000000", "--", MANACTL_PROGRAM};
  const auto nested = bench({"--engine", "verbs", "--rate", "1%"});
  words.insert(words.end(), nested.begin(), nested.end());
  const auto outcome = manactl(words);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto document = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(document["ports"][0]["link_mbps"], 1000);
  const double seconds = document["total"]["seconds"];
  constexpr double kShare = 0.01 * 1e9 / (84 * 8), kSlack = 1.1, kDepth = 64;
  EXPECT_LE(document["total"]["packets"], kShare * seconds * kSlack + kDepth);
}

TEST(BenchOnAdapter, RejectsAShareOfAnUnknownLinkSpeed) {
  const auto outcome = manactl(bench({"--sim", "--rate", "50%"}));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("the link speed is unknown"));
}

}  // namespace
}  // namespace manactl::test::cmd_bench_sim_test
