// SPDX-License-Identifier: MIT

#include "base/child.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

namespace manactl::child_test {
namespace {

using End = ChildResult::End;

constexpr auto kLong = std::chrono::seconds(60);
constexpr auto kShort = std::chrono::milliseconds(200);

TEST(RunInChild, ReturnsEverythingTheChildWrote) {
  const auto result = run_in_child(
      [](int pipe) {
        write_to_pipe(pipe, "one\n");
        write_to_pipe(pipe, std::string(10000, 'x'));
      },
      kLong);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->end, End::done);
  EXPECT_EQ(result->text.size(), 10004U);
  EXPECT_EQ(result->text.substr(0, 5), "one\nx");
}

TEST(RunInChild, ReturnsTextWrittenBeforeACrash) {
  const auto result = run_in_child(
      [](int pipe) {
        write_to_pipe(pipe, "so far");
        raise(SIGKILL);
      },
      kLong);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->end, End::crashed);
  EXPECT_EQ(result->signal, "SIGKILL");
  EXPECT_EQ(result->text, "so far");
}

TEST(RunInChild, KillsASilentChild) {
  const auto result = run_in_child(
      [](int pipe) {
        write_to_pipe(pipe, std::to_string(getpid()));
        for (;;) pause();
      },
      kShort);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->end, End::timed_out);
  EXPECT_TRUE(result->reaped);
  const pid_t pid = std::stoi(result->text);
  EXPECT_EQ(kill(pid, 0), -1) << "the child still exists";
}

TEST(RunInChild, RemovesVariablesThatSelectProviders) {
  setenv("RDMAV_DRIVERS", "evil", 1);
  setenv("MANACTL_OF_TEST", "kept", 1);
  const auto result = run_in_child(
      [](int pipe) {
        write_to_pipe(pipe, getenv("RDMAV_DRIVERS") == nullptr ? "none " : "evil ");
        write_to_pipe(pipe, getenv("MANACTL_OF_TEST"));
      },
      kLong);
  EXPECT_STREQ(getenv("RDMAV_DRIVERS"), "evil") << "the environment of the parent changed";
  unsetenv("RDMAV_DRIVERS");
  unsetenv("MANACTL_OF_TEST");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->text, "none kept");
}

TEST(RunInChild, FailsWhenTheChildWritesTooMuch) {
  const auto result = run_in_child(
      [](int pipe) {
        for (;;) write_to_pipe(pipe, std::string(4096, 'x'));
      },
      kLong);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Errc::io);
}

}  // namespace
}  // namespace manactl::child_test
