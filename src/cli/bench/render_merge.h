// SPDX-License-Identifier: MIT
//
// The answer of bench merge, as text for people, JSON for programs and an HTML page.

#pragma once

#include <string>
#include <vector>

#include "cli/bench/merge.h"

namespace manactl::cli {

std::string verdict_of(const MergeResult& result);               // "0.1000 % lost"
std::vector<std::string> remarks_on(const MergeResult& result);  // on what it is worth

void text(Screen& screen, const MergeResult& result);
void json(Screen& screen, const MergeResult& result);  // schemas/bench-merge.schema.json

}  // namespace manactl::cli
