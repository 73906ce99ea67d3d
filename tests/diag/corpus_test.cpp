// SPDX-License-Identifier: MIT
//
// Diagnoses the logs of tests/logs/story and tests/logs/blind: unmodified drivers on the software
// adapter and in the virtual VM, healthy and with injected faults, and other programs. Variants of
// each log are generated here.

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <array>
#include <map>
#include <regex>

#include "base/text.h"
#include "diag/logs.h"

namespace manactl::diag::corpus_test {
namespace {

using test::diagnose_text;
using test::read_text;
using test::root_id;
using test::sample;

constexpr std::array<std::string_view, 6> kKinds = {
    "healthy", "fault", "degraded", "recovered", "not-mana", "unknown"};

// The logs of tests/logs/story are in two parts.
constexpr std::size_t kBlindPart = 2;

struct Case {
  std::string folder, name, answer, root;  // `root` is empty if there is none
  // The ids of recovered errors and the number of unrecognized ones, as the file EXPECTED of the
  // folder tests/logs/blind describes them; "*" if any is right.
  std::string recovered = "*", unknown = "*";

  std::string text() const { return sample(folder + "/" + name + ".log"); }

  bool is(std::string_view kind) const { return name.starts_with(kind); }

  bool is_program() const {
    return name.find("kernel") == std::string::npos && !is("not-mana") && !is("degraded");
  }

  // In a log of a fault, packets may pass nevertheless.
  std::string_view kind() const {
    if (answer == word_of(kAnswers, Answer::degraded)) return "degraded";
    return *std::ranges::find_if(kKinds, [this](auto kind) { return is(kind); });
  }

