// SPDX-License-Identifier: MIT

#include "cli/doctor/render_doctor.h"

#include "base/text.h"

namespace manactl::cli {
namespace {

using Item = diag::Diagnosis::Item;

constexpr std::size_t kMaxText = 2000;
constexpr std::size_t kMaxQuote = 200;
constexpr std::size_t kMaxItems = 8;  // items that a list shows without -v
constexpr unsigned kLabelWidth = 9;   // columns of "Cause", "Fix", "Here"

std::string place_of(const diag::Quote& quote) {
  return fmt::format("{}:{}", printable(quote.log), quote.line);
}

std::string times(std::uint64_t count) {
  return count > 1 ? fmt::format(", {} times", count) : std::string();
}

// Returns "none of 31 checks failed (1 warned, 2 unknown: see 'manactl check')"
std::string check_summary(const diag::Report& report) {
  using diag::Status;
  std::vector<std::string> others;
  for (const auto status : {Status::warn, Status::unknown}) {
    const auto count = report.count(status);
    if (count > 0)
      others.push_back(fmt::format("{} {}", count, status == Status::warn ? "warned" : "unknown"));
  }
  std::string text = report.outcomes.size() == 1
                         ? "the check did not fail"
                         : fmt::format("none of {} checks failed", report.outcomes.size());
  if (!others.empty()) text += fmt::format(" ({}: see 'manactl check')", join(others, ", "));
  return text;
}

class DoctorWriter {
 public:
  DoctorWriter(Screen& screen, int verbosity) : screen_(screen), verbosity_(verbosity) {}

  void write_cause(std::string_view heading, const Item& item);
  void write_list(std::string_view heading, const std::vector<Item>& items);
  void write_no_cause(const DoctorResult& result);
  void write_notes(const std::vector<std::string>& notes);

 private:
  void write_headline(std::string_view heading, std::string_view title);
  void write_labeled(std::string_view label, std::string_view text);
  void write_quote(const diag::Quote& quote, std::uint64_t count);

  std::ostream& out() { return screen_.stream(); }

  Screen& screen_;
  int verbosity_;
};

void DoctorWriter::write_headline(std::string_view heading, std::string_view title) {
  const auto margin = static_cast<unsigned>(heading.size()) + 1;
  std::string before = screen_.paint(Color::red, heading) + ' ';
  for (const auto& line : wrap_lines(title, screen_.width() - margin)) {
    out() << before << screen_.paint(Color::bold, line) << '\n';
    before.assign(margin, ' ');
  }
}

void DoctorWriter::write_labeled(std::string_view label, std::string_view text) {
  if (text.empty()) return;
  std::string before = fmt::format("  {:<{}}", label, kLabelWidth);
  for (const auto& line :
       wrap_lines(printable(text, kMaxText), screen_.width() - kLabelWidth - 2)) {
    out() << before << line << '\n';
    before.assign(kLabelWidth + 2, ' ');
  }
}

void DoctorWriter::write_quote(const diag::Quote& quote, std::uint64_t count) {
  out() << "  " << screen_.paint(Color::dim, place_of(quote) + times(count)) << '\n'
        << "    " << printable(quote.text, kMaxQuote) << '\n';
}

void DoctorWriter::write_cause(std::string_view heading, const Item& item) {
  write_headline(heading, printable(item.title, kMaxText));
  if (item.quote) {
    write_quote(*item.quote, item.count);
  } else {
    write_labeled("Check", item.id);
  }
  write_labeled("Cause", item.cause);
  write_labeled("Fix", item.fix);
  for (const auto& command : item.commands) {
    out() << std::string(kLabelWidth + 4, ' ')
          << screen_.paint(Color::bold, printable(command, kMaxText)) << '\n';
  }
  // A cause found by a check needs no confirmation; checks may confirm a cause found in a log.
  if (item.quote && item.confirmation != diag::Confirmation::not_possible) {
    write_labeled(
        "Here",
        fmt::format("{}: {}", word_of(kConfirmations, item.confirmation), item.confirmed_by));
  }
  write_labeled("Note", item.note);
  out() << '\n';
}

void DoctorWriter::write_list(std::string_view heading, const std::vector<Item>& items) {
  if (items.empty()) return;
  out() << heading << '\n';
  std::size_t shown = 0;
  for (const auto& item : items) {
    if (shown == kMaxItems && verbosity_ == 0) break;
    ++shown;
    const std::string what = item.title.empty() && item.quote ? item.quote->text : item.title;
    const std::string where = item.quote ? place_of(*item.quote) + times(item.count) : item.id;
    const auto lines =
        wrap_lines(fmt::format("{} ({})", printable(what, kMaxQuote), where), screen_.width() - 4);
    std::string before = "  - ";
    for (const auto& line : lines) {
      out() << before << line << '\n';
      before = "    ";
    }
    if (verbosity_ > 0 && !item.title.empty()) {
      const auto& source = item.quote ? item.quote->text : item.cause;
      out() << "    " << screen_.paint(Color::dim, printable(source, kMaxQuote)) << '\n';
    }
  }
  if (shown < items.size()) out() << fmt::format("  and {} more (-v)\n", items.size() - shown);
  out() << '\n';
}

void DoctorWriter::write_no_cause(const DoctorResult& result) {
  const bool probe_failed = result.probe != nullptr && result.probe->end();
  std::string sentence = probe_failed ? "The checks found no cause: " : "No cause found: ";
  const bool has_checks = !result.report.outcomes.empty();
  if (has_checks) sentence += check_summary(result.report);
  if (has_checks && !result.logs.empty()) sentence += ", and ";
  if (!result.logs.empty()) {
    const auto lines = result.diagnosis.lines;
    sentence += fmt::format("{} log {} {} no {}error",
                            lines,
                            lines == 1 ? "line" : "lines",
                            lines == 1 ? "contains" : "contain",
                            result.diagnosis.unknown.empty() ? "" : "known ");
  }
  sentence += '.';
  const auto color = result.diagnosis.unknown.empty() ? Color::green : Color::none;
  for (const auto& line : wrap_lines(sentence, screen_.width())) {
    out() << screen_.paint(color, line) << '\n';
  }
}

void DoctorWriter::write_notes(const std::vector<std::string>& notes) {
  for (const auto& note : notes) {
    out() << wrap("Note: " + printable(note, kMaxText), screen_.width(), 0) << '\n';
  }
}

}  // namespace

void print_text(Screen& screen, const DoctorResult& result, int verbosity) {
  DoctorWriter writer(screen, verbosity);
  const auto& diagnosis = result.diagnosis;
  const bool probe_only =
      result.probe != nullptr && result.report.outcomes.empty() && result.logs.empty();
  if (result.probe != nullptr) print_text(screen, *result.probe);
  if (probe_only) return writer.write_notes(result.notes);
  if (result.probe != nullptr) screen.stream() << '\n';
  if (diagnosis.root) writer.write_cause("Root cause:", *diagnosis.root);
  for (const auto& other : diagnosis.others) writer.write_cause("Also:", other);
  const bool one_cause = diagnosis.root && diagnosis.others.empty();
  writer.write_list(one_cause ? "Caused by this:" : "Caused by these:", diagnosis.consequences);
  writer.write_list("Harmless messages:", diagnosis.benign);
  writer.write_list("Unrecognized errors:", diagnosis.unknown);
  if (!diagnosis.root) writer.write_no_cause(result);
  writer.write_notes(result.notes);
}

}  // namespace manactl::cli
