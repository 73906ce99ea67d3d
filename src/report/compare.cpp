// SPDX-License-Identifier: MIT

#include "report/compare.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/enum_words.h"
#include "base/json_text.h"
#include "base/text.h"
#include "report/figures.h"
#include "report/search_text.h"

namespace manactl::report {
namespace {

using Json = nlohmann::ordered_json;

// Significance level of the Mann-Whitney U test.
constexpr double kSignificance = 0.05;

// Remarks suggest more trials than kMinTrials, because one outlier among four prevents a verdict.
constexpr std::size_t kSuggestedTrials = 8;

// Returns the range of the trials' rates (highest - lowest) as a fraction of their median.
double relative_range(const CompareInput& input) {
  const auto [lowest, highest] = std::ranges::minmax(input.rates);
  return (highest - lowest) / datapath::estimate(input.rates).median;
}

// Returns the change below which the difference may be that of two processes. All trials of a
// result run in one process. The rates of two processes differ more, because memory is placed
// differently and the machine changes between the runs. bench/ab-experiment measures how often this
// rule is wrong.
double min_process_difference(const CompareInput& before, const CompareInput& after) {
  constexpr double kMinDifference = 0.05;
  return std::max(kMinDifference, 2 * std::max(relative_range(before), relative_range(after)));
}

bool may_differ_by_process(const CompareResult& result) {
  return std::abs(result.change) <= min_process_difference(result.before, result.after);
}

Verdict verdict_of(const CompareResult& result) {
  if (!result.evidence) return Verdict::inconclusive;
  const auto& [change, confidence, p] = *result.evidence;
  const auto verdict = judge(change, confidence, result.threshold);
  if (verdict != Verdict::worse && verdict != Verdict::better) return verdict;
  const bool is_significant = p < kSignificance;
  return is_significant && !may_differ_by_process(result) ? verdict : Verdict::inconclusive;
}

// The verdict on the delivered shares of the trials. No minimum difference applies: the
// rate varies between processes, but the loss at equal rates does not.
std::optional<Verdict> loss_verdict_of(const CompareInput& before,
                                       const CompareInput& after,
                                       double threshold) {
  const auto effect = datapath::compare(before.delivered, after.delivered);
  if (!effect) return std::nullopt;
  if (std::min(before.delivered.size(), after.delivered.size()) < kMinTrials) {
    return Verdict::inconclusive;
  }
  const auto verdict = judge(effect->change, effect->confidence, threshold);
  return verdict == Verdict::same || effect->p < kSignificance ? verdict : Verdict::inconclusive;
}

// The delivered share of each trial; empty if it is unknown. The trials of a search lose packets on
// purpose.
std::vector<double> delivered_of(const BenchResult& result) {
  std::vector<double> shares;
  if (result.search) return shares;
  for (const auto& trial : result.report.trials) {
    const auto loss = loss_of(result.plan.mode, trial.total);
    if (!loss) return {};
    shares.push_back(1 - loss->share);
  }
  return shares;
}

Json json_of(const std::optional<datapath::Bounds>& bounds) {
  return bounds ? Json({bounds->low, bounds->high}) : Json(nullptr);
}

// "'a.json' has 1 trial, 'b.json' has 3 trials"
std::string missing_trials(const CompareResult& result) {
  std::vector<std::string> parts;
  for (const auto* side : {&result.before, &result.after}) {
    const auto count = side->rates.size();
    if (count >= kMinTrials) continue;
    parts.push_back(fmt::format(
        "'{}' has {} {}", printable(side->name), count, count == 1 ? "trial" : "trials"));
  }
  return join(parts, ", ");
}

// `rate` is the text of the input's rate.
std::string with_basis(const CompareInput& input, std::string rate) {
  if (!input.found.empty()) return input.found;
  return input.includes_start ? fmt::format("{}, {}", rate, kIncludingStart) : rate;
}

Json json_of(const CompareInput& input) {
  const auto rate = datapath::estimate(input.rates);
  Json json;
  json["file"] = safe(input.name);
  json["trials"] = rate.count;
  json["median"] = rate.median;
  json["confidence_95"] = json_of(rate.confidence);
  json["noisy"] = input.noisy;
  json["lost"] = input.loss ? Json(input.loss->packets) : Json();
  json["lost_share"] = input.loss ? Json(input.loss->share) : Json();
  return json;
}

std::string why_inconclusive(const CompareResult& result) {
  if (!result.evidence) {
    return fmt::format(
        "{}; a verdict needs {} trials in each result, because the rate varies "
        "from run to run: use 'manactl bench ab', or measure both again with --repeat {}",
        missing_trials(result),
        kMinTrials,
        kSuggestedTrials);
  }
  if (result.verdict != Verdict::inconclusive) return {};
  if (may_differ_by_process(result)) {
    return fmt::format(
        "two runs of the same program can differ by {:.0f} %: use 'manactl bench ab' to find "
        "smaller differences",
        kPercent * min_process_difference(result.before, result.after));
  }
  return "the difference may be due to chance: use 'manactl bench ab', or measure both again with "
         "more "
         "trials (--repeat)";
}

std::vector<std::string> loss_remarks(const CompareResult& result) {
  const auto& [before, after] = std::pair(result.before.delivered, result.after.delivered);
  if (before.empty() || after.empty()) return {};
  auto remark = loss_remark(
      {datapath::median(before), datapath::median(after)}, {"before", "after"}, result.threshold);
  return remark.empty() ? std::vector<std::string>() : std::vector{std::move(remark)};
}

}  // namespace

std::string_view name_of(Verdict verdict) {
  constexpr EnumWords<Verdict, 4> kVerdicts = {{{Verdict::worse, "worse"},
                                                {Verdict::same, "same"},
                                                {Verdict::better, "better"},
                                                {Verdict::inconclusive, "inconclusive"}}};
  return word_of(kVerdicts, verdict);
}

Verdict combine_with_loss(Verdict rate, std::optional<Verdict> loss) {
  if (loss == Verdict::worse) return Verdict::worse;
  return loss == Verdict::better && rate == Verdict::same ? Verdict::better : rate;
}

std::string loss_remark(const std::pair<double, double>& delivered,
                        const std::pair<std::string_view, std::string_view>& names,
                        double threshold) {
  const auto& [first, second] = delivered;
  if (std::abs(second - first) <= threshold * first) return {};
  return fmt::format("the loss differs: {:.3g} % {}, {:.3g} % {}",
                     (1 - first) * kPercent,
                     names.first,
                     (1 - second) * kPercent,
                     names.second);
}

Verdict judge(double change, const datapath::Bounds& confidence, double threshold) {
  if (change < -threshold && confidence.high < 0) return Verdict::worse;
  if (change > threshold && confidence.low > 0) return Verdict::better;
  const bool is_within = confidence.low >= -threshold && confidence.high <= threshold;
  return is_within ? Verdict::same : Verdict::inconclusive;
}

std::vector<Difference> differences(const Rows& before, const Rows& after) {
  std::vector<Difference> found;
  for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
    const auto& [name, value] = before[i];
    if (value != after[i].second) found.push_back({name, value, after[i].second});
  }
  return found;
}

