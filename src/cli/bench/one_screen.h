// SPDX-License-Identifier: MIT
//
// Prints rows and notes as text. Without -v, a result takes at most 16 rows of 80 columns.

#pragma once

#include <string>
#include <vector>

#include "cli/screen.h"
#include "report/result.h"

namespace manactl::cli {

// Prints each row like "  rate                14.210 Mpps". On a terminal, long values are
// wrapped.
void print_rows(Screen& screen, const report::Rows& rows);

// Wraps the text to the width of the screen and indents it.
void print_paragraph(Screen& screen, const std::string& text);

// The text of a result below its title.
struct Body {
  report::Rows rows;
  std::vector<std::string> notes;  // below the rows, most important first
  // The number of screen rows of the lines that the body does not contain, such as the title.
  std::size_t other_rows = 0;
};

// Prints the body. Without -v, it leaves out lines at the end that do not fit, and prints how many.
// The output does not depend on whether the screen is a terminal, except for line breaks.
void print_body(Screen& screen, const Body& body, int verbosity);

// Returns the number of screen rows of the text, wrapped at 80 columns or less.
std::size_t rows_on_screen(const Screen& screen, const std::string& text);

// Returns the value, shortened to three rows unless the user asked for details.
std::string shortened(const std::string& value, int verbosity);

}  // namespace manactl::cli
