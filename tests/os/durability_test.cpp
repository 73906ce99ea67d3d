// SPDX-License-Identifier: MIT
//
// Which calls make files durable, and what remains of a file if one of the calls fails.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cerrno>
#include <csignal>
#include <filesystem>

#include "os/durable_directory.h"
#include "os/files.h"
#include "os/scratch.h"
#include "support/file_calls.h"

namespace manactl::os::durability_test {
namespace {

using test::FileCalls;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Durability : public ::testing::Test {
 protected:
  Durability() {
    files_ = open_durable_directory(scratch_.path() / "journal", DirectoryAccess::owner_only);
    EXPECT_TRUE(files_->replace("a", "one\n"));
  }

  test::Scratch scratch_;
  std::unique_ptr<DurableDirectory> files_;
};

TEST_F(Durability, OfReplaceNeedsASyncBeforeTheRenameAndOneAfterIt) {
  const FileCalls calls;
  ASSERT_TRUE(files_->replace("a", "two\n"));
  EXPECT_THAT(
      calls.log(),
      ElementsAre("unlink a.new", "write a.new", "fsync a.new", "rename a.new a", "fsync journal"));
}

TEST_F(Durability, OfANewDirectoryNeedsASyncOfItsParents) {
  const auto files = open_durable_directory(scratch_.path() / "x/y", DirectoryAccess::owner_only);
  const FileCalls calls;
  ASSERT_TRUE(files->replace("a", "one\n"));
  ASSERT_GE(calls.log().size(), 2U);
  EXPECT_EQ(calls.log()[0], "fsync " + scratch_.path().filename().string());
  EXPECT_EQ(calls.log()[1], "fsync x");
}

TEST_F(Durability, OfAppendNeedsASync) {
  const FileCalls calls;
  ASSERT_TRUE(files_->append("a", "two\n"));
  EXPECT_THAT(calls.log(), ElementsAre("write a", "fsync a"));
}

TEST_F(Durability, OfRemoveNeedsASyncOfTheDirectory) {
  const FileCalls calls;
  ASSERT_TRUE(files_->remove("a"));
  EXPECT_THAT(calls.log(), ElementsAre("unlink a", "fsync journal"));
}

TEST_F(Durability, KeepsTheFileIfReplaceFailsBeforeTheRename) {
  for (const char* call : {"unlink a.new", "write a.new", "fsync a.new", "rename a.new a"}) {
    FileCalls calls;
    calls.fail(call, ENOSPC);
    const auto replaced = files_->replace("a", "two\n");
    ASSERT_FALSE(replaced) << call;
    EXPECT_EQ(replaced.error().sys, ENOSPC) << call;
    EXPECT_EQ(*files_->read("a"), "one\n") << call;
    EXPECT_FALSE(std::filesystem::exists(scratch_.path() / "journal/a.new")) << call;
  }
}

TEST_F(Durability, IsNotReportedIfTheDirectoryCannotBeSynced) {
  FileCalls calls;
  calls.fail("fsync journal", EIO);
  EXPECT_EQ(files_->replace("a", "two\n").error().sys, EIO);
  calls.fail("fsync journal", EIO);
  EXPECT_EQ(files_->remove("a").error().sys, EIO);
  calls.fail("unlink a", EROFS);
  EXPECT_EQ(files_->remove("a").error().sys, EROFS);
}

TEST_F(Durability, LeavesNoPartOfAFailedAppend) {
  for (const char* call : {"write a", "fsync a"}) {
    FileCalls calls;
    calls.most_bytes = 2;
    calls.fail(call, ENOSPC, call == std::string("write a") ? 1 : 0);
    const auto appended = files_->append("a", "two\n");
    ASSERT_FALSE(appended) << call;
    EXPECT_EQ(appended.error().sys, ENOSPC) << call;
    EXPECT_EQ(calls.log().back(), "truncate a");
    EXPECT_EQ(*files_->read("a"), "one\n") << call;
  }
}

TEST_F(Durability, ReportsAPartOfAnAppendThatStays) {
  FileCalls calls;
  calls.most_bytes = 2;
  calls.fail("write a", ENOSPC, 1);
  calls.fail("truncate a", EIO);
  const auto appended = files_->append("a", "two\n");
  ASSERT_FALSE(appended);
  EXPECT_EQ(appended.error().sys, ENOSPC);
  EXPECT_THAT(appended.error().message, HasSubstr("cannot remove the partial write"));
  EXPECT_EQ(*files_->read("a"), "one\ntw");
}

// The kernel itself ends a write early.
TEST_F(Durability, LeavesNoPartOfAnAppendBeyondTheSizeLimit) {
  const auto before = signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &limit), 0);
  const rlimit six{6, limit.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &six), 0);
  const auto appended = files_->append("a", "two\n");
  const auto replaced = files_->replace("a", "a longer text\n");
  setrlimit(RLIMIT_FSIZE, &limit);
  signal(SIGXFSZ, before);
  ASSERT_FALSE(appended);
  EXPECT_EQ(appended.error().sys, EFBIG);
  ASSERT_FALSE(replaced);
  EXPECT_EQ(*files_->read("a"), "one\n");
  EXPECT_THAT(*files_->list(), ElementsAre("a"));
}

