// SPDX-License-Identifier: MIT
//
// The answer of doctor without -v: at most 12 lines on a terminal with 80 columns.

#include <algorithm>

#include "base/text.h"
#include "cli/doctor/render_doctor.h"

namespace manactl::cli {
namespace {

using diag::Confirmation;
using Item = diag::Diagnosis::Item;

constexpr std::size_t kMaxRows = 12;
constexpr unsigned kColumns = 80;
constexpr std::size_t kMaxBriefText = 2000;
constexpr std::size_t kMaxBriefQuote = 140;  // two rows with the number of the line
constexpr std::size_t kMinBriefQuote = 60;   // the path of a log may be long
constexpr std::size_t kMaxListed = 3;        // errors that are quoted if the cause is unknown

// The last ones are omitted first if the answer has too many rows.
enum class Importance { essential, commands, evidence, fix, note, other_fault, nic, list };

struct Part {
  Importance importance = Importance::essential;
  std::string first;                // before the text; further rows start below the text
  std::vector<std::string> pieces;  // sentences of a text, or lines that are never wrapped
  bool is_wrapped = true;
  Color first_color = Color::none, color = Color::none;

  bool is_cut = false;  // sentences at its end are omitted

  std::size_t rows_of(const std::string& text) const {
    return wrap_lines(text, kColumns - static_cast<unsigned>(first.size())).size();
  }

  // A note about omitted sentences must not take a row from the commands.
  std::string text() const {
    const auto all = join(pieces, " ");
    if (!is_cut) return all;
    for (const auto* const note : {" (-v shows the rest)", " (-v: more)"}) {
      if (rows_of(all + note) == rows_of(all)) return all + note;
    }
    return all;
  }

  std::size_t rows() const {
    if (is_wrapped) return rows_of(text());
    std::size_t rows = 0;
    for (const auto& line : pieces) {
      rows += 1 + (first.size() + std::max<std::size_t>(line.size(), 1) - 1) / kColumns;
    }
    return rows;
  }
};

// Splits a text into sentences and their parts up to a semicolon. A sentence ends with a full stop
// before a blank and a capital letter or a command.
std::vector<std::string> sentences_of(std::string_view text) {
  std::vector<std::string> sentences;
  std::size_t begin = 0;
  bool is_in_command = false;
  for (std::size_t i = 0; i + 2 < text.size(); ++i) {
    if (text[i] == '`') is_in_command = !is_in_command;
    const char next = text[i + 2];
    const bool begins = (next >= 'A' && next <= 'Z') || next == '`' || next == '\'';
    const bool ends = text[i] == ';' || (text[i] == '.' && begins);
    if (is_in_command || !ends || text[i + 1] != ' ') continue;
    sentences.emplace_back(text.substr(begin, i + 1 - begin));
    begin = i + 2;
  }
  if (begin < text.size()) sentences.emplace_back(text.substr(begin));
  return sentences;
}

// Names such as mana_ib keep their first letter.
std::string as_sentence(std::string text) {
  const auto word = text.substr(0, text.find(' '));
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  if (std::ranges::all_of(word, is_letter) && !word.empty()) {
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
  }
  return text + '.';
}

std::string labeled(std::string_view label) {
  return fmt::format("  {:<9}", label);
}

// The cause that remains if all others are contradicted, or the only one that is confirmed.
const diag::PossibleCause* decided_cause(const std::vector<diag::PossibleCause>& causes) {
  for (const auto wanted : {Confirmation::confirmed, Confirmation::undecided}) {
    const auto count = std::ranges::count(causes, wanted, &diag::PossibleCause::confirmation);
    if (count == 0) continue;
    const auto found = std::ranges::find(causes, wanted, &diag::PossibleCause::confirmation);
    return count == 1 ? &*found : nullptr;
  }
  return nullptr;
}

class BriefAnswer {
 public:
  explicit BriefAnswer(const DoctorResult& result)
      : result_(result), diagnosis_(result.diagnosis) {}

  void collect();
  void write(Screen& screen);

 private:
  void add(Importance importance, std::string first, std::string_view text);
  void add_headline(const Headline& headline);
  void add_quote(Importance importance,
                 const diag::Quote& quote,
                 std::uint64_t count,
                 std::string_view time = {});
  void add_nics();
  void add_unknown_failure();
  void add_root();
  void add_cause(const Item& root);
  void add_fix(const Item& root);
  void add_others();
  void add_unrecognized();
  void add_counts();
  void add_notes();
  bool omit_one();
  std::size_t rows() const;

  std::string place_of(const diag::Quote& quote, std::string_view time = {}) const {
    return cli::place_of(result_, quote.log, quote.line, time);
  }

