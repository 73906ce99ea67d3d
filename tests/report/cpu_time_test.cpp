// SPDX-License-Identifier: MIT

#include "report/cpu_time.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "os/memory_files.h"

namespace manactl::report::cpu_time_test {
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

TEST(CpuTime, SumsTheGivenCpus) {
  os::MemoryFiles files;
  files.add_file("proc/stat", kStat);
  const auto first = cpu_time(files, cpus({0}));
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(first->total, 486U);  // guest time is part of user time and not added again
  EXPECT_EQ(first->stolen, 8U);
  EXPECT_EQ(cpu_time(files, cpus({1, 10}))->total, 24U);
  EXPECT_EQ(cpu_time(files, cpus({1, 10}))->stolen, 3U);
}

TEST(CpuTime, RejectsMissingOrBrokenLines) {
  os::MemoryFiles files;
  EXPECT_EQ(cpu_time(files, cpus({0})).error().code, Errc::not_found);
  files.add_file("proc/stat", kStat);
  EXPECT_FALSE(cpu_time(files, cpus({0, 2})));
  files.add_file("proc/stat", "cpu0 1 2 3\n");
  EXPECT_FALSE(cpu_time(files, cpus({0})));
  files.add_file("proc/stat", "cpu0 1 2 3 4 5 6 7 x\n");
  EXPECT_FALSE(cpu_time(files, cpus({0})));
}

TEST(StolenShare, ComparesTwoReadings) {
  EXPECT_EQ(stolen_share({100, 10}, {200, 35}), 0.25);
  EXPECT_EQ(stolen_share({100, 10}, {200, 10}), 0);
  EXPECT_EQ(stolen_share({100, 10}, {100, 10}), std::nullopt);
  EXPECT_EQ(stolen_share({200, 35}, {100, 10}), std::nullopt);
}

os::MemoryFiles process_of_three_threads() {
  os::MemoryFiles files;
  files.add_link("proc/self", "77");
  files.add_file("proc/77/task/77/schedstat", "1000 1000 9\n");
  files.add_file("proc/77/task/78/schedstat", "200 30 4\n");
  files.add_file("proc/77/task/79/schedstat", "50 1 4\n");
  return files;
}

TEST(WorkerTime, SumsAllThreadsExceptTheMainOne) {
  const auto time = worker_time(process_of_three_threads());
  ASSERT_TRUE(time) << time.error().message;
  EXPECT_EQ(time->ran, 250U);
  EXPECT_EQ(time->waited, 31U);
}

TEST(WorkerTime, RejectsMissingOrBrokenFiles) {
  os::MemoryFiles files;
  EXPECT_EQ(worker_time(files).error().code, Errc::not_found);
  for (const char* text : {"", "200", "200 x 4", "x 30 4", "200,30"}) {
    files = process_of_three_threads();
    files.add_file("proc/77/task/78/schedstat", text);
    EXPECT_FALSE(worker_time(files)) << text;
  }
}

// Kernels without CONFIG_SCHED_INFO have no schedstat files.
TEST(WorkerTime, IsReadFromThisKernel) {
  const auto files = os::open_files("/");
  ASSERT_TRUE(files) << files.error().message;
  std::atomic<bool> slept = false, done = false;
  std::thread worker([&] {
    for (; !done; slept = true) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  while (!slept) std::this_thread::yield();
  const auto time = worker_time(**files);
  done = true;
  worker.join();
  if (os::exists(**files, "proc/self/schedstat")) {
    ASSERT_TRUE(time) << time.error().message;
    EXPECT_GT(time->ran + time->waited, 0U);
  } else {
    EXPECT_EQ(time.error().code, Errc::not_found);
  }
}

TEST(PreemptedShare, IsAShareOfTheRunnableTime) {
  EXPECT_EQ(preempted_share({100, 10}, {400, 110}), 0.25);
  EXPECT_EQ(preempted_share({100, 10}, {400, 10}), 0);
  EXPECT_EQ(preempted_share({400, 110}, {100, 10}), std::nullopt);
  EXPECT_EQ(preempted_share({0, 0}, {0, 0}), std::nullopt);
  EXPECT_EQ(preempted_share({100, 0}, {100, 5}), 1);
}

TEST(CpuSeconds, AreTheTimeBetweenTwoReadings) {
  EXPECT_EQ(cpu_seconds({500'000'000, 10}, {2'000'000'000, 70}), 1.5);
  EXPECT_EQ(cpu_seconds({400, 0}, {100, 0}), std::nullopt);
}

}  // namespace
}  // namespace manactl::report::cpu_time_test
