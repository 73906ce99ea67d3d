// SPDX-License-Identifier: MIT
//
// Diagnoses the logs of tests/logs/story: unmodified drivers on the software adapter and in the
// virtual VM, healthy and with injected faults. Variants of each log are generated here.

#include <gmock/gmock.h>

#include <regex>

#include "base/text.h"
#include "diag/logs.h"

namespace manactl::diag {
namespace {

using test::diagnose_text;
using test::root_id;
using test::sample;

struct Case {
  std::string name, answer, root;  // `root` is empty if there is none

  std::string text() const { return sample("story/" + name + ".log"); }

  bool is(std::string_view kind) const { return name.starts_with(kind); }

  bool is_program() const { return name.find("kernel") == std::string::npos; }
};

const std::vector<Case>& cases() {
  static const auto all = [] {
    std::vector<Case> rows;
    const auto text = sample("story/EXPECTED");
    for (const auto line : split(text, '\n')) {
      const auto words = split(line, ' ');
      if (words.size() != 3 || line.starts_with('#')) continue;
      rows.push_back({std::string(words[0]),
                      std::string(words[1]),
                      words[2] == "-" ? std::string() : std::string(words[2])});
    }
    return rows;
  }();
  return all;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (const auto line : split(text, '\n')) lines.emplace_back(line);
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

std::string text_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  return text;
}

class Corpus : public testing::TestWithParam<Case> {
 protected:
  static void expect_same(const std::string& text, const std::string& variant) {
    const auto diagnosis = diagnose_text(text);
    EXPECT_EQ(word_of(kAnswers, diagnosis.verdict->answer), GetParam().answer) << variant;
    EXPECT_EQ(root_id(diagnosis), GetParam().root) << variant;
  }
};

TEST_P(Corpus, HasTheExpectedAnswer) {
  expect_same(GetParam().text(), "unchanged");
}

TEST_P(Corpus, HasTheSameAnswerInEveryWrapping) {
  const auto lines = lines_of(GetParam().text());
  for (const std::string prefix : {"Nov 21 03:00:00 vm x[812]: ",
                                   "2026-11-21T03:00:00+0000 vm x[812]: ",
                                   "2026-11-21T03:00:00.123456789Z stdout F ",
                                   "web_1  | ",
                                   "\x1b[1;31m"}) {
    std::string text;
    for (const auto& line : lines) text += prefix + line + "\r\n";
    expect_same(text, prefix);
  }
}

TEST_P(Corpus, HasTheSameAnswerAmongUnrelatedLines) {
  std::vector<std::string> mixed;
  for (const auto& line : lines_of(GetParam().text())) {
    mixed.push_back(line);
    mixed.emplace_back("nginx: [error] upstream timed out");
    mixed.emplace_back("systemd[1]: Started Session 3 of user azureuser.");
    mixed.emplace_back("apt-daily.service: Failed with result 'exit-code'.");
    mixed.emplace_back(
        "mysqld[77]: segfault at 18 ip 000055d0c3a1f2b4 sp 00007ffd4c0e2a90 error 4");
  }
  expect_same(text_of(mixed), "with unrelated lines");
}

TEST_P(Corpus, HasTheSameAnswerWithThePrefixesOfOldReleases) {
  expect_same(std::regex_replace(GetParam().text(), std::regex("MANA_DRIVER: "), ""), "22.11");
}

TEST_P(Corpus, HasAnAnswerForEveryPartOfTheLog) {
  const auto lines = lines_of(GetParam().text());
  for (std::size_t i = 0; i < lines.size(); i += 1 + lines.size() / 100) {
    auto missing = lines;
    missing.erase(missing.begin() + static_cast<std::ptrdiff_t>(i));
    auto repeated = lines;
    repeated.insert(repeated.begin() + static_cast<std::ptrdiff_t>(i), lines[i]);
    const std::vector<std::string> rest(lines.begin() + static_cast<std::ptrdiff_t>(i),
                                        lines.end());
    for (const auto& some : {missing, repeated, rest}) {
      const auto diagnosis = diagnose_text(text_of(some));
      ASSERT_TRUE(diagnosis.verdict);
      const bool is_healthy = GetParam().is("healthy");
      EXPECT_FALSE(is_healthy && diagnosis.root) << i << ": " << root_id(diagnosis);
    }
  }
}

TEST_P(Corpus, IsHealthyUpToEachLineIfItIsHealthyAtTheEnd) {
  if (!GetParam().is("healthy")) return;
  const auto text = GetParam().text();
  std::size_t step = 1 + text.size() / 200;
  for (std::size_t size = 0; size < text.size(); size += step) {
    EXPECT_EQ(root_id(diagnose_text(text.substr(0, size))), "") << size;
  }
}

TEST_P(Corpus, IsRecoveredIfTheNextRunWorks) {
  if (!GetParam().is_program()) return;
  const auto diagnosis = diagnose_text(GetParam().text() + sample("story/healthy-txonly.log"));
  EXPECT_EQ(diagnosis.verdict->answer, Answer::works);
  EXPECT_EQ(root_id(diagnosis), "");
  EXPECT_EQ(diagnosis.recovered.empty(), GetParam().answer == "works");
}

TEST_P(Corpus, IsJudgedByTheLastRun) {
  if (!GetParam().is_program()) return;
  expect_same(sample("story/healthy-txonly.log") + GetParam().text(), "after a run that works");
}

std::string name_of_case(const testing::TestParamInfo<Case>& info) {
  auto name = info.param.name;
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Logs, Corpus, testing::ValuesIn(cases()), name_of_case);

TEST(CorpusOfLogs, IsComplete) {
  EXPECT_GE(cases().size(), 50U);
}

}  // namespace
}  // namespace manactl::diag
