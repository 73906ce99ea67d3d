// SPDX-License-Identifier: MIT

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "cli/run_manactl.h"
#include "report/sample_results.h"

namespace manactl::test::cmd_bench_compare_test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

// Returns a result with six trials, which differ by at most 0.5 %.
json result(double rate) {
  std::vector<double> rates;
  for (const double factor : {1.0, 1.002, 0.998, 1.001, 0.9975, 1.0025}) {
    rates.push_back(rate * factor);
  }
  return json::parse(document(repeated(datapath::Mode::tx, rates)));
}

class Compare : public testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) const {
    return directory_.file(name, text);
  }

  std::vector<std::string> words(const json& before, const json& after) const {
    return {
        "bench", "compare", file("before.json", before.dump()), file("after.json", after.dump())};
  }

  TemporaryDirectory directory_;
};

TEST_F(Compare, DistinguishesWorseSameAndBetter) {
  EXPECT_THAT(manactl(words(result(1e7), result(9e6))).out, HasSubstr("worse\n"));
  EXPECT_EQ(manactl(words(result(1e7), result(9e6))).code, 1);
  EXPECT_THAT(manactl(words(result(1e7), result(1e7))).out, HasSubstr("same\n"));
  EXPECT_EQ(manactl(words(result(1e7), result(1e7))).code, 0);
  EXPECT_THAT(manactl(words(result(1e7), result(1.1e7))).out, HasSubstr("better\n"));
  EXPECT_EQ(manactl(words(result(1e7), result(1.1e7))).code, 0);
}

TEST_F(Compare, IgnoresDifferencesBelowTheThreshold) {
  auto call = words(result(1e7), result(9.2e6));
  EXPECT_EQ(manactl(call).code, 1);
  call.insert(call.end(), {"--threshold", "10%"});
  EXPECT_EQ(manactl(call).code, 0);
}

TEST_F(Compare, IsInconclusiveWithinTheDifferenceOfTwoProcesses) {
  const auto outcome = manactl(words(result(1e7), result(9.6e6)));
  EXPECT_THAT(outcome.out, StartsWith("inconclusive\n")) << "4 %";
  EXPECT_THAT(outcome.out,
              HasSubstr("can differ by 5 %: use 'manactl bench ab' to find smaller differences"));
  auto spread = result(9e6);
  spread["statistics"]["rates"][0] = 9.6e6;
  EXPECT_THAT(manactl(words(result(1e7), spread)).out, StartsWith("inconclusive\n"))
      << "10 %, but the trials differ by 7 %";
}

TEST_F(Compare, IsInconclusiveIfTheDifferenceMayBeChance) {
  auto noisy = result(9.5e6);
  auto& rates = noisy["statistics"]["rates"];
  for (std::size_t i = 0; i < rates.size(); i += 2) rates[i] = 12e6;
  auto call = words(result(1e7), noisy);
  const auto outcome = manactl(call);
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.out, StartsWith("inconclusive\n"));
  EXPECT_THAT(outcome.out, HasSubstr("two runs of the same"));
  auto at_threshold = words(result(1e7), result(9e6));
  at_threshold.insert(at_threshold.end(), {"--threshold", "10.01"});
  EXPECT_THAT(manactl(at_threshold).out, HasSubstr("may be due to chance"));
  call.emplace_back("--strict");
  EXPECT_EQ(manactl(call).code, 1);
}

TEST_F(Compare, IsInconclusiveForSingleRuns) {
  const auto single = [](double rate) {
    return json::parse(document(steady(datapath::Mode::tx, rate)));
  };
  auto call = words(single(1e7), single(5e6));
  const auto text = manactl(call);
  EXPECT_EQ(text.code, 0);
  EXPECT_THAT(text.out, StartsWith("inconclusive\n"));
  EXPECT_THAT(text.out, HasSubstr("has 1 trial"));
  EXPECT_THAT(text.out, HasSubstr("--repeat"));
  call.emplace_back("--json");
  const auto reply = json::parse(manactl(call).out);
  EXPECT_EQ(reply["verdict"], "inconclusive");
  EXPECT_EQ(reply["exit"], 0);
  EXPECT_NEAR(reply["change"].get<double>(), -0.5, 1e-3);
  EXPECT_TRUE(reply["confidence_95"].is_null());
  EXPECT_TRUE(reply["p"].is_null());
  EXPECT_THAT(reply["remarks"].dump(), HasSubstr("a verdict needs 4 trials"));
  call.emplace_back("--strict");
  const auto strict = manactl(call);
  EXPECT_EQ(strict.code, 1);
  EXPECT_EQ(json::parse(strict.out)["exit"], 1);
}

