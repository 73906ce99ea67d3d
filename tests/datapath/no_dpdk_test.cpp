// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "datapath/bench.h"

namespace manactl::datapath {
namespace {

TEST(EngineWithoutDpdk, SaysThatItIsNotBuiltIn) {
  const auto engine = make_engine();
  ASSERT_FALSE(engine.has_value());
  EXPECT_EQ(engine.error().code, Errc::unsupported);
  EXPECT_NE(engine.error().message.find("without DPDK"), std::string::npos);
}

TEST(EngineWithoutDpdk, HasNoDrivers) {
  EXPECT_EQ(engine_info().linkage, "off");
  EXPECT_TRUE(engine_info().drivers.empty());
  EXPECT_TRUE(engine_info().version.empty());
}

}  // namespace
}  // namespace manactl::datapath
