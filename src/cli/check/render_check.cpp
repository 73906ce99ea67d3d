// SPDX-License-Identifier: MIT

#include "cli/check/render_check.h"

#include <algorithm>

#include "base/text.h"
#include "cli/readiness_text.h"
#include "diag/evidence.h"

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
  CheckWriter(Screen& screen, const CheckResult& result);

  // Prints what needs attention, the root cause last.
  void write_problems();
  void write_group(std::string_view group);
  void write_verdict(Exit exit);

 private:
  void write_check(const CheckOutcome& ran);
  void write_problem(const CheckOutcome& ran);
  void write_remedy(const diag::Remedy& remedy);
  void write_reference(std::string_view id);
  void write_line(Status status, const std::string& text);
  bool is_cause(const CheckOutcome& ran) const;
  std::string verdict() const;

  Screen& screen_;
  const CheckResult& result_;
  std::vector<const CheckOutcome*> causes_;  // failed checks that no other failed check explains
};

CheckWriter::CheckWriter(Screen& screen, const CheckResult& result)
    : screen_(screen), result_(result), causes_(diag::first_causes(result.report)) {}

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

void CheckWriter::write_remedy(const diag::Remedy& remedy) {
  for (const auto& one : diag::numbered(remedy)) {
    screen_.stream() << wrap(printable(one.why, kMaxText), screen_.width(), kRemedyIndent) << '\n';
    for (const auto& command : one.commands) {
      screen_.stream() << std::string(kRemedyIndent + 2, ' ')
                       << screen_.paint(Color::bold, printable(command, kMaxText)) << '\n';
    }
  }
}

void CheckWriter::write_reference(std::string_view id) {
  screen_.stream() << std::string(kRemedyIndent, ' ')
                   << screen_.paint(Color::dim, fmt::format("See 'manactl help {}'", id)) << '\n';
}

bool CheckWriter::is_cause(const CheckOutcome& ran) const {
  return std::ranges::find(causes_, &ran) != causes_.end();
}

// Returns the problem of a failed check, and otherwise its title, such as "every MANA function has
// an RDMA device".
std::string statement_of(const CheckOutcome& ran) {
  const auto status = ran.finding.status;
  if (status == Status::warn || status == Status::fail) return std::string(ran.check.problem);
  const auto* prefix = status == Status::unknown ? "cannot determine whether " : "";
  return fmt::format("{}{}", prefix, ran.check.title);
}

// Prints all that is known about a check.
void CheckWriter::write_check(const CheckOutcome& ran) {
  const auto& finding = ran.finding;
  std::string text = fmt::format("{}: {}", ran.check.id, statement_of(ran));
  if (!finding.detail.empty()) text += ": " + printable(finding.detail, kMaxText);
  write_line(finding.status, text);
  if (finding.remedy) {
    write_remedy(*finding.remedy);
    write_reference(ran.check.id);
  }
  const std::string margin(kRemedyIndent, ' ');
  for (const auto& line : finding.evidence) {
    if (line == finding.detail) continue;
    for (const auto& piece :
         wrap_lines(printable(line, kMaxText), screen_.width() - kRemedyIndent)) {
      screen_.stream() << margin << screen_.paint(Color::dim, piece) << '\n';
    }
  }
}

// Prints a cause with its best remedy, a warning without, and of the others only the statement.
void CheckWriter::write_problem(const CheckOutcome& ran) {
  const auto& finding = ran.finding;
  std::string text = fmt::format("{}: {}", ran.check.id, statement_of(ran));
  const bool has_detail = finding.status == Status::warn || is_cause(ran);
  if (has_detail && !finding.detail.empty()) text += ": " + printable(finding.detail, kMaxText);
  write_line(finding.status, text);
  // The remedy of the first cause often comes before those of others: DPDK, for example, is built
  // with a newer rdma-core.
  const bool is_first = !causes_.empty() && causes_.front() == &ran;
  if (!is_first || !finding.remedy) return;
  write_remedy({finding.remedy->why, finding.remedy->commands});
  if (finding.remedy->others.empty() && causes_.size() == 1) return;
  screen_.stream() << std::string(kRemedyIndent, ' ')
                   << screen_.paint(Color::dim, "Use -v to see all remedies.") << '\n';
}

void CheckWriter::write_problems() {
  const auto& outcomes = result_.report.outcomes;
  bool any = false;
  const auto write = [&](const CheckOutcome& ran) {
    write_problem(ran);
    any = true;
  };
  for (const auto status : {Status::unknown, Status::warn, Status::fail}) {
    for (const auto& ran : outcomes) {
      if (ran.finding.status == status && !is_cause(ran)) write(ran);
    }
  }
  std::for_each(causes_.rbegin(), causes_.rend(), [&](const auto* cause) { write(*cause); });
  if (any) screen_.stream() << '\n';
}

void CheckWriter::write_group(std::string_view group) {
  screen_.stream() << screen_.paint(Color::bold, heading_of(group)) << '\n';
  for (const auto& ran : result_.report.outcomes) {
    if (ran.check.group() == group) write_check(ran);
  }
  screen_.stream() << '\n';
}

// Returns "32 checks", or "20 of 32 checks (for dpdk)", or "4 of 32 checks (memory)" if others did
// not run.
std::string scope_of(const CheckResult& result) {
  const auto groups = groups_of(result.report);
  const auto all = diag::all_checks().size();
  const auto ran = result.report.outcomes.size();
  if (ran == all) return fmt::format("{} checks", all);
  if (is_complete(result.report, result.options)) {
    const auto use = word_of(diag::kUseWords, *result.options.use);
    return fmt::format("{} of {} checks (for {})", ran, all, use);
  }
  return fmt::format("{} of {} checks ({})",
                     ran,
                     all,
                     join(std::vector<std::string>(groups.begin(), groups.end()), ", "));
}

std::string CheckWriter::verdict() const {
  const auto& [facts, report, options, hints] = result_;
  if (!facts.has_mana() && !facts.is_on_azure())
    return "Not ready for MANA: this is not an Azure VM.";
  if (!is_complete(report, options) && causes_.empty()) {
    return hints.complete("Run 'manactl check' for the other checks.");
  }
  auto text = readiness_text(facts, report, options);
  const bool only_warns = causes_.empty() && report.count(Status::warn) != 0;
  return only_warns ? text + " Use -v to see the remedies of the warnings." : text;
}

void CheckWriter::write_verdict(Exit exit) {
  std::vector<std::string> counts;
  for (const auto& style : kStyles) {
    const auto count = result_.report.count(style.status);
    if (count > 0) counts.push_back(fmt::format("{} {}", count, style.counted));
  }
  const auto color = exit == Exit::ok ? Color::green : Color::none;
  const auto scope = scope_of(result_);
  for (const auto& text : {fmt::format("{}: {}", scope, join(counts, ", ")), verdict()}) {
    screen_.stream() << screen_.paint(color, wrap(text, screen_.width(), 0)) << '\n';
  }
}

}  // namespace

void print_text(Screen& screen, const CheckResult& result, Exit exit, int verbosity) {
  CheckWriter writer(screen, result);
  print_nics(screen, result);
  if (verbosity == 0) {
    writer.write_problems();
  } else {
    for (const auto group : groups_of(result.report)) writer.write_group(group);
  }
  writer.write_verdict(exit);
}

}  // namespace manactl::cli
