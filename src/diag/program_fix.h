// SPDX-License-Identifier: MIT
//
// Fixes in the settings of the program that has the fault, with the names that the log shows.

#pragma once

#include <string>

#include "diag/log_scan.h"
#include "diag/signature.h"

namespace manactl::diag {

// Returns the fix for the program that has the error; null if there is none. Of several, the first
// one is the most specific: Open vSwitch may run as a service or in a container.
const ProgramFix* fix_of_program(const LogReport& log, const LogEntry& error);

// Replaces the placeholder IFACE by the name of the port or interface of the error, if the log
// shows which it is.
std::string with_names(std::string command, const LogReport& log, const LogEntry& error);

}  // namespace manactl::diag
