// SPDX-License-Identifier: MIT
//
// Tests that need root: they use files of other users, or reserve hugepages.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "cli/run_manactl.h"
#include "datapath/bench.h"
#include "datapath/engines.h"
#include "support/with_hugepages.h"

namespace manactl::test::root_test {
namespace {

using testing::HasSubstr;

TEST(Configuration, RejectsAFileOfAnotherUser) {
  const TemporaryDirectory directory;
  const auto path = directory.file("a.toml", "json = true\n");
  ASSERT_EQ(chown(path.c_str(), 65534, 65534), 0) << "this test needs root";
  const auto outcome = manactl({"check", "--only", "hardware", "--config", path});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.error_lines(), 1U);
  EXPECT_THAT(outcome.err, HasSubstr("only root may own it"));
}

class BenchWithHugepages : public WithHugepages {
 protected:
  static Outcome bench(std::vector<std::string> more = {}) {
    std::vector<std::string> words = {
        "bench", "--vdev", "net_null0", "--duration", "100ms", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return manactl(words);
  }
};

TEST_F(BenchWithHugepages, ReportsHowManyItNeedsAndRunsWithThatMany) {
  if (datapath::kDpdkEngine.info().version.empty())
    GTEST_SKIP() << "this manactl has no DPDK inside";
  constexpr const char* kFree = "/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages";

  // Leave exactly one page free.
  const auto few = before_ - number_in(kFree) + 1;
  ASSERT_TRUE(reserve(few)) << "the kernel has no memory for a hugepage; this needs root";
  const auto free = number_in(kFree);
  ASSERT_GE(free, 1U) << "the default hugepage size must be 2 MiB";
  const auto refused = bench({"--queues", "8"});
  EXPECT_EQ(refused.code, 3);
  EXPECT_EQ(nlohmann::json::parse(refused.out).at("exit"), 3);
  const std::string::size_type begin = refused.err.find_first_of("0123456789");
  ASSERT_NE(begin, std::string::npos) << refused.err;
  const auto needed = std::stoul(refused.err.substr(begin));
  EXPECT_GT(needed, free);
  EXPECT_THAT(refused.err,
              HasSubstr("hugepages of 2 MiB are needed and " + std::to_string(free) +
                        (free == 1 ? " is free" : " are free")));
  const auto total = few + needed - free;
  EXPECT_THAT(refused.err,
              HasSubstr("manactl prepare --hugepages " + std::to_string(needed - free)));

  ASSERT_TRUE(reserve(total)) << "the kernel has no memory for " << total << " hugepages";
  const auto outcome = bench({"--queues", "8"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto document = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(document["plan"]["hugepages"], true);
  EXPECT_GT(document["total"]["packets"], 0);
  EXPECT_EQ(number_in(kFree), needed) << "the run did not free its hugepages";
}

TEST_F(BenchWithHugepages, UsesNormalPagesWhenNoneAreFree) {
  if (datapath::kDpdkEngine.info().version.empty())
    GTEST_SKIP() << "this manactl has no DPDK inside";
  if (!reserve(0)) GTEST_SKIP() << "other programs of this machine use hugepages";
  const auto outcome = bench();
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto document = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(document["plan"]["hugepages"], false);
  EXPECT_THAT(outcome.out, HasSubstr("no hugepages are free"));
}

}  // namespace
}  // namespace manactl::test::root_test
