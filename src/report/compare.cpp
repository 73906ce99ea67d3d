// SPDX-License-Identifier: MIT

#include "report/compare.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/enum_words.h"
#include "base/json_text.h"
#include "base/text.h"

namespace manactl::report {
namespace {

using Json = nlohmann::ordered_json;

// Significance level of the Mann-Whitney U test.
constexpr double kSignificance = 0.05;

Verdict verdict_of(const datapath::Effect& effect, double threshold) {
  if (effect.p >= kSignificance) return Verdict::same;
  if (effect.change < -threshold && effect.confidence.high < 0) return Verdict::worse;
  if (effect.change > threshold && effect.confidence.low > 0) return Verdict::better;
  return Verdict::same;
}

Json json_of(const CompareInput& input) {
  const auto rate = datapath::estimate(input.rates);
  Json json;
  json["file"] = safe(input.name);
  json["intervals"] = rate.count;
  json["median"] = rate.median;
  json["confidence_95"] =
      rate.confidence ? Json({rate.confidence->low, rate.confidence->high}) : Json(nullptr);
  json["noisy"] = input.noisy;
  return json;
}

}  // namespace

std::string_view name_of(Verdict verdict) {
  constexpr EnumWords<Verdict, 3> kVerdicts = {
      {{Verdict::worse, "worse"}, {Verdict::same, "same"}, {Verdict::better, "better"}}};
  return word_of(kVerdicts, verdict);
}

std::vector<Difference> differences(const Rows& before, const Rows& after) {
  std::vector<Difference> found;
  for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
    const auto& [name, value] = before[i];
    if (value != after[i].second) found.push_back({name, value, after[i].second});
  }
  return found;
}

Result<CompareInput> compare_input(const BenchResult& result, std::string name) {
  // With fewer than four rates in each result, no difference is significant.
  constexpr std::size_t kMinComparedRates = 4;
  CompareInput input{std::move(name),
                     configuration_of(result),
                     result.summary.rates,
                     result.summary.noisy(),
                     machine_of(result)};
  if (input.rates.size() >= kMinComparedRates) return input;
  const bool repeated = result.report.trials.size() > 1;
  return fail(Errc::invalid,
              fmt::format("'{}' has {} {}, and a comparison needs {}: {}",
                          printable(input.name),
                          input.rates.size(),
                          repeated ? "trials" : "steady intervals",
                          kMinComparedRates,
                          repeated ? "measure more trials"
                                   : "measure for longer or with shorter intervals"));
}

Result<CompareResult> compare(const CompareInput& before,
                              const CompareInput& after,
                              double threshold) {
  std::vector<std::string> rows;
  for (const auto& [name, one, other] : differences(before.configuration, after.configuration)) {
    rows.push_back(fmt::format("{} {} and {}", name, one, other));
  }
  if (!rows.empty()) {
    return fail(Errc::invalid, "the results have different configurations: " + join(rows, ", "));
  }
  const auto effect = datapath::compare(before.rates, after.rates);
  if (!effect) {
    return fail(Errc::invalid, fmt::format("'{}' moved no packets", printable(before.name)));
  }
  return CompareResult{before, after, *effect, threshold, verdict_of(*effect, threshold)};
}

std::string compare_json(const CompareResult& result, std::string_view tool, int exit) {
  const auto& effect = result.effect;
  Json document;
  document["schema"] = "manactl.bench-compare/1";
  document["manactl"] = tool;
  document["exit"] = exit;
  document["verdict"] = name_of(result.verdict);
  document["unit"] = "packets/s";
  document["before"] = json_of(result.before);
  document["after"] = json_of(result.after);
  document["change"] = effect.change;
  document["confidence_95"] = {effect.confidence.low, effect.confidence.high};
  document["p"] = effect.p;
  document["threshold"] = result.threshold;
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
  return document.dump(2) + '\n';
}

}  // namespace manactl::report
