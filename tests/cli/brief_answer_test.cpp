// SPDX-License-Identifier: MIT
//
// Counts the rows that doctor prints for each log and ticket of the tests.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "cli/doctor/render_doctor.h"
#include "cli/doctor/ticket.h"
#include "diag/logs.h"

namespace manactl::cli::brief_answer_test {
namespace {

constexpr std::size_t kColumns = 80;

std::vector<std::filesystem::path> logs_and_tickets() {
  const std::filesystem::path tests = MANACTL_SOURCE_DIR "/tests";
  std::vector<std::filesystem::path> files;
  for (const auto* folder : {"logs", "logs/story", "logs/blind", "tickets/round1"}) {
    for (const auto& entry : std::filesystem::directory_iterator(tests / folder)) {
      const auto kind = entry.path().extension();
      if (kind == ".log" || kind == ".txt") files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  return files;
}

std::string answer_for(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto report = diag::test::read_text(text);
  std::vector<std::string> notes;
  const std::vector<diag::LogReport> reports = {report};
  const auto* const ticket = find_ticket(reports, notes);
  const auto checks = ticket == nullptr ? diag::Report{} : ticket->checks;
  const auto diagnosis = diag::diagnose(
      checks, reports, ticket == nullptr ? std::vector<diag::Observation>{} : ticket->observations);
  if (notes.empty()) {
    notes.emplace_back(
        "this machine has no MANA, so only the log was analyzed; 'manactl doctor' without a log "
        "shows why MANA is missing");
  }
  std::ostringstream out;
  Screen screen(out, false, kColumns, true);
  DoctorResult result{diagnosis, checks, {}, notes};
  result.logs.push_back({path.filename(),
                         report.lines,
                         report.dpdk_release,
                         report.runs,
                         0,
                         report.nics,
                         report.last_time});
  print_text(screen, result, 0);
  return out.str();
}

std::size_t rows_of(const std::string& text) {
  std::size_t rows = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    rows += std::max<std::size_t>(1, (line.size() + kColumns - 1) / kColumns);
  }
  return rows;
}

TEST(BriefAnswer, HasAtMost12RowsForEveryLogAndTicket) {
  constexpr std::size_t kMaxRows = 12;
  constexpr std::size_t kFiles = 400;
  const auto files = logs_and_tickets();
  EXPECT_GE(files.size(), kFiles);
  for (const auto& file : files) {
    const auto answer = answer_for(file);
    EXPECT_GE(rows_of(answer), 1U) << file;
    EXPECT_LE(rows_of(answer), kMaxRows) << file << '\n' << answer;
  }
}

}  // namespace
}  // namespace manactl::cli::brief_answer_test
