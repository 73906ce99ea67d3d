// SPDX-License-Identifier: MIT

#include "cli/doctor/render_doctor.h"

#include <algorithm>

#include "base/text.h"
#include "diag/log_time.h"

namespace manactl::cli {
namespace {

using Item = diag::Diagnosis::Item;
using PossibleCause = diag::Diagnosis::PossibleCause;

constexpr std::size_t kMaxText = 2000;
constexpr std::size_t kMaxQuote = 200;
constexpr std::size_t kMaxItems = 3;  // items that a list shows without -v
constexpr unsigned kLabelWidth = 9;   // columns of "Cause", "Fix", "Here"

std::string times(std::uint64_t count) {
  return count > 1 ? fmt::format(", {} times", count) : std::string();
}

// Returns "none of 32 checks failed (1 warned, 2 unknown: see 'manactl check')"
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
  DoctorWriter(Screen& screen, const DoctorResult& result, int verbosity)
      : screen_(screen), names_logs_(result.logs.size() > 1), verbosity_(verbosity) {}

  void write_verdict(const diag::Verdict& verdict);
  void write_unknown_failure(const DoctorResult& result);
  void write_cause(std::string_view heading, const Item& item, bool is_root);
  void write_list(std::string_view heading, const std::vector<Item>& items);
  void write_no_cause(const DoctorResult& result);
  void write_number(std::string_view heading, std::string_view one, const std::vector<Item>& items);
  void write_notes(const std::vector<std::string>& notes);

 private:
  // Returns "line 5", or "FILE:5" if there are several logs.
  std::string place_of(const std::string& log, std::uint64_t line) const;

  std::string place_of(const diag::Quote& quote) const { return place_of(quote.log, quote.line); }

  void write_headline(std::string_view heading, std::string_view title);
  void write_labeled(std::string_view label, std::string_view text);
  void write_alternatives(const std::vector<PossibleCause>& alternatives);
  void write_fixes(const Item& item, bool is_root);
  void write_quote(const diag::Quote& quote, std::uint64_t count);

  std::ostream& out() { return screen_.stream(); }

