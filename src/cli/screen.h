// SPDX-License-Identifier: MIT
//
// An output stream with its terminal properties: color, width, Unicode. Callers pass text from
// outside the program through printable() first.

#pragma once

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "cli/environment.h"

namespace manactl::cli {

// The width of files and pipes. Their readers expect each message on one line.
inline constexpr unsigned kUnlimitedWidth = 1U << 20U;

enum class Color : std::uint8_t { none, red, green, yellow, blue, dim, bold };

class Screen {
 public:
  Screen(std::ostream& stream, bool color, unsigned width, bool terminal)
      : stream_(stream), color_(color), width_(width), terminal_(terminal) {}

  std::ostream& stream() { return stream_; }

  // Returns `text` with escape sequences for `color`, or unchanged if colors are off.
  std::string paint(Color color, std::string_view text) const;

  unsigned width() const { return width_; }  // columns

  // Rows of the terminal at the start; 0 if they are not known or if this is not a terminal.
  unsigned height() const { return height_; }

  bool is_terminal() const { return terminal_; }

  // True if lines can be overwritten: the terminal is not dumb and at least 40 columns wide.
  bool can_redraw() const { return redraw_; }

  bool has_unicode() const { return unicode_; }  // the locale is UTF-8

  void set_color(bool on) { color_ = on; }

  void set_redraw(bool on) { redraw_ = on; }

  void set_height(unsigned rows) { height_ = rows; }

  void set_unicode(bool on) { unicode_ = on; }

  // Writes "us" instead of "\u00b5s" from now on, for locales that are not UTF-8. This object, or a
  // copy, must exist as long as the stream is used.
  void spell_units_in_ascii();

  // Discards all further output.
  void mute() { stream_.rdbuf(nullptr); }

  // Returns a screen that writes to `stream` instead and has the same properties.
  Screen writing_to(std::ostream& stream) const;

 private:
  std::ostream& stream_;
  bool color_;
  unsigned width_;
  unsigned height_ = 0;
  bool terminal_;
  bool unicode_ = false;
  bool redraw_ = false;
  std::shared_ptr<std::streambuf> ascii_;  // set by spell_units_in_ascii()
};

// Detects the properties of descriptor `number`. A terminal has its own width, and colors unless
// NO_COLOR or TERM=dumb is set. Any other file has no colors, and its lines are not wrapped.
Screen make_screen(std::ostream& stream, int number, const Environment& environment);

// Writes `text` after `first`, which may have several lines. Further lines of the text start below
// it; a text that fits the width is written unchanged. `color` applies to all.
void write_indented(Screen& screen,
                    std::string_view first,
                    std::string_view text,
                    Color color = Color::none);

// Writes "PREFIX text" as write_indented() does, with the prefix in color.
void write_message(Screen& screen, Color color, std::string_view prefix, std::string_view text);

// Breaks `text` at spaces into lines of at most `width` columns; a longer word gets its own line.
// A text in single quotes is not broken, because it may be a command.
std::vector<std::string> wrap_lines(std::string_view text, unsigned width);

// Joins the lines of wrap_lines(), indented by `indent` spaces. Adds no newline at the end.
std::string wrap(std::string_view text, unsigned width, unsigned indent);

}  // namespace manactl::cli
