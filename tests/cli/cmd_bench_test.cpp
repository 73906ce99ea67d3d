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

class StoppedBench : public testing::TestWithParam<int> {};

const std::vector<std::string> kLong = {
    "bench", "--vdev", "net_null0", "--duration", "60", "--no-huge", "--json"};

TEST_P(StoppedBench, GivesAPartialResult) {
  Surroundings around;
  around.signal = GetParam();
  around.signal_thread = "rte-worker-1";  // it works as soon as packets flow
  around.signal_ticks = 3;
  const auto outcome = manactl(kLong, around);
  if (!has_dpdk()) {
    answers_that_it_is_not_built_in(outcome);
    return;
  }
  EXPECT_EQ(outcome.code, 128 + GetParam()) << outcome.err;
  const auto document = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(document["interrupted"], true);
  EXPECT_EQ(document["exit"], 128 + GetParam());
}

TEST_P(StoppedBench, EndsWhileItStartsToo) {
  if (!has_dpdk()) return;
  Surroundings around;
  around.signal = GetParam();
  around.signal_thread = "eal-intr-thread";  // EAL's first thread, long before the first packet
  const auto outcome = manactl(kLong, around);
  EXPECT_EQ(outcome.code, 128 + GetParam()) << outcome.err;
}

INSTANTIATE_TEST_SUITE_P(Signals, StoppedBench, testing::Values(SIGINT, SIGTERM, SIGHUP));

TEST(Bench, SaysThatItsResultCannotBeWritten) {
  if (!has_dpdk()) return;
  const std::vector<std::string> brief = {
      "bench", "--vdev", "net_null0", "--duration", "10ms", "--no-huge"};
  Surroundings full;
  full.stdout_path = "/dev/full";
  Surroundings closed;
  closed.stdout_closed = true;
  for (const auto& around : {full, closed}) {
    const auto outcome = manactl(brief, around);
    EXPECT_EQ(outcome.code, 70);
    EXPECT_EQ(outcome.error_lines(), 1U) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("cannot write the result"));
  }
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