TEST_F(Compare, RequiresFourTrialsInEachResult) {
  const auto trials = [](std::size_t count) {
    return json::parse(document(repeated(datapath::Mode::tx, std::vector<double>(count, 5e6))));
  };
  EXPECT_THAT(manactl(words(result(1e7), trials(4))).out, StartsWith("worse\n"));
  const auto outcome = manactl(words(result(1e7), trials(3)));
  EXPECT_THAT(outcome.out, StartsWith("inconclusive\n"));
  EXPECT_THAT(outcome.out, HasSubstr("after.json' has 3 trials"));
}

TEST_F(Compare, PrintsJson) {
  auto call = words(result(1e7), result(9e6));
  call.emplace_back("--json");
  const auto reply = json::parse(manactl(call).out);
  EXPECT_EQ(reply["schema"], "manactl.bench-compare/1");
  EXPECT_EQ(reply["exit"], 1);
  EXPECT_EQ(reply["verdict"], "worse");
  EXPECT_NEAR(reply["change"].get<double>(), -0.1, 1e-3);
  EXPECT_LT(reply["confidence_95"][1], 0);
  EXPECT_EQ(reply["before"]["trials"], 6);
  EXPECT_EQ(reply["remarks"], json::array());
  EXPECT_EQ(reply["configuration"]["queues"], "2");
}

// Returns six trials at 10 Mpps, which lose this share of their packets.
report::BenchResult losing(double share) {
  auto result = repeated(datapath::Mode::txrx, std::vector<double>(6, 1e7));
  for (auto& trial : result.report.trials) {
    trial.total.tx.packets = 1'000'000;
    trial.total.rx.packets = static_cast<std::uint64_t>(1e6 * (1 - share));
  }
  return result;
}

TEST_F(Compare, JudgesTheLossAtEqualRates) {
  const auto lossless = file("lossless.json", document(losing(0)));
  const auto lossy = file("lossy.json", document(losing(0.05)));
  const auto worse = manactl({"bench", "compare", lossless, lossy});
  EXPECT_EQ(worse.code, 1);
  EXPECT_THAT(worse.out, StartsWith("worse\n"));
  EXPECT_THAT(worse.out, HasSubstr("(5 %) after: worse"));
  EXPECT_THAT(worse.out, HasSubstr("Note: the loss differs: 0 % before, 5 % after"));
  EXPECT_THAT(manactl({"bench", "compare", lossy, lossless}).out, StartsWith("better\n"));
  EXPECT_THAT(manactl({"bench", "compare", lossy, file("again.json", document(losing(0.05)))}).out,
              StartsWith("same\n"));
  const auto reply = json::parse(manactl({"bench", "compare", lossless, lossy, "--json"}).out);
  EXPECT_EQ(reply["verdict"], "worse");
  EXPECT_EQ(reply["loss_verdict"], "worse");
  EXPECT_EQ(reply["remarks"], json::array({"the loss differs: 0 % before, 5 % after"}));
  const auto page = manactl({"bench", "compare", lossless, lossy, "-o", "html"}).out;
  EXPECT_THAT(page, HasSubstr("<h1>worse: +0.00 %, loss worse</h1>"));
  EXPECT_THAT(page, HasSubstr("the loss differs: 0 % before, 5 % after"));
  auto unknown = words(result(1e7), result(1e7));
  unknown.emplace_back("--json");
  EXPECT_TRUE(json::parse(manactl(unknown).out)["loss_verdict"].is_null());
}

TEST_F(Compare, ShowsTheLossOfBoth) {
  auto lossless = steady(datapath::Mode::txrx, 1e7);
  lossless.report.trials.front().total.tx.packets = 1000;
  lossless.report.trials.front().total.rx.packets = 1000;
  auto lossy = lossless;
  lossy.report.trials.front().total.rx.packets = 900;
  const auto before = directory_.file("lossless", document(lossless));
  const auto after = directory_.file("lossy", document(lossy));
  EXPECT_THAT(manactl({"bench", "compare", before, after}).out,
              HasSubstr("0 packets (0 %) before, 100 packets (10 %) after"));
  const auto reply =
      nlohmann::json::parse(manactl({"bench", "compare", before, after, "--json"}).out);
  EXPECT_EQ(reply["before"]["lost"], 0);
  EXPECT_EQ(reply["after"]["lost"], 100);
  EXPECT_NEAR(reply["after"]["lost_share"].get<double>(), 0.1, 1e-9);
  EXPECT_THAT(manactl({"bench", "compare", before, after, "-o", "html"}).out,
              HasSubstr("100 packets (10 %)"));
}