  const DoctorResult& result_;
  const diag::Diagnosis& diagnosis_;
  std::vector<Part> parts_;
};

void BriefAnswer::add(Importance importance, std::string first, std::string_view text) {
  if (text.empty()) return;
  parts_.push_back({importance, std::move(first), {printable(text, kMaxBriefText)}});
}

void BriefAnswer::add_headline(const Headline& headline) {
  parts_.push_back({Importance::essential,
                    headline.heading + " ",
                    {printable(headline.title, kMaxBriefText)},
                    true,
                    headline.color,
                    headline.color == Color::red ? Color::bold : Color::none});
}

void BriefAnswer::add_quote(Importance importance,
                            const diag::Quote& quote,
                            std::uint64_t count,
                            std::string_view time) {
  Part part{importance, fmt::format("  {}{}: ", place_of(quote, time), times(count)), {}, false};
  const auto used = std::min(part.first.size(), kMaxBriefQuote - kMinBriefQuote);
  part.pieces.push_back(printable(trim(quote.text), kMaxBriefQuote - used));
  part.first_color = Color::dim;
  parts_.push_back(std::move(part));
}

void BriefAnswer::add_nics() {
  for (const auto& line : nic_lines(result_)) add(Importance::nic, line.first, line.text);
}

void BriefAnswer::add_unknown_failure() {
  const auto& verdict = *diagnosis_.verdict;
  if (verdict.failure) add_quote(Importance::essential, *verdict.failure, 1);
  std::size_t shown = 0;
  for (const auto& item : diagnosis_.unknown) {
    const bool is_other = !verdict.failure || item.quote->log != verdict.failure->log ||
                          item.quote->line < verdict.failure->line;
    if (!is_other || shown++ == kMaxListed) break;
    add_quote(Importance::list, *item.quote, item.count);
  }
  add(Importance::essential, "  ", report_hint(result_));
  const auto command = report_command(result_);
  if (command.empty()) return;
  parts_.push_back({Importance::essential, "    ", {printable(command, kMaxBriefText)}, false});
  parts_.back().color = Color::bold;
}

void BriefAnswer::add_cause(const Item& root) {
  const auto sentences = sentences_of(root.cause);
  std::string text;
  for (const auto& piece : sentences) {
    text += (text.empty() ? "" : " ") + piece;
    if (!piece.ends_with(';')) break;
  }
  const auto* const decided = decided_cause(root.alternatives);
  const bool is_open = !root.alternatives.empty() && decided == nullptr;
  if (decided != nullptr) text = as_sentence(decided->cause);
  const auto possible = std::ranges::count_if(root.alternatives, [](const auto& one) {
    return one.confirmation != Confirmation::contradicted;
  });
  if (is_open && possible == 0) text += " All known causes are contradicted (-v lists them).";
  if (is_open && possible > 0) {
    text += fmt::format(" {} causes are possible (-v lists them).", possible);
  }
  add(Importance::essential, labeled("Cause"), text);
  if (decided != nullptr && decided->confirmation == Confirmation::confirmed) {
    add(Importance::evidence, labeled("Here"), "confirmed: " + decided->confirmed_by);
  }
  const auto decision = is_open ? diag::best_decision(root.alternatives) : std::nullopt;
  if (!decision) return;
  const auto command = result_.hints.complete(fmt::format("`{}`", decision->command));
  const auto what = fmt::format("tests {} of them", decision->causes);
  add(Importance::commands, labeled("First"), command + " " + what);
}

void BriefAnswer::add_fix(const Item& root) {
  if (root.fix.empty() && root.commands.empty()) return;
  parts_.push_back(
      {Importance::fix, labeled("Fix"), sentences_of(printable(root.fix, kMaxBriefText))});
  if (root.commands.empty()) return;
  Part commands{Importance::commands, std::string(labeled("").size() + 2, ' '), {}, false};
  for (const auto& command : root.commands)
    commands.pieces.push_back(printable(command, kMaxBriefText));
  commands.color = Color::bold;
  parts_.push_back(std::move(commands));
}

void BriefAnswer::add_root() {
  const auto& root = *diagnosis_.root;
  add_headline({Color::red, root_heading(result_), root.title});
  if (root.quote) {
    // headlines() shows the time of the last success, so this shows that of the fault.
    const auto& verdict = diagnosis_.verdict;
    const bool has_worked = verdict && verdict->answer == diag::Answer::worked_until;
    add_quote(Importance::essential, *root.quote, root.count, has_worked ? root.quote->time : "");
  } else {
    add(Importance::essential, labeled("Check"), root.id);
  }
  add_cause(root);
  add_fix(root);
  add(Importance::evidence, labeled("Here"), evidence_text(root));
  add(Importance::evidence, labeled("Note"), root.note);
}

void BriefAnswer::add_others() {
  for (const auto& other : diagnosis_.others) {
    const auto where = other.quote ? place_of(*other.quote) + times(other.count) : other.id;
    add(Importance::other_fault, "Also: ", fmt::format("{} ({})", other.title, where));
  }
}

void BriefAnswer::add_unrecognized() {
  std::size_t shown = 0;
  for (const auto& item : diagnosis_.unknown) {
    if (shown++ == kMaxListed) break;
    add_quote(Importance::list, *item.quote, item.count);
  }
}

void BriefAnswer::add_counts() {
  std::vector<std::string> counts;
  const auto add_count = [&counts](std::string_view noun, std::uint64_t count) {
    if (count > 0) counts.push_back(counted(count, noun));
  };
  const auto lines = [](const std::vector<Item>& items) {
    std::uint64_t count = 0;
    for (const auto& item : items) count += item.count;
    return count;
  };
  const auto* const consequence = diagnosis_.root ? "consequence" : "unexplained error";
  add_count("other fault", diagnosis_.others.size());
  add_count(consequence, diagnosis_.consequences.size());
  add_count("unexplained error", diagnosis_.unexplained.size());
  add_count("recovered error", diagnosis_.recovered.size());
  add_count("expected error", diagnosis_.expected.size());
  add_count("harmless message", lines(diagnosis_.benign));
  add_count("unrecognized error", lines(diagnosis_.unknown) + diagnosis_.more_unknown);
  if (diagnosis_.root) add_count("other solution", diagnosis_.root->other_fixes.size());
  if (!counts.empty()) add(Importance::essential, "", join(counts, ", ") + " (-v shows them)");
}

void BriefAnswer::add_notes() {
  for (const auto& note : result_.notes) add(Importance::note, "", "Note: " + note);
}

void BriefAnswer::collect() {
  const auto& verdict = diagnosis_.verdict;
  const auto& root = diagnosis_.root;
  for (const auto& headline : headlines(result_)) {
    // The root cause quotes the same line.
    const bool is_quoted = root && root->quote && verdict->failure &&
                           headline.heading == kFirstFault &&
                           root->quote->line == verdict->failure->line;
    if (!is_quoted) add_headline(headline);
  }
  const auto no_cause = no_cause_text(result_);
  if (!no_cause.empty()) {
    add(Importance::essential, "", no_cause);
    if (diagnosis_.unknown.empty()) parts_.back().color = Color::green;
    for (const auto& text : warning_texts(result_)) add(Importance::list, "Warning: ", text);
  }
  const bool is_unknown = has_unknown_cause(result_);
  const bool is_degraded = verdict && verdict->answer == diag::Answer::degraded;
  if (verdict && !is_degraded) add_nics();
  if (is_unknown) add_unknown_failure();
  if (root) add_root();
  if (is_degraded) add_nics();
  add_others();
  const bool works = verdict && verdict->answer == diag::Answer::works;
  if (!root && !is_unknown && !works) add_unrecognized();
  add_counts();
  add_notes();
}

std::size_t BriefAnswer::rows() const {
  std::size_t rows = 0;
  for (const auto& part : parts_) rows += part.rows();
  return rows;
}

// Omits the least important part, or the last sentence of the fix. The first sentence of a fix is
// essential.
bool BriefAnswer::omit_one() {
  const auto importance = [](const Part& part) {
    const bool is_short = part.importance == Importance::fix && part.pieces.size() < 2;
    return is_short ? Importance::essential : part.importance;
  };
  const auto least = std::ranges::max_element(parts_.rbegin(), parts_.rend(), {}, importance);
  if (least == parts_.rend() || importance(*least) == Importance::essential) return false;
  if (least->importance == Importance::fix) {
    least->pieces.pop_back();
    auto& last = least->pieces.back();
    if (last.ends_with(';')) last.back() = '.';
    least->is_cut = true;
    return true;
  }
  const bool hides_fix = least->importance == Importance::commands && !least->is_wrapped;
  parts_.erase(std::next(least).base());
  const auto fix = std::ranges::find(parts_, Importance::fix, &Part::importance);
  if (!hides_fix || fix == parts_.end() || fix->pieces.empty()) return true;
  fix->is_cut = false;
  auto& sentence = fix->pieces.back();
  while (sentence.ends_with(':') || sentence.ends_with('.')) sentence.pop_back();
  sentence += " (-v shows how).";
  return true;
}

void BriefAnswer::write(Screen& screen) {
  while (rows() > kMaxRows && omit_one()) {
  }
  auto& out = screen.stream();
  for (const auto& part : parts_) {
    auto before = screen.paint(part.first_color, part.first);
    const auto lines =
        part.is_wrapped
            ? wrap_lines(part.text(), screen.width() - static_cast<unsigned>(part.first.size()))
            : part.pieces;
    for (const auto& line : lines) {
      out << before << screen.paint(part.color, line) << '\n';
      before.assign(part.first.size(), ' ');
    }
  }
}

}  // namespace

void print_brief(Screen& screen, const DoctorResult& result) {
  BriefAnswer answer(result);
  answer.collect();
  answer.write(screen);
}

}  // namespace manactl::cli
