// SPDX-License-Identifier: MIT
//
// The sign of each outcome: a symbol where the locale has it, else a word.

#pragma once

#include <string>

#include "cli/screen.h"
#include "diag/finding.h"

namespace manactl::cli {

std::string mark_of(const Screen& screen, diag::Status status);  // coloured, padded
unsigned mark_width(const Screen& screen);                       // columns

}  // namespace manactl::cli
