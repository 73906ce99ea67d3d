// SPDX-License-Identifier: MIT

#include "cli/screen.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "base/characters.h"
#include "base/enum_words.h"
#include "base/text.h"

namespace manactl::cli {
namespace {

constexpr EnumWords<Color, 6> kEscapes = {{{Color::red, "\x1b[31m"},
                                           {Color::green, "\x1b[32m"},
                                           {Color::yellow, "\x1b[33m"},
                                           {Color::blue, "\x1b[34m"},
                                           {Color::dim, "\x1b[2m"},
                                           {Color::bold, "\x1b[1m"}}};

// Counts the code points outside of the escape sequences of paint(). They are columns because
// manactl prints no wide or combining characters.
std::size_t columns_in(std::string_view text) {
  std::size_t columns = 0;
  bool is_escape = false;
  for (const char c : text) {
    if (c == '\x1b') is_escape = true;
    const bool continues = (static_cast<unsigned char>(c) & 0xc0U) == 0x80U;
    if (!is_escape && !continues) ++columns;
    if (c == 'm') is_escape = false;
  }
  return columns;
}

// Returns the end of the quotation that begins at `begin`; npos if its closing quote is missing. A
// quotation may contain others: "'manactl doctor './my log.txt''".
std::size_t end_of_quotation(std::string_view text, std::size_t begin) {
  constexpr std::string_view kQuoteInWord = "'\\''";  // of shell_word()
  constexpr std::string_view kNotInWord = " \t\r\n,;:?!)'";
  std::size_t depth = 1, opened = begin;
  for (auto i = begin + 1; i < text.size(); ++i) {
    if (text[i] != '\'') continue;
    if (text.substr(i).starts_with(kQuoteInWord)) {
      i += kQuoteInWord.size() - 1;
      continue;
    }
    const char next = i + 1 < text.size() ? text[i + 1] : ' ';
    const bool begins_word = opened + 1 == i || text[i - 1] == ' ' || text[i - 1] == '=';
    if (begins_word && kNotInWord.find(next) == std::string_view::npos) {
      ++depth;
      opened = i;
    } else if (!is_alphanumeric(next) && --depth == 0) {  // otherwise an apostrophe
      return i + 1;
    }
  }
  return std::string_view::npos;
}

// Returns the unit that begins with `word`: a quotation, such as "'manactl help rdma.core';", is
// not broken into lines, because it may be a command to paste.
std::string_view unit_at(std::string_view text, std::string_view word) {
  const auto quote = word.find_first_not_of('(');
  if (quote == std::string_view::npos || word[quote] != '\'') return word;
  const auto begin = static_cast<std::size_t>(word.data() - text.data());
  const auto end = end_of_quotation(text, begin + quote);
  if (end == std::string_view::npos) return word;
  return text.substr(begin, text.find_first_of(" \t\r\n", end) - begin);
}

constexpr unsigned kDefaultWidth = 80;  // of terminals that do not report their width
constexpr unsigned kMinWidth = 40;
constexpr unsigned kMaxWidth = 120;  // longer lines are hard to read

struct Size {
  unsigned columns = kUnlimitedWidth;
  unsigned rows = 0;
};

Size size_of(int number) {
  if (isatty(number) != 1) return {};
  winsize size{};
  if (ioctl(number, TIOCGWINSZ, &size) != 0) return {kDefaultWidth, 0};
  return {size.ws_col == 0 ? kDefaultWidth : size.ws_col, size.ws_row};
}

// Passes all bytes on, but the letter u for the micro sign.
class AsciiUnits final : public std::streambuf {
 public:
  explicit AsciiUnits(std::streambuf& target) : target_(target) {}

 protected:
  int_type overflow(int_type c) override {
    constexpr char kFirst = '\xc2';  // of the micro sign in UTF-8
    constexpr char kSecond = '\xb5';
    if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
    const char byte = traits_type::to_char_type(c);
    if (is_pending_) {
      is_pending_ = false;
      if (byte == kSecond) return target_.sputc('u');
      target_.sputc(kFirst);
    }
    if (byte != kFirst) return target_.sputc(byte);
    is_pending_ = true;
    return c;
  }

  int sync() override { return target_.pubsync(); }

 private:
  std::streambuf& target_;
  bool is_pending_ = false;  // the first byte may begin a micro sign
};

}  // namespace

void Screen::spell_units_in_ascii() {
  if (stream_.rdbuf() == nullptr) return;
  ascii_ = std::make_shared<AsciiUnits>(*stream_.rdbuf());
  stream_.rdbuf(ascii_.get());
}

std::string Screen::paint(Color color, std::string_view text) const {
  if (!color_ || color == Color::none || text.empty()) return std::string(text);
  return fmt::format("{}{}\x1b[0m", word_of(kEscapes, color), text);
}

Screen Screen::writing_to(std::ostream& stream) const {
  Screen screen(stream, color_, width_, terminal_);
  screen.set_redraw(redraw_);
  screen.set_unicode(unicode_);
  screen.set_height(height_);
  return screen;
}

void write_indented(Screen& screen, std::string_view first, std::string_view text, Color color) {
  const auto margin = columns_in(first.substr(first.rfind('\n') + 1));
  const auto room = screen.width() > margin ? screen.width() - static_cast<unsigned>(margin) : 1;
  std::vector<std::string> lines{std::string(text)};
  if (columns_in(text) > room) lines = wrap_lines(text, room);
  std::string before(first);
  for (const auto& line : lines) {
    screen.stream() << screen.paint(color, before + line) << '\n';
    before.assign(margin, ' ');
  }
}

void write_message(Screen& screen, Color color, std::string_view prefix, std::string_view text) {
  write_indented(screen, screen.paint(color, prefix) + ' ', text);
}

Screen make_screen(std::ostream& stream, int number, const Environment& environment) {
  const auto* no_color = environment.find("NO_COLOR");
  const auto* terminal_type = environment.find("TERM");
  const bool terminal = isatty(number) == 1;
  const bool dumb = terminal_type != nullptr && *terminal_type == "dumb";
  const bool plain = dumb || (no_color != nullptr && !no_color->empty());
  const auto [columns, rows] = size_of(number);
  const auto width = terminal ? std::clamp(columns, kMinWidth, kMaxWidth) : columns;
  Screen screen(stream, terminal && !plain, width, terminal);
  screen.set_redraw(terminal && !dumb && columns >= kMinWidth);
  screen.set_height(rows);
  screen.set_unicode(environment.is_utf8());
  return screen;
}

std::vector<std::string> wrap_lines(std::string_view text, unsigned width) {
  std::vector<std::string> lines;
  std::string_view unit;
  for (const auto word : words(text)) {
    if (word.data() < unit.data() + unit.size()) continue;  // the unit contains the word
    unit = unit_at(text, word);
    if (lines.empty() || columns_in(lines.back()) + 1 + columns_in(unit) > width) {
      lines.emplace_back(unit);
    } else {
      lines.back() += ' ';
      lines.back() += unit;
    }
  }
  return lines;
}

std::string wrap(std::string_view text, unsigned width, unsigned indent) {
  const std::string margin(indent, ' ');
  std::string out;
  for (const auto& line : wrap_lines(text, width > indent ? width - indent : 1)) {
    if (!out.empty()) out += '\n';
    out += margin + line;
  }
  return out;
}

}  // namespace manactl::cli
