// SPDX-License-Identifier: MIT
//
// Results that are kept: list, show, and the names by which they are found.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/bench/sample_results.h"
#include "cli/run_manactl.h"
#include "datapath/bench.h"

namespace manactl::test {
namespace {

using datapath::Mode;
using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kOld = "20261121-134702-3f2a";
constexpr const char* kNew = "20261121-134703-3f2a";

class Kept : public testing::Test {
 protected:
  Kept() { std::filesystem::create_directory(place_); }

  void keep(const std::string& id, const std::string& text) const {
    directory_.file("results/" + id + ".json", text);
  }

  Outcome run(const std::vector<std::string>& words, const std::string& input = {}) const {
    Surroundings around;
    around.environment = {"LC_ALL=C.UTF-8", "MANACTL_RESULTS=" + place_};
    around.input = input;
    return manactl(words, around);
  }

  TemporaryDirectory directory_;
  std::string place_ = directory_.path("results");
};

TEST_F(Kept, AreListedTheNewestFirst) {
  keep(kOld, document(steady(Mode::tx, 1e7)));
  keep(kNew, document(steady(Mode::rx, 2e7)));
  const auto outcome = run({"bench", "list"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_LT(outcome.out.find(kNew), outcome.out.find(kOld));
  EXPECT_THAT(outcome.out, HasSubstr("20.010 Mpps"));
  const auto list = json::parse(run({"bench", "list", "--json"}).out);
  ASSERT_EQ(list["results"].size(), 2U);
  EXPECT_EQ(list["results"][1]["id"], kOld);
  EXPECT_EQ(list["results"][1]["mode"], "tx");
  EXPECT_EQ(list["results"][1]["started"], "2026-11-21T13:47:02.000Z");
  EXPECT_NEAR(list["results"][1]["packets_per_second"].get<double>(), 1.001e7, 1e5);
}

TEST_F(Kept, AreListedWithTheFramesThatCame) {
  auto received = steady(Mode::rx, 2e7);
  received.plan.traffic.sizes = {{1518, 1}};
  keep(kOld, document(received));
  auto nothing = steady(Mode::rx, 0);
  keep(kNew, document(nothing));
  const auto list = json::parse(run({"bench", "list", "--json"}).out);
  EXPECT_TRUE(list["results"][0]["frame_bytes"].is_null());
  EXPECT_EQ(list["results"][1]["frame_bytes"], 64);
  EXPECT_THAT(run({"bench", "show", kOld}).out, HasSubstr("frames up to 1518 bytes"));
}

TEST_F(Kept, AreListedWithTheReasonWhenTheyCannotBeRead) {
  keep(kOld, "{}");
  const auto outcome = run({"bench", "list"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("is no result of bench"));
  const auto list = json::parse(run({"bench", "list", "--json"}).out);
  EXPECT_THAT(list["results"][0]["error"].get<std::string>(), HasSubstr("no result of bench"));
}

TEST_F(Kept, AreNoneAtFirst) {
  EXPECT_EQ(run({"bench", "list"}).out, "No result is kept.\n");
  const auto outcome = run({"bench", "show"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.error_lines(), 1U);
  EXPECT_THAT(outcome.err, HasSubstr("no result is kept yet"));
}

TEST_F(Kept, AreShownInEveryForm) {
  const auto text = document(eventful());
  keep(kOld, text);
  EXPECT_EQ(run({"bench", "show", kOld, "-o", "json"}).out, text);
  EXPECT_EQ(run({"bench", "show", kOld, "--json"}).out, text);
  EXPECT_THAT(run({"bench", "show", kOld, "-ocsv"}).out, StartsWith("trial,interval,"));
  EXPECT_THAT(run({"bench", "show", kOld, "-o", "ndjson"}).out, HasSubstr(R"("event":"end")"));
  EXPECT_THAT(run({"bench", "show", kOld, "--output=html"}).out, StartsWith("<!DOCTYPE html>"));
  const auto table = run({"bench", "show", kOld}).out;
  EXPECT_THAT(table, HasSubstr("p99 99"));
  EXPECT_THAT(table, HasSubstr("After 2.5 s eth1 was removed"));
  EXPECT_THAT(table, HasSubstr("Stopped before its time"));
}

TEST_F(Kept, AreFoundById) {
  keep(kOld, document(steady(Mode::tx, 1e7)));
  keep(kNew, document(steady(Mode::tx, 0.9e7)));
  EXPECT_THAT(run({"bench", "show"}).out, HasSubstr("9.004 Mpps"));  // the newest
  EXPECT_EQ(run({"bench", "compare", kOld, kNew}).code, 1);
  EXPECT_EQ(run({"bench", "compare", kOld, "-"}, document(steady(Mode::tx, 1e7))).code, 0);
  EXPECT_EQ(run({"bench", "show", place_ + "/" + kOld + ".json"}).code, 0);
}

TEST_F(Kept, AreCompletedByTheShell) {
  keep(kOld, "{}");
  const auto offered = run({"__complete", "--", "bench", "show", "2026"}).out;
  EXPECT_EQ(offered, std::string(kOld) + "\n:files\n");
}

TEST_F(Kept, AreRefusedInOneLine) {
  keep(kOld, "nonsense");
  chmod(place_.c_str(), 0777);

  struct Case {
    std::vector<std::string> words;
    int code;
    const char* says;
  };

  for (const auto& [words, code, says] : std::vector<Case>{
           {{"bench", "show", kOld}, 4, "can be written to by others"},
           {{"bench", "list"}, 4, "can be written to by others"},
           {{"bench", "list", "--results", "here"}, 2, "does not begin with '/'"},
           {{"bench", "show", "20261121-134702-ffff", "--results", "/nowhere"}, 2, "no result"},
           {{"bench", "show", "/nowhere"}, 2, "/nowhere"},
           {{"bench", "show", "/"}, 2, "is a directory"},
           {{"bench", "show", "x", "--json", "-o", "csv"}, 2, "exclude each other"},
           {{"bench", "show", "-o", "jsn"}, 2, "did you mean 'json'?"},
           {{"bench", "show", "-o"}, 2, "-o needs a value"},
           {{"bench", "show", "-o", "--json"}, 2, "-o needs a value"},
           {{"bench", "compare", "a", "b", "-o", "csv"}, 2, "none of json, table, html"}}) {
    const auto outcome = run(words);
    EXPECT_EQ(outcome.code, code) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.error_lines(), 1U) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(says));
  }
}

TEST_F(Kept, AreNotShownWithoutTheirSeries) {
  auto part = json::parse(document(eventful()));
  part.erase("series");
  for (const auto* form : {"table", "json", "ndjson", "csv", "html"}) {
    const auto outcome = run({"bench", "show", "-", "-o", form}, part.dump());
    EXPECT_EQ(outcome.code, 2) << form;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.error_lines(), 1U) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("'-' has no 'series'"));
    EXPECT_THAT(outcome.err, HasSubstr("bench show 20261121-134702-3f2a"));
  }
  part["id"] = json();
  const auto outcome = run({"bench", "show", "-"}, part.dump());
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("bench -o json"));
}

TEST_F(Kept, AreComparedWithoutTheirSeries) {
  auto part = json::parse(document(steady(Mode::tx, 1e7)));
  part.erase("series");
  keep(kOld, document(steady(Mode::tx, 1e7)));
  EXPECT_EQ(run({"bench", "compare", kOld, "-"}, part.dump()).code, 0);
}

bool has_dpdk() {
  return !datapath::engine_info().version.empty();
}

std::vector<std::string> brief(std::vector<std::string> more = {}) {
  std::vector<std::string> words = {
      "bench", "--vdev", "net_null0", "--duration", "50ms", "--interval", "10ms", "--no-huge"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST_F(Kept, AreWhatBenchMeasured) {
  if (!has_dpdk()) return;
  const auto outcome = run(brief({"--json"}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const auto id = json::parse(outcome.out)["id"].get<std::string>();
  EXPECT_EQ(run({"bench", "show", id, "--json"}).out, outcome.out);
}

TEST_F(Kept, AreNotThoseThatNobodyWants) {
  if (!has_dpdk()) return;
  const auto outcome = run(brief({"--json", "--no-save"}));
  EXPECT_EQ(json::parse(outcome.out)["id"], json());
  EXPECT_EQ(run({"bench", "list"}).out, "No result is kept.\n");
}

TEST_F(Kept, AreMissedInOneLineAndTheResultIsPrintedAllTheSame) {
  if (!has_dpdk()) return;
  chmod(place_.c_str(), 0777);
  const auto outcome = run(brief({"-o", "csv"}));
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.out, StartsWith("trial,"));
  EXPECT_EQ(outcome.error_lines(), 1U);
  EXPECT_THAT(outcome.err, HasSubstr("the result is not kept: "));
}

TEST_F(Kept, EventsComeWhileItRuns) {
  if (!has_dpdk()) return;
  const auto outcome = run(brief({"-o", "ndjson"}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  std::vector<std::string> events;
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) {
    events.push_back(json::parse(line)["event"].get<std::string>());
  }
  ASSERT_GE(events.size(), 4U);
  EXPECT_EQ(events.front(), "start");
  EXPECT_EQ(events[1], "interval");
  EXPECT_EQ(events.back(), "end");
}

}  // namespace
}  // namespace manactl::test
