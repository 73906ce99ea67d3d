// SPDX-License-Identifier: MIT
//
// The texts of --help, short enough to be read.

#pragma once

#include <string>

#include "cli/command.h"

namespace manactl::cli {

void print_help(Screen& screen);
void print_help(Screen& screen, const Command& command, const CLI::App& app);

// "-v,--verbose" or "--queues N" as help and the list of commands show it.
std::string heading_of(const CLI::App& app, const std::string& option);

}  // namespace manactl::cli
