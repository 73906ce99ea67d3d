// SPDX-License-Identifier: MIT

#include "os/memory_files.h"

#include <gmock/gmock.h>

#include <cerrno>

namespace manactl::os {
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

}  // namespace
}  // namespace manactl::os
