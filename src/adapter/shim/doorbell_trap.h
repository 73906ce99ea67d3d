// SPDX-License-Identifier: MIT
//
// Traps stores into write-protected doorbell pages. Each store raises SIGSEGV; the handler decodes
// the instruction and rings the doorbell. Other faults go to the previous handler.

#pragma once

#include <csignal>

#include "adapter/doorbell/doorbell_page.h"

namespace manactl::adapter {

// From now on, each store into the page rings its doorbell at once.
Result<> trap_doorbells(DoorbellPage& page);

// To be called before the page is unmapped.
void untrap_doorbells(const DoorbellPage& page);

// To be called instead of sigaction(SIGSEGV) while the trap is installed: `action` then handles
// only faults that are not doorbell stores.
int replace_handler(const struct sigaction* action, struct sigaction* before);

bool is_trap_installed();

}  // namespace manactl::adapter
