// SPDX-License-Identifier: MIT

#include "host/testpmd.h"

#include <gtest/gtest.h>

namespace manactl::host::testpmd_test {
namespace {

constexpr std::uint64_t kMiB = 1U << 20U;

Facts with_cpus(unsigned count) {
  Facts facts;
  CpuList list;
  for (unsigned cpu = 0; cpu < count; ++cpu) list.cpus.push_back(cpu);
  facts.cpus = list;
  return facts;
}

TEST(TestpmdSize, HasOneLcorePerQueueAndOneMore) {
  struct Case {
    unsigned cpus, lcores, queues;
  };

  for (const auto& [cpus, lcores, queues] : {Case{1, 1, 1},
                                             {2, 2, 1},
                                             {3, 3, 2},
                                             {4, 3, 2},
                                             {5, 5, 4},
                                             {64, 33, 32},
                                             {65, 65, 64},
                                             {200, 65, 64}}) {
    const auto size = size_of_testpmd(with_cpus(cpus), -1);
    EXPECT_EQ(size.cpus.size(), lcores) << cpus;
    EXPECT_EQ(size.queues, queues) << cpus;
  }
}

// Open vSwitch has one queue more than PMD threads.
TEST(ProgramSize, CountsQueuesThatNoThreadPolls) {
  struct Case {
    unsigned cpus, threads, queues;
  };

  for (const auto& [cpus, threads, queues] :
       {Case{1, 1, 2}, {3, 1, 2}, {4, 3, 4}, {7, 3, 4}, {8, 7, 8}, {200, 63, 64}}) {
    const auto size = size_of_program(with_cpus(cpus), -1, 1);
    EXPECT_EQ(size.threads, threads) << cpus;
    EXPECT_EQ(size.queues, queues) << cpus;
  }
}

TEST(ProgramSize, UsesOtherNodesForThreadsThatTheNodeOfTheNicCannotRun) {
  auto facts = with_cpus(8);
  facts.memory.node_cpus = {{0, CpuList{{0, 1, 2}}}, {1, CpuList{{3, 4, 5, 6, 7}}}};
  EXPECT_EQ(size_of_program(facts, 0, 0, 2).cpus, (std::vector<unsigned>{0, 1, 2}));
  EXPECT_EQ(size_of_program(facts, 0, 0, 4).cpus, (std::vector<unsigned>{0, 1, 2, 3, 4}));
}

TEST(TestpmdSize, UsesTheCpusOfThisProcess) {
  Facts facts;
  facts.cpus = CpuList{{2, 5, 7, 9}};
  EXPECT_EQ(size_of_testpmd(facts, -1).cpus, (std::vector<unsigned>{2, 5, 7}));
  facts.cpus = fail(Errc::io, "unknown");
  EXPECT_TRUE(size_of_testpmd(facts, -1).cpus.empty());
  EXPECT_EQ(size_of_testpmd(facts, -1).queues, 1U);
}

TEST(TestpmdSize, UsesTheCpusOfTheNodeIfItHasTwo) {
  auto facts = with_cpus(8);
  facts.memory.node_cpus = {{0, CpuList{{0, 1, 2, 3, 9}}}, {1, CpuList{{7, 8}}}};
  EXPECT_EQ(size_of_testpmd(facts, 0).cpus, (std::vector<unsigned>{0, 1, 2}));
  for (const int node : {-1, 1, 2}) EXPECT_EQ(size_of_testpmd(facts, node).queues, 4U) << node;
}

// A pool of 155456 mbufs of 2368 bytes and 64 MiB; each more lcore adds 8000 mbufs.
TEST(TestpmdSize, GrowsWithTheForwardingLcores) {
  const auto one = size_of_testpmd(with_cpus(2), -1).hugepage_bytes;
  EXPECT_EQ(one, 155456U * 2368U + 64 * kMiB);
  EXPECT_EQ(size_of_testpmd(with_cpus(1), -1).hugepage_bytes, one);
  EXPECT_EQ(size_of_testpmd(with_cpus(9), -1).hugepage_bytes, one + 7 * 8000U * 2368U);
}

TEST(FreestPool, IsThatWithTheMostFreeMemory) {
  Memory memory;
  memory.pools =
      std::vector<HugepagePool>{{0, 2048, 100, 90}, {0, 1048576, 1, 1}, {1, 2048, 900, 900}};
  auto pool = freest_pool(memory, 0);
  EXPECT_EQ(pool.page_kib, 1048576U);
  EXPECT_EQ(missing_pages(pool, 1024 * kMiB), 0U);
  EXPECT_EQ(missing_pages(pool, 1024 * kMiB + 1), 1U);
  EXPECT_EQ(missing_pages(memory, 0, 1024 * kMiB, 2048), 0U) << "pages of 1 GiB are as good";
  EXPECT_EQ(missing_pages(memory, 0, 1024 * kMiB + 1, 2048), 423U);
  pool = freest_pool(memory, 0, 2048);
  EXPECT_EQ(pool.free, 90U);
  EXPECT_EQ(missing_pages(pool, 500 * kMiB), 160U);
  EXPECT_EQ(freest_pool(memory, -1).node, 1) << "any node";
}

TEST(FreestPool, HasTheKernelsPageSizeIfNoPageIsFree) {
  Memory memory;
  memory.pools = std::vector<HugepagePool>{{0, 1048576, 1, 0}, {0, 2048, 7, 0}, {1, 2048, 9, 0}};
  EXPECT_EQ(freest_pool(memory, 0).total, 7U);
  EXPECT_EQ(freest_pool(memory, 1, 1048576).total, 0U);
  EXPECT_EQ(freest_pool(memory, 1, 1048576).node, 1);
  memory.default_page_kib = 1048576;
  EXPECT_EQ(freest_pool(memory, 0).total, 1U);
  memory.pools = fail(Errc::io, "unknown");
  EXPECT_EQ(missing_pages(freest_pool(memory, -1), 5 * kMiB), 1U);
}

}  // namespace
}  // namespace manactl::host::testpmd_test
