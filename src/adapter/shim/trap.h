// SPDX-License-Identifier: MIT
//
// Stores into a write-protected doorbell page: each is a SIGSEGV, whose handler finds the value in
// the instruction's register and rings. Faults elsewhere go to whoever handled them before.

#pragma once

#include <csignal>

#include "adapter/doorbell_page.h"

namespace manactl::adapter {

// From here on the page's stores are rung as they happen.
Result<> trap_stores(DoorbellPage& page);

void release_stores(const DoorbellPage& page);

// What sigaction() does for SIGSEGV once the trap is set: the program's handler comes after ours.
int replace_handler(const struct sigaction* action, struct sigaction* before);

bool owns_faults();

}  // namespace manactl::adapter