TEST_F(Durability, SurvivesShortAndInterruptedCalls) {
  FileCalls calls;
  calls.most_bytes = 1;
  calls.fail("write a", EINTR, 1);
  ASSERT_TRUE(files_->append("a", "two\n"));
  calls.fail("write b.new", EINTR);
  ASSERT_TRUE(files_->replace("b", "three"));
  calls.fail("read a", EINTR, 3);
  EXPECT_EQ(*files_->read("a"), "one\ntwo\n");
  EXPECT_EQ(*files_->read("b"), "three");
  calls.fail("read a", EIO, 3);
  EXPECT_EQ(files_->read("a").error().sys, EIO);
}

class WrittenFile : public ::testing::Test {
 protected:
  WrittenFile() {
    scratch_.file("bind", "");
    files_ = std::move(*open_files(scratch_.path()));
  }

  test::Scratch scratch_;
  std::unique_ptr<Files> files_;
};

TEST_F(WrittenFile, ReceivesOneWriteWithoutASync) {
  const FileCalls calls;
  ASSERT_TRUE(files_->write("bind", "text"));
  EXPECT_THAT(calls.log(), ElementsAre("write bind"));
}

TEST_F(WrittenFile, MustAcceptTheWholeText) {
  FileCalls calls;
  calls.most_bytes = 3;
  const auto written = files_->write("bind", "text");
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message, HasSubstr("accepted only 3 of 4 bytes"));
  EXPECT_THAT(calls.log(), ElementsAre("write bind")) << "sysfs would take the rest for a new text";
}

TEST_F(WrittenFile, IsWrittenAgainAfterAnInterruption) {
  FileCalls calls;
  calls.fail("write bind", EINTR);
  ASSERT_TRUE(files_->write("bind", "text"));
  EXPECT_EQ(*files_->read("bind"), "text");
  calls.fail("write bind", EBUSY);
  EXPECT_EQ(files_->write("bind", "text").error().sys, EBUSY);
}

TEST_F(WrittenFile, IsReadToItsEnd) {
  scratch_.file("text", "some text\n");
  FileCalls calls;
  calls.most_bytes = 4;
  calls.fail("read text", EINTR, 1);
  EXPECT_EQ(*files_->read("text"), "some text");
  EXPECT_EQ(files_->read("text", 9).error().code, Errc::invalid);
  EXPECT_EQ(*files_->read("text", 10), "some text");
  calls.fail("read text", EIO, 2);
  EXPECT_EQ(files_->read("text").error().sys, EIO);
}

// File systems such as NFS do not support RENAME_NOREPLACE.
TEST_F(Durability, CreatesOnlyNewFilesWhereRenamesAlwaysReplace) {
  FileCalls calls;
  calls.fail("rename b.new b", EINVAL);
  ASSERT_TRUE(files_->create("b", "one"));
  calls.fail("rename b.new b", EINVAL);
  EXPECT_EQ(files_->create("b", "two").error().sys, EEXIST);
  EXPECT_EQ(*files_->read("b"), "one");
  EXPECT_THAT(*files_->list(), ElementsAre("a", "b"));
  calls.fail("rename c.new c", EINVAL);
  calls.fail("unlink c.new", EIO, 1);  // the first call removes an old temporary file
  EXPECT_TRUE(files_->create("c", "three")) << "the file exists";
  EXPECT_EQ(*files_->read("c"), "three");
}

}  // namespace
}  // namespace manactl::os::durability_test
