// SPDX-License-Identifier: MIT
//
// The lines of the journal, and the errors of its directory.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "setup/journal.h"

namespace manactl::setup::journal_records_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

// A directory in memory. `error` makes every call fail; `broken` makes files unreadable.
class MemoryDirectory final : public os::DurableDirectory {
 public:
  std::string path() const override { return "journal"; }

  Result<std::vector<std::string>> list() const override {
    if (error) return tl::unexpected<Error>(*error);
    std::vector<std::string> names;
    for (const auto& [name, text] : files) names.push_back(name);
    return names;
  }

  Result<std::string> read(std::string_view name) const override {
    const auto found = broken.find(name);
    if (found != broken.end()) return tl::unexpected<Error>(found->second);
    return files.at(std::string(name));
  }

  Result<> replace(std::string_view name, std::string_view text) override {
    if (error) return tl::unexpected<Error>(*error);
    files[std::string(name)] = text;
    return {};
  }

  Result<> append(std::string_view name, std::string_view text) override {
    if (error) return tl::unexpected<Error>(*error);
    files.at(std::string(name)) += text;
    return {};
  }

  Result<> remove(std::string_view name) override {
    if (error) return tl::unexpected<Error>(*error);
    files.erase(std::string(name));
    return {};
  }

  std::map<std::string, std::string> files;
  std::map<std::string, Error, std::less<>> broken;
  std::optional<Error> error;
};

// An entry with every field, as create() writes it.
constexpr const char* kFull =
    R"({"boot_id":"b","confirmed":false,"created":"c","deadline":"60000",)"
    R"("id":"000d3a76-3bd1-000d-3a76-3bd1000d3a76","interface":"eth1",)"
    R"("nic":{"driver":"mana","interface":"eth1","mac":"00:0d:3a:76:3b:d1","pci":"7870:00:00.0",)"
    R"("uuid":"000d3a76-3bd1-000d-3a76-3bd1000d3a76","vf":"enP30832p0s0d1"},"record":"open",)"
    R"("steps":[{"before":{"address":["10.0.1.4/24"],"mtu":"1500"},"by_hand":["ip","echo"],)"
    R"("kind":"surroundings","parameters":{"interface":"eth1"},"title":"t"},)"
    R"({"before":{},"by_hand":[],"kind":"bind","parameters":{"channel":"id"},"title":"u"}],)"
    R"("version":1,"watchdog":"77 1234"})";
constexpr const char* kId = "000d3a76-3bd1-000d-3a76-3bd1000d3a76";

Entry with_lines(const std::vector<std::string>& lines) {
  std::string text = encode_line(kFull);
  for (const auto& line : lines) text += encode_line(line);
  return read_entry(kId, text);
}

Entry with_change(const std::string& from, const std::string& to) {
  std::string text = kFull;
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return read_entry(kId, encode_line(text.replace(at, from.size(), to)));
}

TEST(JournalLine, BeginsWithItsChecksum) {
  // The test vectors of FNV-1a: draft-eastlake-fnv.
  EXPECT_EQ(encode_line(""), "cbf29ce484222325 \n");
  EXPECT_EQ(encode_line("a"), "af63dc4c8601ec8c a\n");
  EXPECT_EQ(encode_line("foobar"), "85944171f73967e8 foobar\n");
  EXPECT_EQ(decode_line("85944171f73967e8 foobar"), "foobar");
  EXPECT_EQ(decode_line("cbf29ce484222325 "), "");
  for (const std::string_view damaged : {std::string_view(),
                                         std::string_view("cbf29ce484222325"),
                                         std::string_view("cbf29ce484222325 ").substr(0, 16),
                                         std::string_view("85944171f73967e8-foobar"),
                                         std::string_view("85944171f73967e8 fooba"),
                                         std::string_view("85944171f73967e9 foobar")}) {
    EXPECT_EQ(decode_line(damaged), std::nullopt) << damaged;
  }
}

TEST(JournalRecords, KeepEveryField) {
  const auto entry = with_lines({});
  EXPECT_EQ(entry.read_error, "");
  MemoryDirectory files;
  ASSERT_TRUE(Journal(files).create(entry));
  EXPECT_EQ(files.files.at(std::string(kId) + ".jsonl"), encode_line(kFull));
  EXPECT_FALSE(entry.ready || entry.confirmed || entry.damaged);
  EXPECT_FALSE(entry.steps[0].begun || entry.steps[0].done);
}

TEST(JournalRecords, OfAnEarlierVersionHaveOneMemberForEachAddress) {
  const auto entry =
      with_change(R"("address":["10.0.1.4/24"])", R"("address.00000":"10.0.1.4/24")");
  EXPECT_EQ(entry.read_error, "");
  EXPECT_THAT(entry.saved_addresses(), ElementsAre("10.0.1.4/24"));
}