CompareInput compare_input(const BenchResult& result, std::string name) {
  CompareInput input{std::move(name),
                     configuration_of(result),
                     {},
                     result.summary.noisy(),
                     loss_of(result.plan.mode, total_of(result.report)),
                     machine_of(result)};
  input.host = result.machine.host;
  input.started = result.trial_starts.empty() ? result.ended : result.trial_starts.front();
  // The rates of a single trial are those of its intervals.
  input.id = result.id;
  if (result.search) input.found = search_text(*result.search);
  input.includes_start = includes_start(result);
  input.delivered = delivered_of(result);
  const bool is_repeated = result.report.trials.size() > 1 && !result.summary.rates.empty();
  if (is_repeated && !result.search) {
    input.rates = result.summary.rates;
  } else if (const auto rate = figure_of(result)) {
    input.rates = {*rate};
  }
  return input;
}

Result<CompareResult> compare(const CompareInput& before,
                              const CompareInput& after,
                              double threshold) {
  if (!before.id.empty() && before.id == after.id) {
    return fail(Errc::invalid,
                fmt::format("cannot compare result {} with itself: name two results",
                            printable(before.id)));
  }
  for (const auto* input : {&before, &after}) {
    if (!input->found.empty() && input->rates.empty()) {
      return fail(
          Errc::invalid,
          fmt::format("'{}' has no rate to compare: {}", printable(input->name), input->found));
    }
  }
  std::vector<std::string> rows;
  for (const auto& [name, one, other] : differences(before.configuration, after.configuration)) {
    rows.push_back(fmt::format("{} {} and {}", label_of(name), one, other));
  }
  if (!rows.empty()) {
    return fail(Errc::invalid, "the results have different configurations: " + join(rows, ", "));
  }
  auto effect = datapath::compare(before.rates, after.rates);
  if (!effect) {
    return fail(Errc::invalid,
                fmt::format("'{}' moved no packets in a steady interval", printable(before.name)));
  }
  CompareResult result{before, after, effect->change, std::nullopt, threshold};
  if (std::min(before.rates.size(), after.rates.size()) >= kMinTrials) result.evidence = effect;
  result.loss = loss_verdict_of(before, after, threshold);
  result.verdict = combine_with_loss(verdict_of(result), result.loss);
  return result;
}

std::string rate_text(const CompareInput& input) {
  return with_basis(input, estimate_text(datapath::estimate(input.rates)));
}

std::string median_text(const CompareInput& input) {
  return with_basis(input, median_text(datapath::estimate(input.rates)));
}

std::vector<std::string> remarks_on(const CompareResult& result) {
  auto remarks = loss_remarks(result);
  if (auto why = why_inconclusive(result); !why.empty()) remarks.push_back(std::move(why));
  return remarks;
}

std::string compare_json(const CompareResult& result, std::string_view tool, int exit) {
  const auto& evidence = result.evidence;
  Json document;
  document["schema"] = "manactl.bench-compare/1";
  document["manactl"] = tool;
  document["exit"] = exit;
  document["verdict"] = name_of(result.verdict);
  document["unit"] = "packets/s";
  document["before"] = json_of(result.before);
  document["after"] = json_of(result.after);
  document["change"] = result.change;
  document["confidence_95"] =
      json_of(evidence ? std::optional(evidence->confidence) : std::nullopt);
  document["p"] = evidence ? Json(evidence->p) : Json();
  document["threshold"] = result.threshold;
  document["loss_verdict"] = result.loss ? Json(name_of(*result.loss)) : Json();
  document["configuration"] = Json::object();
  for (const auto& [name, value] : result.before.configuration) {
    document["configuration"][name] = value;
  }
  document["machine_differences"] = Json::array();
  for (const auto& [name, before, after] :
       differences(result.before.machine, result.after.machine)) {
    Json difference;
    difference["name"] = name;
    difference["before"] = before;
    difference["after"] = after;
    document["machine_differences"].push_back(difference);
  }
  document["remarks"] = strings(remarks_on(result));
  return document.dump(2) + '\n';
}

}  // namespace manactl::report
