// SPDX-License-Identifier: MIT
//
// Colour and width in one place. Everything that came from outside passes base's printable() first.

#pragma once

#include <ostream>
#include <string>
#include <string_view>

namespace manactl::cli {

enum class Colour { none, red, green, yellow, blue, dim, bold };

class Screen {
 public:
  Screen(std::ostream& stream, bool colour, unsigned width, bool terminal)
      : stream_(stream), colour_(colour), width_(width), terminal_(terminal) {}

  std::ostream& stream() { return stream_; }

  // `text` in that colour, or plain when colours are off.
  std::string paint(Colour colour, std::string_view text) const;

  unsigned width() const { return width_; }  // columns

  bool is_terminal() const { return terminal_; }

  void set_colour(bool on) { colour_ = on; }

 private:
  std::ostream& stream_;
  bool colour_;
  unsigned width_;
  bool terminal_;
};

// `text` broken at blanks to `width` columns, each line after `indent` blanks.
std::string wrap(std::string_view text, unsigned width, unsigned indent);

}  // namespace manactl::cli
