// SPDX-License-Identifier: MIT
//
// The journal in a real directory: each record is synced, and a failed one leaves no part behind.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <functional>

#include "os/scratch.h"
#include "setup/journal.h"
#include "support/file_calls.h"

namespace manactl::setup::journal_disk_test {
namespace {

using test::FileCalls;
using ::testing::ElementsAre;

class JournalOnDisk : public ::testing::Test {
 protected:
  JournalOnDisk() {
    entry_.id = "hugepages-1";
    entry_.boot_id = "0b5c51d2-9d1f-4a5b-8a5e-1f2e3d4c5b6a";
    entry_.confirmed = false;
    entry_.steps.resize(2);
    entry_.steps[0].kind = entry_.steps[1].kind = StepKind::load_module;
    EXPECT_TRUE(journal_.create(entry_));
  }

  Entry read() const {
    const auto entries = journal_.entries();
    return entries && entries->size() == 1 ? entries->front() : Entry{};
  }

  // All kinds of records that are appended.
  std::vector<std::function<Result<>()>> appends() {
    return {[&] { return journal_.begin_step(entry_.id, 0); },
            [&] { return journal_.finish_step(entry_.id, 0, {{"granted", "2"}}); },
            [&] { return journal_.mark_ready(entry_.id); },
            [&] { return journal_.confirm(entry_.id); }};
  }

  test::Scratch scratch_;
  std::unique_ptr<os::DurableDirectory> files_ =
      os::open_durable_directory(scratch_.path() / "journal", os::DirectoryAccess::owner_only);
  Journal journal_{*files_};
  Entry entry_;
};

TEST_F(JournalOnDisk, SyncsEachRecord) {
  for (const auto& append : appends()) {
    const FileCalls calls;
    ASSERT_TRUE(append());
    EXPECT_THAT(calls.log(), ElementsAre("write hugepages-1.jsonl", "fsync hugepages-1.jsonl"));
  }
  const auto entry = read();
  EXPECT_TRUE(entry.steps[0].done && entry.ready && entry.confirmed && !entry.damaged);
}

TEST_F(JournalOnDisk, StaysValidAfterARecordThatDidNotFit) {
  for (const auto& append : appends()) {
    for (const unsigned written : {0U, 1U, 2U}) {
      FileCalls calls;
      calls.most_bytes = 10;
      calls.fail("write hugepages-1.jsonl", ENOSPC, written);
      const auto full = append();
      ASSERT_FALSE(full);
      EXPECT_EQ(full.error().sys, ENOSPC);
      EXPECT_FALSE(read().damaged);
    }
    ASSERT_TRUE(append()) << "the disk has space again";
  }
  const auto entry = read();
  EXPECT_FALSE(entry.damaged);
  EXPECT_TRUE(entry.ready);
  EXPECT_EQ(entry.steps[0].after, (Values{{"granted", "2"}}));
}

TEST_F(JournalOnDisk, DoesNotBeginAStepThatItCannotRecord) {
  for (const char* call : {"write", "fsync"}) {
    FileCalls calls;
    calls.fail(std::string(call) + " hugepages-1.jsonl", EIO);
    EXPECT_EQ(journal_.begin_step(entry_.id, 0).error().sys, EIO);
    EXPECT_FALSE(read().steps[0].begun) << call;
  }
}

}  // namespace
}  // namespace manactl::setup::journal_disk_test
