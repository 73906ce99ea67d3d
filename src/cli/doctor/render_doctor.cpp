// SPDX-License-Identifier: MIT

#include "cli/doctor/render_doctor.h"

#include <algorithm>

#include "base/text.h"

namespace manactl::cli {
namespace {

using Item = diag::Diagnosis::Item;

constexpr std::size_t kMaxText = 2000;
constexpr std::size_t kMaxQuote = 200;
constexpr unsigned kLabelWidth = 9;  // columns of "Cause", "Fix", "Here"

// The complete answer, for -v.
class DoctorWriter {
 public:
  DoctorWriter(Screen& screen, const DoctorResult& result) : screen_(screen), result_(result) {}

  void write_headlines();
  void write_nics();
  void write_unknown_failure();
  void write_cause(std::string_view heading, const Item& item);
  void write_list(std::string_view heading, const std::vector<Item>& items);
  void write_no_cause();
  void write_notes();

 private:
  std::string place_of(const diag::Quote& quote) const {
    return cli::place_of(result_, quote.log, quote.line);
  }

  void write_headline(const Headline& headline);
  void write_labeled(std::string_view label, std::string_view text);
  void write_alternatives(const std::vector<diag::PossibleCause>& alternatives);
  void write_fixes(const Item& item);
  void write_quote(const diag::Quote& quote, std::uint64_t count);

  std::ostream& out() { return screen_.stream(); }

