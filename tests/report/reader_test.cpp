// SPDX-License-Identifier: MIT

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <functional>
#include <nlohmann/json.hpp>

#include "report/bench_json.h"
#include "report/sample_results.h"
#include "report/series.h"

namespace manactl::report::reader_test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(ReadBench, ReadsWhatWasWritten) {
  for (const auto& result : {test::eventful(), test::steady(datapath::Mode::tx, 1e7)}) {
    const auto text = bench_json(result, 0);
    const auto read = read_bench(text, "x");
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(bench_json(*read, 0), text);
  }
}

TEST(ReadBench, AcceptsALatencyWithoutReplies) {
  auto result = test::steady(datapath::Mode::rtt, 1e6);
  result.report.trials.front().latency.emplace();
  const auto text = bench_json(result, 0);
  const auto read = read_bench(text, "x");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(bench_json(*read, 0), text);
}

TEST(ReadBench, ReadsEveryPart) {
  const auto read = read_bench(bench_json(test::eventful(), 0), "x");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->id, "20261121-134702-3f2a");
  EXPECT_EQ(read->label, "before the update");
  EXPECT_EQ(read->stop_signal, SIGINT);
  EXPECT_EQ(read->plan.mode, datapath::Mode::rtt);
  EXPECT_EQ(read->plan.nics.at(1).mac.str(), "00:22:48:01:02:04");
  EXPECT_EQ(read->plan.traffic.sizes.at(2).bytes, 1518);
  EXPECT_EQ(read->plan.trial.rate->unit, datapath::Rate::Unit::percent);
  ASSERT_EQ(read->report.trials.size(), 2U);
  const auto& trial = read->report.trials.front();
  EXPECT_EQ(trial.intervals.size(), 10U);
  EXPECT_TRUE(trial.intervals.at(2).disturbed);
  EXPECT_FALSE(trial.intervals.at(2).absent);
  EXPECT_TRUE(trial.intervals.at(3).absent);
  EXPECT_EQ(trial.intervals.at(1).queues.at(1).rx.packets, 500'000U);
  EXPECT_EQ(trial.latency->count(), 1000U);
  EXPECT_EQ(trial.events.at(1).kind, datapath::Event::Kind::returned);
  EXPECT_EQ(read->interference.stolen, 0.02);
  EXPECT_EQ(read->interference.cpu_seconds, 19.5);
  EXPECT_EQ(read->summary.rates.size(), 2U);
}

// A counter is unknown for the whole trial if it is unknown in one interval.
TEST(ReadBench, KeepsCountersThatAreNotReported) {
  auto result = test::steady(datapath::Mode::rx, 1e6);
  auto& trial = result.report.trials.front();
  trial.total.rx.missed = std::nullopt;
  trial.intervals.at(1).total.rx.missed = std::nullopt;
  trial.intervals.at(1).queues.at(0).rx.no_buffer = std::nullopt;
  const auto document = json::parse(test::document(result));
  EXPECT_TRUE(document["total"]["missed"].is_null());
  EXPECT_TRUE(document["trials"][0]["total"]["rx"]["missed"].is_null());
  const auto& series = document["series"][0];
  EXPECT_TRUE(series["total"].at("rx_missed").is_null());
  EXPECT_FALSE(series["queues"][1].contains("rx_no_buffer")) << "always 0";
  const auto read = read_bench(document.dump(), "it");
  ASSERT_TRUE(read) << read.error().message;
  const auto& again = read->report.trials.front();
  EXPECT_FALSE(again.total.rx.missed);
  EXPECT_FALSE(again.intervals.at(0).total.rx.missed);
  EXPECT_FALSE(again.intervals.at(0).queues.at(0).rx.no_buffer);
  EXPECT_EQ(again.intervals.at(0).queues.at(1).rx.no_buffer, 0U);
  EXPECT_THAT(bench_csv(*read), HasSubstr(",,"));
}

TEST(ReadBench, AcceptsTheFirstVersion) {
  auto document = json::parse(test::document(test::steady(datapath::Mode::rx, 1e6)));
  document["schema"] = "manactl.bench/1";
  EXPECT_TRUE(read_bench(document.dump(), "it"));
  document["schema"] = "manactl.bench/3";
  EXPECT_FALSE(read_bench(document.dump(), "it"));
}

TEST(ReadBench, DoesNotRequireTheSeries) {
  auto document = json::parse(bench_json(test::eventful(), 0));
  document.erase("series");
  const auto read = read_bench(document.dump(), "x");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_THAT(read->report.trials.front().intervals, IsEmpty());
  EXPECT_EQ(read->summary.rates.size(), 2U);
}

struct Broken {
  const char* name;
  std::function<void(json&)> breaking;
  const char* message;
};

void PrintTo(const Broken& broken, std::ostream* out) {
  *out << broken.name;
}

class BrokenDocument : public testing::TestWithParam<Broken> {};

TEST_P(BrokenDocument, IsRejectedWithTheFirstReason) {
  auto document = json::parse(bench_json(test::eventful(), 0));
  GetParam().breaking(document);
  const auto read = read_bench(document.dump(), "x.json");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Errc::invalid);
  EXPECT_THAT(read.error().message, HasSubstr("'x.json' is"));
  EXPECT_THAT(read.error().message, HasSubstr(GetParam().message));
}

