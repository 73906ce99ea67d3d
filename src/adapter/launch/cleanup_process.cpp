// SPDX-License-Identifier: MIT

#include "adapter/launch/cleanup_process.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <csignal>
#include <filesystem>
#include <system_error>

namespace manactl::adapter {
namespace {

// Closes all other descriptors, which would keep files, pipes and locks of the parent open.
void close_all_except(int fd) {
  const auto open = static_cast<unsigned>(fd);
  if (open > 0) syscall(__NR_close_range, 0U, open - 1, 0U);
  syscall(__NR_close_range, open + 1, UINT_MAX, 0U);
}

[[noreturn]] void remove_later(const std::string& directory, int pipe) {
  // A new session, so that Ctrl-C and other signals to the parent's group do not arrive.
  setsid();
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  close_all_except(pipe);
  char ignored_byte = 0;
  while (read(pipe, &ignored_byte, 1) < 0 && errno == EINTR) continue;
  std::error_code ignored;
  std::filesystem::remove_all(directory, ignored);
  _exit(0);
}

}  // namespace

Result<CleanupProcess> CleanupProcess::start(const std::string& directory) {
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) return fail_errno(errno, "cannot create a pipe");
  const auto pid = fork();
  if (pid == 0) {
    close(ends[1]);
    remove_later(directory, ends[0]);
  }
  const int number = errno;
  close(ends[0]);
  if (pid > 0) return CleanupProcess(pid, ends[1]);
  close(ends[1]);
  return fail_errno(number, "cannot start a process");
}

CleanupProcess::~CleanupProcess() {
  if (pid_ <= 0) return;
  close(pipe_);
  waitpid(pid_, nullptr, 0);
}

}  // namespace manactl::adapter
