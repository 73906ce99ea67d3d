// SPDX-License-Identifier: MIT
//
// The version of manactl and of the libraries it was built with.

#pragma once

#include <string_view>

#include "cli/screen.h"

namespace manactl::cli {

std::string_view version();  // "0.1.0"

void print_version_text(Screen& screen);
void print_version_json(Screen& screen);

}  // namespace manactl::cli
