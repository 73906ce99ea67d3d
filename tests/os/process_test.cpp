// SPDX-License-Identifier: MIT

#include "os/process.h"

#include <gmock/gmock.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/text.h"
#include "os/files.h"
#include "os/kernel_calls.h"
#include "os/system.h"

namespace manactl::os::process_test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;

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

// Makes capget(2) return these effective capabilities.
auto with_capabilities(std::uint64_t effective) {
  return [=](long number, const std::array<long, 6>& arguments) -> std::optional<long> {
    if (number != SYS_capget) return std::nullopt;
    const auto* header = reinterpret_cast<__user_cap_header_struct*>(arguments[0]);
    EXPECT_EQ(header->version, unsigned{_LINUX_CAPABILITY_VERSION_3});
    EXPECT_EQ(header->pid, 0) << "this process";
    auto* words = reinterpret_cast<__user_cap_data_struct*>(arguments[1]);
    words[0].effective = static_cast<std::uint32_t>(effective);
    words[1].effective = static_cast<std::uint32_t>(effective >> 32U);
    return 0;
  };
}

TEST(Process, ReportsEachCapabilityAlone) {
  test::KernelCalls calls;
  for (unsigned number = 0; number < 64; ++number) {
    calls.syscall = with_capabilities(std::uint64_t{1} << number);
    const auto own = open_process()->privileges();
    ASSERT_TRUE(own);
    EXPECT_EQ(own->net_admin, number == CAP_NET_ADMIN) << number;
    EXPECT_EQ(own->net_raw, number == CAP_NET_RAW) << number;
    EXPECT_EQ(own->ipc_lock, number == CAP_IPC_LOCK) << number;
    EXPECT_EQ(own->sys_admin, number == CAP_SYS_ADMIN) << number;
  }
}

TEST(Process, HasTwoLimitsThatMayBeInfinite) {
  test::KernelCalls calls;
  calls.getrlimit = [](int resource, rlimit* limit) {
    EXPECT_EQ(resource, int{RLIMIT_MEMLOCK});
    *limit = {8192, RLIM_INFINITY};
    return 0;
  };
  const auto own = open_process()->privileges();
  ASSERT_TRUE(own);
  EXPECT_EQ(own->memlock_soft, 8192U);
  EXPECT_EQ(own->memlock_hard, UINT64_MAX);
}

TEST(Process, ReportsFailedCalls) {
  test::KernelCalls calls;
  const auto process = open_process();
  calls.syscall = test::failing(EPERM);
  EXPECT_EQ(process->privileges().error().message,
            "cannot read the capabilities of this process: Operation not permitted");
  calls.syscall = nullptr;
  calls.getrlimit = test::failing(EPERM);
  EXPECT_EQ(process->privileges().error().message,
            "cannot read RLIMIT_MEMLOCK: Operation not permitted");
  calls.uname = test::failing(EFAULT);
  EXPECT_EQ(process->kernel().error().message,
            "cannot read the kernel release (uname): Bad address");
  calls.uname = test::failing(EFAULT);
  EXPECT_EQ(LiveSystem::open().error().sys, EFAULT);
  calls.fstat = test::failing(EIO);
  EXPECT_EQ(LiveSystem::open().error().message, "cannot open the root '/': Input/output error");
  calls.sched_getaffinity = test::failing(ESRCH);
  EXPECT_EQ(process->affinity().error().message,
            "cannot read the CPU affinity of this process: No such process");
}

TEST(Process, HasTheNameOfTheKernel) {
  test::KernelCalls calls;
  calls.uname = [](utsname* name) {
    std::strcpy(name->release, "6.8.0-azure");
    std::strcpy(name->machine, "aarch64");
    return 0;
  };
  const auto kernel = open_process()->kernel();
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->release, "6.8.0-azure");
  EXPECT_EQ(kernel->machine, "aarch64");
  EXPECT_EQ(kernel->page_bytes, static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)));
}

// The kernel rejects a mask that is shorter than its own.
TEST(Process, ReadsTheAffinityOnMachinesWithManyCpus) {
  test::KernelCalls calls;
  std::size_t needed = 0;
  std::vector<std::size_t> tried;
  calls.sched_getaffinity = [&](pid_t process, std::size_t bytes, void* mask) {
    EXPECT_EQ(process, 0);
    tried.push_back(bytes);
    if (bytes < needed) {
      errno = EINVAL;
      return -1;
    }
    auto* bits = static_cast<unsigned char*>(mask);
    bits[0] = 0x81;
    bits[8] |= 0x02;
    bits[bytes - 1] = 0x80;
    return 0;
  };
  EXPECT_THAT(open_process()->affinity()->cpus, ElementsAre(0U, 7U, 65U, 1023U));
  needed = 8192;
  tried.clear();
  EXPECT_THAT(open_process()->affinity()->cpus, ElementsAre(0U, 7U, 65U, 65535U));
  EXPECT_THAT(tried, ElementsAre(128U, 256U, 512U, 1024U, 2048U, 4096U, 8192U));
  needed = 8193;
  EXPECT_EQ(open_process()->affinity().error().sys, EINVAL);
}

TEST(Process, ReadsTheSshConnectionFromTheEnvironment) {
  unsetenv("SSH_CONNECTION");
  EXPECT_THAT(open_process()->ssh_connections(), Not(Contains("10.0.0.5 50000 10.0.0.4 22")));
  setenv("SSH_CONNECTION", "10.0.0.5 50000 10.0.0.4 22", 1);
  EXPECT_EQ(open_process()->ssh_connections().at(0), "10.0.0.5 50000 10.0.0.4 22");
  unsetenv("SSH_CONNECTION");
}

// Starts a process with SSH_CONNECTION, which starts one without it, as sudo does.
TEST(Process, ReadsTheSshConnectionFromTheEnvironmentOfItsAncestors) {
  const char* command = "env -u SSH_CONNECTION \"$0\" --gtest_filter=$1; exit $?";
  const auto self = std::filesystem::read_symlink("/proc/self/exe").string();
  if (std::getenv("MANACTL_TEST_CHILD") != nullptr) {
    EXPECT_EQ(std::getenv("SSH_CONNECTION"), nullptr);
    EXPECT_THAT(open_process()->ssh_connections(), Contains("10.9.0.5 50000 10.9.0.4 22"));
    return;
  }
  const pid_t child = fork();
  if (child == 0) {
    setenv("SSH_CONNECTION", "10.9.0.5 50000 10.9.0.4 22", 1);
    setenv("MANACTL_TEST_CHILD", "1", 1);
    execl("/bin/sh",
          "sh",
          "-c",
          command,
          self.c_str(),
          "Process.ReadsTheSshConnectionFromTheEnvironmentOfItsAncestors",
          nullptr);
    _exit(127);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(Privileges, AreNoneByDefault) {
  const Privileges none;
  EXPECT_FALSE(none.net_admin || none.net_raw || none.ipc_lock || none.sys_admin);
  EXPECT_EQ(none.uid, 0U);
  EXPECT_EQ(none.memlock_soft + none.memlock_hard, 0U);
}

TEST(LiveSystem, OffersEveryInterface) {
  auto live = LiveSystem::open();
  ASSERT_TRUE(live) << live.error().message;
  const auto system = live->system();
  EXPECT_TRUE(exists(system.files, "proc/self/status"));
  EXPECT_TRUE(system.process.kernel());
  EXPECT_TRUE(system.links.links());
  // A module that is built in is never loaded again; on a captured system load() fails.
  EXPECT_NE(system.modules.load("no_such_module").error().code, Errc::unsupported);
}

}  // namespace
}  // namespace manactl::os::process_test
