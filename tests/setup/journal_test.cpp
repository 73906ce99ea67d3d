// SPDX-License-Identifier: MIT
//
// A journal that was changed, cut, written by somebody else or by a later version is never taken
// for one that tells of nothing.

#include "setup/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "setup/fake_vm.h"
#include "setup/restore.h"

namespace manactl::setup {
namespace {

using test::FakeVm;
using ::testing::HasSubstr;

// A prepared VM, whose journal a test may spoil.
class SpoiltJournal : public ::testing::Test {
 protected:
  SpoiltJournal() {
    Request request;
    request.interface = *InterfaceName::parse("eth1");
    request.hugepages = HugepageRequest{100, 0, 0, {}};
    before_ = vm_.dump();
    EXPECT_EQ(prepare(request, vm_.session())->outcome, Outcome::done);
    prepared_ = vm_.state;
    name_ = prepared_.journal.begin()->first;
    whole_ = prepared_.journal.begin()->second;
  }

  Restored restore_with(const std::string& text) {
    vm_.state = prepared_;
    vm_.state.journal[name_] = text;
    vm_.rebuild();
    const auto restored = restore({"", true}, vm_.session());
    EXPECT_TRUE(restored && restored->size() == 1);
    return restored && !restored->empty() ? restored->front() : Restored{};
  }

  // What the kernel itself shows is undone, and the rest is named.
  void expect_inspected(const Restored& restored) const {
    EXPECT_FALSE(restored.is_complete());
    EXPECT_GE(restored.unknown.size(), 4U);
    EXPECT_EQ(vm_.state.channels[1].driver, "hv_netvsc");
    EXPECT_EQ(vm_.state.channels[1].overridden, "");
  }

  FakeVm vm_;
  test::FakeState prepared_;
  std::string before_, name_, whole_;
};

TEST_F(SpoiltJournal, ShowsEveryBitThatFlips) {
  const auto id = name_.substr(0, name_.rfind('.'));
  const auto first_line = whole_.find('\n');
  for (std::size_t at = 0; at < whole_.size(); ++at) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      auto text = whole_;
      text[at] = static_cast<char>(static_cast<unsigned char>(text[at]) ^ (1U << bit));
      const auto entry = read_entry(id, text);
      if (at <= first_line) {
        EXPECT_FALSE(entry.unreadable.empty()) << at << " bit " << bit;
      } else {
        EXPECT_TRUE(entry.damaged) << at << " bit " << bit;
      }
    }
    if (HasFailure()) return;
  }
}

TEST_F(SpoiltJournal, IsRestoredOrSaysWhatIsNotKnownWhateverByteFlips) {
  const auto first_line = whole_.find('\n');
  for (std::size_t at = 0; at < whole_.size(); ++at) {
    auto text = whole_;
    text[at] = static_cast<char>(text[at] ^ 1);
    const auto restored = restore_with(text);
    if (at <= first_line) {
      expect_inspected(restored);
    } else {
      EXPECT_TRUE(restored.is_complete()) << at;
      EXPECT_EQ(vm_.dump(), before_) << at;
    }
    EXPECT_TRUE(vm_.state.journal.empty()) << at;
    if (HasFailure()) return;
  }
}

// The same text as a later manactl would seal it.
std::string with_first_line(const std::string& whole,
                            const std::string& from,
                            const std::string& to) {
  const auto end = whole.find('\n');
  auto line = *unsealed(whole.substr(0, end));
  line.replace(line.find(from), from.size(), to);
  return sealed(line) + whole.substr(end + 1);
}

TEST_F(SpoiltJournal, OfALaterVersionStaysForThatVersion) {
  const auto text = with_first_line(whole_, "\"version\":1", "\"version\":2");
  for (int i = 0; i < 2; ++i) {
    const auto restored = restore_with(text);
    expect_inspected(restored);
    EXPECT_THAT(restored.unknown.front(), HasSubstr("another version"));
    EXPECT_EQ(vm_.state.journal.at(name_), text);
  }
  Request request;
  request.interface = *InterfaceName::parse("eth1");
  const auto refused = prepare(request, vm_.session());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::busy);
}

TEST_F(SpoiltJournal, OfSomethingElseIsNotTaken) {
  const auto other = with_first_line(whole_, "\"id\":\"000d3a76-3bd1", "\"id\":\"000d3a76-3bd0");
  expect_inspected(restore_with(other));
  expect_inspected(restore_with(sealed(R"({"record":"ready"})")));
  expect_inspected(restore_with(sealed("[1, 2]")));
  expect_inspected(restore_with(sealed("no JSON") + whole_.substr(whole_.find('\n') + 1)));
}

