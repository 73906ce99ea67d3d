// SPDX-License-Identifier: MIT
//
// Compares the counts of bench with those of the software adapter: sent packets are received, lost
// or still in flight, whatever the engine, the mode and the faults.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <nlohmann/json.hpp>

#include "cli/run_manactl.h"
#include "datapath/engines.h"
#include "datapath/mode.h"

namespace manactl::test::lost_packets_test {
namespace {

using datapath::ModeRow;
using nlohmann::json;

// Faults that drop, spoil, delay or repeat; every engine must count them.
constexpr std::array kFaults = {"",
                                "rx=drop,every=10",
                                "rx=truncate,every=7",
                                "tx=34,every=9",
                                "doorbell=duplicated,every=5",
                                "doorbell=delayed,every=2",
                                "doorbell=lost,every=3",
                                "doorbell=lost",
                                "cq=overrun,every=3"};

// `bench` is the document of bench, `adapter` has the counters of the adapter's port.
struct Counts {
  json bench, adapter;
};

// sim prints its own document to stdout, and that of bench to stderr, among notes.
Counts run(const datapath::EngineRow& engine,
           const ModeRow& mode,
           const std::string& queues,
           const std::string& fault) {
  const bool loops = mode.generates_packets && mode.receives;
  std::vector<std::string> words = {"sim",
                                    "--json",
                                    "--backend",
                                    loops           ? "loopback"
                                    : mode.receives ? "generator"
                                                    : "sink"};
  if (!fault.empty()) words.insert(words.end(), {"--fault", fault});
  for (const auto& word : {std::string("--"),
                           std::string(MANACTL_PROGRAM),
                           std::string("bench"),
                           std::string("--engine"),
                           std::string(engine.name),
                           std::string("--mode"),
                           std::string(mode.name),
                           std::string("--queues"),
                           queues,
                           std::string("--duration"),
                           std::string("100ms"),
                           std::string("--json")}) {
    words.push_back(word);
  }
  const auto outcome = manactl(words);
  const auto begin = outcome.err.find("{\n");
  const auto end = outcome.err.rfind("\n}\n");
  if (begin == std::string::npos || end == std::string::npos) return {};
  auto bench = json::parse(outcome.err.substr(begin, end + 2 - begin));
  EXPECT_EQ(bench["exit"], outcome.code) << outcome.err;
  return {std::move(bench), json::parse(outcome.out)["ports"][0]};
}

std::uint64_t number(const json& object, const char* key) {
  return object.at(key).get<std::uint64_t>();
}

// The packets that were still in flight for the sender when the trial ended.
std::uint64_t not_completed(const json& bench) {
  std::uint64_t packets = 0;
  for (const auto& note : bench.at("trials").at(0).at("notes")) {
    const auto text = note.get<std::string>();
    if (text.ends_with("packets were posted but not completed")) packets += std::stoull(text);
  }
  return packets;
}

// `overruns`: the device sent these packets, but the sender cannot see their completions.
void expect_equal_counts(const ModeRow& mode, const Counts& counts, bool overruns) {
  const auto& [bench, adapter] = counts;
  const auto& tx = bench.at("total").at("tx");
  const auto& rx = bench.at("total").at("rx");
  const auto sent = number(tx, "packets"), received = number(rx, "packets");
  const auto delivered = number(adapter, "rx_packets") - number(adapter, "rx_truncated");
  EXPECT_EQ(sent + (overruns ? not_completed(bench) : 0), number(adapter, "tx_packets"));
  if (mode.sends) {
    EXPECT_EQ(number(tx, "errors"), number(adapter, "tx_errors"));
  }
  EXPECT_TRUE(rx.at("missed").is_null()) << "no engine can read it";
  EXPECT_EQ(number(bench, "exit"), sent == 0 && received == 0 ? 1U : 0U);
  const auto from = mode.generates_packets ? sent : received;
  const auto to = mode.generates_packets ? received : sent;
  const bool knows_loss = mode.sends && mode.receives && from > 0 && to <= from;
  EXPECT_EQ(bench.at("lost").is_number(), knows_loss);
  EXPECT_TRUE(overruns || to <= from || !mode.sends) << to << " of " << from;
  if (!mode.receives) return;
  // Packets that arrived after the last poll of a mode without a loop are still in the rings.
  EXPECT_LE(received, delivered);
  if (!knows_loss) return;
  EXPECT_EQ(number(bench, "lost"), from - to);
  if (!mode.generates_packets) {
    EXPECT_GE(number(bench, "lost"), number(adapter, "tx_errors"));
    return;
  }
  if (overruns) return;
  // The adapter runs in the thread that rings the doorbell, so no packet is in flight at the end.
  EXPECT_EQ(number(bench, "lost"),
            number(adapter, "rx_no_buffer") + number(adapter, "rx_truncated") +
                number(adapter, "tx_lost"));
}

// The parameter is an index of kModes.
class LostPackets : public testing::TestWithParam<std::size_t> {};

TEST_P(LostPackets, AgreeWithTheCountersOfTheAdapter) {
  const auto& mode = datapath::kModes.at(GetParam());
  for (const auto* engine : datapath::kEngines) {
    for (const auto* queues : {"1", "8"}) {
      for (const auto* fault : kFaults) {
        // After a failed packet, net_mana does not count up to a queue of other packets.
        const bool is_of_sending = std::string_view(fault).starts_with("tx=");
        if (is_of_sending && engine == &datapath::kDpdkEngine) continue;
        SCOPED_TRACE(std::string(engine->name) + ", " + queues + " queues, fault " + fault);
        const auto counts = run(*engine, mode, queues, fault);
        ASSERT_TRUE(counts.bench.is_object());
        expect_equal_counts(mode, counts, std::string_view(fault).starts_with("cq=overrun"));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(In,
                         LostPackets,
                         testing::Range(std::size_t{0}, datapath::kModes.size()),
                         [](const auto& tested) {
                           return std::string(datapath::kModes.at(tested.param).name);
                         });

// The packets that a ring returns.
TEST(LossOnVirtualDevices, IsTheDifferenceOfSentAndReceivedPackets) {
  for (const auto& mode : datapath::kModes) {
    if (!mode.generates_packets) continue;
    const auto outcome = manactl({"bench",
                                  "--vdev",
                                  "net_ring0",
                                  "--no-huge",
                                  "--mode",
                                  std::string(mode.name),
                                  "--queues",
                                  "2",
                                  "--duration",
                                  "100ms",
                                  "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const auto document = json::parse(outcome.out);
    const auto& total = document.at("total");
    EXPECT_EQ(document.at("lost").is_number(), mode.receives) << mode.name;
    if (!mode.receives) continue;
    EXPECT_EQ(number(document, "lost"),
              number(total.at("tx"), "packets") - number(total.at("rx"), "packets"));
    EXPECT_TRUE(document.at("queues")[0].at("rx").at("missed").is_null())
        << "drivers count losses per port";
  }
}

}  // namespace
}  // namespace manactl::test::lost_packets_test
