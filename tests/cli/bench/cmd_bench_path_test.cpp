// SPDX-License-Identifier: MIT
//
// Tests what bench reports about the path of packets, with the engine of netvsc_engine.cpp.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/run_manactl.h"

namespace manactl::test::cmd_bench_path_test {
namespace {

using testing::HasSubstr;
using Words = std::vector<std::string>;

constexpr const char* kSynthetic = "net_netvsc0,vf=10,synthetic=90";
constexpr const char* kVf = "net_netvsc0,vf=999,synthetic=1";

Outcome bench(const char* device, const Words& more) {
  Words words = {"bench", "--no-huge", "--duration", "100ms", "--vdev", device};
  words.insert(words.end(), more.begin(), more.end());
  return manactl(words);
}

struct Case {
  const char* device;
  Words more;
  int code;
  const char* verdict;
};

TEST(BenchPath, DeterminesTheExitCode) {
  for (const auto& [device, more, code, verdict] : std::vector<Case>{
           {kSynthetic, {}, 1, "synthetic"},
           {kSynthetic, {"--allow-synthetic"}, 0, "synthetic"},
           {kSynthetic, {"--repeat", "3"}, 1, "synthetic"},
           {kVf, {}, 0, "vf"},
           {kVf, {"--allow-synthetic"}, 0, "vf"},
           {"net_netvsc0", {}, 1, "unknown"},  // it sends nothing
       }) {
    auto words = more;
    words.emplace_back("--json");
    const auto outcome = bench(device, words);
    EXPECT_EQ(outcome.code, code) << device << outcome.err;
    const auto document = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(document["path"]["verdict"], verdict) << device;
    EXPECT_EQ(document["exit"], code);
    EXPECT_THAT(document["path"]["evidence"].dump(), HasSubstr("through the synthetic device"));
  }
}

TEST(BenchPath, DeterminesTheExitCodeInEveryOutputFormat) {
  for (const auto* form : {"text", "json", "ndjson", "csv", "html"}) {
    EXPECT_EQ(bench(kSynthetic, {"--output", form}).code, 1) << form;
    EXPECT_EQ(bench(kSynthetic, {"--output", form, "--allow-synthetic"}).code, 0) << form;
  }
}

TEST(BenchPath, IsPrintedAsText) {
  const auto outcome = bench(kSynthetic, {"-v"});
  EXPECT_THAT(outcome.out,
              HasSubstr("10 packets went through the VF and 90 through the synthetic device"));
  EXPECT_EQ(outcome.error_lines(), 1U);
  EXPECT_THAT(outcome.err, HasSubstr("use --allow-synthetic to accept this"));
  EXPECT_EQ(bench(kSynthetic, {"--allow-synthetic"}).err, "");
}

}  // namespace
}  // namespace manactl::test::cmd_bench_path_test
