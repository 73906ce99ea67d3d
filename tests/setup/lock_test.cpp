// SPDX-License-Identifier: MIT

#include "setup/lock.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <regex>

#include "support/file_calls.h"

namespace manactl::setup::lock_test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class LockFile : public ::testing::Test {
 protected:
  LockFile() {
    std::string pattern = std::filesystem::temp_directory_path() / "manactl-lock-XXXXXX";
    root_ = mkdtemp(pattern.data());
    directory_ = root_ + "/state";
  }

  ~LockFile() override { std::filesystem::remove_all(root_); }

  Result<std::unique_ptr<Lock>> take(const std::string& command = "test") const {
    return take_lock(directory_ + "/lock", command);
  }

  Errc refusal() const {
    const auto lock = take();
    EXPECT_FALSE(lock);
    return lock ? Errc::io : lock.error().code;
  }

  static unsigned mode(const std::string& path) {
    struct stat status{};

    EXPECT_EQ(lstat(path.c_str(), &status), 0);
    return status.st_mode & 07777U;
  }

  std::string root_, directory_;
};

TEST_F(LockFile, AllowsOneHolderAtATime) {
  {
    const auto first = take("prepare eth1");
    ASSERT_TRUE(first) << first.error().message;
    const auto second = take();
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, Errc::busy);
    EXPECT_THAT(second.error().message, HasSubstr("manactl prepare eth1"));
  }
  EXPECT_TRUE(take());
  EXPECT_EQ(std::filesystem::file_size(directory_ + "/lock"), 0U);
}

TEST_F(LockFile, StaysLockedIfTheFileIsRemovedOrReplaced) {
  const auto first = take("prepare eth1");
  ASSERT_TRUE(first);
  std::filesystem::remove(directory_ + "/lock");
  EXPECT_EQ(refusal(), Errc::busy);
  std::ofstream(directory_ + "/lock") << "another file";
  EXPECT_EQ(refusal(), Errc::busy);
}

TEST_F(LockFile, IsAccessibleToItsOwnerOnly) {
  for (const mode_t mask : {mode_t{0}, mode_t{077}}) {
    std::filesystem::remove_all(directory_);
    const mode_t mask_before = umask(mask);
    const auto lock = take();
    umask(mask_before);
    ASSERT_TRUE(lock) << lock.error().message;
    EXPECT_EQ(mode(directory_), 0700U);
    EXPECT_EQ(mode(directory_ + "/lock"), 0600U);
  }
}

TEST_F(LockFile, BecomesInaccessibleToOthersEvenIfItExists) {
  std::filesystem::create_directory(directory_);
  std::ofstream(directory_ + "/lock") << "text";
  ASSERT_EQ(chmod(directory_.c_str(), 0755), 0);
  ASSERT_EQ(chmod((directory_ + "/lock").c_str(), 0644), 0);
  EXPECT_TRUE(take());
  EXPECT_EQ(mode(directory_ + "/lock"), 0600U);
  EXPECT_EQ(mode(directory_), 0700U);
}

TEST_F(LockFile, MustNotBeALink) {
  std::filesystem::create_directory(directory_);
  std::ofstream(root_ + "/victim") << "mine";
  std::filesystem::create_symlink(root_ + "/victim", directory_ + "/lock");
  EXPECT_EQ(refusal(), Errc::denied);
  std::filesystem::remove(directory_ + "/lock");
  std::filesystem::create_hard_link(root_ + "/victim", directory_ + "/lock");
  EXPECT_EQ(refusal(), Errc::denied);
  EXPECT_EQ(std::filesystem::file_size(root_ + "/victim"), 4U);
}

TEST_F(LockFile, IsRejectedWhereOthersCanCreateFiles) {
  std::filesystem::create_directory(directory_);
  for (const auto mode : {mode_t{0777}, mode_t{01777}}) {
    ASSERT_EQ(chmod(directory_.c_str(), mode), 0);
    EXPECT_EQ(refusal(), Errc::denied);
  }
}

