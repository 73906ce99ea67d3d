// SPDX-License-Identifier: MIT

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/bench/run_until_deleted.h"
#include "cli/bench/stop_file.h"
#include "cli/run_manactl.h"

namespace manactl::test::until_deleted_test {
namespace {

using testing::HasSubstr;

class BenchUntilDeleted : public testing::Test {
 protected:
  const TemporaryDirectory directory;
  const std::string file = directory.path("running");
};

void expect_complete_run(const Outcome& outcome) {
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto document = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(document["interrupted"], false);
  EXPECT_LT(document["plan"]["seconds"], 60);
  EXPECT_EQ(document["plan"]["seconds"], document["total"]["seconds"]);
  EXPECT_THAT(document["notes"].dump(), HasSubstr("--until-deleted was deleted"));
}

TEST_F(BenchUntilDeleted, ReportsACompleteRun) {
  expect_complete_run(
      manactl_until(run_until_deleted(file), file, [&] { return unlink(file.c_str()) == 0; }));
}

TEST_F(BenchUntilDeleted, EndsIfTheFileIsMovedOrReplaced) {
  const auto other = directory.path("other");
  expect_complete_run(manactl_until(
      run_until_deleted(file), file, [&] { return rename(file.c_str(), other.c_str()) == 0; }));
  expect_complete_run(manactl_until(
      run_until_deleted(file), file, [&] { return rename(other.c_str(), file.c_str()) == 0; }));
  EXPECT_EQ(access(file.c_str(), F_OK), 0) << "the other file was deleted";
}

TEST_F(BenchUntilDeleted, NoticesADeletionBeforeTheEnd) {
  const auto opened = cli::StopFile::open(file);
  ASSERT_TRUE(opened.has_value()) << opened.error().message;
  auto& stop_file = **opened;
  EXPECT_EQ(stop_file.was_deleted(), false);
  EXPECT_EQ(access(file.c_str(), F_OK), 0);
  EXPECT_EQ(stop_file.was_deleted(), false);
  ASSERT_EQ(unlink(file.c_str()), 0);
  EXPECT_EQ(stop_file.was_deleted(), true);
}

TEST_F(BenchUntilDeleted, DeletesTheFileAtTheEnd) {
  EXPECT_EQ(manactl(run_until_deleted(file, "10ms")).code, 0);
  EXPECT_NE(access(file.c_str(), F_OK), 0);
}

TEST_F(BenchUntilDeleted, ASignalInterruptsTheRun) {
  ProcessOptions process;
  process.signal = SIGINT;
  process.signal_thread = "-worker";
  process.signal_ticks = 3;
  const auto outcome = manactl(run_until_deleted(file), process);
  EXPECT_EQ(outcome.code, 128 + SIGINT) << outcome.err;
  EXPECT_EQ(nlohmann::json::parse(outcome.out)["interrupted"], true);
  EXPECT_NE(access(file.c_str(), F_OK), 0);
}

TEST_F(BenchUntilDeleted, RefusesAPathThatExistsOrCannotBeCreated) {
  const auto existing = directory.file("existing", "text");
  const auto link = directory.path("link");
  ASSERT_EQ(symlink("missing", link.c_str()), 0);
  for (const auto& path : {existing, link, directory.path("missing/file"), directory.path("")}) {
    const auto outcome = manactl(run_until_deleted(path));
    EXPECT_EQ(outcome.code, 2) << path;
    EXPECT_EQ(outcome.error_lines(), 1U) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("cannot create '" + path + "'"));
  }
  EXPECT_EQ(access(existing.c_str(), F_OK), 0);
  EXPECT_NE(access(directory.path("missing").c_str(), F_OK), 0);
}

}  // namespace
}  // namespace manactl::test::until_deleted_test
