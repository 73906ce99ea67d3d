// SPDX-License-Identifier: MIT
//
// Compares two configurations, A and B, that were measured in turns. Each round measures both, so a
// slow change of the machine affects both sides of a round and not their ratio.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_words.h"
#include "base/result.h"
#include "datapath/analysis/pairs.h"
#include "report/compare.h"
#include "report/result.h"

namespace manactl::report {

enum class Metric : std::uint8_t { rate, cpu_time, instructions, delivered };

inline constexpr EnumWords<Metric, 4> kMetrics = {{{Metric::rate, "rate"},
                                                   {Metric::cpu_time, "cpu-time"},
                                                   {Metric::instructions, "instructions"},
                                                   {Metric::delivered, "delivered"}}};

// The figures of one run. An empty one was not measured.
struct AbFigures {
  std::optional<double> rate;                 // packets per second
  std::optional<double> cpu_time;             // nanoseconds per packet, of all workers together
  std::optional<double> instructions;         // per packet
  std::optional<double> loss = std::nullopt;  // share of the packets, if the run measured it
  std::string search_failure = {};            // why a search found no rate; empty otherwise
  bool is_paced = false;                      // see was_paced()
  std::optional<double> empty_polls = std::nullopt;  // share of all polls
  bool is_noisy = false;                             // see datapath::Summary::noisy()
  bool is_capped = false;                            // the requested rate limited the rate

  std::optional<double> of(Metric metric) const;
};

AbFigures ab_figures(const BenchResult& result);

struct AbSide {
  std::vector<std::string> command;  // the program and its arguments
  Rows settings;                     // configuration and versions of the first run
  std::vector<AbFigures> runs;       // one for each round
};

struct AbPlan {
  Metric metric = Metric::rate;  // determines the verdict; `rate` also includes the loss
  double threshold = 0.02;       // a fraction: 0.02 ignores changes of up to 2 %
  double precision = 0.02;       // width of the confidence interval that ends the comparison
  unsigned max_rounds = 10;
};

struct AbResult {
  AbPlan plan;
  AbSide a, b;
  int stop_signal = 0;  // number of the signal that ended the comparison early; 0: none

  std::size_t rounds() const { return b.runs.size(); }
};

// How B differs from A in one metric.
struct AbEffect {
  Metric metric = Metric::rate;
  double a = 0, b = 0;  // medians
  datapath::PairedEffect effect;
};

// Fails with Errc::invalid if a run lacks the metric, or if its value is not positive.
Result<AbEffect> effect_on(const AbResult& result, Metric metric);

// The effects on all metrics that were measured.
std::vector<AbEffect> effects_of(const AbResult& result);

// True if no further round is needed: the interval is narrow enough, or no rounds are left.
bool is_finished(const AbResult& result);

// The lines that describe the state `seconds` after the start, before the next run of the side
// `run`: the round and an upper limit of the time left; the last rates and losses, and the change
// so far.
std::vector<std::string> ab_progress(const AbResult& result, std::string_view run, double seconds);

Verdict verdict_of(const AbResult& result);

// The settings in which A and B differ.
std::vector<Difference> differences(const AbResult& result);

// Why there is no verdict, with the options that would give one; reasons to doubt the verdict.
std::vector<std::string> remarks_on(const AbResult& result);

// Returns the document of schemas/bench-ab.schema.json. `tool` is the version of manactl.
std::string ab_json(const AbResult& result, std::string_view tool, int exit);

}  // namespace manactl::report
