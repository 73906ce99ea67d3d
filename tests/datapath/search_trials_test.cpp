// SPDX-License-Identifier: MIT
//
// The complete sequences of trials of searches, and their results.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "datapath/search_device.h"

namespace manactl::datapath::search_trials_test {
namespace {

std::string bound_text(const std::optional<double>& bound) {
  return bound ? fmt::format("{:.1f}", *bound / 1000) : "none";
}

// Returns "kpps/s" for each trial ("!" after those that did not count), and a line per goal.
std::string text_of(const SearchResult& result) {
  std::string text;
  for (const auto& probe : result.probes) {
    text +=
        fmt::format("{:.1f}/{:.2f}{} ", probe.asked / 1000, probe.seconds, probe.valid ? "" : "!");
  }
  for (const auto& goal : result.found) {
    text += fmt::format("\n{}: {} to {}, {:.1f}, {}{}",
                        goal.loss,
                        bound_text(goal.lower),
                        bound_text(goal.upper),
                        goal.throughput / 1000,
                        name_of(goal.end),
                        goal.is_final ? "" : ", not final");
  }
  return text + fmt::format("\nreach {:.1f}", result.reach / 1000);
}

// Loses packets from 300 kpps on: the more, the higher the rate.
Device slope() {
  Device device;
  device.sender = 1e6;
  device.loss = [](double rate) { return std::max(0.0, (rate - 300e3) * 2e-7); };
  return device;
}

SearchPlan coarse() {
  SearchPlan plan;
  plan.width = 0.05;
  return plan;
}

struct Case {
  const char* name;
  SearchPlan (*plan)();
  SearchProbe (*probe)(int trial, double rate, double seconds);
  std::string text;
};

const std::vector<Case> kCases = {
    {"TwoGoals",
     [] {
       auto plan = coarse();
       plan.losses = {0, 0.01};
       return plan;
     },
     [](int, double rate, double seconds) { return slope().probe(rate, seconds); },
     "inf/1.00 860.0/1.00 700.5/1.00 464.7/1.00 204.5/1.00 308.3/1.00 251.1/1.00 278.2/1.00 "
     "378.5/1.00 278.2/3.16 308.3/3.16 292.9/3.16 378.5/3.16 341.6/3.16 359.6/3.16 292.9/10.00 "
     "308.3/10.00 359.6/10.00 341.6/10.00 \n"
     "0: 292.9 to 308.3, 292.9, narrow\n"
     "0.01: 341.6 to 359.6, 338.8, narrow\n"
     "reach 1000.0"},
    {"MajorityOfTrials",
     [] {
       auto plan = coarse();
       plan.repeat = 3;
       return plan;
     },
     [](int trial, double rate, double seconds) {
       auto probe = slope().probe(rate, seconds);
       if (trial % 7 == 3) probe.received = probe.sent / 2;
       return probe;
     },
     "inf/1.00 860.0/1.00 700.5/1.00 464.7/1.00 204.5/1.00 308.3/1.00 251.1/1.00 278.2/1.00 "
     "278.2/3.16 308.3/3.16 292.9/3.16 278.2/10.00 278.2/10.00 292.9/10.00 292.9/10.00 308.3/10.00 "
     "308.3/10.00 \n"
     "0: 292.9 to 308.3, 292.9, narrow\n"
     "reach 1000.0"},
    {"InvalidTrials",
     coarse,
     [](int trial, double rate, double seconds) {
       auto probe = slope().probe(rate, seconds);
       probe.valid = trial % 4 >= 2;
       return probe;
     },
     "inf/1.00! inf/1.00! inf/1.00 860.0/1.00 700.5/1.00! 700.5/1.00! 700.5/1.00 464.7/1.00 "
     "204.5/1.00! 204.5/1.00! 204.5/1.00 308.3/1.00 251.1/1.00! 251.1/1.00! 251.1/1.00 278.2/1.00 "
     "278.2/3.16! 278.2/3.16! 278.2/3.16 308.3/3.16 292.9/3.16! 292.9/3.16! 292.9/3.16 292.9/10.00 "
     "308.3/10.00! 308.3/10.00! 308.3/10.00 \n"
     "0: 292.9 to 308.3, 292.9, narrow\n"
     "reach 1000.0"},
    {"ASlowSender",
     [] {
       auto plan = coarse();
       plan.max_rate = 400e3;
       return plan;
     },
     [](int trial, double rate, double seconds) {
       auto device = slope();
       device.sender = (trial < 7 ? 250e3 : 150e3) + 1e3 * (trial % 4);
       return device.probe(rate, seconds);
     },
     "400.0/1.00! 400.0/1.00! 400.0/1.00 252.0/3.16 252.0/10.00 \n"
     "0: 252.0 to none, 252.0, above\n"
     "reach 252.0"},
    {"ASenderThatLagsOnce",
     [] {
       auto plan = coarse();
       plan.max_rate = 800e3;
       return plan;
     },
     [](int trial, double rate, double seconds) {
       auto device = slope();
       if (trial % 3 == 0) device.sender = 100e3 + 1e3 * trial;
       return device.probe(rate, seconds);
     },
     "800.0/1.00! 800.0/1.00 720.0/1.00 586.4/1.00! 586.4/1.00 389.1/1.00 171.2/1.00! 171.2/1.00 "
     "258.1/1.00 316.9/1.00! 316.9/1.00 258.1/3.16 316.9/3.16! 316.9/3.16 286.0/3.16 286.0/10.00! "
     "286.0/10.00 316.9/10.00 301.0/10.00! 301.0/10.00 \n"
     "0: 286.0 to 301.0, 286.0, narrow\n"
     "reach 800.0"},
    {"TheMinimumRate",
     [] {
       auto plan = coarse();
       plan.min_rate = 290e3;
       plan.max_rate = 310e3;
       return plan;
     },
     [](int, double rate, double seconds) { return slope().probe(rate, seconds); },
     "310.0/1.00 309.4/1.00 290.0/1.00 290.0/3.16 309.4/3.16 290.0/10.00 309.4/10.00 299.5/10.00 \n"
     "0: 299.5 to 309.4, 299.5, narrow\n"
     "reach 310.0"},
    {"AboveTheCapacity",
     [] {
       auto plan = coarse();
       plan.min_rate = 400e3;
       return plan;
     },
     [](int, double rate, double seconds) { return slope().probe(rate, seconds); },
     "inf/1.00 860.0/1.00 700.5/1.00 464.7/1.00 400.0/1.00 400.0/3.16 400.0/10.00 \n"
     "0: none to 400.0, 0.0, below\n"
     "reach 1000.0"},
    {"TooSlowForTheMinimum",
     [] {
       auto plan = coarse();
       plan.min_rate = 2e6;
       return plan;
     },
     [](int, double rate, double seconds) { return slope().probe(rate, seconds); },
     "inf/1.00! \n"
     "0: none to none, 0.0, inconclusive, not final\n"
     "reach 1000.0"},
    {"StoppedEarly",
     coarse,
     [](int trial, double rate, double seconds) {
       auto probe = slope().probe(rate, seconds);
       probe.stopped = trial == 5;
       return probe;
     },
     "inf/1.00 860.0/1.00 700.5/1.00 464.7/1.00 204.5/1.00 308.3/1.00 \n"
     "0: 204.5 to 464.7, 204.5, stopped, not final\n"
     "reach 1000.0"},
    {"StoppedLate",
     coarse,
     [](int trial, double rate, double seconds) {
       auto probe = slope().probe(rate, seconds);
       probe.stopped = trial == 12;
       return probe;
     },
     "inf/1.00 860.0/1.00 700.5/1.00 464.7/1.00 204.5/1.00 308.3/1.00 251.1/1.00 278.2/1.00 "
     "278.2/3.16 308.3/3.16 292.9/3.16 292.9/10.00 308.3/10.00 \n"
     "0: 292.9 to 308.3, 292.9, stopped, not final\n"
     "reach 1000.0"},
    {"Limited",
     [] {
       auto plan = coarse();
       plan.losses = {0, 0.02};
       plan.max_probes = 9;
       return plan;
     },
     [](int, double rate, double seconds) { return slope().probe(rate, seconds); },
     "inf/1.00 860.0/1.00 700.5/1.00 464.7/1.00 204.5/1.00 308.3/1.00 251.1/1.00 278.2/1.00 "
     "378.5/1.00 \n"
     "0: 278.2 to 308.3, 278.2, limit, not final\n"
     "0.02: 378.5 to 464.7, 372.6, limit, not final\n"
     "reach 1000.0"},
    {"NothingSent",
     coarse,
     [](int, double, double) { return SearchProbe{}; },
     "inf/1.00! \n"
     "0: none to none, 0.0, inconclusive, not final\n"
     "reach 0.0"},
};

class Trials : public testing::TestWithParam<Case> {};

TEST_P(Trials, AreThoseOfTheTable) {
  int trial = 0;
  const auto result =
      search(GetParam().plan(), [&](double rate, double seconds) -> Result<SearchProbe> {
        return GetParam().probe(trial++, rate, seconds);
      });
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(text_of(*result), GetParam().text);
}

INSTANTIATE_TEST_SUITE_P(All, Trials, testing::ValuesIn(kCases), [](const auto& one) {
  return std::string(one.param.name);
});

TEST(SearchPlan, IsValidatedUpToItsLimits) {
  const auto is_valid = [](auto change) {
    SearchPlan plan;
    plan.max_rate = 5000;
    change(plan);
    return validate(plan).has_value();
  };
  EXPECT_TRUE(is_valid([](SearchPlan& p) { p.losses = {0, 0.999}; }));
  EXPECT_FALSE(is_valid([](SearchPlan& p) { p.losses = {0, 1}; }));
  EXPECT_FALSE(is_valid([](SearchPlan& p) { p.losses = {-0.001}; }));
  EXPECT_FALSE(is_valid([](SearchPlan& p) { p.losses.clear(); }));
  EXPECT_TRUE(is_valid([](SearchPlan& p) { p.min_rate = 5000; }));
  EXPECT_FALSE(is_valid([](SearchPlan& p) { p.min_rate = 5001; }));
  EXPECT_FALSE(is_valid([](SearchPlan& p) { p.min_rate = 0; }));
  EXPECT_FALSE(is_valid([](SearchPlan& p) { p.width = 0; }));
  EXPECT_FALSE(is_valid([](SearchPlan& p) { p.width = 1; }));
  EXPECT_TRUE(is_valid([](SearchPlan& p) { p.width = 0.99; }));
  EXPECT_FALSE(is_valid([](SearchPlan& p) { p.final_seconds = 0; }));
  EXPECT_FALSE(is_valid([](SearchPlan& p) { p.repeat = 0; }));
}

}  // namespace
}  // namespace manactl::datapath::search_trials_test