const Broken kBroken[] = {
    {"NoObject", [](json& d) { d = json::array(); }, "'schema' is not a string"},
    {"OtherSchema", [](json& d) { d["schema"] = "manactl.check/1"; }, "a 'manactl.check/1'"},
    {"OtherMode", [](json& d) { d["plan"]["mode"] = "tz"; }, "'mode' is unknown"},
    {"NoPlan", [](json& d) { d.erase("plan"); }, "'plan' is not an object"},
    {"NoTrials", [](json& d) { d["trials"] = json::array(); }, "'trials' is empty"},
    {"NoSizes", [](json& d) { d["plan"]["sizes"] = json::array(); }, "'sizes' is empty"},
    {"NegativeQueues", [](json& d) { d["plan"]["queues"] = -1; }, "'queues' is not a whole number"},
    {"ManyQueues", [](json& d) { d["plan"]["queues"] = 65536; }, "'queues' is not a whole number"},
    {"HalfAPacket", [](json& d) { d["trials"][0]["total"]["rx"]["packets"] = 0.5; }, "'packets'"},
    {"TextForANumber", [](json& d) { d["plan"]["burst"] = "32"; }, "'burst'"},
    {"NegativeTime", [](json& d) { d["plan"]["seconds"] = -1; }, "'seconds'"},
    {"NullForAFlag", [](json& d) { d["plan"]["hugepages"] = json(); }, "neither true nor false"},
    {"WrongMac", [](json& d) { d["plan"]["destination"] = "12:34"; }, "'destination'"},
    {"WrongAddress", [](json& d) { d["plan"]["peer_ip"] = "10.0.0.256"; }, "'peer_ip'"},
    {"WrongTime", [](json& d) { d["ended"] = "2026-02-30T00:00:00.000Z"; }, "'ended'"},
    {"WrongUnit", [](json& d) { d["plan"]["rate"]["unit"] = "furlongs"; }, "'unit'"},
    {"ShortColumn",
     [](json& d) { d["series"][0]["total"]["rx_packets"] = {1, 2}; },
     "'rx_packets' is not as long"},
    {"TextInAColumn",
     [](json& d) { d["series"][0]["queues"][1]["rx_packets"][0] = "x"; },
     "'rx_packets'"},
    {"ColumnIsNoList", [](json& d) { d["series"][0]["total"]["cycles"] = 1; }, "'cycles'"},
    {"DisturbedBeyond",
     [](json& d) { d["series"][0]["disturbed"] = {10}; },
     "'disturbed' is not the index"},
    {"OneSeries", [](json& d) { d["series"].erase(0); }, "'series' must have as many elements"},
    {"WrongBucket", [](json& d) { d["trials"][0]["latency"]["buckets"][0] = {1, 2}; }, "'buckets'"},
    {"WrongPath", [](json& d) { d["path"]["verdict"] = "lost"; }, "'verdict' is unknown"},
    {"NoteIsANumber", [](json& d) { d["notes"] = {1}; }, "'notes'"},
};

INSTANTIATE_TEST_SUITE_P(All, BrokenDocument, testing::ValuesIn(kBroken), [](const auto& broken) {
  return std::string(broken.param.name);
});

// Replaces the series of a result by one with empty columns.
std::string with_series(std::size_t intervals, std::size_t queues) {
  auto document = json::parse(bench_json(test::steady(datapath::Mode::tx, 1e7), 0));
  document["series"] = json::array({{{"seconds", std::vector<int>(intervals, 1)},
                                     {"disturbed", json::array()},
                                     {"total", json::object()},
                                     {"queues", json::array()}}});
  for (std::size_t i = 0; i < queues; ++i) {
    document["series"][0]["queues"].push_back(json::object());
  }
  return document.dump();
}

TEST(ReadBench, LimitsIntervalsTimesQueues) {
  EXPECT_TRUE(read_bench(with_series(3600, 64), "x"));  // an hour
  EXPECT_TRUE(read_bench(with_series(86400, 1), "x"));  // a day
  const auto read = read_bench(with_series(6000, 6000), "x");
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message,
              HasSubstr("cannot read 'x': it needs more memory than the limit of 256 MiB"));
}

TEST(ReadBench, LimitsTheHistogramsOfItsTrials) {
  auto document = json::parse(bench_json(test::eventful(), 0));
  const auto trial = document["trials"][0];
  document.erase("series");
  for (int i = 0; i < 1300; ++i) document["trials"].push_back(trial);
  const auto read = read_bench(document.dump(), "x");
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("more memory than the limit"));
}

TEST(ReadBench, RejectsTextThatIsNotJson) {
  for (const auto& text : {std::string(), std::string("rate 14"), std::string(60, '[')}) {
    const auto read = read_bench(text, "x");
    ASSERT_FALSE(read);
    EXPECT_THAT(read.error().message, HasSubstr("'x' is not JSON"));
  }
}

}  // namespace
}  // namespace manactl::report::reader_test
