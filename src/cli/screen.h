// SPDX-License-Identifier: MIT
//
// Colour, marks and width in one place. Everything that came from outside passes base's printable()
// first.

#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "cli/environment.h"

namespace manactl::cli {

enum class Colour : std::uint8_t { none, red, green, yellow, blue, dim, bold };

class Screen {
 public:
  Screen(std::ostream& stream, bool colour, unsigned width, bool terminal)
      : stream_(stream), colour_(colour), width_(width), terminal_(terminal) {}

  std::ostream& stream() { return stream_; }

  // `text` in that colour, or plain when colours are off.
  std::string paint(Colour colour, std::string_view text) const;

  unsigned width() const { return width_; }  // columns

  bool is_terminal() const { return terminal_; }

  // Lines that stand on it can be written over: a terminal that is not dumb, and wide enough.
  bool can_redraw() const { return redraw_; }

  bool has_unicode() const { return unicode_; }  // the locale can show more than ASCII

  void set_colour(bool on) { colour_ = on; }

  void set_redraw(bool on) { redraw_ = on; }

  void set_unicode(bool on) { unicode_ = on; }

 private:
  std::ostream& stream_;
  bool colour_;
  unsigned width_;
  bool terminal_;
  bool unicode_ = false;
  bool redraw_ = false;
};

// What stands behind descriptor `number`: a terminal has a width and, unless the environment says
// no (NO_COLOR, TERM=dumb), colours. Everything else is plain and 80 columns wide.
Screen make_screen(std::ostream& stream, int number, const Environment& environment);

// `text` broken at blanks to lines of `width` columns; a longer word keeps a line of its own.
std::vector<std::string> wrap_lines(std::string_view text, unsigned width);

// The same as one string, each line after `indent` blanks, without a newline at the end.
std::string wrap(std::string_view text, unsigned width, unsigned indent);

}  // namespace manactl::cli
