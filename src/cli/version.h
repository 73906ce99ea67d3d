// SPDX-License-Identifier: MIT
//
// What this program is made of.

#pragma once

#include <string_view>

#include "cli/screen.h"

namespace manactl::cli {

std::string_view version();  // of manactl: "0.1.0"

void version_text(Screen& screen);
void version_json(Screen& screen);

}  // namespace manactl::cli
