// SPDX-License-Identifier: MIT
#include "datapath/engines.h"

#include <gtest/gtest.h>

#include <set>

#include "datapath/mode.h"

namespace manactl::datapath::engines_test {
namespace {

TEST(Engines, AreFoundByTheirNames) {
  for (const auto* engine : kEngines) EXPECT_EQ(find_engine(engine->name), engine);
  EXPECT_EQ(find_engine("tcp"), nullptr);
}

TEST(Engines, HaveTheDriverOfMana) {
  for (const auto* engine : kEngines) {
    EXPECT_TRUE(engine->info().has_driver(engine->mana_driver)) << engine->name;
  }
}

TEST(Modes, AreInTheOrderOfTheirEnumeratorsWithUniqueNames) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kModes.size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(kModes[i].mode), i);
    EXPECT_EQ(find_mode(kModes[i].name), kModes[i].mode);
    names.insert(kModes[i].name);
  }
  EXPECT_EQ(names.size(), kModes.size());
  EXPECT_EQ(find_mode("tcp"), std::nullopt);
}

TEST(Modes, SendOrReceiveAndMakePacketsOnlyIfTheySend) {
  for (const auto& row : kModes) {
    EXPECT_TRUE(row.sends || row.receives) << row.name;
    EXPECT_TRUE(row.sends || !row.generates_packets) << row.name;
    EXPECT_TRUE(row.generates_packets || !row.measures_latency) << row.name;
  }
}

}  // namespace
}  // namespace manactl::datapath::engines_test