TEST(JournalRecords, MayListAHundredThousandRoutes) {
  auto entry = with_lines({});
  for (std::size_t i = 0; i < 100'000; ++i) {
    entry.steps[0].before[list_key("route", i)] = fmt::format(
        "inet6 2001:db8:{:x}:{:x}::/64 via 2001:db8::1 metric 1024 table 254 proto 186 pref medium",
        i >> 16U,
        i & 0xffffU);
    entry.steps[0].manual_commands.push_back(
        fmt::format("ip -6 route replace 2001:db8:{:x}:{:x}::/64", i >> 16U, i & 0xffffU));
  }
  MemoryDirectory files;
  Journal journal(files);
  const auto created = journal.create(entry);
  ASSERT_TRUE(created) << created.error().message;
  EXPECT_EQ(journal.entries()->front().steps[0].before, entry.steps[0].before);
}

// For example, with a name that JSON cannot contain.
TEST(JournalRecords, AreReadBackBeforeTheFirstChange) {
  auto entry = with_lines({});
  entry.steps[0].kind = StepKind::unknown;
  for (std::size_t i = 0; i < 5000; ++i) entry.steps[0].before[fmt::format("key{}", i)] = "x";
  MemoryDirectory files;
  EXPECT_THAT(Journal(files).create(entry).error().message,
              HasSubstr("cannot read the journal entry back: "));
  files.broken.emplace(std::string(kId) + ".jsonl", Error{Errc::io, 0, "Input/output error"});
  EXPECT_THAT(Journal(files).create(with_lines({})).error().message,
              HasSubstr("cannot read the journal entry back: Input/output error"));
}

TEST(JournalRecords, AreComparedWithWhatWasWritten) {
  auto entry = with_lines({});
  entry.deadline = std::chrono::milliseconds(-1);  // the reader expects an unsigned number
  MemoryDirectory files;
  EXPECT_EQ(Journal(files).create(entry).error().message,
            "the journal entry differs from what was written");
}

TEST(JournalRecords, OfTheProgressAreReadAgain) {
  MemoryDirectory files;
  Journal journal(files);
  ASSERT_TRUE(journal.create(with_lines({})));
  ASSERT_TRUE(journal.begin_step(kId, 0));
  ASSERT_TRUE(journal.begin_step(kId, 1));
  ASSERT_TRUE(journal.finish_step(kId, 1, {{"x", "y"}}));
  ASSERT_TRUE(journal.begin_step(kId, 1)) << "a step that is done stays done";
  const auto entry = journal.entries()->front();
  EXPECT_FALSE(entry.damaged);
  EXPECT_TRUE(entry.steps[0].begun && !entry.steps[0].done);
  EXPECT_TRUE(entry.steps[1].begun && entry.steps[1].done);
  EXPECT_EQ(entry.steps[1].after, (Values{{"x", "y"}}));
  EXPECT_FALSE(entry.is_finished() || entry.confirmed);
  ASSERT_TRUE(journal.mark_ready(kId));
  EXPECT_TRUE(journal.entries()->front().is_finished());
  EXPECT_FALSE(journal.entries()->front().confirmed);
  ASSERT_TRUE(journal.confirm(kId));
  EXPECT_TRUE(journal.entries()->front().confirmed);
  ASSERT_TRUE(journal.remove(kId));
  EXPECT_THAT(*journal.entries(), IsEmpty());
}

TEST(JournalRecords, ThatAreInvalidDamageTheEntry) {
  for (const char* line : {R"({"record":"begin","step":2})",
                           R"({"record":"begin","step":-1})",
                           R"({"record":"begin","step":"0"})",
                           R"({"record":"begin"})",
                           R"({"record":"done","step":0})",
                           R"({"record":1})",
                           R"({})",
                           "[]",
                           "x"}) {
    const auto entry = with_lines({line, R"({"record":"ready"})"});
    EXPECT_TRUE(entry.damaged) << line;
    EXPECT_TRUE(entry.ready && entry.is_readable() && !entry.is_finished()) << line;
    EXPECT_TRUE(entry.steps[0].begun) << "a line that is lost may have said so: " << line;
  }
  EXPECT_FALSE(with_lines({R"({"record":"begin","step":1})"}).damaged);
}

