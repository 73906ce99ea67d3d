// SPDX-License-Identifier: MIT
//
// The answer of bench compare, as text for people and JSON for programs.

#pragma once

#include "cli/bench/document.h"
#include "cli/context.h"
#include "datapath/statistics.h"

namespace manactl::cli {

enum class Verdict { worse, same, better };

struct CompareResult {
  const BenchDocument& before;
  const BenchDocument& after;
  datapath::Effect effect;
  double threshold = 0;  // a share: 0.02
  Verdict verdict = Verdict::same;
  Exit exit = Exit::ok;
};

void text(Screen& screen, const CompareResult& result);
void json(Screen& screen, const CompareResult& result);  // schemas/bench-compare.schema.json

}  // namespace manactl::cli
