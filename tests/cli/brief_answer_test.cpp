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

// The answer for `logs` logs, of which the first has this text.
std::string answer_for(const std::string& text, const std::string& name, std::size_t logs = 1) {
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
  result.logs.assign(
      logs,
      {name, report.lines, report.dpdk_release, report.runs, 0, report.nics, report.last_time});
  print_text(screen, result, 0);
  return out.str();
}

std::string answer_for(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return answer_for(std::string{std::istreambuf_iterator<char>(file), {}}, path.filename());
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

TEST(BriefAnswer, NamesTheFirstOfManyNics) {
  std::string text = "[    0.0] Linux version 6.8.0-1031-azure (b@c) (gcc) #1 SMP\n";
  for (int i = 0; i < 20; ++i) {
    const auto nic = fmt::format("hv_netvsc f8615163-{:04}-1000-2000-000d3a941d7e eth{}: ", i, i);
    text += fmt::format("[    {}.1] {}VF slot 1 added\n", i + 1, nic);
    text += fmt::format("[    {}.2] {}VF registering: enP{}s1\n", i + 1, nic, i + 1);
    text += fmt::format("[    {}.3] {}Data path switched to VF: enP{}s1\n", i + 1, nic, i + 1);
    text += fmt::format("[  1{:02}.0] {}VF slot 1 removed\n", i, nic);
  }
  const auto answer = answer_for(text + "[ 9000.0] audit: something else\n", "kernel.log");
  EXPECT_NE(answer.find("VFs of eth0, eth1 and 18 more"), std::string::npos) << answer;
  EXPECT_LE(rows_of(answer), 12U) << answer;
}

TEST(BriefAnswer, CutsAQuoteAfterALongPath) {
  const std::string error = "EAL: Cannot open sysfs: " + std::string(1000, 'x') + " failed\n";
  const auto answer = answer_for(error, "/var/log/" + std::string(200, 'p'), 2);
  EXPECT_LE(rows_of(answer), 12U) << answer;
}

}  // namespace
}  // namespace manactl::cli::brief_answer_test
