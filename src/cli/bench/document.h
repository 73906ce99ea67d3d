// SPDX-License-Identifier: MIT
//
// What compare has to know of a result.

#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/bench/result.h"

namespace manactl::cli {

struct BenchDocument {
  std::string path;    // the file, or the id of a kept result
  Rows configuration;  // what two results must have in common
  // Packets per second: the median of each trial, or of a single trial the intervals that count.
  std::vector<double> rates;
  bool noisy = false;
  Rows machine;  // what may differ, and may be why the rates do
};

struct Difference {
  std::string name, before, after;
};

// Of rows of the same names in the same order.
std::vector<Difference> differences(const Rows& before, const Rows& after);

// Errc::invalid with too few rates to compare.
Result<BenchDocument> comparable(const BenchResult& result, std::string path);

}  // namespace manactl::cli
