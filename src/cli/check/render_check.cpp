// SPDX-License-Identifier: MIT

#include "cli/check/render_check.h"

#include <algorithm>

#include "base/text.h"

namespace manactl::cli {
namespace {

constexpr unsigned kIndent = 2;
constexpr unsigned kRemedyIndent = 6;
constexpr std::size_t kMaxText = 2000;

using diag::CheckOutcome;
using diag::Status;

struct StatusStyle {
  Status status;
  std::string_view symbol;  // printed if the locale is UTF-8, else `mark` is printed
  std::string_view mark;
  std::string_view counted;  // as in "3 failed"
  Color color;
};

constexpr StatusStyle kStyles[] = {{Status::pass, "✓", "ok  ", "passed", Color::green},
                                   {Status::warn, "!", "warn", "warned", Color::yellow},
                                   {Status::fail, "✗", "FAIL", "failed", Color::red},
                                   {Status::skipped, "–", "skip", "skipped", Color::dim},
                                   {Status::unknown, "?", "??? ", "unknown", Color::blue}};

std::string heading_of(std::string_view group) {
  if (group == "rdma") return "RDMA";
  if (group == "dpdk") return "DPDK";
  std::string heading(group);
  if (!heading.empty() && heading[0] >= 'a' && heading[0] <= 'z') {
    heading[0] = static_cast<char>(heading[0] - 'a' + 'A');
  }
  return heading;
}

class CheckWriter {
 public:
  CheckWriter(Screen& screen, int verbosity) : screen_(screen), verbosity_(verbosity) {}

  // Prints what needs attention, the worst first.
  void write_problems(const diag::Report& report);

  // Prints a line per group with the number of checks that need no attention.
  void write_counts(const std::vector<std::string_view>& groups, const diag::Report& report);
  void write_group(std::string_view group, const diag::Report& report);
  void write_summary(const CheckResult& result,
                     const std::vector<std::string_view>& groups,
                     Exit exit);

 private:
  void write_check(const CheckOutcome& ran);
  void write_remedy(const diag::Remedy& remedy, std::string_view id);
  void write_line(Status status, const std::string& text);

