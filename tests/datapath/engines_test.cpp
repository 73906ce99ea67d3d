// SPDX-License-Identifier: MIT
#include "datapath/engines.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

#include "datapath/mode.h"

namespace manactl::datapath::engines_test {
namespace {

constexpr EngineRow kDriverless = {
    .name = "driverless", .built_in = true, .mana_driver = "net_mana", .info = [] {
      return EngineInfo{"22.11.11", "static", {"net_null"}};
    }};
constexpr EngineRow kNetMana = {
    .name = "net_mana", .built_in = true, .mana_driver = "net_mana", .info = [] {
      return EngineInfo{"25.11.2", "static", {"net_null", "net_mana"}};
    }};
constexpr EngineRow kLibmana = {
    .name = "libmana", .built_in = true, .mana_driver = "libmana", .info = [] {
      return EngineInfo{"", "loaded", {"libmana"}};
    }};
constexpr EngineRow kMissing = {
    .name = "missing", .mana_driver = "libmana", .info = [] { return EngineInfo{"", "off", {}}; }};

TEST(DefaultEngine, IsTheFirstThatDrivesMana) {
  EXPECT_EQ(&default_engine(std::array{&kNetMana, &kLibmana}), &kNetMana);
  EXPECT_EQ(&default_engine(std::array{&kDriverless, &kLibmana}), &kLibmana);
}

TEST(DefaultEngine, IsTheFirstIfNoneDrivesMana) {
  EXPECT_EQ(&default_engine(std::array{&kDriverless, &kMissing}), &kDriverless);
}

TEST(Engines, AreFoundByTheirNames) {
  for (const auto* engine : kEngines) EXPECT_EQ(find_engine(engine->name), engine);
  EXPECT_EQ(find_engine("tcp"), nullptr);
}

TEST(Engines, ThatAreNotBuiltInHaveNoDriversAndCannotBeMade) {
  for (const auto* engine : kEngines) {
    if (engine->built_in) continue;
    EXPECT_EQ(engine->info().linkage, "off") << engine->name;
    EXPECT_TRUE(engine->info().drivers.empty()) << engine->name;
    const auto made = engine->make();
    ASSERT_FALSE(made.has_value()) << engine->name;
    EXPECT_EQ(made.error().code, Errc::unsupported) << engine->name;
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
