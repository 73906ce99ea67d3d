// SPDX-License-Identifier: MIT
//
// Prints the result of check: as text in render_check.cpp and nic_table.cpp, as JSON in
// json_check.cpp.

#pragma once

#include "cli/command_hints.h"
#include "cli/context.h"
#include "diag/runner.h"
#include "host/facts.h"

namespace manactl::cli {

struct CheckResult {
  const host::Facts& facts;
  const diag::Report& report;
  const diag::CheckOptions& options;
  CommandHints hints = {};
};

void print_text(Screen& screen, const CheckResult& result, Exit exit, int verbosity);

// Prints a row for each selected NIC: its owner, its VF, the path of its packets, and whether it is
// free for DPDK. Prints nothing without a NIC.
void print_nics(Screen& screen, const CheckResult& result);

// Prints the document of schemas/check.schema.json.
void print_json(Screen& screen, const CheckResult& result, Exit exit);

}  // namespace manactl::cli