  Screen& screen_;
  bool names_logs_;
  int verbosity_;
};

std::string DoctorWriter::place_of(const std::string& log, std::uint64_t line) const {
  return fmt::format("{}{}", names_logs_ ? printable(log) + ':' : "line ", line);
}

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

void DoctorWriter::write_alternatives(const std::vector<PossibleCause>& alternatives) {
  if (!alternatives.empty()) write_labeled("", "Possible causes:");
  const bool any_confirmed = std::ranges::any_of(alternatives, [](const PossibleCause& one) {
    return one.confirmation == diag::Confirmation::confirmed;
  });
  for (const auto& one : alternatives) {
    const bool is_confirmed = one.confirmation == diag::Confirmation::confirmed;
    if (any_confirmed && !is_confirmed && verbosity_ == 0) continue;
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

// The answer of a failure with a known cause is the root cause.
void DoctorWriter::write_verdict(const diag::Verdict& verdict) {
  const auto& worked = verdict.worked;
  const auto place_and_time = [this](const diag::Quote& quote, auto line, const auto& time) {
    const auto place = place_of(quote.log, line);
    return time.empty() ? place : fmt::format("{}, {}", place, diag::moment_text(time));
  };
  if (worked && verdict.answer == diag::Answer::works) {
    out() << screen_.paint(Color::green, "Works:") << ' '
          << fmt::format("{} ({})\n",
                         printable(worked->signature->title),
                         place_of(worked->quote.log, worked->last_line));
  } else if (worked && verdict.answer == diag::Answer::worked_until) {
    write_headline(
        "Last success:",
        fmt::format("{} ({})",
                    printable(worked->signature->title),
                    place_and_time(worked->quote, worked->last_line, worked->last_time)));
    if (verdict.failure) {
      const auto& failure = *verdict.failure;
      write_headline("First fault:",
                     fmt::format("{} ({})",
                                 printable(failure.text, kMaxQuote),
                                 place_and_time(failure, failure.line, failure.time)));
    }
    out() << '\n';
  } else if (verdict.answer == diag::Answer::not_mana) {
    out() << "Not MANA: the logs contain no line of a MANA NIC or its drivers. Use --log with the "
             "logs of\n"
             "the kernel and of the DPDK program on a VM with MANA.\n\n";
  }
}

// Quotes the first unrecognized errors with the lines around them, whatever the verbosity.
void DoctorWriter::write_unknown_failure(const DoctorResult& result) {
  constexpr std::size_t kMaxErrors = 3;
  const auto& verdict = *result.diagnosis.verdict;
  write_headline("Failed,", "and the cause is unknown");
  if (verdict.failure) write_quote(*verdict.failure, 1);
  std::size_t shown = 0;
  for (const auto& item : result.diagnosis.unknown) {
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
  out() << "  To report this, attach the file that this command writes:\n    "
        << screen_.paint(Color::bold, printable(report_command(result), kMaxText)) << "\n\n";
}

// Without -v, prints commands only for the best fix of the root cause, because this fix often
// repairs the other failures, too.
void DoctorWriter::write_fixes(const Item& item, bool is_root) {
  bool has_commands = is_root || verbosity_ > 0;
  for (const auto& fix : diag::numbered({item.fix, item.commands, item.other_fixes})) {
    const bool hides_commands = !has_commands && !fix.commands.empty();
    const auto end = fix.why.find_last_not_of(':') + 1;
    write_labeled("Fix", hides_commands ? fix.why.substr(0, end) + " (-v shows how)" : fix.why);
    for (const auto& command : fix.commands) {
      if (!has_commands) break;
      out() << std::string(kLabelWidth + 4, ' ')
            << screen_.paint(Color::bold, printable(command, kMaxText)) << '\n';
    }
    has_commands = verbosity_ > 0;
  }
}

void DoctorWriter::write_cause(std::string_view heading, const Item& item, bool is_root) {
  write_headline(heading, printable(item.title, kMaxText));
  if (item.quote) {
    write_quote(*item.quote, item.count);
  } else {
    write_labeled("Check", item.id);
  }
  write_labeled("Cause", item.cause);
  write_alternatives(item.alternatives);
  write_fixes(item, is_root);
  // A cause found by a check needs no confirmation; checks may confirm a cause found in a log.
  const bool is_check = diag::find_check(item.id) != nullptr;
  if (!is_check && item.confirmation != diag::Confirmation::undecided) {
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
    if (verbosity_ > 0 && !item.id.empty()) {
      const auto& source = item.quote ? item.quote->text : item.cause;
      out() << "    " << screen_.paint(Color::dim, printable(source, kMaxQuote)) << '\n';
    }
  }
  if (shown < items.size()) out() << fmt::format("  and {} more (-v)\n", items.size() - shown);
  out() << '\n';
}

// Prints only their number without -v.
void DoctorWriter::write_number(std::string_view heading,
                                std::string_view one,
                                const std::vector<Item>& items) {
  if (verbosity_ > 0) return write_list(heading, items);
  std::uint64_t count = 0;
  for (const auto& item : items) count += item.count;
  if (count > 0) out() << counted(count, one) << " (-v shows them)\n\n";
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
  sentence = result.hints.complete(sentence);
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
  DoctorWriter writer(screen, result, verbosity);
  const auto& diagnosis = result.diagnosis;
  const bool probe_only =
      result.probe != nullptr && result.report.outcomes.empty() && result.logs.empty();
  if (result.probe != nullptr) print_text(screen, *result.probe);
  if (probe_only) return writer.write_notes(result.notes);
  if (result.probe != nullptr) screen.stream() << '\n';
  const auto& verdict = diagnosis.verdict;
  if (verdict) writer.write_verdict(*verdict);
  const bool is_degraded = verdict && verdict->answer == diag::Answer::degraded;
  if (verdict && !is_degraded) print_nics(screen, result, verbosity);
  const bool is_unknown = verdict && diag::is_failure(verdict->answer) && !diagnosis.root;
  if (is_unknown) writer.write_unknown_failure(result);
  if (diagnosis.root) {
    const auto& quote = diagnosis.root->quote;
    const bool is_state = is_degraded && quote && quote->line == verdict->failure->line;
    writer.write_cause(is_state ? "Degraded:" : "Root cause:", *diagnosis.root, true);
  }
  if (is_degraded) print_nics(screen, result, verbosity);
  for (const auto& other : diagnosis.others) writer.write_cause("Also:", other, false);
  const auto* const heading = !diagnosis.root            ? "Unexplained errors:"
                              : diagnosis.others.empty() ? "Caused by this:"
                                                         : "Caused by these:";
  writer.write_list(heading, diagnosis.consequences);
  writer.write_list("Unexplained errors:", diagnosis.unexplained);
  writer.write_list("Recovered errors, each with the later line that shows the recovery:",
                    diagnosis.recovered);
  writer.write_list("Expected errors, each with the earlier line that explains it:",
                    diagnosis.expected);
  writer.write_number("Harmless messages:", "harmless message", diagnosis.benign);
  // With a cause, they are rarely important.
  constexpr std::string_view kUnrecognized = "Unrecognized errors:";
  if (diagnosis.root) {
    writer.write_number(kUnrecognized, "unrecognized error", diagnosis.unknown);
  } else if (!is_unknown) {
    writer.write_list(kUnrecognized, diagnosis.unknown);
  }
  for (const auto& log : result.logs) {
    if (verbosity > 0) print_text(screen, log);
  }
  // The answer for the logs is already there.
  const bool is_answered = verdict && verdict->answer != diag::Answer::no_failure;
  const auto* const mana = result.report.find("hardware.mana");
  const bool no_mana = mana == nullptr || mana->finding.status != diag::Status::pass;
  const bool only_logs = no_mana && result.probe == nullptr;
  if (!diagnosis.root && !(is_answered && only_logs)) writer.write_no_cause(result);
  writer.write_notes(result.notes);
}

}  // namespace manactl::cli
