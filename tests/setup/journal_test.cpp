// SPDX-License-Identifier: MIT
//
// Tests that a damaged or cut journal, or one of another user or a later version, is always
// detected.

#include "setup/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "setup/fake_vm.h"
#include "setup/restore.h"

namespace manactl::setup::journal_test {
namespace {

using test::FakeVm;
using ::testing::HasSubstr;

// A prepared VM, whose journal the tests damage.
class DamagedJournal : public ::testing::Test {
 protected:
  DamagedJournal() {
    Request request;
    request.interface = *InterfaceName::parse("eth1");
    request.hugepages = HugepageRequest{100, 0, 0, {}};
    before_ = vm_.dump();
    EXPECT_EQ(prepare(request, vm_.context())->outcome, PrepareOutcome::done);
    prepared_ = vm_.state;
    name_ = prepared_.journal.begin()->first;
    journal_text_ = prepared_.journal.begin()->second;
  }

  RestoreResult restore_with(const std::string& text) {
    vm_.state = prepared_;
    vm_.state.journal[name_] = text;
    vm_.rebuild();
    const auto restored = restore({"", true}, vm_.context());
    EXPECT_TRUE(restored && restored->size() == 1);
    return restored && !restored->empty() ? restored->front() : RestoreResult{};
  }

  // Changes that sysfs shows are reverted, and the others are listed as unknown.
  void expect_kernel_state_reverted(const RestoreResult& restored) const {
    EXPECT_FALSE(restored.is_complete());
    EXPECT_GE(restored.unknown.size(), 4U);
    EXPECT_EQ(vm_.state.channels[1].driver, "hv_netvsc");
    EXPECT_EQ(vm_.state.channels[1].overridden, "");
  }

  FakeVm vm_;
  test::FakeState prepared_;
  std::string before_, name_, journal_text_;
};

TEST_F(DamagedJournal, IsDetectedForEveryFlippedBit) {
  const auto id = name_.substr(0, name_.rfind('.'));
  const auto first_line = journal_text_.find('\n');
  for (std::size_t at = 0; at < journal_text_.size(); ++at) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      auto text = journal_text_;
      text[at] = static_cast<char>(static_cast<unsigned char>(text[at]) ^ (1U << bit));
      const auto entry = read_entry(id, text);
      if (at <= first_line) {
        EXPECT_FALSE(entry.read_error.empty()) << at << " bit " << bit;
      } else {
        EXPECT_TRUE(entry.damaged) << at << " bit " << bit;
      }
    }
    if (HasFailure()) return;
  }
}

TEST_F(DamagedJournal, IsRestoredOrListsWhatIsUnknownForEveryFlippedByte) {
  const auto first_line = journal_text_.find('\n');
  for (std::size_t at = 0; at < journal_text_.size(); ++at) {
    auto text = journal_text_;
    text[at] = static_cast<char>(text[at] ^ 1);
    const auto restored = restore_with(text);
    if (at <= first_line) {
      expect_kernel_state_reverted(restored);
      EXPECT_EQ(vm_.state.journal.at(name_), text) << at;
    } else {
      EXPECT_TRUE(restored.is_complete()) << at;
      EXPECT_EQ(vm_.dump(), before_) << at;
      EXPECT_TRUE(vm_.state.journal.empty()) << at;
    }
    if (HasFailure()) return;
  }
}

// Returns the journal `text` with `from` replaced by `to` in its first line, and a valid checksum.
std::string with_first_line(const std::string& text,
                            const std::string& from,
                            const std::string& to) {
  const auto end = text.find('\n');
  auto line = *decode_line(text.substr(0, end));
  const auto at = line.find(from);
  EXPECT_EQ(at, line.rfind(from)) << "'" << from << "' is ambiguous";
  line.replace(at, from.size(), to);
  return encode_line(line) + text.substr(end + 1);
}

TEST_F(DamagedJournal, FromALaterVersionStaysForThatVersion) {
  const auto text = with_first_line(journal_text_, "\"version\":1", "\"version\":2");
  for (int i = 0; i < 2; ++i) {
    const auto restored = restore_with(text);
    expect_kernel_state_reverted(restored);
    EXPECT_THAT(restored.unknown.front(), HasSubstr("another version"));
    EXPECT_EQ(vm_.state.journal.at(name_), text);
  }
  Request request;
  request.interface = *InterfaceName::parse("eth1");
  const auto refused = prepare(request, vm_.context());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::busy);
}

