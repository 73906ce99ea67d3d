// SPDX-License-Identifier: MIT

#include "adapter/check/known_defects.h"

#include <gtest/gtest.h>

namespace manactl::adapter::known_defects_test {
namespace {

// The commit that each release of DPDK needs: it deallocates protection domains since then.
TEST(KnownDefects, DependOnTheReleaseAndItsBranch) {
  for (const auto* before :
       {"DPDK 22.11.11", "DPDK 23.11.6", "DPDK 24.07.0", "DPDK 24.11.4", "DPDK 25.11.0-rc1"}) {
    const auto* leak = find_known_defect(before, Violation::leak);
    ASSERT_NE(leak, nullptr) << before;
    EXPECT_NE(leak->reference.find("5906f9b6ab"), std::string_view::npos) << before;
    EXPECT_EQ(find_known_defect(before, Violation::destroy_order), nullptr) << before;
  }
  for (const auto* since :
       {"DPDK 23.11.7", "DPDK 24.11.5", "DPDK 24.11.8", "DPDK 25.11.1", "DPDK 26.03.0-rc2"}) {
    const auto* leak = find_known_defect(since, Violation::leak);
    ASSERT_NE(leak, nullptr) << since;
    EXPECT_NE(leak->reference.find("mana_dev_start()"), std::string_view::npos) << since;
    EXPECT_EQ(find_known_defect(since, Violation::destroy_order), leak) << since;
  }
}

TEST(KnownDefects, AreUnknownForOtherRulesAndPrograms) {
  EXPECT_EQ(find_known_defect("DPDK 24.11.8", Violation::sge_key), nullptr);
  EXPECT_EQ(find_known_defect("DPDK 24.11.8", Violation::sq_stuck), nullptr);
  for (const auto* other :
       {"", "24.11.8", "DPDK 24.11", "DPDK 24.11.x", "DPDK 24.11.8.1", "DPDK"}) {
    EXPECT_EQ(find_known_defect(other, Violation::leak), nullptr) << other;
  }
}

TEST(KnownDefects, ExplainARunOnlyIfTheyExplainEveryViolation) {
  AdapterCounters counters{};
  const std::string_view driver = "DPDK 24.11.8";
  std::ranges::copy(driver, counters.driver.begin());
  EXPECT_EQ(driver_of(counters), driver);
  EXPECT_FALSE(has_only_known_defects(counters)) << "no rule was broken";
  Checker checker(counters);
  checker.note(Violation::leak, [] { return std::string(); });
  EXPECT_TRUE(has_only_known_defects(counters));
  checker.note(Violation::sge_key, [] { return std::string(); });
  EXPECT_FALSE(has_only_known_defects(counters));
}

TEST(KnownDefects, NeedNoNulAfterTheNameOfTheDriver) {
  AdapterCounters counters{};
  counters.driver.fill('x');
  EXPECT_EQ(driver_of(counters).size(), kDriverBytes);
}

}  // namespace
}  // namespace manactl::adapter::known_defects_test
