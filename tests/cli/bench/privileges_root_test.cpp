// SPDX-License-Identifier: MIT
//
// bench of root measures as another user, and saves its result as root.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/bench/run_until_deleted.h"
#include "cli/run_manactl.h"

namespace manactl::test::privileges_root_test {
namespace {

namespace fs = std::filesystem;
using testing::Each;
using testing::HasSubstr;
using testing::SizeIs;

std::string text_of(const fs::path& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// The status of each thread of each process whose command line contains `mark`, by name and number.
std::map<std::string, std::vector<std::string>> threads_of(const std::string& mark) {
  std::map<std::string, std::vector<std::string>> found;
  std::error_code gone;
  for (const auto& process : fs::directory_iterator("/proc", gone)) {
    if (text_of(process.path() / "cmdline").find(mark) == std::string::npos) continue;
    auto& threads = found[text_of(process.path() / "comm")];
    for (const auto& thread : fs::directory_iterator(process.path() / "task", gone)) {
      threads.push_back(text_of(thread.path() / "status"));
    }
  }
  return found;
}

// The process with this name whose command line contains `mark`, or 0.
pid_t process_of(const std::string& name, const std::string& mark) {
  for (const auto& process : fs::directory_iterator("/proc")) {
    if (text_of(process.path() / "comm") != name) continue;
    if (text_of(process.path() / "cmdline").find(mark) == std::string::npos) continue;
    return std::stoi(process.path().filename());
  }
  return 0;
}

class BenchPrivileges : public testing::Test {
 protected:
  std::vector<std::string> arguments() const {
    auto words = run_until_deleted(file);
    words.insert(words.end(), {"--results", results});
    return words;
  }

  const TemporaryDirectory directory;
  const std::string file = directory.path("running");
  const std::string results = directory.path("results");
};

// Saves results, unlike other tests.
ProcessOptions saving() {
  ProcessOptions options;
  options.environment = {"LC_ALL=C.UTF-8"};
  return options;
}

TEST_F(BenchPrivileges, NoThreadKeepsThemWhilePacketsFlow) {
  ASSERT_EQ(geteuid(), 0U);
  std::map<std::string, std::vector<std::string>> threads;
  const auto outcome = manactl_until(
      arguments(),
      file,
      [&] {
        threads = threads_of(file);
        return unlink(file.c_str()) == 0;
      },
      saving());
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(threads, SizeIs(2));
  const auto& measuring = threads["manactl\n"];
  EXPECT_GE(measuring.size(), 3U);  // among them are EAL's worker and its thread for interrupts
  EXPECT_THAT(measuring, Each(HasSubstr("\nUid:\t65534\t65534\t65534\t65534\n")));
  EXPECT_THAT(measuring, Each(HasSubstr("\nGid:\t65534\t65534\t65534\t65534\n")));
  EXPECT_THAT(measuring, Each(HasSubstr("\nGroups:\t \n")));
  EXPECT_THAT(measuring, Each(HasSubstr("\nCapPrm:\t0000000000000000\n")));
#ifndef __SANITIZE_ADDRESS__  // which needs more system calls than the filter allows
  EXPECT_THAT(measuring, Each(HasSubstr("\nNoNewPrivs:\t1\n")));
#endif
  EXPECT_THAT(threads["manactl-files\n"], SizeIs(1));
  EXPECT_THAT(threads["manactl-files\n"], Each(HasSubstr("\nUid:\t0\t0\t0\t0\n")));
  std::vector<fs::path> saved;
  for (const auto& entry : fs::directory_iterator(results)) saved.push_back(entry.path());
  ASSERT_THAT(saved, SizeIs(1));

  struct stat status{};

  ASSERT_EQ(stat(saved.front().c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, 0U);
  EXPECT_EQ(nlohmann::json::parse(text_of(saved.front()))["id"], saved.front().stem().string());
}

TEST_F(BenchPrivileges, TheFileIsDeletedAlthoughBenchIsKilled) {
  pid_t group = 0, group_of_files = 0;
  const auto outcome = manactl_until(
      arguments(),
      file,
      [&] {
        const auto bench = process_of("manactl\n", file);
        group = getpgid(bench);
        group_of_files = getpgid(process_of("manactl-files\n", file));
        return bench > 0 && kill(bench, SIGKILL) == 0;
      },
      saving());
  EXPECT_EQ(outcome.code, 128 + SIGKILL);
  EXPECT_NE(group_of_files, group) << "a signal to the group of bench also ends the other process";
  // The process that writes files does not hold the pipes of bench, so it may still run here.
  while (!threads_of(file).empty()) usleep(1000);
  EXPECT_FALSE(fs::exists(file));
}

}  // namespace
}  // namespace manactl::test::privileges_root_test
