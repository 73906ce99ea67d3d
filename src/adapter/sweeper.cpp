// SPDX-License-Identifier: MIT

#include "adapter/sweeper.h"

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

// Every other descriptor would keep something of this process open: its output, a lock.
void keep_only(int fd) {
  const auto kept = static_cast<unsigned>(fd);
  if (kept > 0) syscall(SYS_close_range, 0U, kept - 1, 0U);
  syscall(SYS_close_range, kept + 1, UINT_MAX, 0U);
}

[[noreturn]] void sweep_later(const std::string& directory, int ended) {
  // Of a session of its own: what ends a terminal's or a shell's whole group does not reach it.
  setsid();
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  keep_only(ended);
  char nothing = 0;
  while (read(ended, &nothing, 1) < 0 && errno == EINTR) continue;
  std::error_code ignored;
  std::filesystem::remove_all(directory, ignored);
  _exit(0);
}

}  // namespace

Result<Sweeper> Sweeper::start(const std::string& directory) {
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) return fail_errno(errno, "cannot make a pipe");
  const auto pid = fork();
  if (pid == 0) {
    close(ends[1]);
    sweep_later(directory, ends[0]);
  }
  const int number = errno;
  close(ends[0]);
  if (pid > 0) return Sweeper(pid, ends[1]);
  close(ends[1]);
  return fail_errno(number, "cannot start a process");
}

Sweeper::~Sweeper() {
  if (pid_ <= 0) return;
  close(alive_);
  waitpid(pid_, nullptr, 0);
}

}  // namespace manactl::adapter