  Screen& screen_;
  const DoctorResult& result_;
};

void DoctorWriter::write_headline(const Headline& headline) {
  const auto margin = static_cast<unsigned>(headline.heading.size()) + 1;
  const auto color = headline.color == Color::red ? Color::bold : Color::none;
  std::string before = screen_.paint(headline.color, headline.heading) + ' ';
  const auto title = printable(headline.title, kMaxText);
  for (const auto& line : wrap_lines(title, screen_.width() - margin)) {
    out() << before << screen_.paint(color, line) << '\n';
    before.assign(margin, ' ');
  }
}

void DoctorWriter::write_headlines() {
  const auto rows = headlines(result_);
  for (const auto& row : rows) write_headline(row);
  const auto& verdict = result_.diagnosis.verdict;
  const bool is_paragraph = !rows.empty() && verdict->answer != diag::Answer::works &&
                            verdict->answer != diag::Answer::failed_unknown;
  if (is_paragraph) out() << '\n';
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

void DoctorWriter::write_alternatives(const std::vector<diag::PossibleCause>& alternatives) {
  if (!alternatives.empty()) write_labeled("", "Possible causes:");
  for (const auto& one : alternatives) {
    const bool is_decided = one.confirmation != diag::Confirmation::undecided;
    const auto decision =
        is_decided
            ? fmt::format("{}: {}", word_of(kConfirmations, one.confirmation), one.confirmed_by)
            : "to confirm: " + one.confirm;
    write_labeled("", fmt::format("- {}; {}", one.cause, decision));
  }
}

void DoctorWriter::write_quote(const diag::Quote& quote, std::uint64_t count) {
  out() << "  " << screen_.paint(Color::dim, place_of(quote) + times(count)) << '\n'
        << "    " << printable(quote.text, kMaxQuote) << '\n';
}

void DoctorWriter::write_nics() {
  const auto lines = nic_lines(result_);
  for (const auto& line : lines) write_indented(screen_, line.first, line.text);
  if (!lines.empty()) out() << '\n';
}

// Quotes the first unrecognized errors with the lines around them.
void DoctorWriter::write_unknown_failure() {
  constexpr std::size_t kMaxErrors = 3;
  const auto& verdict = *result_.diagnosis.verdict;
  if (verdict.failure) write_quote(*verdict.failure, 1);
  std::size_t shown = 0;
  for (const auto& item : result_.diagnosis.unknown) {
    const bool is_after = verdict.failure && item.quote->log == verdict.failure->log &&
                          item.quote->line > verdict.failure->line;
    if (is_after || shown == kMaxErrors) continue;
    ++shown;
    out() << "  " << screen_.paint(Color::dim, place_of(*item.quote) + times(item.count)) << '\n';
    const auto write_line = [this](const diag::Quote& line, std::string_view mark) {
      out() << fmt::format("  {} {:>6}  {}\n", mark, line.line, printable(line.text, kMaxQuote));
    };
    const auto after = std::ranges::find_if(
        item.context, [&item](const diag::Quote& line) { return line.line > item.quote->line; });
    std::for_each(item.context.begin(), after, [&](const auto& line) { write_line(line, " "); });
    write_line(*item.quote, ">");
    std::for_each(after, item.context.end(), [&](const auto& line) { write_line(line, " "); });
  }
  out() << wrap(report_hint(result_), screen_.width(), 2) << '\n';
  const auto command = report_command(result_);
  if (!command.empty()) {
    out() << "    " << screen_.paint(Color::bold, printable(command, kMaxText)) << '\n';
  }
  out() << '\n';
}

void DoctorWriter::write_fixes(const Item& item) {
  for (const auto& fix : diag::numbered({item.fix, item.commands, item.other_fixes})) {
    write_labeled("Fix", fix.why);
    for (const auto& command : fix.commands) {
      out() << std::string(kLabelWidth + 4, ' ')
            << screen_.paint(Color::bold, printable(command, kMaxText)) << '\n';
    }
  }
}

void DoctorWriter::write_cause(std::string_view heading, const Item& item) {
  write_headline({Color::red, std::string(heading), item.title});
  if (item.quote) {
    write_quote(*item.quote, item.count);
  } else {
    write_labeled("Check", item.id);
  }
  write_labeled("Cause", item.cause);
  write_alternatives(item.alternatives);
  write_fixes(item);
  write_labeled("Here", evidence_text(item));
  write_labeled("Note", item.note);
  out() << '\n';
}

void DoctorWriter::write_list(std::string_view heading, const std::vector<Item>& items) {
  if (items.empty()) return;
  out() << heading << '\n';
  for (const auto& item : items) {
    const std::string what = item.id.empty() && item.quote ? item.quote->text : item.title;
    const std::string where = item.quote ? place_of(*item.quote) + times(item.count) : item.id;
    const auto lines =
        wrap_lines(fmt::format("{} ({})", printable(what, kMaxQuote), where), screen_.width() - 4);
    std::string before = "  - ";
    for (const auto& line : lines) {
      out() << before << line << '\n';
      before = "    ";
    }
    if (item.proof) {
      out() << fmt::format(
          "    {}: {}\n", place_of(*item.proof), printable(item.proof->text, kMaxQuote));
    }
    if (!item.id.empty()) {
      const auto& source = item.quote ? item.quote->text : item.cause;
      out() << "    " << screen_.paint(Color::dim, printable(source, kMaxQuote)) << '\n';
    }
  }
  out() << '\n';
}

void DoctorWriter::write_no_cause() {
  const auto text = no_cause_text(result_);
  if (text.empty()) return;
  const auto color = result_.diagnosis.unknown.empty() ? Color::green : Color::none;
  for (const auto& line : wrap_lines(text, screen_.width())) {
    out() << screen_.paint(color, line) << '\n';
  }
  for (const auto& warning : warning_texts(result_)) {
    out() << wrap("Warning: " + warning, screen_.width(), 0) << '\n';
  }
}

void DoctorWriter::write_notes() {
  for (const auto& note : result_.notes) {
    out() << wrap("Note: " + printable(note, kMaxText), screen_.width(), 0) << '\n';
  }
}

void write_all(Screen& screen, const DoctorResult& result) {
  DoctorWriter writer(screen, result);
  const auto& diagnosis = result.diagnosis;
  const bool is_degraded = diagnosis.verdict && diagnosis.verdict->answer == diag::Answer::degraded;
  writer.write_headlines();
  if (!is_degraded) writer.write_nics();
  if (has_unknown_cause(result)) writer.write_unknown_failure();
  if (diagnosis.root) writer.write_cause(root_heading(result), *diagnosis.root);
  if (is_degraded) writer.write_nics();
  for (const auto& other : diagnosis.others) writer.write_cause("Also:", other);
  const auto* const heading = !diagnosis.root            ? "Unexplained errors:"
                              : diagnosis.others.empty() ? "Caused by this:"
                                                         : "Caused by these:";
  writer.write_list(heading, diagnosis.consequences);
  writer.write_list("Unexplained errors:", diagnosis.unexplained);
  writer.write_list("Recovered errors, each with the later line that shows the recovery:",
                    diagnosis.recovered);
  writer.write_list("Expected errors, each with the earlier line that explains it:",
                    diagnosis.expected);
  writer.write_list("Harmless messages:", diagnosis.benign);
  if (!has_unknown_cause(result)) writer.write_list("Unrecognized errors:", diagnosis.unknown);
  for (const auto& log : result.logs) print_text(screen, log);
  writer.write_no_cause();
  writer.write_notes();
}

}  // namespace

void print_text(Screen& screen, const DoctorResult& result, int verbosity) {
  const bool probe_only =
      result.probe != nullptr && result.report.outcomes.empty() && result.logs.empty();
  if (result.probe != nullptr) print_text(screen, *result.probe);
  if (probe_only) return DoctorWriter(screen, result).write_notes();
  if (result.probe != nullptr) screen.stream() << '\n';
  verbosity > 0 ? write_all(screen, result) : print_brief(screen, result);
}

}  // namespace manactl::cli
