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
    struct stat status {};

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
  for (const mode_t mode : {0777, 01777}) {
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

}  // namespace
}  // namespace manactl::setup
