// SPDX-License-Identifier: MIT

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "cli/run_manactl.h"
#include "datapath/bench.h"

namespace manactl::test {
namespace {

using testing::Contains;
using testing::HasSubstr;

bool has_dpdk() {
  return !datapath::engine_info().version.empty();
}

// In a build without DPDK the same words have one other answer, and that is tested instead.
bool answers_that_it_is_not_built_in(const Outcome& outcome) {
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("built without DPDK"));
  return true;
}

TEST(Bench, MeasuresAVirtualDevice) {
  const auto outcome =
      manactl({"bench", "--vdev", "net_null0", "--duration", "200ms", "--no-huge", "--json"});
  if (!has_dpdk()) {
    answers_that_it_is_not_built_in(outcome);
    return;
  }
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto document = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(document["schema"], "manactl.bench/1");
  EXPECT_EQ(document["interrupted"], false);
  EXPECT_GT(document["total"]["packets"], 0);
  EXPECT_EQ(document["plan"]["hugepages"], false);
}

TEST(Bench, GivesAPartialResultWhenInterrupted) {
  Surroundings around;
  around.signal = SIGINT;
  around.signal_after_ms = 2500;
  const auto outcome =
      manactl({"bench", "--vdev", "net_null0", "--duration", "60", "--no-huge", "--json"}, around);
  if (!has_dpdk()) {
    answers_that_it_is_not_built_in(outcome);
    return;
  }
  EXPECT_EQ(outcome.code, 130) << outcome.err;
  const auto document = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(document["interrupted"], true);
  EXPECT_EQ(document["exit"], 130);
}

TEST(Bench, ListsDrivers) {
  const auto outcome = manactl({"bench", "--list-drivers", "--json"});
  EXPECT_EQ(outcome.code, 0);
  const auto document = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(document["dpdk"]["drivers"], nlohmann::json(datapath::engine_info().drivers));
}

TEST(Bench, SaysThatAnInterfaceDoesNotExist) {
  const auto outcome = manactl({"bench", "nosuch0"});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_EQ(outcome.error_lines(), 1U);
  EXPECT_EQ(outcome.out, "");
}

}  // namespace
}  // namespace manactl::test
