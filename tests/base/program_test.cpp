// SPDX-License-Identifier: MIT

#include "base/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

namespace manactl::program_test {
namespace {

using testing::HasSubstr;

constexpr std::size_t kMax = std::size_t{1} << 20U;

Result<ProgramResult> shell(const std::string& script,
                            std::size_t max_output = kMax,
                            const std::stop_token& stop = {}) {
  return run_program({"/bin/sh", "-c", script}, max_output, stop);
}

TEST(RunProgram, ReturnsOutputAndStatus) {
  const auto result = shell("cat; echo data; echo reason >&2; exit 3");
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->status, 3);
  EXPECT_EQ(result->out, "data\n");
  EXPECT_EQ(result->err, "reason\n");
}

TEST(RunProgram, PassesArgumentsWithoutAShell) {
  const auto result = run_program({"/bin/echo", "a  b", "$HOME", "*"}, kMax);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->out, "a  b $HOME *\n");
}

TEST(RunProgram, KeepsTheEndOfTheErrors) {
  const auto result = shell("head -c 100000 /dev/zero | tr '\\0' x >&2; echo end >&2");
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->err.size(), 4096U);
  EXPECT_THAT(result->err, HasSubstr("xend\n"));
}

TEST(RunProgram, LimitsTheOutput) {
  EXPECT_EQ(shell("head -c 100000 /dev/zero", 100000)->out.size(), 100000U);
  const auto result = shell("cat /dev/zero", 100000);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("it wrote more than 100000 bytes"));
}

TEST(RunProgram, FailsIfTheProgramCannotBeExecuted) {
  for (const auto* path : {"/nonexistent", "/etc/passwd", "/"}) {
    const auto result = run_program({path}, kMax);
    ASSERT_FALSE(result) << path;
    EXPECT_EQ(result.error().code, Errc::invalid);
    EXPECT_THAT(result.error().message, HasSubstr(path));
  }
}

TEST(RunProgram, ReportsTheSignalThatKilledTheProgram) {
  EXPECT_EQ(shell("kill -KILL $$")->status, 128 + SIGKILL);
}

TEST(RunProgram, TerminatesTheProgramOnRequest) {
  std::stop_source stop;
  stop.request_stop();
  const auto result =
      shell("trap 'echo stopped; exit 4' TERM; while :; do :; done", kMax, stop.get_token());
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_NE(result->status, 0);
}

TEST(RunProgram, UnblocksSignals) {
  sigset_t all{}, before{};
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  const auto result = shell("kill -TERM $$; echo survived");
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->status, 128 + SIGTERM);
  EXPECT_EQ(result->out, "");
}

}  // namespace
}  // namespace manactl::program_test
