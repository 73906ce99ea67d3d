// SPDX-License-Identifier: MIT

#include "base/trusted_directory.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

namespace manactl::trusted_directory_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class Trusted : public ::testing::Test {
 protected:
  Trusted() {
    std::string pattern = fs::temp_directory_path() / "manactl-trust-XXXXXX";
    root = mkdtemp(pattern.data());
    fs::create_directories(root / "a/b");
    std::ofstream(root / "a/b/file") << "text";
    chmod((root / "a/b/file").c_str(), 0644);
    chmod((root / "a/b").c_str(), 0755);
    chmod((root / "a").c_str(), 0755);
  }

  ~Trusted() override { fs::remove_all(root); }

  // Describes the result of opening a directory: "good", or the error.
  std::string opened(const std::string& name, Trust trust) const {
    const auto directory = TrustedDirectory::open(root / name, trust);
    return directory ? "good" : directory.error().message;
  }

  std::string file_opened(const std::string& name, int flags, Trust trust = Trust::owned) const {
    const auto directory = TrustedDirectory::open(root / "a/b", trust).value();
    const auto file = directory.open_file(name, flags, 0600);
    return file ? "good" : file.error().message;
  }

  unsigned mode(const std::string& name) const {
    struct stat status{};

    EXPECT_EQ(stat((root / name).c_str(), &status), 0);
    return status.st_mode & 07777U;
  }

  void chmod_at(const std::string& name, mode_t mode) const {
    ASSERT_EQ(chmod((root / name).c_str(), mode), 0);
  }

  fs::path root;
};

TEST_F(Trusted, OpensDirectoriesThatOnlyTheirOwnerCanWriteTo) {
  for (const auto trust : {Trust::owned, Trust::exclusive, Trust::any_owner})
    EXPECT_EQ(opened("a/b", trust), "good");
  EXPECT_EQ(opened("a/./b/../b//", Trust::exclusive), "good");
  EXPECT_EQ(TrustedDirectory::open("/", Trust::owned).has_value(), true);
  EXPECT_EQ(TrustedDirectory::open(root / "none", Trust::owned).error().sys, ENOENT);
  EXPECT_EQ(TrustedDirectory::open(root / "a/b/file", Trust::owned).error().sys, ENOTDIR);
}

TEST_F(Trusted, RejectsADirectoryInWhichOthersCanReplaceFiles) {
  for (const mode_t mode : {0775U, 0757U}) {
    chmod_at("a", mode);
    EXPECT_THAT(opened("a/b", Trust::owned), HasSubstr((root / "a").string()));
    EXPECT_NE(opened("a/b", Trust::exclusive), "good");
    EXPECT_EQ(opened("a/b", Trust::any_owner), "good");
  }
  chmod_at("a", 01777);
  EXPECT_EQ(opened("a/b", Trust::exclusive), "good") << "a sticky parent, such as /tmp";
  EXPECT_EQ(opened("a", Trust::owned), "good");
  EXPECT_THAT(opened("a", Trust::exclusive), HasSubstr("is writable by others"));
}

TEST_F(Trusted, FollowsLinksOfThisUser) {
  fs::create_symlink("a/b", root / "relative");
  fs::create_symlink(root / "a", root / "absolute");
  fs::create_symlink("loop", root / "loop");
  EXPECT_EQ(opened("relative", Trust::exclusive), "good");
  EXPECT_EQ(opened("absolute/../a/b", Trust::exclusive), "good");
  EXPECT_EQ(TrustedDirectory::open(root / "loop", Trust::owned).error().sys, ELOOP);
  chmod_at("a", 0777);
  EXPECT_NE(opened("relative", Trust::owned), "good") << "the target is checked, too";
}

TEST_F(Trusted, DoesNotFollowALinkThatOthersCanReplace) {
  fs::create_directory(root / "a/real");
  fs::create_symlink("real", root / "a/link");
  chmod_at("a", 0777);
  EXPECT_EQ(opened("a/real", Trust::any_owner), "good");
  EXPECT_THAT(opened("a/link", Trust::any_owner), HasSubstr("a/link"));
  chmod_at("a", 01777);
  EXPECT_EQ(opened("a/link", Trust::any_owner), "good");
}

TEST_F(Trusted, CreatesMissingDirectoriesRegardlessOfTheUmask) {
  for (const mode_t mask : {mode_t{0}, mode_t{077}}) {
    fs::remove_all(root / "new");
    const mode_t before = umask(mask);
    const auto created = TrustedDirectory::open(root / "new/state", Trust::exclusive, 0700);
    umask(before);
    ASSERT_TRUE(created) << created.error().message;
    EXPECT_EQ(mode("new"), 0755U);
    EXPECT_EQ(mode("new/state"), 0700U);
  }
}

TEST_F(Trusted, OpensOnlyRegularFilesAndDoesNotFollowLinks) {
  EXPECT_EQ(file_opened("file", O_RDONLY), "good");
  EXPECT_EQ(file_opened("new", O_WRONLY | O_CREAT), "good");
  ASSERT_EQ(mkfifo((root / "a/b/pipe").c_str(), 0600), 0);
  fs::create_symlink("file", root / "a/b/link");
  fs::create_directory(root / "a/b/directory");
  for (const char* name : {"pipe", "link", "directory"})
    EXPECT_THAT(file_opened(name, O_WRONLY), HasSubstr(name));
  EXPECT_THAT(file_opened("link", O_RDONLY), HasSubstr("symbolic link"));
}

TEST_F(Trusted, RejectsFilesThatOthersCanWriteTo) {
  for (const mode_t mode : {0664U, 0646U}) {
    chmod_at("a/b/file", mode);
    EXPECT_THAT(file_opened("file", O_RDONLY), HasSubstr("is writable by others"));
    EXPECT_EQ(file_opened("file", O_WRONLY, Trust::any_owner), "good");
  }
}

TEST_F(Trusted, DoesNotWriteToAFileWithTwoHardLinks) {
  fs::create_hard_link(root / "a/b/file", root / "a/twin");
  EXPECT_THAT(file_opened("file", O_WRONLY, Trust::any_owner), HasSubstr("hard links"));
  EXPECT_EQ(file_opened("file", O_RDONLY), "good");
}

TEST_F(Trusted, StartsARelativePathAtTheWorkingDirectory) {
  const auto before = fs::current_path();
  fs::current_path(root / "a");
  EXPECT_TRUE(TrustedDirectory::open("b", Trust::owned));
  EXPECT_TRUE(TrustedDirectory::open("../a/b", Trust::owned));
  EXPECT_TRUE(open_trusted_file("b/file", O_PATH));
  EXPECT_FALSE(open_trusted_file("file", O_PATH));
  fs::current_path(before);
}

TEST(FilePath, SplitsTheNameFromTheDirectory) {
  const auto split = [](const char* path) {
    const auto parts = split_file_path(path);
    return parts ? parts->directory + " " + parts->name : "invalid";
  };
  EXPECT_EQ(split("/a/b"), "/a b");
  EXPECT_EQ(split("/a"), "/ a");
  EXPECT_EQ(split("a"), ". a");
  EXPECT_EQ(split("../a"), ".. a");
  for (const char* path : {"", "/", "a/", ".", "a/.."}) EXPECT_EQ(split(path), "invalid") << path;
}

}  // namespace
}  // namespace manactl::trusted_directory_test