TEST_F(DamagedJournal, WithTheContentsOfAnotherEntryIsUnreadable) {
  const auto other =
      with_first_line(journal_text_, "\"id\":\"000d3a76-3bd1", "\"id\":\"000d3a76-3bd0");
  expect_kernel_state_reverted(restore_with(other));
  expect_kernel_state_reverted(restore_with(encode_line(R"({"record":"ready"})")));
  expect_kernel_state_reverted(restore_with(encode_line("[1, 2]")));
  expect_kernel_state_reverted(
      restore_with(encode_line("not JSON") + journal_text_.substr(journal_text_.find('\n') + 1)));
}

TEST_F(DamagedJournal, WithAnUnknownStepRevertsTheOtherSteps) {
  const auto text =
      with_first_line(journal_text_, "\"kind\":\"hugepages\"", "\"kind\":\"magnets\"");
  const auto restored = restore_with(text);
  std::vector<std::string> failed;
  for (const auto& one : restored.reverted) {
    if (!one.result) failed.push_back(one.result.error().message);
  }
  EXPECT_THAT(failed, ElementsAre(HasSubstr("does not know this kind of step")));
  EXPECT_EQ(vm_.state.channels[1].driver, "hv_netvsc");
  EXPECT_EQ(vm_.state.journal.size(), 1U);
}

TEST_F(DamagedJournal, WithAnUnknownRecordIsStillValid) {
  const auto restored = restore_with(journal_text_ + encode_line(R"({"record":"later"})"));
  EXPECT_TRUE(restored.is_complete());
  EXPECT_EQ(vm_.dump(), before_);
}

TEST_F(DamagedJournal, WithARecordOfAMissingStepIsDamaged) {
  const auto entry = read_entry(name_.substr(0, name_.rfind('.')),
                                journal_text_ + encode_line(R"({"record":"begin","step":99})"));
  EXPECT_TRUE(entry.damaged);
  EXPECT_FALSE(entry.steps.empty());
}

// The format must not change, because a later version has to restore what an earlier one prepared.
TEST(ReadEntry, ReadsTheFormatOfVersionOne) {
  const auto entry = read_entry(
      "000d3a76-3bd1-000d-3a76-3bd1000d3a76",
      encode_line(
          R"({"record":"open","version":1,"id":"000d3a76-3bd1-000d-3a76-3bd1000d3a76",)"
          R"("interface":"eth1","nic":{"interface":"eth1","vf":"enP30832p0s0d1","driver":"mana",)"
          R"("uuid":"000d3a76-3bd1-000d-3a76-3bd1000d3a76","mac":"00:0d:3a:76:3b:d1",)"
          R"("pci":"7870:00:00.0"},"boot_id":"b","created":"c","confirmed":false,)"
          R"("deadline":"60000","watchdog":"77 1234","steps":[)"
          R"({"kind":"surroundings","parameters":{"interface":"eth1"},"title":"t",)"
          R"("before":{"address.00000":"10.0.1.4/24","mtu":"1500"},"by_hand":["ip"]},)"
          R"({"kind":"bind","parameters":{"channel":"id"},"title":"u","before":{},"by_hand":[]}]})") +
          encode_line(R"({"record":"begin","step":1})") +
          encode_line(R"({"record":"done","step":1,"after":{"x":"y"}})") +
          encode_line(R"({"record":"ready"})"));
  EXPECT_EQ(entry.read_error, "");
  EXPECT_TRUE(entry.is_finished());
  EXPECT_FALSE(entry.confirmed);
  EXPECT_EQ(entry.deadline, std::chrono::milliseconds(60000));
  EXPECT_EQ(entry.watchdog, "77 1234");
  EXPECT_EQ(entry.nic.channel_id(), entry.id);
  EXPECT_EQ(entry.nic.mac->str(), "00:0d:3a:76:3b:d1");
  EXPECT_EQ(entry.nic.pci->str(), "7870:00:00.0");
  EXPECT_EQ(entry.nic.fields().size(), 6U);
  EXPECT_EQ(entry.saved_addresses(), std::vector<std::string>{"10.0.1.4/24"});
  ASSERT_TRUE(entry.has_step(StepKind::bind_channel));
  EXPECT_FALSE(entry.steps[0].begun);
  EXPECT_TRUE(entry.steps[1].done);
  EXPECT_EQ(value_at(entry.steps[1].after, "x"), "y");
}

