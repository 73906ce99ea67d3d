// SPDX-License-Identifier: MIT
//
// Runs parts of a test with the real kernel in a network namespace of their own.

#pragma once

#include <gtest/gtest.h>
#include <sched.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "base/text.h"

namespace manactl::os::test {

// Runs a program with its arguments, and expects success.
inline void run_program(std::vector<std::string> command) {
  std::vector<char*> argv;
  for (auto& word : command) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t child = 0;
  int status = -1;
  ASSERT_EQ(posix_spawnp(&child, argv[0], nullptr, nullptr, argv.data(), environ), 0);
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0) << join(command, " ");
}

// The same with arguments that blanks separate.
inline void run(const std::string& command) {
  std::vector<std::string> parts;
  for (const auto word : words(command)) parts.emplace_back(word);
  run_program(std::move(parts));
}

inline void ip(const std::string& arguments) {
  run("ip " + arguments);
}

// Runs `body` in a child process with its own network namespace, which the kernel removes at exit.
inline void run_in_network_namespace(const std::function<void()>& body) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    if (unshare(CLONE_NEWNET) != 0) {
      perror("unshare(CLONE_NEWNET) failed; run these tests as root");
      _exit(2);
    }
    body();
    fflush(nullptr);
    _exit(::testing::Test::HasFailure() ? 1 : 0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0) << "the checks in the namespace failed";
}

}  // namespace manactl::os::test
