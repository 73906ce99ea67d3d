// SPDX-License-Identifier: MIT
//
// Chooses the log whose outputs of commands replace the checks of this machine.

#pragma once

#include <string>
#include <vector>

#include "diag/log_scan.h"

namespace manactl::cli {

// Returns the checks of the only log whose outputs decide checks, and adds a note. Returns null if
// there is no such log, or if there are several: they may be of several machines.
const diag::TicketReport* find_ticket(const std::vector<diag::LogReport>& logs,
                                      std::vector<std::string>& notes);

}  // namespace manactl::cli
