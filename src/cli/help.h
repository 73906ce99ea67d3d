// SPDX-License-Identifier: MIT
//
// Prints the overview, and --help of the program and of each command.

#pragma once

#include <string>

#include "cli/command.h"

namespace manactl::cli {

// Prints what to run first; for manactl without arguments.
void print_overview(Screen& screen);

void print_help(Screen& screen);
void print_help(Screen& screen, const Command& command, const CLI::App& app);

// Prints a name and its description, which starts in a column of its own.
void print_row(Screen& screen, const std::string& left, const std::string& right);

// Returns an option with its short name and value: "-v, --verbose" or "--queues N".
std::string option_heading(const CLI::App& app, const std::string& option);

}  // namespace manactl::cli
