// SPDX-License-Identifier: MIT
//
// Each test gives up the privileges of root in a child process.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/securebits.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <sstream>
#include <string>
#include <thread>

#include "os/in_child.h"
#include "os/sandbox.h"
#include "os/seccomp.h"

namespace manactl::os::nobody_test {
namespace {

int threads_with(const std::string& line) {
  int found = 0;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream in(thread.path() / "status");
    std::ostringstream text;
    text << in.rdbuf();
    if (text.str().find("\n" + line + "\n") != std::string::npos) ++found;
  }
  return found;
}

TEST(BecomeNobody, ChangesThreadsThatRunAlready) {
  ASSERT_EQ(geteuid(), 0U);
  EXPECT_EQ(in_child([] {
              std::promise<void> end;
              std::thread other([&end] { end.get_future().wait(); });
              int result = 0;
              if (!become_nobody()) result = 1;
              if (threads_with("Uid:\t65534\t65534\t65534\t65534") != 2) result = 2;
              if (threads_with("CapPrm:\t0000000000000000") != 2) result = 3;
              if (threads_with("Groups:\t ") != 2) result = 4;
              end.set_value();
              other.join();
              return result;
            }),
            0);
}

TEST(BecomeNobody, KeepsOpenFilesButLocksNoMoreMemory) {
  EXPECT_EQ(in_child([] {
              const int file = open("/etc/shadow", O_RDONLY | O_CLOEXEC);
              char byte = 0;
              // AddressSanitizer replaces mlock().
              if (syscall(SYS_mlock, &byte, 1) != 0) return 4;
              if (file < 0 || !become_nobody()) return 1;
              if (read(file, &byte, 1) != 1) return 2;
              if (open("/etc/shadow", O_RDONLY | O_CLOEXEC) >= 0 || errno != EACCES) return 3;
              const char other[4096]{};
              return syscall(SYS_mlock, &other, sizeof other) != 0 && errno == EPERM ? 0 : 5;
            }),
            0);
}

TEST(BecomeNobody, FailsIfCapabilitiesRemain) {
  EXPECT_EQ(in_child([] {
              if (prctl(PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP, 0, 0, 0) != 0) return 1;
              const auto changed = become_nobody();
              return !changed && changed.error().code == Errc::denied ? 0 : 2;
            }),
            0);
}

TEST(BecomeNobody, ForbidsProgramsAndTerminalInput) {
  constexpr long kPidfdGetfd = 438;  // SYS_pidfd_getfd
  constexpr int kNotLimited = 200;   // with a sanitizer
  const int result = in_child([] {
    if (!become_nobody()) return 1;
    const auto again = forbid_programs();
    if (!again) return again.error().code == Errc::unsupported ? kNotLimited : 6;
    if (execl("/bin/true", "true", nullptr) == 0 || errno != EPERM) return 2;
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0 || errno != EPERM) return 3;
    // Without the filter, these calls succeed for the own process, or return another error.
    if (process_vm_readv(getpid(), nullptr, 0, nullptr, 0, 0) == 0 || errno != EPERM) return 7;
    if (process_vm_writev(getpid(), nullptr, 0, nullptr, 0, 0) == 0 || errno != EPERM) return 8;
    if (syscall(kPidfdGetfd, -1, 0, 0) == 0 || errno != EPERM) return 9;
    // Without the filter, a file that is not a terminal returns ENOTTY.
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    const char character = 'x';
    if (ioctl(null, TIOCSTI, &character) == 0 || errno != EPERM) return 4;
    return ioctl(null, TIOCLINUX, &character) != 0 && errno == EPERM ? 0 : 5;
  });
  EXPECT_TRUE(result == 0 || result == kNotLimited) << result;
}

}  // namespace
}  // namespace manactl::os::nobody_test
