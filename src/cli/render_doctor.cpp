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

class DoctorText {
 public:
  DoctorText(Screen& screen, int verbosity) : screen_(screen), verbosity_(verbosity) {}

  void cause(std::string_view heading, const Item& item);
  void list(std::string_view heading, const std::vector<Item>& items);
  void healthy(const DoctorResult& result);
  void notes(const std::vector<std::string>& notes);

 private:
  void labelled(std::string_view label, std::string_view text);
  void quote(const diag::Quote& quote, std::uint64_t count);

  std::ostream& out() { return screen_.stream(); }

  Screen& screen_;
  int verbosity_;
};

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
      return "contradicted";
    case diag::Confirmation::not_possible:
      break;
  }
  return "not checked";
}

void DoctorText::cause(std::string_view heading, const Item& item) {
  const auto title = printable(item.title, kLongestText);
  out() << screen_.paint(Colour::red, heading) << ' ' << screen_.paint(Colour::bold, title) << '\n';
  if (item.quote) quote(*item.quote, item.count);
  labelled("Cause", item.cause);
  labelled("Fix", item.fix);
  for (const auto& command : item.commands) {
    out() << std::string(kLabel + 4, ' ')
          << screen_.paint(Colour::bold, printable(command, kLongestText)) << '\n';
  }
  if (item.confirmation != diag::Confirmation::not_possible) {
    labelled("Here", fmt::format("{} by {}", words_of(item.confirmation), item.confirmed_by));
  }
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
    const std::string where =
        item.quote ? fmt::format(" ({}{})", place_of(*item.quote), times(item.count)) : "";
    const auto lines = wrap_lines(printable(what, kLongestQuote) + where, screen_.width() - 4);
    std::string before = "  - ";
    for (const auto& line : lines) {
      out() << before << line << '\n';
      before = "    ";
    }
    if (verbosity_ > 0 && item.quote && !item.title.empty()) {
      out() << "    " << screen_.paint(Colour::dim, printable(item.quote->text, kLongestQuote))
            << '\n';
    }
  }
  if (shown < items.size()) out() << fmt::format("  and {} more (-v)\n", items.size() - shown);
  out() << '\n';
}

void DoctorText::healthy(const DoctorResult& result) {
  std::string sentence = "No cause found: ";
  const auto checks = result.report.ran.size();
  if (checks > 0) sentence += fmt::format("{} checks", checks);
  if (checks > 0 && !result.logs.empty()) sentence += " and ";
  if (!result.logs.empty()) sentence += fmt::format("{} lines of log", result.diagnosis.lines);
  sentence += result.diagnosis.unknown.empty() ? " show nothing that is wrong."
                                               : " show nothing that is known to be wrong.";
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
  if (diagnosis.root) writer.cause("Root cause:", *diagnosis.root);
  for (const auto& other : diagnosis.others) writer.cause("Also:", other);
  writer.list("Consequences of it:", diagnosis.consequences);
  writer.list("Looks like an error and is none:", diagnosis.benign);
  writer.list("Not known to manactl:", diagnosis.unknown);
  if (!diagnosis.root) writer.healthy(result);
  writer.notes(result.notes);
}

}  // namespace manactl::cli
