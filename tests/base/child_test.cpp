// SPDX-License-Identifier: MIT

#include "base/child.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

namespace manactl {
namespace {

using End = ChildAnswer::End;

constexpr auto kLong = std::chrono::seconds(60);
constexpr auto kShort = std::chrono::milliseconds(200);

TEST(AskChild, GivesAllThatItWrote) {
  const auto answer = ask_child(
      [](int pipe) {
        tell(pipe, "one\n");
        tell(pipe, std::string(10000, 'x'));
      },
      kLong);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->end, End::done);
  EXPECT_EQ(answer->text.size(), 10004U);
  EXPECT_EQ(answer->text.substr(0, 5), "one\nx");
}

TEST(AskChild, KeepsWhatWasWrittenBeforeACrash) {
  const auto answer = ask_child(
      [](int pipe) {
        tell(pipe, "so far");
        raise(SIGKILL);
      },
      kLong);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->end, End::crashed);
  EXPECT_EQ(answer->signal, "SIGKILL");
  EXPECT_EQ(answer->text, "so far");
}

TEST(AskChild, EndsOneThatIsSilent) {
  pid_t pid = -1;
  const auto answer = ask_child(
      [](int pipe) {
        tell(pipe, std::to_string(getpid()));
        for (;;) pause();
      },
      kShort);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->end, End::silent);
  EXPECT_TRUE(answer->gone);
  pid = std::stoi(answer->text);
  EXPECT_EQ(kill(pid, 0), -1) << "it was reaped, too";
}

TEST(AskChild, HasNoEnvironmentThatChoosesProviders) {
  setenv("RDMAV_DRIVERS", "evil", 1);
  setenv("MANACTL_OF_TEST", "kept", 1);
  const auto answer = ask_child(
      [](int pipe) {
        tell(pipe, getenv("RDMAV_DRIVERS") == nullptr ? "none " : "evil ");
        tell(pipe, getenv("MANACTL_OF_TEST"));
      },
      kLong);
  EXPECT_STREQ(getenv("RDMAV_DRIVERS"), "evil") << "of the parent";
  unsetenv("RDMAV_DRIVERS");
  unsetenv("MANACTL_OF_TEST");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->text, "none kept");
}

TEST(AskChild, RefusesEndlessTalk) {
  const auto answer = ask_child(
      [](int pipe) {
        for (;;) tell(pipe, std::string(4096, 'x'));
      },
      kLong);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Errc::io);
}

}  // namespace
}  // namespace manactl
