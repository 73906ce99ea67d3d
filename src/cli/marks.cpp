// SPDX-License-Identifier: MIT

#include "cli/marks.h"

namespace manactl::cli {
namespace {

struct Mark {
  std::string_view symbol;
  std::string_view word;
  Colour colour;
};

Mark of(diag::Status status) {
  switch (status) {
    case diag::Status::pass:
      return {"✓", "ok  ", Colour::green};
    case diag::Status::warn:
      return {"!", "warn", Colour::yellow};
    case diag::Status::fail:
      return {"✗", "FAIL", Colour::red};
    case diag::Status::skipped:
      return {"–", "skip", Colour::dim};
    case diag::Status::unknown:
      break;
  }
  return {"?", "??? ", Colour::blue};
}

}  // namespace

std::string mark_of(const Screen& screen, diag::Status status) {
  const Mark mark = of(status);
  return screen.paint(mark.colour, screen.has_unicode() ? mark.symbol : mark.word);
}

unsigned mark_width(const Screen& screen) {
  return screen.has_unicode() ? 1 : 4;
}

}  // namespace manactl::cli
