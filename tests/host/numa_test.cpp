// SPDX-License-Identifier: MIT

#include "host/numa.h"

#include <gtest/gtest.h>

#include "os/memory_files.h"
#include "support/fixtures.h"

namespace manactl::host::numa_test {
namespace {

void add_pool(os::MemoryFiles& files, const std::string& directory, int total, int free) {
  files.add_file(directory + "/nr_hugepages", std::to_string(total) + "\n");
  files.add_file(directory + "/free_hugepages", std::to_string(free) + "\n");
}

TEST(Hugepages, AreCountedPerNodeAndSize) {
  const Memory memory = facts_of("hugepages-wrong-node").memory;
  ASSERT_EQ(memory.pools->size(), 4U);
  const auto& pools = *memory.pools;
  EXPECT_EQ(pools[0].node, 0);
  EXPECT_EQ(pools[0].page_kib, 2048U);
  EXPECT_EQ(pools[0].total, 0U);
  EXPECT_EQ(pools[1].page_kib, 1048576U);
  EXPECT_EQ(pools[2].node, 1);
  EXPECT_EQ(pools[2].free, 1024U);
  EXPECT_EQ(memory.default_page_kib, 2048U);
}

TEST(Hugepages, AreThoseOfTheSystemWithoutNodes) {
  os::MemoryFiles files;
  add_pool(files, "sys/kernel/mm/hugepages/hugepages-2048kB", 8, 3);
  const Memory memory = gather_memory(files);
  ASSERT_TRUE(memory.pools);
  ASSERT_EQ(memory.pools->size(), 1U);
  EXPECT_EQ(memory.pools->front().total, 8U);
  EXPECT_EQ(memory.pools->front().free, 3U);
}

TEST(Hugepages, OfNodesAreNotCountedTwice) {
  os::MemoryFiles files;
  add_pool(files, "sys/kernel/mm/hugepages/hugepages-2048kB", 8, 8);
  add_pool(files, "sys/devices/system/node/node1/hugepages/hugepages-2048kB", 8, 8);
  files.add_directory("sys/devices/system/node/node0");  // a node without memory
  const Memory memory = gather_memory(files);
  ASSERT_EQ(memory.pools->size(), 1U);
  EXPECT_EQ(memory.pools->front().node, 1);
}

TEST(Hugepages, AreUnknownIfACountIsMalformed) {
  os::MemoryFiles files;
  files.add_file("sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "many\n");
  EXPECT_FALSE(gather_memory(files).pools);
}

TEST(Hugepages, OfDirectoriesWithOtherNamesAreIgnored) {
  os::MemoryFiles files;
  for (const char* name : {"hugepages-kB", "hugepages-xkB", "hugepages-2048", "other-2048kB"}) {
    add_pool(files, std::string("sys/kernel/mm/hugepages/") + name, 8, 8);
  }
  add_pool(files, "sys/kernel/mm/hugepages/hugepages-2048kB", 1, 1);
  add_pool(files, "sys/devices/system/node/nodex/hugepages/hugepages-2048kB", 2, 2);
  const Memory memory = gather_memory(files);
  ASSERT_TRUE(memory.pools);
  ASSERT_EQ(memory.pools->size(), 1U);
  EXPECT_EQ(memory.pools->front().total, 1U);
}

TEST(NumaNode, HasTheCpusOfItsList) {
  os::MemoryFiles files;
  EXPECT_EQ(cpus_of_node(files, 1).error().code, Errc::not_found);
  files.add_file("sys/devices/system/node/node1/cpulist", "2-3\n");
  EXPECT_EQ(*cpus_of_node(files, 1), *CpuList::parse("2-3"));
  EXPECT_EQ(gather_memory(files).node_cpus.at(1), *CpuList::parse("2-3"));
}

TEST(AvailableMemory, IsThatOfTheNodeAndNotMoreThanThatOfTheVm) {
  constexpr std::uint64_t kKiB = 1024;
  os::MemoryFiles files;
  EXPECT_FALSE(available_memory(files, 0));
  files.add_file("proc/meminfo", "MemFree:  1 kB\nMemAvailable:   900 kB\n");
  EXPECT_EQ(available_memory(files, 0), 900 * kKiB);
  const std::string node = "sys/devices/system/node/node";
  files.add_file(node + "0/meminfo",
                 "Node 0 MemTotal: 7777 kB\nNode 0 MemFree:   100 kB\nNode 0 Active(file): 20 kB\n"
                 "Node 0 Inactive(file):   3 kB\nNode 0 FilePages: 5555 kB\n");
  files.add_file(node + "1/meminfo", "Node 1 MemFree:   1000 kB\n");
  files.add_file(node + "2/meminfo", "Node 2 MemFree:   x kB\n");
  EXPECT_EQ(available_memory(files, 0), 123 * kKiB);
  EXPECT_EQ(available_memory(files, 1), 900 * kKiB);
  EXPECT_EQ(available_memory(files, 2), 900 * kKiB);
}

TEST(HugepageMounts, HaveTheirPageSize) {
  os::MemoryFiles files;
  files.add_file("proc/mounts",
                 "none /dev/hugepages hugetlbfs rw,relatime,pagesize=2M 0 0\n"
                 "none /mnt/huge\\0401G hugetlbfs rw,pagesize=1024M,size=4G 0 0\n"
                 "none /mnt/default hugetlbfs rw 0 0\n"
                 "none /mnt/gigabyte hugetlbfs rw,pagesize=1G 0 0\n"
                 "none /mnt/kilobyte hugetlbfs rw,pagesize=64K 0 0\n"
                 "none /mnt/no-number hugetlbfs rw,pagesize=xM 0 0\n"
                 "none /mnt/no-unit hugetlbfs rw,pagesize=20 0 0\n"
                 "none /mnt/no-size hugetlbfs rw,pagesize= 0 0\n"
                 "none /mnt/too-large hugetlbfs rw,pagesize=1073741825K 0 0\n"
                 "none /mnt/largest hugetlbfs rw,pagesize=1073741824K 0 0\n"
                 "none /mnt/four-fields\\04 hugetlbfs rw\n"
                 "none /mnt/\\134\\0777\\080\\ hugetlbfs rw 0 0\n"
                 "none /mnt/three-fields hugetlbfs\n"
                 "none /mnt/x tmpfs rw,pagesize=2M 0 0\n");
  const Memory memory = gather_memory(files);
  ASSERT_EQ(memory.mounts->size(), 12U);
  const auto& mounts = *memory.mounts;
  EXPECT_EQ(mounts[0].path, "/dev/hugepages");
  EXPECT_EQ(mounts[0].page_kib, 2048U);
  EXPECT_EQ(mounts[1].path, "/mnt/huge 1G");
  EXPECT_EQ(mounts[1].page_kib, 1048576U);
  EXPECT_EQ(mounts[2].page_kib, 0U);
  EXPECT_EQ(mounts[3].page_kib, 1048576U);
  EXPECT_EQ(mounts[4].page_kib, 64U);
  for (std::size_t i = 5; i < 9; ++i) EXPECT_EQ(mounts[i].page_kib, 0U) << mounts[i].path;
  EXPECT_EQ(mounts[9].page_kib, 1U << 30);
  EXPECT_EQ(mounts[10].path, "/mnt/four-fields\\04");
  EXPECT_EQ(mounts[11].path, "/mnt/\\?7\\080\\");
}

TEST(HugepageMounts, AreUnknownWithoutProc) {
  const os::MemoryFiles files;
  EXPECT_EQ(gather_memory(files).mounts.error().code, Errc::not_found);
}

}  // namespace
}  // namespace manactl::host::numa_test
