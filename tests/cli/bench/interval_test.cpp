// SPDX-License-Identifier: MIT

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <utility>

#include "cli/bench/options.h"

namespace manactl::cli::interval_test {
namespace {

// A short run once had one steady interval, so that its rate differed by 25 % from the counts.
TEST(Interval, IsByDefaultAShareOfTheDuration) {
  for (const auto& [seconds, interval] : {std::pair(0.06, 0.05), {2.0, 0.2}, {3600.0, 1.0}}) {
    datapath::BenchPlan plan;
    plan.trial.seconds = seconds;
    choose_defaults(plan, std::nullopt);
    EXPECT_DOUBLE_EQ(plan.trial.interval_seconds, interval);
  }
}

TEST(Interval, IsTheValueOfTheOption) {
  CLI::App app;
  datapath::BenchPlan plan;
  std::optional<double> interval;
  add_plan_options(app, plan, interval);
  app.parse("--interval 30ms --duration 2");
  choose_defaults(plan, interval);
  EXPECT_DOUBLE_EQ(plan.trial.interval_seconds, 0.03);
  EXPECT_DOUBLE_EQ(plan.trial.seconds, 2);
}

}  // namespace
}  // namespace manactl::cli::interval_test
