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

  void write_group(const std::vector<const CheckOutcome*>& members);
  void write_summary(const CheckResult& result, Exit exit);

 private:
  void write_check(const CheckOutcome& ran);
  void write_skipped(const std::vector<const CheckOutcome*>& members);
  void write_remedy(const diag::Remedy& remedy);
  void write_line(Status status, std::string_view title, std::string_view detail);

  Screen& screen_;
  int verbosity_;
};

// Returns `text`, or its first words and "..." if it is longer than `width`.
std::string shorten(const std::string& text, unsigned width) {
  constexpr std::string_view kMore = " ...";
  if (wrap_lines(text, width).size() <= 1) return text;
  return wrap_lines(text, width - static_cast<unsigned>(kMore.size())).front().append(kMore);
}

// "<mark> title: detail"; further lines start below the title. A passed check is cut to one line
// unless -v is given, so that problems stand out.
void CheckWriter::write_line(Status status, std::string_view title, std::string_view detail) {
  const auto& style = *std::ranges::find(kStyles, status, &StatusStyle::status);
  const unsigned margin = kIndent + (screen_.has_unicode() ? 1 : 4) + 1;
  std::string text(title);
  if (!detail.empty()) {
    if (!text.empty()) text += ": ";
    text += printable(detail, kMaxText);
  }
  if (status == Status::pass && verbosity_ == 0) {
    text = shorten(text, screen_.width() - margin);
  }
  const auto mark = screen_.has_unicode() ? style.symbol : style.mark;
  std::string before = fmt::format("{:{}}{} ", "", kIndent, screen_.paint(style.color, mark));
  for (const auto& line : wrap_lines(text, screen_.width() - margin)) {
    const bool dim = status == Status::skipped;
    screen_.stream() << before << screen_.paint(dim ? Color::dim : Color::none, line) << '\n';
    before.assign(margin, ' ');
  }
}

void CheckWriter::write_remedy(const diag::Remedy& remedy) {
  screen_.stream() << wrap(printable(remedy.why, kMaxText), screen_.width(), kRemedyIndent) << '\n';
  for (const auto& command : remedy.commands) {
    screen_.stream() << fmt::format("{:{}}", "", kRemedyIndent + 4)
                     << screen_.paint(Color::bold, printable(command, kMaxText)) << '\n';
  }
}

void CheckWriter::write_check(const CheckOutcome& ran) {
  const auto& finding = ran.finding;
  write_line(finding.status, ran.check.title, finding.detail);
  const bool is_problem = finding.status == Status::warn || finding.status == Status::fail;
  if (finding.remedy && is_problem) write_remedy(*finding.remedy);
  if (verbosity_ == 0) return;
  const auto more = [&](std::string_view line) {
    const std::string margin(kRemedyIndent, ' ');
    for (const auto& piece :
         wrap_lines(printable(line, kMaxText), screen_.width() - kRemedyIndent)) {
      screen_.stream() << margin << screen_.paint(Color::dim, piece) << '\n';
    }
  };
  more(ran.check.id);
  for (const auto& line : finding.evidence) {
    if (line != finding.detail) more(line);
  }
}

// Prints one line for all checks skipped for the same reason.
void CheckWriter::write_skipped(const std::vector<const CheckOutcome*>& members) {
  std::vector<std::pair<std::string, std::vector<const CheckOutcome*>>> reasons;
  for (const auto* ran : members) {
    const auto& why = ran->finding.detail;
    auto found = std::find_if(
        reasons.begin(), reasons.end(), [&](const auto& reason) { return reason.first == why; });
    if (found == reasons.end()) found = reasons.insert(reasons.end(), {why, {}});
    found->second.push_back(ran);
  }
  for (const auto& [why, those] : reasons) {
    const std::string title = those.size() == 1 ? std::string(those.front()->check.title)
                                                : fmt::format("{} checks skipped", those.size());
    write_line(Status::skipped, title, why);
  }
}

void CheckWriter::write_group(const std::vector<const CheckOutcome*>& members) {
  std::vector<const CheckOutcome*> skipped;
  screen_.stream() << screen_.paint(Color::bold, heading_of(members.front()->check.group()))
                   << '\n';
  for (const auto* ran : members) {
    if (ran->finding.status == Status::skipped && verbosity_ == 0) {
      skipped.push_back(ran);
    } else {
      write_check(*ran);
    }
  }
  write_skipped(skipped);
  screen_.stream() << '\n';
}

void CheckWriter::write_summary(const CheckResult& result, Exit exit) {
  const auto& report = result.report;
  std::vector<std::string> counts;
  for (const auto& style : kStyles) {
    const auto count = report.count(style.status);
    if (count > 0) counts.push_back(fmt::format("{} {}", count, style.counted));
  }
  std::string next;
  if (!result.facts.has_mana()) {
    next = "No MANA adapter was found.";
  } else if (!report.healthy()) {
    next = "Run 'manactl doctor' to find the root cause.";
  } else {
    next =
        report.count(Status::warn) > 0 ? "MANA is usable, with warnings." : "MANA is ready to use.";
  }
  const auto line = fmt::format("{} {}: {}. {}",
                                report.outcomes.size(),
                                report.outcomes.size() == 1 ? "check" : "checks",
                                join(counts, ", "),
                                next);
  const auto color = exit == Exit::ok ? Color::green : Color::none;
  for (const auto& piece : wrap_lines(line, screen_.width())) {
    screen_.stream() << screen_.paint(color, piece) << '\n';
  }
}

}  // namespace

void print_text(Screen& screen, const CheckResult& result, Exit exit, int verbosity) {
  CheckWriter writer(screen, verbosity);
  std::vector<const CheckOutcome*> members;
  for (const auto& ran : result.report.outcomes) {
    if (!members.empty() && members.front()->check.group() != ran.check.group()) {
      writer.write_group(members);
      members.clear();
    }
    members.push_back(&ran);
  }
  if (!members.empty()) writer.write_group(members);
  writer.write_summary(result, exit);
}

}  // namespace manactl::cli
