// SPDX-License-Identifier: MIT
//
// Tests that give files to another user.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/trusted_directory.h"

namespace manactl::trusted_directory_root_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class OtherUser : public ::testing::Test {
 protected:
  OtherUser() {
    std::string pattern = fs::temp_directory_path() / "manactl-trust-XXXXXX";
    root = mkdtemp(pattern.data());
    fs::create_directories(root / "a/b");
    std::ofstream(root / "a/b/file") << "text";
  }

  ~OtherUser() override { fs::remove_all(root); }

  // Describes the result: "good", or the error.
  std::string opened(const std::string& name, Trust trust) const {
    const auto directory = TrustedDirectory::open(root / name, trust);
    return directory ? "good" : directory.error().message;
  }

  void give_away(const std::string& name) const {
    constexpr uid_t kNobody = 65534;
    ASSERT_EQ(lchown((root / name).c_str(), kNobody, kNobody), 0);
  }

  fs::path root;
};

TEST_F(OtherUser, CannotOwnADirectoryOrFileThatIsTrusted) {
  give_away("a");
  for (const auto trust : {Trust::owned, Trust::exclusive})
    EXPECT_THAT(opened("a/b", trust), HasSubstr("/a' belongs to UID 65534"));
  EXPECT_FALSE(open_trusted_file(root / "a/b/file", O_RDONLY));
}

TEST_F(OtherUser, CanOwnTheDirectoryButNotTheFileOfAnOutput) {
  give_away("a");
  const auto directory = TrustedDirectory::open(root / "a/b", Trust::any_owner);
  ASSERT_TRUE(directory) << directory.error().message;
  EXPECT_TRUE(directory->open_file("file", O_WRONLY));
  give_away("a/b/file");
  const auto file = directory->open_file("file", O_WRONLY);
  ASSERT_FALSE(file);
  EXPECT_THAT(file.error().message, HasSubstr("belongs to UID 65534"));
}

TEST_F(OtherUser, CannotRedirectAPathWithALink) {
  fs::create_symlink("a", root / "theirs");
  give_away("theirs");
  EXPECT_THAT(opened("theirs/b", Trust::any_owner), HasSubstr("cannot follow the symbolic link"));
}

TEST_F(OtherUser, CannotRedirectAPathByMovingALinkOfRoot) {
  fs::create_symlink("b", root / "a/ours");
  EXPECT_EQ(opened("a/ours", Trust::any_owner), "good");
  give_away("a");
  EXPECT_THAT(opened("a/ours", Trust::any_owner), HasSubstr("cannot follow the symbolic link"));
}

}  // namespace
}  // namespace manactl::trusted_directory_root_test