TEST_F(Compare, PrintsDifferencesOfTheMachines) {
  auto before = result(1e7);
  auto after = result(1e7);
  before["machine"]["cpu"] = "AMD EPYC 7763";
  after["machine"]["cpu"] = "Ampere Altra";
  after["engine"]["version"] = "25.11.2";
  auto call = words(before, after);
  EXPECT_THAT(manactl(call).out, HasSubstr("CPU: AMD EPYC 7763 before, Ampere Altra after"));
  call.emplace_back("--json");
  const auto outcome = manactl(call);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const auto reply = json::parse(outcome.out)["machine_differences"];
  ASSERT_EQ(reply.size(), 2U);
  EXPECT_EQ(reply[0]["name"], "cpu");
  EXPECT_EQ(reply[0]["before"], "AMD EPYC 7763");
  EXPECT_EQ(reply[0]["after"], "Ampere Altra");
  EXPECT_EQ(reply[1]["name"], "engine.version");
  EXPECT_EQ(
      json::parse(
          manactl({"bench", "compare", call[2], call[2], "--json"}).out)["machine_differences"],
      json::array());
}

TEST_F(Compare, ReadsStandardInput) {
  ProcessOptions process;
  process.input = result(1e7).dump();
  const auto before = file("before.json", result(1e7).dump());
  EXPECT_EQ(manactl({"bench", "compare", before, "-"}, process).code, 0);
}

TEST_F(Compare, RejectsDifferentMeasurements) {
  auto other = result(1e7);
  other["plan"]["queues"] = 4;
  other["ports"][0]["driver"] = "net_ring";
  const auto outcome = manactl(words(result(1e7), other));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("driver net_null and net_ring, queues 2 and 4"));
}

struct Broken {
  const char* name;
  std::function<void(json&)> breaking;
  const char* message;
};

void PrintTo(const Broken& broken, std::ostream* out) {
  *out << broken.name;
}

class BrokenResult : public Compare, public testing::WithParamInterface<Broken> {};

TEST_P(BrokenResult, IsRejectedWithOneLineAndExit2) {
  auto broken = result(1e7);
  GetParam().breaking(broken);
  for (const auto& call : {words(result(1e7), broken), words(broken, result(1e7))}) {
    const auto outcome = manactl(call);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.error_lines(), 1U) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(GetParam().message));
  }
}

const Broken kBroken[] = {
    {"NoObject", [](json& d) { d = json::array(); }, "not a result of bench"},
    {"OtherSchema", [](json& d) { d["schema"] = "manactl.check/1"; }, "'manactl.check/1'"},
    {"NoPlan", [](json& d) { d.erase("plan"); }, "plan"},
    {"TextForANumber", [](json& d) { d["statistics"]["rates"][1] = "x"; }, "not a result"},
};

INSTANTIATE_TEST_SUITE_P(All, BrokenResult, testing::ValuesIn(kBroken), [](const auto& broken) {
  return std::string(broken.param.name);
});

TEST_F(Compare, RejectsABaselineWithoutPackets) {
  auto idle = result(1e7);
  for (auto& rate : idle["statistics"]["rates"]) rate = 0;
  const auto outcome = manactl(words(idle, result(1e7)));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.error_lines(), 1U) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("moved no packets"));
  EXPECT_THAT(manactl(words(result(1e7), idle)).out, StartsWith("worse\n"));
}

TEST_F(Compare, RejectsInputThatIsNotJson) {
  const auto good = file("good.json", result(1e7).dump());
  const std::pair<std::string, std::string> cases[] = {
      {file("text", "rate 14 Mpps\n"), "is not JSON"},
      {file("empty", ""), "is not JSON"},
      {file("deep", std::string(100000, '[')), "it is nested deeper than 64 levels"},
  };
  for (const auto& [path, error] : cases) {
    const auto outcome = manactl({"bench", "compare", good, path});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.error_lines(), 1U) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(error));
  }
}

TEST_F(Compare, RequiresTwoResultsAndAValidThreshold) {
  const auto good = file("good.json", result(1e7).dump());
  EXPECT_EQ(manactl({"bench", "compare", good}).code, 2);
  EXPECT_EQ(manactl({"bench", "compare"}).code, 2);
  EXPECT_EQ(manactl({"bench", "compare", good, good, good}).code, 2);
  for (const auto* share : {"-1", "101", "2x", "1e1", "", "nan", "%"}) {
    EXPECT_EQ(manactl({"bench", "compare", good, good, "--threshold", share}).code, 2) << share;
  }
}

TEST(BenchInterface, MayHaveTheNameOfASubcommand) {
  const auto outcome = manactl({"bench", "--iface", "compare"});
  EXPECT_EQ(outcome.code, 3);
}

}  // namespace
}  // namespace manactl::test::cmd_bench_compare_test
