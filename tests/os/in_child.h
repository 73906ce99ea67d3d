// SPDX-License-Identifier: MIT

#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <functional>

namespace manactl::os {

// Runs `attempt` in a child process and returns its result, a small number such as an errno.
inline int in_child(const std::function<int()>& attempt) {
  const pid_t child = fork();
  if (child == 0) _exit(attempt());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace manactl::os
