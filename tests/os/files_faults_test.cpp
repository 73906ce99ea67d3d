// SPDX-License-Identifier: MIT
//
// Files of the live system and of captured trees if calls fail, and the exact results of the rest.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "os/files.h"
#include "os/kernel_calls.h"
#include "os/memory_files.h"
#include "os/scratch.h"
#include "support/file_calls.h"

namespace manactl::os::files_faults_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The parameter selects the live system; otherwise the tree is captured. Both contain "file" with a
// text, the directory "dir" with an entry, and "link".
class EachFiles : public ::testing::TestWithParam<bool> {
 protected:
  EachFiles() {
    tree_.file("file", "text");
    tree_.file("dir/entry", "");
    tree_.link("link", "file");
    files_ = std::move(*open_files(GetParam() ? "/" : tree_.path().string()));
  }

  std::string path(const std::string& name) const {
    return GetParam() ? tree_.path() / name : std::filesystem::path(name);
  }

  std::string shown(const std::string& name) const { return tree_.path() / name; }

  test::Scratch tree_;
  std::unique_ptr<Files> files_;
};

std::string system_name(const testing::TestParamInfo<bool>& instance) {
  return instance.param ? "Live" : "Captured";
}

INSTANTIATE_TEST_SUITE_P(Systems, EachFiles, testing::Bool(), system_name);

TEST_P(EachFiles, AreReadAndWritten) {
  EXPECT_EQ(*files_->read(path("file")), "text");
  EXPECT_EQ(*files_->read(path("link")), "text");
  EXPECT_EQ(*files_->link_target(path("link")), "file");
  EXPECT_THAT(*files_->list(path("dir")), ElementsAre("entry"));
  ASSERT_TRUE(files_->write(path("file"), "new"));
  EXPECT_EQ(*files_->read(path("file")), "newt");
}

TEST_P(EachFiles, AreNotConfusedByAnOldErrno) {
  const test::FileCalls calls;
  errno = EINTR;
  EXPECT_EQ(*files_->read(path("file")), "text");
  errno = EINTR;
  ASSERT_TRUE(files_->write(path("file"), ""));
  EXPECT_THAT(calls.log(), ElementsAre("write file"));
}

TEST_P(EachFiles, FailWithThePathAndTheReason) {
  const auto check = [&](const auto& result, const std::string& message, int error) {
    ASSERT_FALSE(result) << message;
    EXPECT_EQ(result.error().message, message);
    EXPECT_EQ(result.error().sys, error);
  };
  const std::string absent = "'" + shown("absent") + "': No such file or directory";
  check(files_->read(path("absent")), "cannot read " + absent, ENOENT);
  check(files_->write(path("absent"), "x"), "cannot write " + absent, ENOENT);
  check(files_->list(path("absent")), "cannot list " + absent, ENOENT);
  check(files_->node(path("absent")), "cannot stat " + absent, ENOENT);
  check(files_->link_target(path("absent")), "cannot read the link " + absent, ENOENT);
  check(files_->link_target(path("file")),
        "cannot read the link '" + shown("file") + "': Invalid argument",
        EINVAL);
  check(files_->read(path("dir")), "cannot read '" + shown("dir") + "': Is a directory", EISDIR);
  test::KernelCalls calls;
  const std::string broken = "': Input/output error";
  for (const auto* name : {"read", "write", "stat"}) {
    calls.fstat = test::failing(EIO);
    const std::string message = fmt::format("cannot {} '{}{}", name, shown("file"), broken);
    if (name == std::string("read")) check(files_->read(path("file")), message, EIO);
    if (name == std::string("write")) check(files_->write(path("file"), "x"), message, EIO);
    if (name == std::string("stat")) check(files_->node(path("file")), message, EIO);
  }
  const std::string list = "cannot list '" + shown("dir") + broken;
  calls.readdir = test::null_with(EIO);
  check(files_->list(path("dir")), list, EIO);
  calls.readdir = nullptr;
  calls.fdopendir = test::null_with(EIO);
  check(files_->list(path("dir")), list, EIO);
}

