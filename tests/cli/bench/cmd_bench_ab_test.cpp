// SPDX-License-Identifier: MIT
//
// Tests bench ab with programs that print sample results instead of measuring.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/run_manactl.h"
#include "report/sample_results.h"

namespace manactl::test::cmd_bench_ab_test {
namespace {

using datapath::Mode;
using nlohmann::json;
using testing::AllOf;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class BenchAb : public testing::Test {
 protected:
  // Writes a program that logs its arguments, runs `script` and prints the results in turn.
  std::string program(const std::string& name,
                      const std::vector<json>& results,
                      const std::string& script = "") const {
    for (std::size_t i = 0; i < results.size(); ++i) {
      directory_.file(name + std::to_string(i), results[i].dump());
    }
    const auto text = "#!/bin/sh\nrun=$(grep -c '^" + name + " ' " + log() +
                      " 2> /dev/null)\necho \"" + name + " $*\" >> " + log() + "\n" + script +
                      "\ncat $0$((${run:-0} % " + std::to_string(results.size()) + "))\n";
    return directory_.file(name, text, 0700);
  }

  std::string log() const { return directory_.path("log"); }

  // Returns the lines of the log.
  std::vector<std::string> runs() const {
    std::ifstream file(log());
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }

  TemporaryDirectory directory_;
};

json result(double rate, double cpu_seconds = 10) {
  auto sample = steady(Mode::tx, rate);
  sample.interference.cpu_seconds = cpu_seconds;
  return json::parse(document(sample));
}

std::vector<std::string> words(const std::string& a,
                               const std::string& b,
                               const std::vector<std::string>& more = {}) {
  std::vector<std::string> call = {"bench", "ab", "--program-a", a, "--program-b", b};
  call.insert(call.end(), more.begin(), more.end());
  return call;
}

TEST_F(BenchAb, MeasuresInTurnsWithBothSetsOfOptions) {
  const auto a = program("a", {result(1e7)});
  const auto b = program("b", {result(1e7)});
  const auto outcome = manactl(
      words(a, b, {"--", "eth1", "--size", "64,128", "--", "--burst", "8", "--", "--no-huge"}));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const std::string of_a = "a bench eth1 --size 64,128 --burst 8 -o json --no-save";
  const std::string of_b = "b bench eth1 --size 64,128 --no-huge -o json --no-save";
  EXPECT_THAT(runs(),
              ElementsAre(of_a, of_b, of_b, of_a, of_a, of_b, of_b, of_a, of_a, of_b, of_b, of_a));
}

TEST_F(BenchAb, DistinguishesWorseSameAndBetter) {
  const auto base = program("base", {result(1e7), result(2e7), result(0.5e7)});
  const auto slow = program("slow", {result(0.9e7), result(1.8e7), result(0.45e7)});
  const auto worse = manactl(words(base, slow));
  EXPECT_EQ(worse.code, 1);
  EXPECT_THAT(worse.out, StartsWith("worse\n"));
  EXPECT_THAT(worse.out, HasSubstr("-10.00 % (95 % CI: -10.00 to -10.00)"));
  EXPECT_EQ(manactl(words(slow, base)).code, 0);
  EXPECT_THAT(manactl(words(slow, base)).out, StartsWith("better\n"));
  EXPECT_THAT(manactl(words(base, slow, {"--threshold", "11"})).out, StartsWith("same\n"));
}

TEST_F(BenchAb, IsInconclusiveIfTheDifferenceMayBeChance) {
  const auto steady_program = program("a", {result(1e7)});
  const auto noisy = program("b", {result(1e7), result(0.8e7), result(1.1e7)});
  const auto outcome = manactl(words(steady_program, noisy, {"--rounds", "7"}));
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(runs().size(), 14U);
  EXPECT_THAT(outcome.out, StartsWith("inconclusive\n"));
  EXPECT_THAT(outcome.out, HasSubstr("may be due to chance"));
  EXPECT_EQ(manactl(words(steady_program, noisy, {"--strict"})).code, 1);
}

TEST_F(BenchAb, JudgesTheChosenMetric) {
  const auto a = program("a", {result(1e7, 10), result(1e7, 10), result(1e7, 10)});
  const auto b = program("b", {result(1e7, 12), result(0.5e7, 6), result(1.5e7, 18)});
  EXPECT_THAT(manactl(words(a, b)).out, StartsWith("inconclusive\n"));
  const auto outcome = manactl(words(a, b, {"--metric", "cpu-time", "--json"}));
  EXPECT_EQ(outcome.code, 1);
  const auto reply = json::parse(outcome.out);
  EXPECT_EQ(reply["verdict"], "worse");
  EXPECT_EQ(reply["metric"], "cpu-time");
  EXPECT_EQ(reply["exit"], 1);
  EXPECT_NEAR(reply["metrics"][1]["change"].get<double>(), 0.2, 1e-6);
  const auto missing = manactl(words(a, b, {"--metric", "instructions"}));
  EXPECT_EQ(missing.code, 2);
  EXPECT_THAT(missing.err, HasSubstr("a run did not measure the metric 'instructions'"));
}

// An estimate from --duration ignored the start of the runs and the configuration file.
TEST_F(BenchAb, EstimatesTheTimeFromTheFirstRound) {
  const auto a = program("a", {result(1e7)});
  EXPECT_THAT(manactl(words(a, a, {"--", "--duration", "1h"})).err,
              AllOf(ContainsRegex("the first round took [0-9.]+ s: 10 rounds take about"),
                    Not(HasSubstr("36000 s"))));
}

TEST_F(BenchAb, NotesEqualCommandsBeforeTheFirstRoundAndInTheResult) {
  const auto a = program("a", {result(1e7)});
  const auto outcome = manactl(words(a, a));
  EXPECT_THAT(outcome.out, HasSubstr("A and B run the same command"));
  EXPECT_TRUE(outcome.err.starts_with("manactl: A and B run the same command")) << outcome.err;
}

TEST_F(BenchAb, NamesDifferentSettings) {
  auto other = result(1e7);
  other["plan"]["burst"] = 64;
  const auto outcome = manactl(words(program("a", {result(1e7)}), program("b", {other})));
  EXPECT_THAT(outcome.out, HasSubstr("burst: 32 in A, 64 in B"));
}

TEST_F(BenchAb, EndsWithTheErrorOfARun) {
  const auto good = program("good", {result(1e7)});
  const auto bad = program("bad", {result(1e7)}, "echo 'manactl: no such NIC' >&2; exit 3");
  const auto outcome = manactl(words(good, bad));
  EXPECT_EQ(outcome.code, 3);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr("manactl: no such NIC\n"));
  EXPECT_THAT(outcome.err, HasSubstr("run of B failed: exit status 3: "));
  EXPECT_EQ(runs().size(), 2U);
  auto in_json = words(good, bad);
  in_json.insert(in_json.begin() + 2, "--json");
  const auto document = nlohmann::json::parse(manactl(in_json).out);
  EXPECT_EQ(document["schema"], "manactl.error/1");
  EXPECT_EQ(document["exit"], 3);
  const auto text = program("text", {json("no result")});
  EXPECT_EQ(manactl(words(text, good)).code, 2);
}

TEST_F(BenchAb, PrintsTheCompleteRoundsAfterASignal) {
  const auto a = program("a", {result(1e7)});
  // The third run of B never ends by itself.
  const auto b = program(
      "b", {result(1e7)}, "test ${run:-0} -lt 2 || { kill -INT $PPID; exec tail -f /dev/null; }");
  const auto outcome = manactl(words(a, b));
  EXPECT_EQ(outcome.code, 130) << outcome.err;
  EXPECT_THAT(outcome.out, StartsWith("inconclusive\n"));
  EXPECT_THAT(outcome.out, HasSubstr("Interrupted"));
  EXPECT_THAT(outcome.out, HasSubstr("2 of at most 10"));
}

TEST_F(BenchAb, RunsOnlyProgramsThatOthersCannotReplace) {
  const auto good = program("good", {result(1e7)});
  const auto open = program("open", {result(1e7)});
  chmod(open.c_str(), 0777);
  const auto outcome = manactl(words(good, open));
  EXPECT_EQ(outcome.code, 4);
  EXPECT_THAT(outcome.err, HasSubstr("writable by others"));
  EXPECT_TRUE(runs().empty());
}

TEST_F(BenchAb, RejectsWrongOptionsWithOneLine) {
  const auto good = program("good", {result(1e7)});
  for (const auto& more :
       std::vector<std::vector<std::string>>{{"--rounds", "5"},
                                             {"--rounds", "101"},
                                             {"--metric", "rat"},
                                             {"--precision", "x"},
                                             {"-o", "html"},
                                             {"--root", "/"},
                                             {"--", "a", "--", "b", "--", "c", "--", "d"}}) {
    const auto outcome = manactl(words(good, good, more));
    EXPECT_EQ(outcome.code, 2) << more.front();
    EXPECT_EQ(outcome.error_lines(), 1U) << outcome.err;
  }
  EXPECT_EQ(manactl(words(good, "/nonexistent")).code, 2);
  EXPECT_THAT(manactl({"bench", "ab"}).err, HasSubstr("nothing to compare"));
  EXPECT_THAT(manactl({"bench", "ab", "--vdev", "net_null0"}).err,
              HasSubstr("options of the measurement follow '--'"));
  EXPECT_TRUE(runs().empty());
}

}  // namespace
}  // namespace manactl::test::cmd_bench_ab_test
