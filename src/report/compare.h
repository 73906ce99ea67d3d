// SPDX-License-Identifier: MIT
//
// Compares the rates and the loss of two results of the same measurement. The unit of the
// statistics is the trial: intervals of one trial depend on each other, so a single trial permits
// no verdict. The trials of a result still share a process, so a small difference of two results
// permits none either.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "datapath/analysis/statistics.h"
#include "report/figures.h"
#include "report/result.h"

namespace manactl::report {

// The parts of a result that a comparison uses.
struct CompareInput {
  std::string name;           // id of a saved result, or name of a file
  Rows configuration;         // must be equal in both results
  std::vector<double> rates;  // packets per second, one for each trial
  bool noisy = false;
  std::optional<Loss> loss;  // in the whole run; empty: unknown
  Rows machine;              // may differ between the results, and may explain different rates
  std::string host = {};     // may be empty
  double started = 0;        // seconds since 1970
  std::string id = {};       // of a saved result; may be empty
  std::string found = {};    // the result of a search; empty without one
  bool includes_start = false;
  std::vector<double> delivered = {};  // share of the packets, one for each trial; empty: unknown
};

CompareInput compare_input(const BenchResult& result, std::string name);

struct Difference {
  std::string name, before, after;
};

// Returns the rows whose values differ. Both arguments have the same names in the same order.
std::vector<Difference> differences(const Rows& before, const Rows& after);

enum class Verdict { worse, same, better, inconclusive };

std::string_view name_of(Verdict verdict);

// Returns `worse` or `better` if the change exceeds the threshold and its confidence interval does
// not contain 0, `same` if the interval lies within the threshold, and else `inconclusive`.
Verdict judge(double change, const datapath::Bounds& confidence, double threshold);

// Returns `worse` if more packets were lost, and `better` if fewer were lost at the same rate. An
// unknown or inconclusive loss does not change the verdict on the rate.
Verdict combine_with_loss(Verdict rate, std::optional<Verdict> loss);

// Returns a remark if the delivered shares differ by more than the threshold; empty otherwise.
// `names` are those of the two sides: {"A", "B"}.
std::string loss_remark(const std::pair<double, double>& delivered,
                        const std::pair<std::string_view, std::string_view>& names,
                        double threshold);

// Each result needs this many trials for a verdict. With fewer, no difference is significant.
inline constexpr std::size_t kMinTrials = 4;

struct CompareResult {
  const CompareInput& before;
  const CompareInput& after;
  double change = 0;                           // median(after) / median(before) - 1
  std::optional<datapath::Effect> evidence;    // empty if a result has fewer than kMinTrials trials
  double threshold = 0;                        // a fraction: 0.02 ignores changes of up to 2 %
  Verdict verdict = Verdict::inconclusive;     // on the rate and the loss
  std::optional<Verdict> loss = std::nullopt;  // on the loss alone; empty: unknown
};

// The returned object refers to both arguments. Fails with Errc::invalid if their configurations
// differ, or if the median rate of `before` is 0.
Result<CompareResult> compare(const CompareInput& before,
                              const CompareInput& after,
                              double threshold);

// "998.0 kpps (95 % CI: 997.0 to 1002 kpps)", "998 kpps, including the start", or the result of a
// search. median_text() has no confidence interval.
std::string rate_text(const CompareInput& input);
std::string median_text(const CompareInput& input);

// Returns how the loss differs; why the verdict is inconclusive, and how to measure again.
std::vector<std::string> remarks_on(const CompareResult& result);

// Returns the document of schemas/bench-compare.schema.json. `tool` is the version of manactl.
std::string compare_json(const CompareResult& result, std::string_view tool, int exit);

}  // namespace manactl::report