  // The rules of doctor were developed on the even half of tests/logs/story only. doctor had not
  // read the logs of the blind part when their expectations were written.
  std::size_t part() const {
    if (folder == "blind") return kBlindPart;
    std::uint64_t hash = 14695981039346656037ULL;  // FNV-1a
    for (const char c : name) {
      hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
    }
    return (hash >> 32U) % 2;
  }
};

std::vector<Case> read_cases(const std::string& folder) {
  std::vector<Case> rows;
  const auto text = sample(folder + "/EXPECTED");
  for (const auto line : split(text, '\n')) {
    const auto words = split(line, ' ');
    if (words.size() < 4 || line.starts_with('#')) continue;
    Case row{folder, std::string(words[0]), std::string(words[1]), {}};
    if (words[2] != "-") row.root = words[2];
    if (words.size() == 6) {
      row.recovered = words[3];
      row.unknown = words[4];
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

const std::vector<Case>& cases() {
  static const auto all = [] {
    auto rows = read_cases("story");
    for (auto& row : read_cases("blind")) rows.push_back(std::move(row));
    return rows;
  }();
  return all;
}

bool is_as_expected(const std::string& expected, std::size_t count, const std::string& text) {
  if (expected == "*") return true;
  if (expected == "-") return count == 0;
  return expected == "+" ? count > 0 : expected == text;
}

std::string ids_of_recovered(const Diagnosis& diagnosis) {
  auto found = test::ids(diagnosis.recovered);
  std::ranges::sort(found);
  return join(found, ",");
}

std::string_view reported_kind(const Diagnosis& diagnosis) {
  const auto answer = diagnosis.verdict->answer;
  if (answer == Answer::not_mana) return "not-mana";
  if (answer == Answer::degraded) return "degraded";
  if (diagnosis.root) return "fault";
  if (is_failure(answer)) return "unknown";
  return diagnosis.recovered.empty() ? "healthy" : "recovered";
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

TEST_P(Corpus, HasTheExpectedRecoveredAndUnrecognizedErrors) {
  const auto diagnosis = diagnose_text(GetParam().text());
  const auto recovered = ids_of_recovered(diagnosis);
  EXPECT_PRED3(is_as_expected, GetParam().recovered, diagnosis.recovered.size(), recovered);
  const auto unknown = diagnosis.unknown.size();
  EXPECT_PRED3(is_as_expected, GetParam().unknown, unknown, std::to_string(unknown));
}

TEST_P(Corpus, HasTheSameAnswerInEveryWrapping) {
  const auto lines = lines_of(GetParam().text());
  for (const std::string prefix : {"Nov 21 03:00:00 vm x[812]: ",
                                   "2026-11-21T03:00:00+0000 vm x[812]: ",
                                   "2026-11-21T03:00:00.123456789Z stdout F ",
                                   "web_1  | ",
                                   "\x1b[1;31m"}) {
    std::string text;
    // The length of an outage matters, and in these lines, all times are the same.
    if (GetParam().is("degraded") && prefix.find("03:00:00") != std::string::npos) continue;
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
  for (std::size_t i = 0; i < lines.size(); i += 1 + lines.size() / 40) {
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

// Cuts the log after each of the last 100 bytes, and at 50 places before them.
TEST_P(Corpus, HasAnAnswerIfItIsCutAtAnyByte) {
  constexpr std::size_t kEachByte = 100;
  constexpr std::size_t kOthers = 50;
  const auto text = GetParam().text();
  std::size_t size = text.size();
  while (size > 0) {
    const auto report = read_text(text.substr(0, size));
    const auto diagnosis = diagnose(Report{}, {report});
    ASSERT_TRUE(diagnosis.verdict) << size;
    if (is_failure(diagnosis.verdict->answer)) {
      EXPECT_TRUE(diagnosis.root || diagnosis.verdict->failure) << size;
    }
    for (const auto& run : report.runs) ASSERT_LE(run.last_line, report.lines) << size;
    size -=
        std::min<std::size_t>(size, text.size() - size < kEachByte ? 1 : 1 + text.size() / kOthers);
  }
}

TEST_P(Corpus, IsHealthyUpToEachLineIfItIsHealthyAtTheEnd) {
  if (!GetParam().is("healthy")) return;
  const auto text = GetParam().text();
  std::size_t step = 1 + text.size() / 80;
  for (std::size_t size = 0; size < text.size(); size += step) {
    EXPECT_EQ(root_id(diagnose_text(text.substr(0, size))), "") << size;
  }
}

TEST_P(Corpus, IsRecoveredIfTheNextRunWorks) {
  if (!GetParam().is_program()) return;
  const auto diagnosis = diagnose_text(GetParam().text() + sample("story/healthy-txonly.log"));
  EXPECT_EQ(diagnosis.verdict->answer, Answer::works);
  EXPECT_EQ(root_id(diagnosis), "");
  EXPECT_EQ(diagnosis.recovered.empty(), GetParam().is("healthy"));
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

// How often logs of one kind, in one part, are reported as each kind.
using Confusion = std::map<std::string_view, std::map<std::string_view, int>>;

struct Score {
  Confusion confusion;
  std::map<std::string_view, int> logs, right;  // by kind
  std::vector<std::string> wrong;
};

Score score_of(std::size_t part) {
  Score score;
  for (const auto& one : cases()) {
    if (one.part() != part) continue;
    const auto diagnosis = diagnose_text(one.text());
    const auto answer = word_of(kAnswers, diagnosis.verdict->answer);
    const auto reported = reported_kind(diagnosis);
    const bool is_right =
        reported == one.kind() && answer == one.answer && root_id(diagnosis) == one.root;
    ++score.confusion[one.kind()][reported];
    ++score.logs[one.kind()];
    if (is_right) {
      ++score.right[one.kind()];
    } else {
      score.wrong.push_back(fmt::format(
          "{}: {}, {} {} instead of {}", one.name, reported, answer, root_id(diagnosis), one.root));
    }
  }
  return score;
}

std::string table_of(const Score& score) {
  auto text = fmt::format("{:<12}", "reported:");
  for (const auto kind : kKinds) text += fmt::format("{:>10}", kind);
  text += "     right\n";
  for (const auto kind : kKinds) {
    if (!score.logs.contains(kind)) continue;
    text += fmt::format("{:<12}", kind);
    for (const auto reported : kKinds) {
      text += fmt::format(
          "{:>10}",
          score.confusion.at(kind).contains(reported) ? score.confusion.at(kind).at(reported) : 0);
    }
    const auto right = score.right.contains(kind) ? score.right.at(kind) : 0;
    text += fmt::format("{:>6} of {}\n", right, score.logs.at(kind));
  }
  for (const auto& line : score.wrong) text += "wrong: " + line + "\n";
  return text;
}

TEST(CorpusOfLogs, IsDiagnosedCorrectlyInAllParts) {
  constexpr double kGoal = 0.95;
  for (std::size_t part = 0; part <= kBlindPart; ++part) {
    const auto score = score_of(part);
    const auto text = fmt::format("part {}\n{}", part, table_of(score));
    fmt::print("{}\n", text);
    for (const auto kind : kKinds) {
      if (!score.logs.contains(kind)) continue;
      EXPECT_GE(score.right.at(kind), kGoal * score.logs.at(kind)) << kind << '\n' << text;
    }
    EXPECT_FALSE(score.confusion.at("healthy").contains("fault")) << text;
    EXPECT_FALSE(score.confusion.at("recovered").contains("fault")) << text;
  }
}

TEST(CorpusOfLogs, IsCompleteAndAboutHalfOfTheSystemsWork) {
  constexpr std::ptrdiff_t kLogs = 120;
  constexpr std::ptrdiff_t kBlindLogs = 40;
  const auto is_blind = [](const Case& one) { return one.part() == kBlindPart; };
  const auto blind = std::ranges::count_if(cases(), is_blind);
  const auto others = std::ssize(cases()) - blind;
  EXPECT_GE(blind, kBlindLogs);
  EXPECT_GE(others, kLogs);
  const auto works = std::ranges::count_if(cases(), [&is_blind](const Case& one) {
    return !is_blind(one) && (one.is("healthy") || one.is("recovered"));
  });
  EXPECT_GE(2 * works, others);
}

}  // namespace
}  // namespace manactl::diag::corpus_test
