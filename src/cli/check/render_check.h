// SPDX-License-Identifier: MIT
//
// Prints the result of check: as text in render_check.cpp, as JSON in json_check.cpp.

#pragma once

#include "cli/context.h"
#include "diag/runner.h"
#include "host/facts.h"

namespace manactl::cli {

struct CheckResult {
  const host::Facts& facts;
  const diag::Report& report;
};

void print_text(Screen& screen, const CheckResult& result, Exit exit, int verbosity);

// Prints the document of schemas/check.schema.json.
void print_json(Screen& screen, const CheckResult& result, Exit exit);

}  // namespace manactl::cli
