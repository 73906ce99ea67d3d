// SPDX-License-Identifier: MIT
//
// The answer of bench list, as text for people and JSON for programs.

#pragma once

#include <string>
#include <vector>

#include "cli/bench/result.h"

namespace manactl::cli {

struct Listed {
  std::string id;
  Result<BenchResult> result;  // without its series
};

void list_text(Screen& screen, const std::vector<Listed>& rows);
void list_json(Screen& screen, const std::vector<Listed>& rows);  // schemas/bench-list.schema.json

}  // namespace manactl::cli