TEST_P(EachFiles, HaveTypesPermissionsAndOwners) {
  ASSERT_EQ(chmod((tree_.path() / "file").c_str(), 07654), 0);
  ASSERT_EQ(chmod((tree_.path() / "dir").c_str(), 0710), 0);
  ASSERT_EQ(mkfifo((tree_.path() / "fifo").c_str(), 0600), 0);
  if (geteuid() == 0) {
    ASSERT_EQ(chown((tree_.path() / "dir").c_str(), 12, 34), 0);
  }

  struct stat wanted{};

  for (const auto& [name, type] : {std::pair{"file", Node::Type::file},
                                   {"dir", Node::Type::directory},
                                   {"link", Node::Type::file},
                                   {"fifo", Node::Type::other}}) {
    const auto node = files_->node(path(name));
    ASSERT_TRUE(node) << name;
    ASSERT_EQ(stat((tree_.path() / name).c_str(), &wanted), 0);
    EXPECT_EQ(node->type, type) << name;
    EXPECT_EQ(node->mode, wanted.st_mode & ~unsigned{S_IFMT}) << name;
    EXPECT_EQ(node->uid, wanted.st_uid) << name;
    EXPECT_EQ(node->gid, wanted.st_gid) << name;
  }
}

TEST_P(EachFiles, AreReadableOrWritableForTheEffectiveUser) {
  ASSERT_EQ(chmod(tree_.path().c_str(), 0711), 0);
  constexpr uid_t kNobody = 65534;
  const bool is_root = geteuid() == 0;
  for (const unsigned mode : {0000U, 0222U, 0444U, 0666U}) {
    ASSERT_EQ(chmod((tree_.path() / "file").c_str(), mode), 0);
    if (is_root) {
      ASSERT_EQ(seteuid(kNobody), 0);
    }
    const auto node = files_->node(path("file"));
    if (is_root) {
      ASSERT_EQ(seteuid(0), 0);
    }
    ASSERT_TRUE(node);
    EXPECT_EQ(node->readable, (mode & 0444U) != 0) << mode;
    EXPECT_EQ(node->writable, (mode & 0222U) != 0) << mode;
  }
}

TEST_P(EachFiles, AreAtMost16MebibytesByDefault) {
  constexpr std::size_t kLimit = 16U << 20;
  ASSERT_EQ(truncate((tree_.path() / "file").c_str(), kLimit), 0);
  EXPECT_EQ(files_->read(path("file"))->size(), kLimit);
  ASSERT_EQ(truncate((tree_.path() / "file").c_str(), kLimit + 1), 0);
  EXPECT_EQ(files_->read(path("file")).error().message,
            "cannot read '" + shown("file") + "': it is larger than 16 MiB");
}

class LiveTree : public ::testing::Test {
 protected:
  LiveTree() { tree_.file("file", "text"); }

  test::Scratch tree_;
  std::unique_ptr<Files> files_ = std::move(*open_files("/"));
};

TEST_F(LiveTree, IsOpenedAgainAfterAnInterruption) {
  test::KernelCalls calls;
  calls.openat = test::failing(EINTR);
  EXPECT_EQ(*files_->read((tree_.path() / "file").string()), "text");
}

