// SPDX-License-Identifier: MIT

#include "report/bench_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "report/sample_results.h"
#include "report/series.h"

namespace manactl::report::bench_json_test {
namespace {

using nlohmann::json;
using testing::ElementsAre;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (const auto line : split(text, '\n')) lines.emplace_back(line);
  EXPECT_EQ(lines.back(), "");  // the last line has a newline
  lines.pop_back();
  return lines;
}

TEST(BenchJson, HasTheSeriesOfEveryQueueInColumns) {
  const auto document = json::parse(bench_json(test::steady(datapath::Mode::tx, 1e7), 0));
  const auto& series = document["series"];
  ASSERT_EQ(series.size(), 1U);
  EXPECT_EQ(series[0]["seconds"].size(), 10U);
  ASSERT_EQ(series[0]["queues"].size(), 2U);
  EXPECT_EQ(series[0]["queues"][1]["tx_packets"][1], 5'000'000);
  EXPECT_EQ(series[0]["total"]["tx_packets"][1], 10'000'000);
  EXPECT_FALSE(series[0]["total"].contains("rx_packets"));  // columns of zeros are omitted
}

TEST(BenchJson, HasTheCostsOfAPacket) {
  const auto document = json::parse(bench_json(test::steady(datapath::Mode::tx, 1e7), 0));
  EXPECT_NEAR(document["cycles_per_packet"].get<double>(), 20, 1e-9);
  EXPECT_TRUE(document["instructions_per_packet"].is_null());
  EXPECT_DOUBLE_EQ(document["full_burst_share"].get<double>(), 1);
  EXPECT_TRUE(document["empty_poll_share"].is_null());
  const auto receiver = json::parse(bench_json(test::steady(datapath::Mode::rx, 1e7), 0));
  EXPECT_GT(receiver["empty_poll_share"], 0);
}

TEST(BenchJson, HasNullForWhatWasNotMeasured) {
  auto result = test::steady(datapath::Mode::txrx, 1e7);
  auto& trial = result.report.trials.front();
  for (auto& interval : trial.intervals) interval.total.effort.instructions = std::nullopt;
  trial.total.effort.instructions = std::nullopt;
  trial.total.tx.packets = trial.total.rx.packets = 0;
  result.summary = {};
  const auto document = json::parse(bench_json(result, 0));
  EXPECT_TRUE(document["total"]["effort"]["instructions"].is_null());
  EXPECT_TRUE(document["series"][0]["total"]["instructions"].is_null());
  EXPECT_TRUE(document["statistics"]["median"].is_null());
  EXPECT_TRUE(document["statistics"]["variation"].is_null());
  EXPECT_TRUE(document["lost"].is_null());
  result.summary.rates = {5};
  result.summary.rate = datapath::estimate(result.summary.rates);
  const auto single = json::parse(bench_json(result, 0))["statistics"];
  EXPECT_EQ(single["median"], 5);
  EXPECT_TRUE(single["variation"].is_null());
}

// Text and HTML print the notes of the trials, too.
TEST(BenchJson, HasAllNotesInOneList) {
  auto result = test::eventful();
  result.report.trials.front().notes = {"reached 50 % of the requested rate"};
  result.report.trials.back().notes = {"reached 50 % of the requested rate", "the traffic ended"};
  const auto document = test::document(result);
  const std::vector<std::string> all = {
      "reached 50 % of the requested rate", "the traffic ended", "8 queues share 1 CPU"};
  EXPECT_EQ(nlohmann::json::parse(document).at("notes"), all);
  const auto read = read_bench(document, "result.json");
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(read->report.notes, result.report.notes);
  EXPECT_EQ(notes_on(*read), all);
}

TEST(BenchJson, HasTheRatesOfLisaUnderItsNames) {
  const auto document = json::parse(bench_json(test::steady(datapath::Mode::tx, 1e7), 0));
  const auto& lisa = document["lisa"];
  EXPECT_DOUBLE_EQ(lisa["tx_pps_maximum"].get<double>(), 1.004e7);
  EXPECT_DOUBLE_EQ(lisa["tx_pps_minimum"].get<double>(), 0.996e7);
  EXPECT_NEAR(lisa["tx_pps_average"].get<double>(), 1.000375e7, 1);
  EXPECT_TRUE(lisa["rx_pps_maximum"].is_null());
}

TEST(BenchJson, HasTheDefaultAddressesOfThePackets) {
  const auto plan_of = [](const BenchResult& result) {
    return json::parse(bench_json(result, 0))["plan"];
  };
  auto result = test::steady(datapath::Mode::tx, 1e7);
  EXPECT_EQ(plan_of(result)["source_ip"], "198.18.0.1");
  EXPECT_EQ(plan_of(result)["peer_ip"], "198.18.0.2");
  result.plan.vdevs.clear();
  result.plan.nics.resize(2);
  for (auto& nic : result.plan.nics) nic.ip = *Ipv4Address::parse("10.0.0.4");
  EXPECT_EQ(plan_of(result)["source_ip"], "10.0.0.4");
  result.plan.nics.back().ip = *Ipv4Address::parse("10.0.0.5");
  EXPECT_EQ(plan_of(result)["source_ip"], json());  // null: the ports have different addresses
  result.plan.traffic.source_ip = *Ipv4Address::parse("10.0.0.6");
  EXPECT_EQ(plan_of(result)["source_ip"], "10.0.0.6");
  const auto other = plan_of(test::steady(datapath::Mode::fwd, 1e7));
  EXPECT_EQ(other["source_ip"], json());
  EXPECT_EQ(other["peer_ip"], json());
}

TEST(BenchJson, SummarizesTrialsByTheirMedians) {
  const auto document = json::parse(bench_json(test::eventful(), 0));
  EXPECT_EQ(document["statistics"]["intervals"], 2);
  EXPECT_EQ(document["trials"][0]["statistics"]["intervals"], 4);
  EXPECT_EQ(document["latency"]["count"], 2000);
  EXPECT_NEAR(document["latency"]["p99_ns"].get<double>(), 990'000, 990'000 / 512.0);
}

TEST(BenchJson, HasNoTimesWithoutReplies) {
  auto result = test::steady(datapath::Mode::rtt, 1e6);
  result.report.trials.front().latency.emplace();
  const auto document = json::parse(bench_json(result, 0));
  for (const auto& latency : {document["latency"], document["trials"][0]["latency"]}) {
    EXPECT_EQ(latency["count"], 0);
    for (const auto* name : {"min_ns", "mean_ns", "p50_ns", "p99_99_ns", "max_ns"}) {
      EXPECT_TRUE(latency.at(name).is_null()) << name;
    }
  }
}

TEST(BenchEvents, ConsistOfStartIntervalsAndEnd) {
  const auto lines = lines_of(bench_ndjson(test::steady(datapath::Mode::tx, 1e7), 0));
  ASSERT_EQ(lines.size(), 12U);
  EXPECT_EQ(json::parse(lines.front())["event"], "start");
  const auto second = json::parse(lines[2]);
  EXPECT_EQ(second["event"], "interval");
  EXPECT_EQ(second["ends_seconds"], 2);
  EXPECT_EQ(second["total"]["tx_packets"], 10'000'000);
  EXPECT_EQ(second["total"]["rx_packets"], 0);
  EXPECT_THAT(second["queues"]["tx_packets"], ElementsAre(5'000'000, 5'000'000));
  const auto last = json::parse(lines.back());
  EXPECT_EQ(last["event"], "end");
  EXPECT_EQ(last["result"]["schema"], "manactl.bench/2");
  EXPECT_FALSE(last["result"].contains("series"));
}

// bench_ndjson() must write events in the same order as a running bench.
TEST(BenchEvents, ReportARemovalBeforeTheIntervalInWhichItOccurred) {
  const auto result = test::eventful();
  std::size_t devices = 0, expected = 0;
  for (const auto& trial : result.report.trials) expected += trial.events.size();
  const auto lines = lines_of(bench_ndjson(result, 0));
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
    const auto event = json::parse(lines[i]);
    if (event["event"] != "device") continue;
    ++devices;
    const auto next = json::parse(lines[i + 1]);
    EXPECT_EQ(next["event"], "interval");
    EXPECT_EQ(next["trial"], event["trial"]);
    EXPECT_GE(next["ends_seconds"], event["at_seconds"]);
    EXPECT_LT(next["ends_seconds"].get<double>() - next["seconds"].get<double>(),
              event["at_seconds"].get<double>());
    const auto& all = result.report.trials[event["trial"]].events;
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const datapath::Event& one) {
      return one.device == event["device"].get<std::string>() &&
             one.at_seconds == event["at_seconds"];
    }));
  }
  EXPECT_GT(expected, 0U);
  EXPECT_EQ(devices, expected);
}

TEST(BenchCsv, HasARowForEachIntervalAndQueue) {
  const auto lines = lines_of(bench_csv(test::eventful()));
  ASSERT_EQ(lines.size(), 1U + 2 * 10 * 2);
  EXPECT_TRUE(
      lines.front().starts_with("trial,interval,ends_seconds,seconds,disturbed,absent,queue,tx_"));
  EXPECT_TRUE(lines[1].starts_with("0,0,1,1,0,0,0,50000,3200000,0,")) << lines[1];
  EXPECT_TRUE(lines[6].starts_with("0,2,3,1,1,0,1,")) << lines[6];
  const auto commas = std::count(lines.front().begin(), lines.front().end(), ',');
  for (const auto& line : lines) {
    EXPECT_EQ(std::count(line.begin(), line.end(), ','), commas);
  }
}

}  // namespace
}  // namespace manactl::report::bench_json_test
