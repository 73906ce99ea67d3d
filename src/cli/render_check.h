// SPDX-License-Identifier: MIT
//
// The answer of check, as text for people and JSON for programs.

#pragma once

#include "cli/context.h"
#include "diag/runner.h"
#include "host/facts.h"

namespace manactl::cli {

struct CheckResult {
  const host::Facts& facts;
  const diag::Report& report;
  Exit exit;
};

void text(Screen& screen, const CheckResult& result, int verbosity);
void json(Screen& screen, const CheckResult& result);  // schemas/check.schema.json

}  // namespace manactl::cli
