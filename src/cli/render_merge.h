// SPDX-License-Identifier: MIT
//
// The answer of bench merge, as text for people, JSON for programs and an HTML page.

#pragma once

#include "cli/bench_merge.h"

namespace manactl::cli {

void text(Screen& screen, const MergeResult& result);
void json(Screen& screen, const MergeResult& result);  // schemas/bench-merge.schema.json

}  // namespace manactl::cli
