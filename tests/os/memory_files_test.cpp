// SPDX-License-Identifier: MIT

#include "os/memory_files.h"

#include <gmock/gmock.h>

#include <cerrno>

namespace manactl::os::memory_files_test {
namespace {

using ::testing::ElementsAre;

TEST(MemoryFiles, CreatesParentDirectories) {
  MemoryFiles files;
  files.add_file("/a/b/c", "text\n");
  EXPECT_EQ(files.read("a/b/c", 100).value(), "text");
  EXPECT_EQ(files.node("a/b")->type, Node::Type::directory);
  EXPECT_THAT(files.list("").value(), ElementsAre("a"));
}

TEST(MemoryFiles, ListsChildrenOnceAndInOrder) {
  MemoryFiles files;
  for (const char* path : {"d/a/x/y", "d/a.b", "d/a-b", "d/ab/z", "d/a/x/z", "e"}) {
    files.add_file(path, "");
  }
  EXPECT_THAT(files.list("d").value(), ElementsAre("a", "a-b", "a.b", "ab"));
  EXPECT_EQ(files.list("e").error().sys, ENOTDIR);
  EXPECT_EQ(files.list("f").error().sys, ENOENT);
}

TEST(MemoryFiles, ResolvesLinksLikeTheKernel) {
  MemoryFiles files;
  files.add_file("real/file", "text");
  files.add_link("class/relative", "../real");
  files.add_link("class/absolute", "/real/file");
  files.add_link("class/outside", "../../../../real/file");
  EXPECT_EQ(files.read("class/relative/file", 10).value(), "text");
  EXPECT_EQ(files.read("class/relative/../real/file", 10).value(), "text");
  EXPECT_EQ(files.read("class/absolute", 10).value(), "text");
  EXPECT_EQ(files.read("class/outside", 10).value(), "text");
  EXPECT_EQ(files.link_target("class/relative").value(), "../real");
}

TEST(MemoryFiles, DetectsALoopOfLinks) {
  MemoryFiles files;
  files.add_link("a", "b");
  files.add_link("b", "a");
  EXPECT_EQ(files.read("a", 10).error().sys, ELOOP);
}

// Each of 40 links may have as many components as a path.
TEST(Canonical, LimitsTheBytesOfThePathsThatItLooksUp) {
  std::string back_and_forth, deep;
  while (back_and_forth.size() < 4000) back_and_forth += "d/../";
  while (deep.size() < 4000) deep += "d/";
  for (const auto& target : {back_and_forth + "link", deep + "link"}) {
    std::size_t bytes = 0;
    const auto target_of = [&](const std::string& path,
                               bool is_last) -> Result<std::optional<std::string>> {
      bytes += path.size();
      return is_last ? std::optional(target) : std::nullopt;
    };
    const auto place = canonical("link", target_of);
    ASSERT_FALSE(place);
    EXPECT_EQ(place.error().message, "cannot follow '/link': too many directories on the way");
    EXPECT_LT(bytes, 100'000U);
  }
}

TEST(MemoryFiles, ReturnsTheErrnosOfTheKernel) {
  MemoryFiles files;
  files.add_file("d/f", "text");
  EXPECT_EQ(files.read("d", 10).error().sys, EISDIR);
  EXPECT_EQ(files.read("d/f/g", 10).error().sys, ENOTDIR);
  EXPECT_EQ(files.read("d/g", 10).error().sys, ENOENT);
  EXPECT_EQ(files.read("d/f", 3).error().code, Errc::invalid);
  EXPECT_EQ(files.link_target("d/f").error().sys, EINVAL);
}

TEST(MemoryFiles, FailsWritesOnRequest) {
  MemoryFiles files;
  files.add_file("drivers/bind", "");
  ASSERT_TRUE(files.write("drivers/bind", "x"));
  EXPECT_EQ(files.read("drivers/bind", 10).value(), "x");
  files.refuse_write("drivers/bind", EBUSY);
  EXPECT_EQ(files.write("drivers/bind", "y").error().sys, EBUSY);
  EXPECT_EQ(files.read("drivers/bind", 10).value(), "x");
}

TEST(MemoryFiles, SupportsDeviceNodes) {
  MemoryFiles files;
  Node node;
  node.type = Node::Type::character_device;
  node.mode = 0666;
  files.add_node("dev/infiniband/uverbs0", node);
  EXPECT_EQ(files.node("dev/infiniband/uverbs0")->mode, 0666U);
  EXPECT_THAT(files.list("dev/infiniband").value(), ElementsAre("uverbs0"));
  EXPECT_EQ(files.read("dev/infiniband/uverbs0", 10).error().sys, EINVAL);
}

TEST(MemoryFiles, HasDirectoriesWithLinksAndNodes) {
  MemoryFiles files;
  files.add_link("a/link", "x");
  files.add_node("b/node", Node{});
  files.add_directory("c/d");
  files.add_node("e", Node{.type = Node::Type::directory, .mode = 0700, .readable = true});
  EXPECT_THAT(files.list("/").value(), ElementsAre("a", "b", "c", "e"));
  EXPECT_THAT(files.list("c").value(), ElementsAre("d"));
  EXPECT_EQ(files.node("e")->mode, 0700U);
  EXPECT_THAT(files.list("e").value(), ::testing::IsEmpty());
  EXPECT_EQ(files.read("e", 9).error().sys, EISDIR);
  EXPECT_EQ(files.node("absent").error().sys, ENOENT);
}

TEST(MemoryFiles, GivesNodesTheUsualPermissions) {
  MemoryFiles files;
  files.add_file("d/f", "");
  for (const auto& [path, type, mode] : {std::tuple{"d", Node::Type::directory, 0755U},
                                         std::tuple{"", Node::Type::directory, 0755U},
                                         std::tuple{"d/f", Node::Type::file, 0644U}}) {
    const auto node = files.node(path);
    ASSERT_TRUE(node) << path;
    EXPECT_EQ(node->type, type) << path;
    EXPECT_EQ(node->mode, mode) << path;
    EXPECT_TRUE(node->readable && node->writable) << path;
  }
}

TEST(MemoryFiles, FollowsTheLastLinkUnlessItsTargetIsRead) {
  MemoryFiles files;
  files.add_file("d/f", "text");
  files.add_link("file", "./d//f");
  files.add_link("dir", "d/");
  files.add_link("other", "file");
  EXPECT_EQ(files.node("file")->type, Node::Type::file);
  EXPECT_THAT(files.list("dir").value(), ElementsAre("f"));
  EXPECT_EQ(files.link_target("other").value(), "file");
  ASSERT_TRUE(files.write("other", "new"));
  EXPECT_EQ(files.read("d/f", 9).value(), "new");
  EXPECT_EQ(files.link_target("dir/f").error().sys, EINVAL);
  EXPECT_EQ(files.link_target("d").error().sys, EINVAL);
  EXPECT_EQ(files.link_target("").error().sys, EINVAL);
  EXPECT_EQ(files.link_target("none").error().sys, ENOENT);
}

TEST(MemoryFiles, FollowsFortyLinks) {
  MemoryFiles files;
  files.add_file("link0", "text");
  for (int i = 1; i <= 41; ++i) {
    files.add_link("link" + std::to_string(i), "link" + std::to_string(i - 1));
  }
  EXPECT_EQ(files.read("link40", 9).value(), "text");
  EXPECT_EQ(files.read("link41", 9).error().sys, ELOOP);
}

TEST(MemoryFiles, EnforcesTheSizeLimitAndThePermission) {
  MemoryFiles files;
  files.add_file("f", "four");
  EXPECT_EQ(files.read("f", 4).value(), "four");
  EXPECT_EQ(files.read("f", 3).error().message, "cannot read '/f': it is larger than 3 B");
  files.add_file("secret", "x");
  files.add_node("secret", Node{.type = Node::Type::file});
  EXPECT_EQ(files.read("secret", 9).error().message, "cannot read '/secret': Permission denied");
  files.add_node("secret", Node{.type = Node::Type::file, .readable = true});
  EXPECT_EQ(files.read("secret", 9).value(), "x");
}

TEST(MemoryFiles, FailsWithThePathAndTheReason) {
  MemoryFiles files;
  files.add_file("f", "");
  files.add_directory("d");
  EXPECT_EQ(files.write("d", "x").error().message, "cannot write '/d': Is a directory");
  EXPECT_EQ(files.write("", "x").error().message, "cannot write '/': Is a directory");
  EXPECT_EQ(files.write("none", "x").error().message,
            "cannot find '/none': No such file or directory");
  EXPECT_EQ(files.read("", 9).error().message, "cannot read '/': Is a directory");
  EXPECT_EQ(files.list("f").error().message, "cannot list '/f': Not a directory");
  EXPECT_EQ(files.list("f/x").error().message, "cannot follow '/f/x': Not a directory");
  EXPECT_EQ(files.link_target("f").error().message, "cannot read the link '/f': Invalid argument");
}

}  // namespace
}  // namespace manactl::os::memory_files_test
