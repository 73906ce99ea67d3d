// SPDX-License-Identifier: MIT

#include "os/files.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <cerrno>

#include "os/memory_files.h"
#include "os/scratch.h"

namespace manactl::os::files_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class CapturedTree : public ::testing::Test {
 protected:
  std::unique_ptr<Files> open() const {
    auto files = open_files(tree_.path() / "root");
    return files ? std::move(*files) : nullptr;
  }

  test::Scratch tree_;
};

TEST_F(CapturedTree, RemovesTheLastNewline) {
  tree_.file("root/one", "text\n");
  tree_.file("root/two", "a\n\n");
  tree_.file("root/none", "");
  const auto files = open();
  ASSERT_TRUE(files);
  EXPECT_EQ(files->read("one").value(), "text");
  EXPECT_EQ(files->read("/two").value(), "a\n");
  EXPECT_EQ(files->read("none").value(), "");
}

TEST_F(CapturedTree, EnforcesTheSizeLimit) {
  tree_.file("root/large", std::string(100000, 'x'));
  const auto files = open();
  EXPECT_EQ(files->read("large", 100000)->size(), 100000U);
  const auto refused = files->read("large", 99999);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::invalid);
}

TEST_F(CapturedTree, ResolvesAbsoluteAndParentLinksInsideTheTree) {
  tree_.file("secret", "outside");
  tree_.file("root/secret", "inside");
  tree_.link("root/absolute", "/secret");
  tree_.link("root/parent", "../../../../secret");
  tree_.link("root/deep/top", "/");
  const auto files = open();
  EXPECT_EQ(files->read("absolute").value(), "inside");
  EXPECT_EQ(files->read("parent").value(), "inside");
  EXPECT_EQ(files->read("deep/top/secret").value(), "inside");
  EXPECT_EQ(files->read("../secret").value(), "inside");
  EXPECT_EQ(files->link_target("deep/top/absolute").value(), "/secret");
}

TEST_F(CapturedTree, DoesNotFollowAMagicLink) {
  tree_.link("root/fd", "/proc/self/fd/0");
  EXPECT_FALSE(open()->read("fd"));
}

TEST_F(CapturedTree, DoesNotBlockOnAFifo) {
  tree_.file("root/keep", "");
  ASSERT_EQ(mkfifo((tree_.path() / "root/fifo").c_str(), 0600), 0);
  const auto files = open();
  EXPECT_EQ(files->read("fifo").error().sys, EINVAL);
  EXPECT_EQ(files->write("fifo", "x").error().sys, EINVAL);
  EXPECT_EQ(files->node("fifo")->type, Node::Type::other);
}

TEST_F(CapturedTree, ListsNamesInOrder) {
  tree_.file("root/d/b", "");
  tree_.file("root/d/a", "");
  const auto files = open();
  EXPECT_THAT(files->list("d").value(), ElementsAre("a", "b"));
  EXPECT_EQ(files->list("absent").error().code, Errc::not_found);
  EXPECT_EQ(files->list("d/a").error().code, Errc::not_found);
}

TEST_F(CapturedTree, ReportsThePathAndTheErrno) {
  tree_.file("root/d/a", "");
  const auto files = open();
  const auto absent = files->read("d/absent");
  EXPECT_EQ(absent.error().sys, ENOENT);
  EXPECT_THAT(absent.error().message, HasSubstr("root/d/absent': No such file or directory"));
  EXPECT_EQ(files->read("d").error().sys, EISDIR);
  EXPECT_EQ(files->link_target("d/a").error().sys, EINVAL);
  EXPECT_EQ(files->node("absent").error().sys, ENOENT);
}

TEST_F(CapturedTree, WritesOnlyExistingFiles) {
  tree_.file("root/bind", "");
  const auto files = open();
  ASSERT_TRUE(files->write("bind", "text"));
  EXPECT_EQ(files->read("bind").value(), "text");
  EXPECT_EQ(files->write("absent", "x").error().sys, ENOENT);
  EXPECT_FALSE(exists(*files, "absent"));
}

TEST_F(CapturedTree, ReturnsTypeAndPermissionsOfANode) {
  tree_.file("root/f", "");
  ASSERT_EQ(chmod((tree_.path() / "root/f").c_str(), 0640), 0);
  const auto node = open()->node("f");
  ASSERT_TRUE(node);
  EXPECT_EQ(node->type, Node::Type::file);
  EXPECT_EQ(node->mode, 0640U);
  EXPECT_TRUE(node->readable);
}

TEST(OpenStream, ReadsAFileInPieces) {
  MemoryFiles files;
  files.add_file("log", "one\ntwo\n");
  const auto stream = open_stream(files, "log", 100);
  std::string piece(3, '\0');
  std::string all;
  while (const auto count = stream->read(piece).value()) all.append(piece, 0, count);
  EXPECT_EQ(all, "one\ntwo");
  EXPECT_EQ(stream->read(piece).value(), 0U);
}

TEST(OpenStream, ReportsErrorsWhenItIsRead) {
  MemoryFiles files;
  files.add_file("log", "too long");
  std::string piece(3, '\0');
  EXPECT_EQ(open_stream(files, "none", 100)->read(piece).error().code, Errc::not_found);
  EXPECT_THAT(open_stream(files, "log", 3)->read(piece).error().message, HasSubstr("larger than"));
}

TEST(OpenFiles, RejectsARootThatIsNotADirectory) {
  EXPECT_EQ(open_files("/no/such/root").error().code, Errc::not_found);
  EXPECT_EQ(open_files("/dev/null").error().sys, ENOTDIR);
}

TEST(LiveFiles, ReadsProcfsFilesOfSizeZero) {
  const auto files = open_files("/");
  ASSERT_TRUE(files);
  EXPECT_THAT((*files)->read("proc/self/status").value(), HasSubstr("CapEff"));
  EXPECT_EQ((*files)->node("dev/null")->type, Node::Type::character_device);
  EXPECT_EQ((*files)->read("dev/null").error().sys, EINVAL);
}

TEST(LiveFiles, ReturnsTheErrnoOfAWrite) {
  const auto files = open_files("/");
  ASSERT_TRUE(files);
  // The kernel rejects this text with EINVAL for every user, so nothing changes.
  EXPECT_EQ((*files)->write("proc/self/oom_score_adj", "text").error().sys, EINVAL);
}

TEST(LinkName, IsTheLastComponentOfTheTarget) {
  MemoryFiles files;
  files.add_link("d/driver", "../../bus/pci/drivers/mana");
  files.add_link("d/up", "../..");
  EXPECT_EQ(link_name(files, "d/driver").value(), "mana");
  EXPECT_FALSE(link_name(files, "d/up"));
  EXPECT_EQ(link_name(files, "d/none").error().code, Errc::not_found);
}

TEST(Resolve, FollowsLinksByText) {
  MemoryFiles files;
  files.add_link("sys/class/net/eth1", "../../devices/pci/net/eth1");
  files.add_file("sys/devices/pci/net/eth1/mtu", "1500");
  EXPECT_EQ(resolve(files, "sys/class/net/eth1"), "sys/devices/pci/net/eth1");
  EXPECT_EQ(resolve(files, "sys/devices/pci"), "sys/devices/pci");
}

TEST(Resolve, StopsAtALoop) {
  MemoryFiles files;
  files.add_link("a", "b");
  files.add_link("b", "a");
  EXPECT_THAT(resolve(files, "a"), ::testing::AnyOf("a", "b"));
}

}  // namespace
}  // namespace manactl::os::files_test
