// SPDX-License-Identifier: MIT
//
// Prints a table with aligned columns.

#pragma once

#include <string>
#include <vector>

#include "cli/screen.h"

namespace manactl::cli {

using TableRow = std::vector<std::string>;

// The first row is the heading; all rows have as many cells. The last cell of a row is wrapped at
// the width of the screen, and the other cells are not. If the screen is too narrow for the last
// cell, its heading and its text follow the row on a line of their own.
void print_table(Screen& screen, const std::vector<TableRow>& rows);

}  // namespace manactl::cli
