// SPDX-License-Identifier: MIT
//
// Help about a check: its section of docs/checks.md, which is built in.

#pragma once

#include <string_view>

#include "cli/screen.h"

namespace manactl::cli {

// Prints the section of the check with this id, such as "rdma.core", or the checks of a group such
// as "rdma" with their titles. Returns false if there is no such check.
bool print_check_help(Screen& screen, std::string_view id);

}  // namespace manactl::cli
