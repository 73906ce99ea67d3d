// SPDX-License-Identifier: MIT

#include "diag/vm.h"

namespace manactl::diag::memory_checks_test {
namespace {

using host::HugepagePool;
using test::commands_of;
using test::healthy_vm;
using test::run_check;
using testing::HasSubstr;

CheckOptions bench_of(std::uint64_t bytes) {
  CheckOptions options;
  options.bench_bytes = bytes;
  return options;
}

TEST(MemoryHugepages, FailWhenNoneAreReserved) {
  host::Facts facts = healthy_vm();
  facts.memory.pools = std::vector{HugepagePool{0, 2048, 0, 0}, HugepagePool{0, 1048576, 0, 0}};
  const Finding finding = run_check(facts, "memory.hugepages", bench_of(12U << 20));
  EXPECT_EQ(finding.status, Status::fail);
  EXPECT_THAT(
      commands_of(finding),
      HasSubstr(
          "echo 6 | tee /sys/devices/system/node/node0/hugepages/hugepages-2048kB/nr_hugepages"));
  EXPECT_EQ(run_check(facts, "memory.node").status, Status::skipped);
}

TEST(MemoryHugepages, FailIfAllAreInUseAndKeepThePagesOfOthers) {
  host::Facts facts = healthy_vm();
  facts.memory.pools = std::vector{HugepagePool{0, 2048, 100, 0}};
  const Finding finding = run_check(facts, "memory.hugepages", bench_of(12U << 20));
  EXPECT_EQ(finding.status, Status::fail);
  EXPECT_THAT(commands_of(finding), HasSubstr("echo 106 "));
}

TEST(MemoryHugepages, AreListedPerNodeAndSize) {
  host::Facts facts = healthy_vm();
  facts.memory.pools = std::vector{HugepagePool{0, 2048, 512, 500}, HugepagePool{1, 1048576, 4, 4}};
  const Finding finding = run_check(facts, "memory.hugepages");
  EXPECT_EQ(finding.status, Status::pass);
  EXPECT_THAT(finding.evidence,
              testing::ElementsAre("node 0: 500 of 512 pages of 2 MiB free",
                                   "node 1: 4 of 4 pages of 1 GiB free"));
}

TEST(MemoryHugepages, AreUnknownWhenSysfsCannotBeRead) {
  host::Facts facts = healthy_vm();
  facts.memory.pools = test::unreadable();
  EXPECT_EQ(run_check(facts, "memory.hugepages").status, Status::unknown);
  EXPECT_EQ(run_check(facts, "memory.node").status, Status::unknown);
}

TEST(MemoryHugepages, UseTheKernelsPageSize) {
  host::Facts facts = healthy_vm();
  facts.memory.default_page_kib = 524288;
  facts.memory.pools->clear();
  EXPECT_THAT(
      commands_of(run_check(facts, "memory.hugepages", bench_of(12U << 20))),
      HasSubstr("echo 1 | tee /sys/devices/system/node/node0/hugepages/hugepages-524288kB/"));
}

TEST(MemoryNode, ReportsTheNeededAndTheFreePages) {
  host::Facts facts = healthy_vm();
  facts.memory.pools = std::vector{HugepagePool{0, 2048, 4, 4}};
  const Finding finding = run_check(facts, "memory.node", bench_of(12U << 20));
  EXPECT_EQ(finding.status, Status::fail);
  EXPECT_EQ(finding.detail, "manactl bench needs 12 MiB = 6 pages of 2 MiB on node 0, 4 free");
  EXPECT_THAT(commands_of(finding), HasSubstr("echo 6 | tee"));
}

TEST(MemoryTestpmd, ComparesTheReservedPages) {
  host::Facts facts = healthy_vm();
  CheckOptions options = bench_of(12U << 20);
  options.testpmd_bytes = 400U << 20;
  facts.memory.pools = std::vector{HugepagePool{0, 2048, 199, 100}};
  EXPECT_EQ(run_check(facts, "memory.node", options).status, Status::pass);
  const Finding finding = run_check(facts, "memory.testpmd", options);
  EXPECT_EQ(finding.status, Status::warn);
  EXPECT_EQ(finding.detail,
            "dpdk-testpmd needs 400 MiB = 200 pages of 2 MiB on node 0; 199 reserved, 100 free");
  EXPECT_THAT(commands_of(finding), HasSubstr("echo 299 | tee")) << "99 pages are in use";
  facts.memory.pools->front().total = 200;
  EXPECT_EQ(run_check(facts, "memory.testpmd", options).status, Status::pass)
      << "a program uses the other pages";
  facts.functions->at(0).numa_node = 1;
  EXPECT_EQ(run_check(facts, "memory.testpmd", options).status, Status::warn);
  options.testpmd_bytes = 0;
  EXPECT_EQ(run_check(facts, "memory.testpmd", options).status, Status::skipped);
}

TEST(MemoryTestpmd, MakesRemediesReserveEnoughForTestpmd) {
  host::Facts facts = healthy_vm();
  CheckOptions options = bench_of(12U << 20);
  options.testpmd_bytes = 400U << 20;
  facts.memory.pools = std::vector{HugepagePool{0, 2048, 0, 0}};
  EXPECT_EQ(run_check(facts, "memory.testpmd", options).status, Status::skipped);
  EXPECT_THAT(commands_of(run_check(facts, "memory.hugepages", options)),
              HasSubstr("echo 200 | tee"));
  facts.memory.pools = test::unreadable();
  EXPECT_EQ(run_check(facts, "memory.testpmd", options).status, Status::unknown);
}

TEST(MemoryNode, FailsWhenThePagesAreOnAnotherNode) {
  host::Facts facts = healthy_vm();
  facts.functions->at(0).numa_node = 1;
  const Finding finding = run_check(facts, "memory.node", bench_of(12U << 20));
  EXPECT_EQ(finding.status, Status::fail);
  EXPECT_THAT(finding.detail, HasSubstr("on node 1, 0 free"));
  EXPECT_THAT(commands_of(finding), HasSubstr("/node1/hugepages/hugepages-2048kB/nr_hugepages"));
  EXPECT_THAT(finding.evidence, testing::Contains(HasSubstr("node 0: 512 of 512")));
}

TEST(MemoryNode, MentionsUnusedPages) {
  host::Facts facts = healthy_vm();
  facts.memory.pools = std::vector{HugepagePool{1, 2048, 12, 10}, HugepagePool{2, 1048576, 1, 1}};
  CheckOptions options = bench_of(12U << 20);
  options.testpmd_bytes = 400U << 20;
  for (const auto* check : {"memory.node", "memory.testpmd"}) {
    const Finding finding = run_check(facts, check, options);
    ASSERT_TRUE(finding.remedy) << check;
    EXPECT_THAT(
        finding.remedy->why,
        HasSubstr("; node 1 has 10 free pages of 2 MiB that no NIC uses, "
                  "node 2 has 1 free page of 1 GiB that no NIC uses ('manactl status' prints"));
    EXPECT_THAT(commands_of(finding), testing::Not(HasSubstr("echo 0 | tee ")))
        << "another program may need them";
    if (std::string_view(check) == "memory.node") {
      EXPECT_THAT(finding.remedy->why, HasSubstr("reserve pages for dpdk-testpmd (400 MiB) on"));
    }
  }
  facts.functions->push_back(facts.functions->at(0));
  facts.functions->back().numa_node = 1;
  EXPECT_THAT(run_check(facts, "memory.node", options).remedy->why,
              testing::Not(HasSubstr("node 1")))
      << "a NIC of this node uses them";
}

TEST(MemoryNode, PassesOnAnyNodeIfThePlatformReportsNone) {
  host::Facts facts = healthy_vm();
  facts.functions->at(0).numa_node = -1;
  facts.memory.pools = std::vector{HugepagePool{1, 2048, 6, 6}};
  EXPECT_EQ(run_check(facts, "memory.node", bench_of(12U << 20)).status, Status::pass);
}

TEST(MemoryNode, PassesWithOneBigPage) {
  host::Facts facts = healthy_vm();
  facts.memory.pools = std::vector{HugepagePool{0, 2048, 1, 1}, HugepagePool{0, 1048576, 1, 1}};
  EXPECT_EQ(run_check(facts, "memory.node", bench_of(12U << 20)).status, Status::pass);
}

TEST(MemoryNode, RoundsUpToWholePages) {
  host::Facts facts = healthy_vm();
  facts.memory.pools = std::vector{HugepagePool{0, 2048, 6, 6}};
  EXPECT_EQ(run_check(facts, "memory.node", bench_of((12U << 20) + 1)).status, Status::fail);
}

TEST(MemoryMounts, WarnIfNoneHasTheSizeOfReservedPages) {
  host::Facts facts = healthy_vm();
  facts.memory.pools = std::vector{HugepagePool{0, 2048, 0, 0}, HugepagePool{0, 1048576, 4, 4}};
  const auto finding = run_check(facts, "memory.mounts");
  EXPECT_EQ(finding.status, Status::warn);
  EXPECT_THAT(finding.detail, HasSubstr("pages of 1 GiB are reserved"));
  facts.memory.mounts->push_back({"/mnt/huge", 1048576});
  EXPECT_EQ(run_check(facts, "memory.mounts").status, Status::pass);
}

TEST(MemoryMounts, AreInformationOnlyOtherwise) {
  host::Facts facts = healthy_vm();
  EXPECT_THAT(run_check(facts, "memory.mounts").detail, HasSubstr("/dev/hugepages (2 MiB)"));
  facts.memory.mounts->clear();
  EXPECT_EQ(run_check(facts, "memory.mounts").status, Status::pass);
  facts.memory.mounts = test::unreadable();
  EXPECT_EQ(run_check(facts, "memory.mounts").status, Status::unknown);
}

}  // namespace
}  // namespace manactl::diag::memory_checks_test
