// SPDX-License-Identifier: MIT
//
// Tests bench while its device is absent: faults of the software adapter remove and return it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/run_manactl.h"

namespace manactl::test::device_absence_test {
namespace {

using testing::Contains;

// The fault removes the VF. bench must report this in the event stream and in the document.
TEST(BenchWithoutDevice, ReportsTheRemovalOfTheDevice) {
  const auto outcome = manactl({"sim",
                                "--fault",
                                "device=fatal,ms=1000",
                                "--",
                                MANACTL_PROGRAM,
                                "bench",
                                "--duration",
                                "3",
                                "--interval",
                                "50ms",
                                "--no-save",
                                "--output",
                                "ndjson"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  std::istringstream lines(outcome.out);
  std::vector<nlohmann::json> events;
  for (std::string line; std::getline(lines, line);) events.push_back(nlohmann::json::parse(line));
  const auto left = std::find_if(
      events.begin(), events.end(), [](const auto& event) { return event["event"] == "device"; });
  ASSERT_NE(left, events.end());
  EXPECT_EQ((*left)["kind"], "removed");
  EXPECT_EQ((*left)["trial"], 0);
  ASSERT_NE(left + 1, events.end());
  EXPECT_EQ((*(left + 1))["event"], "interval");
  EXPECT_EQ((*(left + 1))["disturbed"], true);
  EXPECT_LE((*left)["at_seconds"], (*(left + 1))["ends_seconds"]);
  const auto& trial = events.back()["result"]["trials"][0];
  ASSERT_EQ(trial["events"].size(), 1U);
  EXPECT_EQ(trial["events"][0]["kind"], "removed");
  ASSERT_TRUE(trial["servicing"].is_object());
  EXPECT_TRUE(trial["servicing"]["during"].is_null());
  EXPECT_TRUE(trial["servicing"]["after"].is_null());
  EXPECT_NEAR(trial["servicing"]["seconds"].get<double>(),
              events.back()["result"]["total"]["seconds"].get<double>() -
                  trial["events"][0]["at_seconds"].get<double>(),
              1e-6);
}

// The times of the events, the length of the absence and the rates must agree.
TEST(BenchWithoutDevice, ReportsTheAbsenceOfTheDevice) {
  const auto outcome = manactl({"sim",
                                "--backend",
                                "loopback",
                                "--fault",
                                "device=reset,ms=1000,back=400",
                                "--",
                                MANACTL_PROGRAM,
                                "bench",
                                "--mode",
                                "rtt",
                                "--duration",
                                "4",
                                "--interval",
                                "100ms",
                                "--no-save",
                                "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto document = nlohmann::json::parse(outcome.out);
  const auto& trial = document["trials"][0];
  ASSERT_EQ(trial["events"].size(), 2U);
  const auto removed = trial["events"][0]["at_seconds"].get<double>();
  const auto returned = trial["events"][1]["at_seconds"].get<double>();
  EXPECT_GE(returned - removed, 0.38) << "0.4 s, with times in steps of 10 ms";
  EXPECT_NEAR(trial["servicing"]["seconds"].get<double>(), returned - removed, 1e-9);
  EXPECT_TRUE(trial["servicing"]["during"].is_null());
  EXPECT_GT(trial["servicing"]["before"], 0);
  EXPECT_GT(trial["servicing"]["after"], 0);
  const auto& absent = document["series"][0]["absent"];
  EXPECT_GE(absent.size(), 1U);
  for (const auto& index : absent) {
    EXPECT_THAT(document["series"][0]["disturbed"], Contains(index));
  }
}

}  // namespace
}  // namespace manactl::test::device_absence_test
