// SPDX-License-Identifier: MIT

#include "os/process.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/text.h"
#include "os/files.h"

namespace manactl::os {
namespace {

TEST(Process, HasTheCapabilitiesOfProcfs) {
  const auto own = open_process()->privileges();
  ASSERT_TRUE(own);
  EXPECT_EQ(own->uid, geteuid());
  const auto status = (*open_files("/"))->read("proc/self/status");
  ASSERT_TRUE(status);
  const auto line = status->substr(status->find("CapEff:"));
  const auto bits = parse_hex(words(line)[1]);
  ASSERT_TRUE(bits);
  EXPECT_EQ(own->net_admin, ((*bits >> 12U) & 1U) != 0);
  EXPECT_EQ(own->net_raw, ((*bits >> 13U) & 1U) != 0);
  EXPECT_EQ(own->ipc_lock, ((*bits >> 14U) & 1U) != 0);
  EXPECT_EQ(own->sys_admin, ((*bits >> 21U) & 1U) != 0);
}

TEST(Process, ReturnsTheLimitOfLockedMemory) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_MEMLOCK, &before), 0);
  rlimit small = before;
  small.rlim_cur = 4096;
  ASSERT_EQ(setrlimit(RLIMIT_MEMLOCK, &small), 0);
  const auto own = open_process()->privileges();
  ASSERT_EQ(setrlimit(RLIMIT_MEMLOCK, &before), 0);
  ASSERT_TRUE(own);
  EXPECT_EQ(own->memlock_soft, 4096U);
}

TEST(Process, ReturnsTheKernelReleaseOfProcfs) {
  const auto kernel = open_process()->kernel();
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->release, (*open_files("/"))->read("proc/sys/kernel/osrelease").value());
  EXPECT_FALSE(kernel->machine.empty());
}

TEST(Process, ListsTheCpusOfItsAffinity) {
  const auto affinity = open_process()->affinity();
  ASSERT_TRUE(affinity);
  cpu_set_t set;
  ASSERT_EQ(sched_getaffinity(0, sizeof(set), &set), 0);
  ASSERT_EQ(affinity->cpus.size(), static_cast<std::size_t>(CPU_COUNT(&set)));
  for (const unsigned cpu : affinity->cpus) EXPECT_TRUE(CPU_ISSET(cpu, &set));
}

}  // namespace
}  // namespace manactl::os
