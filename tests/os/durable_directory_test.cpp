// SPDX-License-Identifier: MIT

#include "os/durable_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace manactl::os::durable_directory_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class DurableDirectoryTest : public ::testing::Test {
 protected:
  DurableDirectoryTest() {
    std::string pattern = std::filesystem::temp_directory_path() / "manactl-durable-XXXXXX";
    root_ = mkdtemp(pattern.data());
    files_ = open_durable_directory(root_ + "/state/journal", DirectoryAccess::owner_only);
  }

  ~DurableDirectoryTest() override { std::filesystem::remove_all(root_); }

  unsigned mode(const std::string& path) const {
    struct stat status{};

    EXPECT_EQ(stat((root_ + path).c_str(), &status), 0);
    return status.st_mode & 0777U;
  }

  std::string root_;
  std::unique_ptr<DurableDirectory> files_;
};

TEST_F(DurableDirectoryTest, RestrictsAccessToTheOwnerRegardlessOfTheUmask) {
  const auto before = umask(0);
  const auto written = files_->replace("a", "one\n");
  umask(before);
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_EQ(mode("/state/journal"), 0700U);
  EXPECT_EQ(mode("/state/journal/a"), 0600U);
}

TEST_F(DurableDirectoryTest, ReplacesAppendsAndRemovesFiles) {
  EXPECT_THAT(*files_->list(), IsEmpty());
  ASSERT_TRUE(files_->replace("a", "one\n"));
  ASSERT_TRUE(files_->append("a", "two\n"));
  EXPECT_EQ(*files_->read("a"), "one\ntwo\n");
  EXPECT_THAT(*files_->list(), ElementsAre("a"));
  ASSERT_TRUE(files_->remove("a"));
  EXPECT_TRUE(files_->remove("a")) << "removing a missing file is not an error";
  EXPECT_FALSE(files_->append("a", "three\n"));
}

TEST_F(DurableDirectoryTest, CreatesOnlyNewFiles) {
  ASSERT_TRUE(files_->create("a", "one\n"));
  const auto again = files_->create("a", "two\n");
  EXPECT_EQ(again.error().sys, EEXIST);
  EXPECT_EQ(again.error().message, "cannot create '" + root_ + "/state/journal/a': File exists");
  EXPECT_EQ(*files_->read("a"), "one\n");
  EXPECT_FALSE(std::filesystem::exists(root_ + "/state/journal/a.new"));
}

TEST_F(DurableDirectoryTest, IgnoresTemporaryFilesOfAKilledProcess) {
  ASSERT_TRUE(files_->replace("a", "one\n"));
  std::ofstream(root_ + "/state/journal/b.new") << "half";
  EXPECT_THAT(*files_->list(), ElementsAre("a"));
  EXPECT_TRUE(files_->replace("b", "whole"));
}

TEST_F(DurableDirectoryTest, RejectsFilesThatOthersMayWrite) {
  ASSERT_TRUE(files_->replace("a", "one\n"));
  chmod((root_ + "/state/journal/a").c_str(), 0666);
  EXPECT_EQ(files_->read("a").error().code, Errc::denied);
  chmod((root_ + "/state/journal/a").c_str(), 0600);
  chmod((root_ + "/state").c_str(), 0777);
  EXPECT_EQ(files_->read("a").error().code, Errc::denied);
  EXPECT_FALSE(files_->replace("a", "two\n"));
}

TEST_F(DurableDirectoryTest, DoesNotFollowALinkInPlaceOfAFile) {
  ASSERT_TRUE(files_->replace("a", "one\n"));
  std::filesystem::create_symlink("/etc/passwd", root_ + "/state/journal/b");
  EXPECT_FALSE(files_->read("b"));
  EXPECT_FALSE(files_->append("b", "x"));
}

TEST_F(DurableDirectoryTest, FollowsALinkOfItsOwnerToADirectory) {
  ASSERT_TRUE(files_->replace("a", "one\n"));
  std::filesystem::rename(root_ + "/state", root_ + "/real");
  std::filesystem::create_symlink(root_ + "/real", root_ + "/state");
  EXPECT_EQ(*files_->read("a"), "one\n");
  chmod(root_.c_str(), 0777);
  EXPECT_EQ(files_->read("a").error().code, Errc::denied) << "others can replace the link";
}

TEST_F(DurableDirectoryTest, DoesNotAppendToAFileWithTwoHardLinks) {
  ASSERT_TRUE(files_->replace("a", "one\n"));
  std::filesystem::create_hard_link(root_ + "/state/journal/a", root_ + "/twin");
  EXPECT_EQ(files_->append("a", "two\n").error().code, Errc::denied);
  EXPECT_EQ(*files_->read("a"), "one\n");
}

TEST_F(DurableDirectoryTest, RejectsNamesThatAreNotPlain) {
  ASSERT_TRUE(files_->replace("a", "one\n"));
  std::ofstream(root_ + "/state/b.new") << "precious";
  for (const char* name : {"", "..", "a/b", ".hidden", "../b", "c.new"}) {
    EXPECT_FALSE(files_->replace(name, "x"));
    EXPECT_FALSE(files_->remove(name));
    EXPECT_FALSE(files_->size(name));
  }
  EXPECT_TRUE(std::filesystem::exists(root_ + "/state/b.new"));
}

}  // namespace
}  // namespace manactl::os::durable_directory_test