TEST_F(SpoiltJournal, WithAStepOfALaterVersionSaysSo) {
  const auto text = with_first_line(whole_, "\"kind\":\"hugepages\"", "\"kind\":\"magnets\"");
  const auto restored = restore_with(text);
  EXPECT_FALSE(restored.is_complete());
  EXPECT_EQ(vm_.state.channels[1].driver, "hv_netvsc");
  EXPECT_EQ(vm_.state.journal.size(), 1U);
}

TEST_F(SpoiltJournal, WithAMarkOfALaterVersionHolds) {
  const auto restored = restore_with(whole_ + sealed(R"({"record":"blessed"})"));
  EXPECT_TRUE(restored.is_complete());
  EXPECT_EQ(vm_.dump(), before_);
}

TEST_F(SpoiltJournal, WithAMarkOfNoStepIsDamaged) {
  const auto entry = read_entry(name_.substr(0, name_.rfind('.')),
                                whole_ + sealed(R"({"record":"begin","step":99})"));
  EXPECT_TRUE(entry.damaged);
  EXPECT_FALSE(entry.steps.empty());
}

// The journal as a directory of real files.
class JournalFiles : public ::testing::Test {
 protected:
  JournalFiles() {
    std::string pattern = std::filesystem::temp_directory_path() / "manactl-journal-XXXXXX";
    root_ = mkdtemp(pattern.data());
    files_ = os::open_durable(root_ + "/journal", os::Secrecy::ours_alone);
    Entry entry;
    entry.id = kId;
    EXPECT_TRUE(Journal(*files_).open(entry));
  }

  ~JournalFiles() override { std::filesystem::remove_all(root_); }

  Result<Entry> only() const {
    const auto entries = Journal(*files_).entries();
    if (!entries) return tl::unexpected<Error>(entries.error());
    if (entries->size() != 1) return fail(Errc::io, "not one");
    return entries->front();
  }

  std::string file() const { return root_ + "/journal/" + kId + ".jsonl"; }

  static constexpr const char* kId = "000d3a76-3bd1-000d-3a76-3bd1000d3a76";
  std::string root_;
  std::unique_ptr<os::Durable> files_;
};

TEST_F(JournalFiles, ThatOthersMayWriteAreNotBelieved) {
  EXPECT_EQ(only()->unreadable, "");
  ASSERT_EQ(chmod(file().c_str(), 0620), 0);
  const auto entry = only();
  ASSERT_TRUE(entry);
  EXPECT_THAT(entry->unreadable, HasSubstr("written by others"));
  EXPECT_TRUE(entry->keep);
}

TEST_F(JournalFiles, ThatAreLinksAreNotFollowed) {
  std::filesystem::rename(file(), root_ + "/elsewhere");
  std::filesystem::create_symlink(root_ + "/elsewhere", file());
  const auto entry = only();
  ASSERT_TRUE(entry);
  EXPECT_NE(entry->unreadable, "");
  EXPECT_TRUE(entry->keep);
}

TEST_F(JournalFiles, ThatAreDirectoriesAreNotRead) {
  std::filesystem::remove(file());
  std::filesystem::create_directory(file());
  const auto entry = only();
  ASSERT_TRUE(entry);
  EXPECT_NE(entry->unreadable, "");
}

TEST_F(JournalFiles, ThatAreEmptyAreDamaged) {
  std::ofstream(file(), std::ios::trunc).close();
  EXPECT_NE(only()->unreadable, "");
  EXPECT_FALSE(only()->keep);
}

TEST_F(JournalFiles, InADirectoryOfEverybodyAreNoJournal) {
  ASSERT_EQ(chmod((root_ + "/journal").c_str(), 0777), 0);
  const auto entry = only();
  ASSERT_FALSE(entry);
  EXPECT_EQ(entry.error().code, Errc::denied);
}

TEST_F(JournalFiles, ThatCannotBeBelievedAreInspectedAndKept) {
  FakeVm vm;
  Request request;
  request.interface = *InterfaceName::parse("eth1");
  ASSERT_EQ(prepare(request, vm.session())->outcome, Outcome::done);
  ASSERT_EQ(chmod(file().c_str(), 0622), 0);
  Journal journal(*files_);
  const auto other = vm.session();
  const Session session{other.machine, journal, other.lock, other.command, {}};
  for (int i = 0; i < 2; ++i) {
    const auto restored = restore({"", true}, session);
    ASSERT_TRUE(restored && restored->size() == 1);
    EXPECT_FALSE(restored->front().is_complete());
    EXPECT_THAT(restored->front().unknown.front(), HasSubstr("written by others"));
    EXPECT_EQ(vm.state.channels[1].driver, "hv_netvsc");
    EXPECT_TRUE(std::filesystem::exists(file())) << "it may not be ours";
  }
}

}  // namespace
}  // namespace manactl::setup
