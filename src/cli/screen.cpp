// SPDX-License-Identifier: MIT

#include "cli/screen.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "base/text.h"

namespace manactl::cli {
namespace {

std::string_view escape_of(Colour colour) {
  switch (colour) {
    case Colour::red:
      return "\x1b[31m";
    case Colour::green:
      return "\x1b[32m";
    case Colour::yellow:
      return "\x1b[33m";
    case Colour::blue:
      return "\x1b[34m";
    case Colour::dim:
      return "\x1b[2m";
    case Colour::bold:
      return "\x1b[1m";
    case Colour::none:
      break;
  }
  return "";
}

// Code points, which is close enough to columns for what manactl prints.
std::size_t columns_in(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
  }));
}

constexpr unsigned kUsual = 80;
constexpr unsigned kNarrowest = 40;
constexpr unsigned kWidest = 120;  // longer lines are hard to read

unsigned columns_of(int number) {
  winsize size{};
  if (ioctl(number, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsual;
  return size.ws_col;
}

}  // namespace

std::string Screen::paint(Colour colour, std::string_view text) const {
  if (!colour_ || colour == Colour::none || text.empty()) return std::string(text);
  return fmt::format("{}{}\x1b[0m", escape_of(colour), text);
}

Screen make_screen(std::ostream& stream, int number, const Environment& environment) {
  const auto* no_colour = environment.find("NO_COLOR");
  const auto* terminal_type = environment.find("TERM");
  const bool terminal = isatty(number) == 1;
  const bool dumb = terminal_type != nullptr && *terminal_type == "dumb";
  const bool plain = dumb || (no_colour != nullptr && !no_colour->empty());
  const auto columns = columns_of(number);
  const auto width = std::clamp(columns, kNarrowest, kWidest);
  Screen screen(stream, terminal && !plain, width, terminal);
  screen.set_redraw(terminal && !dumb && columns >= kNarrowest);
  screen.set_unicode(environment.is_utf8());
  return screen;
}

std::vector<std::string> wrap_lines(std::string_view text, unsigned width) {
  std::vector<std::string> lines;
  for (const auto word : words(text)) {
    if (lines.empty() || columns_in(lines.back()) + 1 + columns_in(word) > width) {
      lines.emplace_back(word);
    } else {
      lines.back() += ' ';
      lines.back() += word;
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