TEST_F(LockFile, MustBeARegularFileInADirectory) {
  std::ofstream(directory_) << "a file";
  EXPECT_FALSE(take());
  std::filesystem::remove(directory_);
  std::filesystem::create_directory(directory_);
  ASSERT_EQ(mkfifo((directory_ + "/lock").c_str(), 0600), 0);
  EXPECT_EQ(refusal(), Errc::denied);
}

TEST_F(LockFile, NamesItsOwner) {
  const auto lock = take("prepare eth1");
  ASSERT_TRUE(lock);
  std::string text;
  std::getline(std::ifstream(directory_ + "/lock"), text);
  const std::string time = "[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}";
  const std::regex owner(
      fmt::format("process {} .manactl prepare eth1, since {}.", getpid(), time));
  EXPECT_TRUE(std::regex_match(text, owner)) << text;
  const auto second = take();
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().message,
            fmt::format("{} holds the lock '{}/lock': wait until it ends", text, directory_));
}

TEST_F(LockFile, ShortensALongCommand) {
  const auto lock = take(std::string(121, 'x'));
  ASSERT_TRUE(lock);
  EXPECT_THAT(take().error().message, HasSubstr("manactl " + std::string(120, 'x') + "..., since"));
}

TEST_F(LockFile, MayHaveAnUnknownOwner) {
  const auto lock = take();
  ASSERT_TRUE(lock);
  ASSERT_EQ(truncate((directory_ + "/lock").c_str(), 0), 0);
  EXPECT_THAT(take().error().message, StartsWith("another process holds the lock"));
  std::ofstream(directory_ + "/lock") << std::string(300, 'x');
  EXPECT_THAT(take().error().message, StartsWith(std::string(200, 'x') + "... holds the lock"));
}

TEST_F(LockFile, ReplacesTheNameOfAnEarlierOwner) {
  std::filesystem::create_directory(directory_);
  std::ofstream(directory_ + "/lock") << std::string(500, 'x');
  const auto lock = take();
  ASSERT_TRUE(lock);
  EXPECT_THAT(take().error().message, StartsWith(fmt::format("process {} ", getpid())));
  EXPECT_LT(std::filesystem::file_size(directory_ + "/lock"), 100U);
}

TEST_F(LockFile, ReportsThatItCannotBeWritten) {
  test::FileCalls calls;
  calls.fail("truncate lock", EIO);
  const auto lock = take();
  ASSERT_FALSE(lock);
  EXPECT_EQ(lock.error().sys, EIO);
  EXPECT_THAT(lock.error().message, StartsWith(fmt::format("cannot write '{}/lock'", directory_)));
  EXPECT_THAT(take_lock("", "test").error().message, StartsWith("cannot use the lock ''"));
}

// The child would otherwise hold the lock after its parent has ended.
TEST_F(LockFile, IsNotHeldByAChildThatClosesIt) {
  std::array<int, 2> closed{};
  std::array<int, 2> end{};
  ASSERT_EQ(pipe2(closed.data(), O_CLOEXEC), 0);
  ASSERT_EQ(pipe2(end.data(), O_CLOEXEC), 0);
  auto lock = take();
  ASSERT_TRUE(lock);
  char byte = 0;
  const pid_t child = fork();
  if (child == 0) {
    (*lock)->close_in_child();
    close(end[1]);
    const bool good = write(closed[1], &byte, 1) == 1 && read(end[0], &byte, 1) == 0;
    _exit(good ? 0 : 1);
  }
  EXPECT_EQ(read(closed[0], &byte, 1), 1);
  EXPECT_FALSE(take());
  lock->reset();
  EXPECT_TRUE(take());
  close(end[1]);
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  for (const int fd : {closed[0], closed[1], end[0]}) close(fd);
}

}  // namespace
}  // namespace manactl::setup::lock_test