TEST_F(LiveTree, IsOpenedWithoutSideEffects) {
  test::KernelCalls calls;
  int flags = 0;
  calls.openat = [&](int, const char*, int asked) -> std::optional<int> {
    flags = asked;
    return std::nullopt;
  };
  ASSERT_TRUE(files_->read((tree_.path() / "file").string()));
  EXPECT_EQ(flags & ~O_LARGEFILE, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  ASSERT_TRUE(files_->node((tree_.path() / "file").string()));
  EXPECT_EQ(flags, O_PATH | O_CLOEXEC);
}

// A service may run with standard input closed.
TEST_F(LiveTree, IsOpenedOnceIfTheDescriptorIs0) {
  const int saved = dup(STDIN_FILENO);
  close(STDIN_FILENO);
  test::KernelCalls calls;
  int opened = 0;
  calls.openat = [&](int, const char*, int) -> std::optional<int> {
    ++opened;
    errno = EINTR;
    return std::nullopt;
  };
  const auto text = files_->read((tree_.path() / "file").string());
  if (saved >= 0) {
    dup2(saved, STDIN_FILENO);
    close(saved);
  }
  EXPECT_EQ(opened, 1);
  EXPECT_EQ(text.value_or(""), "text");
}

TEST(OpenFiles, TakesOnlyTheRootDirectoryForTheLiveSystem) {
  const test::Scratch tree;

  struct stat top{};

  ASSERT_EQ(stat("/", &top), 0);
  test::KernelCalls calls;
  const auto shown = [&](dev_t device, ino_t inode) {
    calls.fstat = [=](int, struct stat* status) {
      status->st_dev = device;
      status->st_ino = inode;
      return 0;
    };
    auto files = open_files(tree.path());
    calls.fstat = nullptr;
    return (*files)->read("absent").error().message;
  };
  const std::string why = "absent': No such file or directory";
  const std::string captured = "cannot read '" + tree.path().string() + "/" + why;
  EXPECT_EQ(shown(top.st_dev, top.st_ino), "cannot read '/" + why);
  EXPECT_EQ(shown(top.st_dev + 1, top.st_ino), captured);
  EXPECT_EQ(shown(top.st_dev, top.st_ino + 1), captured);
  calls.fstat = test::failing(EIO);
  EXPECT_EQ(open_files(tree.path()).error().message,
            "cannot open the root '" + tree.path().string() + "': Input/output error");
}

TEST(OpenFiles, ShowsTheGivenNameOfACapturedTree) {
  const test::Scratch tree;
  const auto shown = [](const std::string& root, const std::string& name) {
    return (*open_files(root, name))->read("//absent").error().message;
  };
  const std::string why = "absent': No such file or directory";
  const std::string path = tree.path();
  EXPECT_EQ(shown(path, ""), "cannot read '" + path + "/" + why);
  EXPECT_EQ(shown(path + "/", ""), "cannot read '" + path + "/" + why);
  EXPECT_EQ(shown(path, "bundle.zip"), "cannot read 'bundle.zip/" + why);
  EXPECT_EQ(shown("/", "ignored"), "cannot read '/" + why);
}

TEST(LinkName, RejectsTargetsThatNameNothing) {
  MemoryFiles files;
  for (const char* target : {"", "a/", ".", "..", "a/..", "a/."}) {
    files.add_link("d/link", target);
    const auto name = link_name(files, "d/link");
    ASSERT_FALSE(name) << target;
    EXPECT_EQ(name.error().message,
              fmt::format("the link 'd/link' has the unexpected target '{}'", target));
  }
  files.add_link("d/link", "plain");
  EXPECT_EQ(*link_name(files, "d/link"), "plain");
}

TEST(Resolve, NormalizesTargets) {
  MemoryFiles files;
  for (const auto& [target, result] : {std::pair{"x", "a/b/x"},
                                       {"./x/", "a/b/x"},
                                       {"../x", "a/x"},
                                       {"../../../../x//y", "x/y"},
                                       {"/x/../y", "y"},
                                       {"x/./y", "a/b/x/y"}}) {
    files.add_link("a/b/link", target);
    EXPECT_EQ(resolve(files, "a/b/link"), result) << target;
  }
  files.add_link("top", "x");
  EXPECT_EQ(resolve(files, "top"), "x");
}

TEST(Resolve, FollowsFortyLinks) {
  MemoryFiles files;
  for (int i = 1; i <= 41; ++i) {
    files.add_link("link" + std::to_string(i), "link" + std::to_string(i - 1));
  }
  EXPECT_EQ(resolve(files, "link40"), "link0");
  EXPECT_EQ(resolve(files, "link41"), "link1");
}

TEST(NodeDefaults, AllowNothing) {
  const Node node;
  EXPECT_EQ(node.type, Node::Type::other);
  EXPECT_EQ(node.mode + node.uid + node.gid, 0U);
  EXPECT_FALSE(node.readable || node.writable);
}

}  // namespace
}  // namespace manactl::os::files_faults_test