  Screen& screen_;
  int verbosity_;
};

const StatusStyle& style_of(Status status) {
  return *std::ranges::find(kStyles, status, &StatusStyle::status);
}

// The groups of the checks that ran, in their order.
std::vector<std::string_view> groups_of(const diag::Report& report) {
  std::vector<std::string_view> groups;
  for (const auto& ran : report.outcomes) {
    if (groups.empty() || groups.back() != ran.check.group()) groups.push_back(ran.check.group());
  }
  return groups;
}

std::ptrdiff_t count_of(const diag::Report& report, std::string_view group, Status status) {
  return std::ranges::count_if(report.outcomes, [&](const CheckOutcome& ran) {
    return ran.check.group() == group && ran.finding.status == status;
  });
}

// "<mark> text"; further lines start below the text.
void CheckWriter::write_line(Status status, const std::string& text) {
  const auto& style = style_of(status);
  const unsigned margin = kIndent + (screen_.has_unicode() ? 1 : 4) + 1;
  const auto mark = screen_.has_unicode() ? style.symbol : style.mark;
  std::string before = fmt::format("{:{}}{} ", "", kIndent, screen_.paint(style.color, mark));
  for (const auto& line : wrap_lines(text, screen_.width() - margin)) {
    const bool dim = status == Status::skipped;
    screen_.stream() << before << screen_.paint(dim ? Color::dim : Color::none, line) << '\n';
    before.assign(margin, ' ');
  }
}

void CheckWriter::write_remedy(const diag::Remedy& remedy, std::string_view id) {
  screen_.stream() << wrap(printable(remedy.why, kMaxText), screen_.width(), kRemedyIndent) << '\n';
  const std::string margin(kRemedyIndent, ' ');
  for (const auto& command : remedy.commands) {
    screen_.stream() << margin << "    " << screen_.paint(Color::bold, printable(command, kMaxText))
                     << '\n';
  }
  const auto reference = fmt::format("See {} in docs/checks.md", id);
  screen_.stream() << margin << screen_.paint(Color::dim, reference) << '\n';
}

// Returns the problem of a failed check, and otherwise its title, such as "every MANA function has
// an RDMA device".
std::string statement_of(const CheckOutcome& ran) {
  const auto status = ran.finding.status;
  if (status == Status::warn || status == Status::fail) return std::string(ran.check.problem);
  const auto* prefix = status == Status::unknown ? "cannot determine whether " : "";
  return fmt::format("{}{}", prefix, ran.check.title);
}

void CheckWriter::write_check(const CheckOutcome& ran) {
  const auto& finding = ran.finding;
  std::string text = fmt::format("{}: {}", ran.check.id, statement_of(ran));
  if (!finding.detail.empty()) text += ": " + printable(finding.detail, kMaxText);
  write_line(finding.status, text);
  if (finding.remedy) write_remedy(*finding.remedy, ran.check.id);
  if (verbosity_ == 0) return;
  const std::string margin(kRemedyIndent, ' ');
  for (const auto& line : finding.evidence) {
    if (line == finding.detail) continue;
    for (const auto& piece :
         wrap_lines(printable(line, kMaxText), screen_.width() - kRemedyIndent)) {
      screen_.stream() << margin << screen_.paint(Color::dim, piece) << '\n';
    }
  }
}

void CheckWriter::write_problems(const diag::Report& report) {
  bool any = false;
  for (const auto status : {Status::fail, Status::warn, Status::unknown}) {
    for (const auto& ran : report.outcomes) {
      if (ran.finding.status != status) continue;
      write_check(ran);
      any = true;
    }
  }
  if (any) screen_.stream() << '\n';
}

void CheckWriter::write_counts(const std::vector<std::string_view>& groups,
                               const diag::Report& report) {
  for (const auto group : groups) {
    std::vector<std::string> counts;
    for (const auto status : {Status::pass, Status::skipped}) {
      const auto number = count_of(report, group, status);
      if (number > 0) counts.push_back(fmt::format("{} {}", number, style_of(status).counted));
    }
    if (counts.empty()) continue;
    const bool passed = count_of(report, group, Status::pass) > 0;
    write_line(passed ? Status::pass : Status::skipped,
               fmt::format("{}: {}", heading_of(group), join(counts, ", ")));
  }
  screen_.stream() << '\n';
}

void CheckWriter::write_group(std::string_view group, const diag::Report& report) {
  screen_.stream() << screen_.paint(Color::bold, heading_of(group)) << '\n';
  for (const auto& ran : report.outcomes) {
    if (ran.check.group() == group) write_check(ran);
  }
  screen_.stream() << '\n';
}

// Returns "32 checks", or "4 of 32 checks (memory)" if others did not run.
std::string scope_of(const diag::Report& report, const std::vector<std::string_view>& groups) {
  const auto all = diag::all_checks().size();
  const auto ran = report.outcomes.size();
  if (ran == all) return fmt::format("{} checks", all);
  return fmt::format("{} of {} checks ({})",
                     ran,
                     all,
                     join(std::vector<std::string>(groups.begin(), groups.end()), ", "));
}

std::string conclusion_of(const CheckResult& result) {
  if (!result.facts.has_mana()) return "No MANA adapter was found.";
  if (!result.report.healthy()) return "Run 'manactl doctor' to find the root cause.";
  if (result.report.outcomes.size() < diag::all_checks().size()) {
    return "Run 'manactl check' for the other checks.";
  }
  return result.report.count(Status::warn) > 0 ? "MANA is usable, with warnings."
                                               : "MANA is ready to use.";
}

void CheckWriter::write_summary(const CheckResult& result,
                                const std::vector<std::string_view>& groups,
                                Exit exit) {
  std::vector<std::string> counts;
  for (const auto& style : kStyles) {
    const auto count = result.report.count(style.status);
    if (count > 0) counts.push_back(fmt::format("{} {}", count, style.counted));
  }
  const auto line = fmt::format(
      "{}: {}. {}", scope_of(result.report, groups), join(counts, ", "), conclusion_of(result));
  const auto color = exit == Exit::ok ? Color::green : Color::none;
  for (const auto& piece : wrap_lines(line, screen_.width())) {
    screen_.stream() << screen_.paint(color, piece) << '\n';
  }
}

}  // namespace

void print_text(Screen& screen, const CheckResult& result, Exit exit, int verbosity) {
  CheckWriter writer(screen, verbosity);
  const auto groups = groups_of(result.report);
  if (verbosity == 0) {
    writer.write_problems(result.report);
    writer.write_counts(groups, result.report);
  } else {
    for (const auto group : groups) writer.write_group(group, result.report);
  }
  writer.write_summary(result, groups, exit);
}

}  // namespace manactl::cli