TEST(JournalRecords, ThatOpenAnEntryMustBeComplete) {
  struct Case {
    const char *from, *to, *error;
  };

  for (const auto& one : {
           Case{R"("record":"open")", R"("record":"ready")", "does not open an entry"},
           {R"("version":1)", R"("version":2)", "another version of manactl wrote it"},
           {R"("id":"000d3a76-3bd1)",
            R"("id":"000d3a76-3bd0)",
            "its id differs from its file name"},
           {R"("mac":"00:0d:3a)", R"("mac":"x)", "an address of the NIC cannot be parsed"},
           {R"("interface":"eth1","nic")", R"("nic")", "'interface'"},
           {R"("boot_id":"b",)", "", "'boot_id'"},
           {R"("created":"c",)", "", "'created'"},
           {R"("confirmed":false,)", "", "'confirmed'"},
           {R"("deadline":"60000",)", "", "'deadline'"},
           {R"("title":"u")", R"("title":1)", "'title'"},
           {R"("kind":"bind",)", "", "'kind'"},
           {R"("by_hand":[],)", "", "'by_hand'"},
           {R"("before":{},)", "", "'before'"},
           {R"("steps")", R"("other")", "'steps'"},
       }) {
    const auto entry = with_change(one.from, one.to);
    EXPECT_THAT(entry.read_error, HasSubstr(one.error));
    EXPECT_THAT(entry.steps, IsEmpty()) << one.error;
    EXPECT_FALSE(entry.is_finished());
  }
}

TEST(JournalRecords, HaveAnOptionalDeadlineAndWatchdog) {
  EXPECT_EQ(with_change(R"("deadline":"60000")", R"("deadline":"")").deadline, std::nullopt);
  EXPECT_EQ(
      with_change(R"("deadline":"60000")", R"("deadline":"9223372036854775807")").deadline->count(),
      INT64_MAX);
  const auto late = with_change(R"("deadline":"60000")", R"("deadline":"9223372036854775808")");
  EXPECT_EQ(late.deadline, std::nullopt);
  const auto entry = with_change(R"(,"watchdog":"77 1234")", "");
  EXPECT_EQ(entry.read_error, "");
  EXPECT_EQ(entry.watchdog, "");
  EXPECT_EQ(with_change(R"("kind":"bind")", R"("kind":"new")").steps[1].kind, StepKind::unknown);
}

TEST(JournalEntry, IsFoundByEachOfItsNames) {
  const auto entry = with_lines({});
  for (const char* name : {kId, "eth1", "enP30832p0s0d1"}) EXPECT_TRUE(entry.matches(name)) << name;
  EXPECT_FALSE(entry.matches("eth2"));
  EXPECT_FALSE(Entry().matches(""));
  EXPECT_EQ(entry.name(), "eth1");
  Entry pages;
  pages.id = "hugepages-1";
  EXPECT_EQ(pages.name(), "hugepages-1");
  EXPECT_TRUE(entry.has_step(StepKind::bind_channel));
  EXPECT_FALSE(entry.has_step(StepKind::set_mtu));
}

TEST(JournalEntry, IsFinishedIfAllStepsAreRecorded) {
  Entry entry;
  EXPECT_FALSE(entry.is_finished());
  entry.ready = true;
  EXPECT_TRUE(entry.is_finished());
  entry.damaged = true;
  EXPECT_FALSE(entry.is_finished());
  entry.damaged = false;
  entry.read_error = "damaged";
  EXPECT_FALSE(entry.is_finished());
}

TEST(JournalDirectory, ListsFilesThatCannotBeRead) {
  MemoryDirectory files;
  files.files = {{"a.jsonl", ""}, {"b.jsonl", ""}, {"c.jsonl", ""}, {"note.txt", ""}};
  files.broken = {{"a.jsonl", {Errc::not_found, ENOENT, "closed"}},
                  {"b.jsonl", {Errc::io, EIO, "bad disk"}},
                  {"c.jsonl", {Errc::denied, 0, "not trusted"}},
                  {"d.jsonl", {Errc::denied, EACCES, "not allowed"}},
                  {"e.jsonl", {Errc::invalid, 0, "too large"}}};
  files.files.insert({{"d.jsonl", ""}, {"e.jsonl", ""}});
  std::vector<std::string> texts;
  const auto entries = Journal(files).entries();
  ASSERT_TRUE(entries);
  for (const auto& entry : *entries) {
    texts.push_back(entry.id + ": " + entry.read_error);
  }
  EXPECT_THAT(texts,
              ElementsAre("b: bad disk; check the file and remove it by hand",
                          "c: not trusted",
                          "d: not allowed; check the file and remove it by hand",
                          "e: too large; check the file and remove it by hand"));
}

TEST(JournalDirectory, ReportsEachFailure) {
  MemoryDirectory files;
  files.error = Error{Errc::io, ENOSPC, "the disk is full"};
  Journal journal(files);
  EXPECT_EQ(journal.entries().error().message, "cannot read the journal: the disk is full");
  for (const auto& written : {journal.create({}),
                              journal.begin_step("a", 0),
                              journal.finish_step("a", 0, {}),
                              journal.mark_ready("a"),
                              journal.confirm("a")}) {
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().sys, ENOSPC);
    EXPECT_EQ(written.error().message, "cannot write the journal: the disk is full");
  }
  EXPECT_THAT(journal.remove("a").error().message, StartsWith("cannot close the journal entry: "));
}

}  // namespace
}  // namespace manactl::setup::journal_records_test
