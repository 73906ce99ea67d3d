// SPDX-License-Identifier: MIT

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/run_manactl.h"
#include "report/sample_results.h"

namespace manactl::cli::cmd_bench_merge_test {
namespace {

using datapath::Mode;
using nlohmann::json;
using test::connected;
using testing::HasSubstr;

class MergeCommand : public testing::Test {
 protected:
  std::vector<std::string> words(double sent, double received) const {
    return {"bench",
            "merge",
            directory_.file("tx.json", test::document(connected(Mode::tx, sent))),
            directory_.file("rx.json", test::document(connected(Mode::rx, received)))};
  }

  test::TemporaryDirectory directory_;
};

TEST_F(MergeCommand, ExitsWith1WhenTheLossExceedsTheLimit) {
  auto call = words(1e6, 0.9e6);
  EXPECT_EQ(test::manactl(call).code, 0);
  call.insert(call.end(), {"--max-loss", "11%"});
  EXPECT_EQ(test::manactl(call).code, 0);
  call.back() = "9%";
  const auto outcome = test::manactl(call);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, HasSubstr("10.0000 % lost, which exceeds the limit of 9 %\n"));
}

TEST_F(MergeCommand, PrintsJson) {
  auto call = words(1e6, 0.9e6);
  call.emplace_back("--json");
  const auto reply = json::parse(test::manactl(call).out);
  EXPECT_EQ(reply["schema"], "manactl.bench-merge/2");
  EXPECT_NEAR(reply["loss"].get<double>(), 0.1, 1e-5);
  EXPECT_EQ(reply["sender"]["ports"][0]["driver"], "net_memif");
  EXPECT_EQ(reply["receiver"]["queues"].size(), 2U);
  EXPECT_NEAR(reply["receiver"]["spread"]["max"].get<double>(), 0.5, 1e-5);
}

TEST_F(MergeCommand, PrintsAnHtmlPage) {
  auto call = words(1e6, 0.9e6);
  call.insert(call.end(), {"-o", "html", "--max-loss", "9%"});
  const auto outcome = test::manactl(call);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, HasSubstr("<h1>10.0000 % lost, which exceeds the limit of 9 %</h1>"));
  EXPECT_THAT(outcome.out, HasSubstr("<th scope=\"row\">received</th><td>rx on "));
  EXPECT_THAT(outcome.out, HasSubstr("</html>"));
}

TEST_F(MergeCommand, RejectsWrongInputWithOneLine) {
  auto swapped = words(1e6, 1e6);
  std::swap(swapped[2], swapped[3]);
  for (const auto& call : {swapped,
                           std::vector<std::string>{"bench", "merge"},
                           std::vector<std::string>{"bench", "merge", swapped[2]},
                           std::vector<std::string>{"bench", "merge", swapped[2], "/nowhere"}}) {
    const auto outcome = test::manactl(call);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.error_lines(), 1U) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("bench merge: "));
  }
}

}  // namespace
}  // namespace manactl::cli::cmd_bench_merge_test
