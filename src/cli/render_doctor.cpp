// SPDX-License-Identifier: MIT

#include "cli/render_doctor.h"

#include "base/text.h"

namespace manactl::cli {
namespace {

using Item = diag::Diagnosis::Item;

constexpr std::size_t kLongestText = 2000;
constexpr std::size_t kLongestQuote = 200;
constexpr std::size_t kShown = 8;  // of a list; -v shows all
constexpr unsigned kLabel = 9;     // columns of "Cause", "Fix", "Here"

std::string place_of(const diag::Quote& quote) {
  return fmt::format("{}:{}", printable(quote.log, 100), quote.line);
}

std::string times(std::uint64_t count) {
  return count > 1 ? fmt::format(", {} times", count) : std::string();
}

// "none of 31 checks failed (1 warn, 2 unknown: see 'manactl check')"
std::string checks_in_short(const diag::Report& report) {
  using diag::Status;
  std::vector<std::string> others;
  for (const auto status : {Status::warn, Status::unknown}) {
    const auto count = report.count(status);
    if (count > 0) others.push_back(fmt::format("{} {}", count, name_of(status)));
  }
  std::string text = fmt::format("none of {} checks failed", report.ran.size());
  if (!others.empty()) text += fmt::format(" ({}: see 'manactl check')", join(others, ", "));
  return text;
}

class DoctorText {
 public:
  DoctorText(Screen& screen, int verbosity) : screen_(screen), verbosity_(verbosity) {}

  void cause(std::string_view heading, const Item& item);
  void list(std::string_view heading, const std::vector<Item>& items);
  void healthy(const DoctorResult& result);
  void notes(const std::vector<std::string>& notes);

 private:
  void headline(std::string_view heading, std::string_view title);
  void labelled(std::string_view label, std::string_view text);
  void quote(const diag::Quote& quote, std::uint64_t count);

  std::ostream& out() { return screen_.stream(); }

  Screen& screen_;
  int verbosity_;
};

void DoctorText::headline(std::string_view heading, std::string_view title) {
  const auto margin = static_cast<unsigned>(heading.size()) + 1;
  std::string before = screen_.paint(Colour::red, heading) + ' ';
  for (const auto& line : wrap_lines(title, screen_.width() - margin)) {
    out() << before << screen_.paint(Colour::bold, line) << '\n';
    before.assign(margin, ' ');
  }
}

void DoctorText::labelled(std::string_view label, std::string_view text) {
  if (text.empty()) return;
  std::string before = fmt::format("  {:<{}}", label, kLabel);
  for (const auto& line : wrap_lines(printable(text, kLongestText), screen_.width() - kLabel - 2)) {
    out() << before << line << '\n';
    before.assign(kLabel + 2, ' ');
  }
}

void DoctorText::quote(const diag::Quote& quote, std::uint64_t count) {
  out() << "  " << screen_.paint(Colour::dim, place_of(quote) + times(count)) << '\n'
        << "    " << printable(quote.text, kLongestQuote) << '\n';
}

std::string_view words_of(diag::Confirmation confirmation) {
  switch (confirmation) {
    case diag::Confirmation::confirmed:
      return "confirmed";
    case diag::Confirmation::contradicted:
      return "not so now";
    case diag::Confirmation::not_possible:
      break;
  }
  return "not checked";
}

void DoctorText::cause(std::string_view heading, const Item& item) {
  headline(heading, printable(item.title, kLongestText));
  if (item.quote) {
    quote(*item.quote, item.count);
  } else {
    labelled("Check", item.id);
  }
  labelled("Cause", item.cause);
  labelled("Fix", item.fix);
  for (const auto& command : item.commands) {
    out() << std::string(kLabel + 4, ' ')
          << screen_.paint(Colour::bold, printable(command, kLongestText)) << '\n';
  }
  // A check would only confirm itself.
  if (item.quote && item.confirmation != diag::Confirmation::not_possible) {
    labelled("Here", fmt::format("{}: {}", words_of(item.confirmation), item.confirmed_by));
  }
  labelled("Note", item.note);
  out() << '\n';
}

void DoctorText::list(std::string_view heading, const std::vector<Item>& items) {
  if (items.empty()) return;
  out() << heading << '\n';
  std::size_t shown = 0;
  for (const auto& item : items) {
    if (shown == kShown && verbosity_ == 0) break;
    ++shown;
    const std::string what = item.title.empty() && item.quote ? item.quote->text : item.title;
    const std::string where = item.quote ? place_of(*item.quote) + times(item.count) : item.id;
    const auto lines = wrap_lines(fmt::format("{} ({})", printable(what, kLongestQuote), where),
                                  screen_.width() - 4);
    std::string before = "  - ";
    for (const auto& line : lines) {
      out() << before << line << '\n';
      before = "    ";
    }
    if (verbosity_ > 0 && !item.title.empty()) {
      const auto& seen = item.quote ? item.quote->text : item.cause;
      out() << "    " << screen_.paint(Colour::dim, printable(seen, kLongestQuote)) << '\n';
    }
  }
  if (shown < items.size()) out() << fmt::format("  and {} more (-v)\n", items.size() - shown);
  out() << '\n';
}

void DoctorText::healthy(const DoctorResult& result) {
  const bool probe_failed = result.probe != nullptr && result.probe->end();
  std::string sentence = probe_failed ? "The checks found no cause: " : "No cause found: ";
  const bool any_check = !result.report.ran.empty();
  if (any_check) sentence += checks_in_short(result.report);
  if (any_check && !result.logs.empty()) sentence += ", and ";
  if (!result.logs.empty()) {
    const auto lines = result.diagnosis.lines;
    sentence += fmt::format("{} {} of log {} nothing that is {}",
                            lines,
                            lines == 1 ? "line" : "lines",
                            lines == 1 ? "shows" : "show",
                            result.diagnosis.unknown.empty() ? "wrong" : "known to be wrong");
  }
  sentence += '.';
  const auto colour = result.diagnosis.unknown.empty() ? Colour::green : Colour::none;
  for (const auto& line : wrap_lines(sentence, screen_.width())) {
    out() << screen_.paint(colour, line) << '\n';
  }
}

void DoctorText::notes(const std::vector<std::string>& notes) {
  for (const auto& note : notes) {
    out() << wrap("Note: " + printable(note, kLongestText), screen_.width(), 0) << '\n';
  }
}

}  // namespace

void text(Screen& screen, const DoctorResult& result, int verbosity) {
  DoctorText writer(screen, verbosity);
  const auto& diagnosis = result.diagnosis;
  const bool probe_alone =
      result.probe != nullptr && result.report.ran.empty() && result.logs.empty();
  if (result.probe != nullptr) text(screen, *result.probe);
  if (probe_alone) return writer.notes(result.notes);
  if (result.probe != nullptr) screen.stream() << '\n';
  if (diagnosis.root) writer.cause("Root cause:", *diagnosis.root);
  for (const auto& other : diagnosis.others) writer.cause("Also:", other);
  const bool one_cause = diagnosis.root && diagnosis.others.empty();
  writer.list(one_cause ? "Consequences of it:" : "Consequences:", diagnosis.consequences);
  writer.list("Looks like an error and is none:", diagnosis.benign);
  writer.list("Not known to manactl:", diagnosis.unknown);
  if (!diagnosis.root) writer.healthy(result);
  writer.notes(result.notes);
}

}  // namespace manactl::cli
