// SPDX-License-Identifier: MIT

#include "host/cpu_time.h"

#include <gtest/gtest.h>

#include "os/memory_files.h"

namespace manactl::host {
namespace {

constexpr const char* kStat =
    "cpu  111 222 333 444 0 0 0 555 0 0\n"
    "cpu0 10 20 30 400 5 6 7 8 100 100\n"
    "cpu1 1 1 1 1 1 1 1 1 0 0\n"
    "cpu10 2 2 2 2 2 2 2 2 0 0\n"
    "intr 1 2 3\n";

CpuList cpus(std::vector<unsigned> list) {
  CpuList cpus;
  cpus.cpus = std::move(list);
  return cpus;
}

TEST(CpuTime, IsThatOfTheCpusAskedFor) {
  os::MemoryFiles files;
  files.add_file("proc/stat", kStat);
  const auto first = cpu_time(files, cpus({0}));
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(first->total, 486U);  // without guest time, which is user time
  EXPECT_EQ(first->stolen, 8U);
  EXPECT_EQ(cpu_time(files, cpus({1, 10}))->total, 24U);
  EXPECT_EQ(cpu_time(files, cpus({1, 10}))->stolen, 3U);
}

TEST(CpuTime, IsNotMadeUp) {
  os::MemoryFiles files;
  EXPECT_EQ(cpu_time(files, cpus({0})).error().code, Errc::not_found);
  files.add_file("proc/stat", kStat);
  EXPECT_FALSE(cpu_time(files, cpus({0, 2})));
  files.add_file("proc/stat", "cpu0 1 2 3\n");
  EXPECT_FALSE(cpu_time(files, cpus({0})));
  files.add_file("proc/stat", "cpu0 1 2 3 4 5 6 7 x\n");
  EXPECT_FALSE(cpu_time(files, cpus({0})));
}

TEST(StolenShare, IsOfTheTimeBetween) {
  EXPECT_DOUBLE_EQ(stolen_share({100, 10}, {200, 35}), 0.25);
  EXPECT_EQ(stolen_share({100, 10}, {100, 10}), 0);
  EXPECT_EQ(stolen_share({200, 35}, {100, 10}), 0);
}

}  // namespace
}  // namespace manactl::host
