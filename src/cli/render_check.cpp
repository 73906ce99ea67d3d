// SPDX-License-Identifier: MIT

#include "cli/render_check.h"

#include <algorithm>

#include "base/text.h"
#include "cli/marks.h"

namespace manactl::cli {
namespace {

constexpr unsigned kIndent = 2;
constexpr unsigned kRemedyIndent = 6;
constexpr std::size_t kLongestText = 2000;

using diag::Ran;
using diag::Status;

std::string heading_of(std::string_view group) {
  if (group == "rdma" || group == "dpdk") {
    return group == "rdma" ? "RDMA" : "DPDK";
  }
  std::string heading(group);
  if (!heading.empty() && heading[0] >= 'a' && heading[0] <= 'z') {
    heading[0] = static_cast<char>(heading[0] - 'a' + 'A');
  }
  return heading;
}

class CheckText {
 public:
  CheckText(Screen& screen, int verbosity) : screen_(screen), verbosity_(verbosity) {}

  void group(const std::vector<const Ran*>& members);
  void summary(const CheckResult& result);

 private:
  void check(const Ran& ran);
  void skipped(const std::vector<const Ran*>& members);
  void remedy(const diag::Remedy& remedy);
  void entry(Status status, std::string_view title, std::string_view detail);

  Screen& screen_;
  int verbosity_;
};

// `text` in one line: whole, or its first words and "...".
std::string in_one_line(const std::string& text, unsigned width) {
  constexpr std::string_view kMore = " ...";
  if (wrap_lines(text, width).size() <= 1) return text;
  return wrap_lines(text, width - static_cast<unsigned>(kMore.size())).front().append(kMore);
}

// "<mark> title: detail", broken below the title; what needs no attention is dim. What passes takes
// one line, so that the eye finds the others; -v shows all of it.
void CheckText::entry(Status status, std::string_view title, std::string_view detail) {
  const std::string mark = mark_of(screen_, status);
  const unsigned margin = kIndent + mark_width(screen_) + 1;
  std::string whole(title);
  if (!detail.empty()) {
    if (!whole.empty()) whole += ": ";
    whole += printable(detail, kLongestText);
  }
  if (status == Status::pass && verbosity_ == 0) {
    whole = in_one_line(whole, screen_.width() - margin);
  }
  std::string before = fmt::format("{:{}}{} ", "", kIndent, mark);
  for (const auto& line : wrap_lines(whole, screen_.width() - margin)) {
    const bool dim = status == Status::skipped;
    screen_.stream() << before << screen_.paint(dim ? Colour::dim : Colour::none, line) << '\n';
    before.assign(margin, ' ');
  }
}

void CheckText::remedy(const diag::Remedy& remedy) {
  screen_.stream() << wrap(printable(remedy.why, kLongestText), screen_.width(), kRemedyIndent)
                   << '\n';
  for (const auto& command : remedy.commands) {
    screen_.stream() << fmt::format("{:{}}", "", kRemedyIndent + 4)
                     << screen_.paint(Colour::bold, printable(command, kLongestText)) << '\n';
  }
}

void CheckText::check(const Ran& ran) {
  const auto& finding = ran.finding;
  entry(finding.status, ran.check.title, finding.detail);
  const bool attention = finding.status == Status::warn || finding.status == Status::fail;
  if (finding.remedy && attention) remedy(*finding.remedy);
  if (verbosity_ == 0) return;
  const auto more = [&](std::string_view line) {
    const std::string margin(kRemedyIndent, ' ');
    for (const auto& piece :
         wrap_lines(printable(line, kLongestText), screen_.width() - kRemedyIndent)) {
      screen_.stream() << margin << screen_.paint(Colour::dim, piece) << '\n';
    }
  };
  more(ran.check.id);
  for (const auto& line : finding.evidence) {
    if (line != finding.detail) more(line);
  }
}

// Checks that were left out for the same reason are one line.
void CheckText::skipped(const std::vector<const Ran*>& members) {
  std::vector<std::pair<std::string, std::vector<const Ran*>>> reasons;
  for (const auto* ran : members) {
    const auto& why = ran->finding.detail;
    auto found = std::find_if(
        reasons.begin(), reasons.end(), [&](const auto& reason) { return reason.first == why; });
    if (found == reasons.end()) found = reasons.insert(reasons.end(), {why, {}});
    found->second.push_back(ran);
  }
  for (const auto& [why, those] : reasons) {
    const std::string title = those.size() == 1 ? std::string(those.front()->check.title)
                                                : fmt::format("{} checks left out", those.size());
    entry(Status::skipped, title, why);
  }
}

void CheckText::group(const std::vector<const Ran*>& members) {
  std::vector<const Ran*> left_out;
  screen_.stream() << screen_.paint(Colour::bold, heading_of(members.front()->check.group()))
                   << '\n';
  for (const auto* ran : members) {
    if (ran->finding.status == Status::skipped && verbosity_ == 0) {
      left_out.push_back(ran);
    } else {
      check(*ran);
    }
  }
  skipped(left_out);
  screen_.stream() << '\n';
}

void CheckText::summary(const CheckResult& result) {
  const auto& report = result.report;
  std::vector<std::string> counts;
  for (const auto status :
       {Status::pass, Status::warn, Status::fail, Status::skipped, Status::unknown}) {
    const auto count = report.count(status);
    if (count > 0) counts.push_back(fmt::format("{} {}", count, name_of(status)));
  }
  std::string next;
  if (!result.facts.has_mana()) {
    next = "There is no MANA adapter here.";
  } else if (!report.healthy()) {
    next = "'manactl doctor' tells which failure comes first.";
  } else {
    next = report.count(Status::warn) > 0 ? "MANA can be used; mind the warnings."
                                          : "MANA is ready to use.";
  }
  const auto line = fmt::format("{} checks: {}. {}", report.ran.size(), join(counts, ", "), next);
  const auto colour = result.exit == Exit::ok ? Colour::green : Colour::none;
  for (const auto& piece : wrap_lines(line, screen_.width())) {
    screen_.stream() << screen_.paint(colour, piece) << '\n';
  }
}

}  // namespace

void text(Screen& screen, const CheckResult& result, int verbosity) {
  CheckText writer(screen, verbosity);
  std::vector<const Ran*> members;
  for (const auto& ran : result.report.ran) {
    if (!members.empty() && members.front()->check.group() != ran.check.group()) {
      writer.group(members);
      members.clear();
    }
    members.push_back(&ran);
  }
  if (!members.empty()) writer.group(members);
  writer.summary(result);
}

}  // namespace manactl::cli
