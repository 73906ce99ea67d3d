// SPDX-License-Identifier: MIT
//
// Compares the rates of two results of the same measurement.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "datapath/analysis/statistics.h"
#include "report/result.h"

namespace manactl::report {

// The parts of a result that a comparison uses.
struct CompareInput {
  std::string name;    // id of a saved result, or name of a file
  Rows configuration;  // must be equal in both results
  // Packets per second: the median of each trial, or the steady intervals of a single trial.
  std::vector<double> rates;
  bool noisy = false;
  Rows machine;  // may differ between the results, and may explain different rates
};

// Fails with Errc::invalid if the result has too few rates for a comparison.
Result<CompareInput> compare_input(const BenchResult& result, std::string name);

struct Difference {
  std::string name, before, after;
};

// Returns the rows whose values differ. Both arguments have the same names in the same order.
std::vector<Difference> differences(const Rows& before, const Rows& after);

enum class Verdict { worse, same, better };

std::string_view name_of(Verdict verdict);

struct CompareResult {
  const CompareInput& before;
  const CompareInput& after;
  datapath::Effect effect;
  double threshold = 0;  // a fraction: 0.02 ignores changes of up to 2 %
  Verdict verdict = Verdict::same;
};

// The returned object refers to both arguments. Fails with Errc::invalid if their configurations
// differ, or if the median rate of `before` is 0.
Result<CompareResult> compare(const CompareInput& before,
                              const CompareInput& after,
                              double threshold);

// Returns the document of schemas/bench-compare.schema.json. `tool` is the version of manactl.
std::string compare_json(const CompareResult& result, std::string_view tool, int exit);

}  // namespace manactl::report
