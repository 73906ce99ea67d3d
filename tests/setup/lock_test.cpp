// SPDX-License-Identifier: MIT

#include "setup/lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

namespace manactl::setup {
namespace {

using ::testing::HasSubstr;

class LockFile : public ::testing::Test {
 protected:
  LockFile() {
    std::string pattern = std::filesystem::temp_directory_path() / "manactl-lock-XXXXXX";
    root_ = mkdtemp(pattern.data());
    directory_ = root_ + "/lock";
  }

  ~LockFile() override { std::filesystem::remove_all(root_); }

  Result<std::unique_ptr<Lock>> take(const std::string& command = "test") const {
    return take_lock(directory_ + "/manactl.lock", command);
  }

  Errc refusal() const {
    const auto lock = take();
    EXPECT_FALSE(lock);
    return lock ? Errc::io : lock.error().code;
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
  EXPECT_EQ(std::filesystem::file_size(directory_ + "/manactl.lock"), 0U);
}

TEST_F(LockFile, CreatesItsDirectoryReadableForAll) {
  for (const mode_t mask : {mode_t{0}, mode_t{077}}) {
    std::filesystem::remove_all(directory_);
    const mode_t mask_before = umask(mask);
    const auto lock = take();
    umask(mask_before);
    ASSERT_TRUE(lock) << lock.error().message;

    struct stat status {};

    ASSERT_EQ(lstat(directory_.c_str(), &status), 0);
    EXPECT_TRUE(S_ISDIR(status.st_mode));
    EXPECT_EQ(status.st_mode & 07777U, 0755U);
    EXPECT_EQ(status.st_uid, geteuid());
  }
}

TEST_F(LockFile, CreatesOnlyTheLastDirectory) {
  directory_ += "/deeper";
  EXPECT_EQ(refusal(), Errc::not_found);
  EXPECT_TRUE(std::filesystem::is_empty(root_));
}

TEST_F(LockFile, FollowsNoSymbolicLinks) {
  std::filesystem::create_directory(root_ + "/real");
  std::filesystem::create_symlink(root_ + "/real", directory_);
  EXPECT_FALSE(take());
  std::filesystem::remove(directory_);
  std::filesystem::create_directory(directory_);
  std::ofstream(root_ + "/victim") << "mine";
  std::filesystem::create_symlink(root_ + "/victim", directory_ + "/manactl.lock");
  EXPECT_FALSE(take());
  EXPECT_EQ(std::filesystem::file_size(root_ + "/victim"), 4U);
  EXPECT_TRUE(std::filesystem::is_empty(root_ + "/real"));
}

TEST_F(LockFile, IsRejectedWhereOthersCouldReplaceIt) {
  std::filesystem::create_directory(directory_);
  ASSERT_EQ(chmod(directory_.c_str(), 0777), 0);
  EXPECT_EQ(refusal(), Errc::denied);
  ASSERT_EQ(chmod(directory_.c_str(), 01777), 0);
  EXPECT_TRUE(take()) << "the mode of /run/lock on Debian";
}

TEST_F(LockFile, MustBeARegularFileInADirectory) {
  std::ofstream(directory_) << "a file";
  EXPECT_FALSE(take());
  std::filesystem::remove(directory_);
  std::filesystem::create_directory(directory_);
  ASSERT_EQ(mkfifo((directory_ + "/manactl.lock").c_str(), 0600), 0);
  EXPECT_EQ(refusal(), Errc::denied);
}

}  // namespace
}  // namespace manactl::setup