// A journal in a real directory.
class JournalFiles : public ::testing::Test {
 protected:
  JournalFiles() {
    std::string pattern = std::filesystem::temp_directory_path() / "manactl-journal-XXXXXX";
    root_ = mkdtemp(pattern.data());
    files_ = os::open_durable_directory(root_ + "/journal", os::DirectoryAccess::owner_only);
    Entry entry;
    entry.id = kId;
    EXPECT_TRUE(Journal(*files_).create(entry));
  }

  ~JournalFiles() override { std::filesystem::remove_all(root_); }

  Result<Entry> only_entry() const {
    const auto entries = Journal(*files_).entries();
    if (!entries) return tl::unexpected<Error>(entries.error());
    if (entries->size() != 1) return fail(Errc::io, "not exactly one entry");
    return entries->front();
  }

  std::string file() const { return root_ + "/journal/" + kId + ".jsonl"; }

  static constexpr const char* kId = "000d3a76-3bd1-000d-3a76-3bd1000d3a76";
  std::string root_;
  std::unique_ptr<os::DurableDirectory> files_;
};

TEST_F(JournalFiles, ThatOthersMayWriteAreNotTrusted) {
  EXPECT_EQ(only_entry()->read_error, "");
  ASSERT_EQ(chmod(file().c_str(), 0620), 0);
  const auto entry = only_entry();
  ASSERT_TRUE(entry);
  EXPECT_THAT(entry->read_error, HasSubstr("is writable by others"));
}

TEST_F(JournalFiles, ThatAreSymbolicLinksAreNotFollowed) {
  std::filesystem::rename(file(), root_ + "/elsewhere");
  std::filesystem::create_symlink(root_ + "/elsewhere", file());
  const auto entry = only_entry();
  ASSERT_TRUE(entry);
  EXPECT_NE(entry->read_error, "");
}

TEST_F(JournalFiles, ThatAreDirectoriesAreNotRead) {
  std::filesystem::remove(file());
  std::filesystem::create_directory(file());
  const auto entry = only_entry();
  ASSERT_TRUE(entry);
  EXPECT_NE(entry->read_error, "");
}

TEST_F(JournalFiles, ThatAreEmptyAreDamaged) {
  std::ofstream(file(), std::ios::trunc).close();
  EXPECT_THAT(only_entry()->read_error, HasSubstr("its first line"));
}

TEST_F(JournalFiles, InAWorldWritableDirectoryAreRejected) {
  ASSERT_EQ(chmod((root_ + "/journal").c_str(), 0777), 0);
  const auto entry = only_entry();
  ASSERT_FALSE(entry);
  EXPECT_EQ(entry.error().code, Errc::denied);
}

TEST_F(JournalFiles, ThatAreNotTrustedStayAndTheKernelStateIsReverted) {
  FakeVm vm;
  Request request;
  request.interface = *InterfaceName::parse("eth1");
  ASSERT_EQ(prepare(request, vm.context())->outcome, PrepareOutcome::done);
  ASSERT_EQ(chmod(file().c_str(), 0622), 0);
  Journal journal(*files_);
  const auto own = vm.context();
  const SetupContext context{
      {own.system, own.clock}, journal, own.lock_file, own.command, {}, own.persistence};
  for (int i = 0; i < 2; ++i) {
    const auto restored = restore({"", true}, context);
    ASSERT_TRUE(restored && restored->size() == 1);
    EXPECT_FALSE(restored->front().is_complete());
    EXPECT_THAT(restored->front().unknown.front(), HasSubstr("is writable by others"));
    EXPECT_EQ(vm.state.channels[1].driver, "hv_netvsc");
    EXPECT_TRUE(std::filesystem::exists(file())) << "it may belong to another user";
  }
}

}  // namespace
}  // namespace manactl::setup::journal_test
