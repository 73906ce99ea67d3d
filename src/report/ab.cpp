// SPDX-License-Identifier: MIT

#include "report/ab.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/text.h"
#include "datapath/analysis/notes.h"
#include "report/figures.h"
#include "report/search_text.h"

namespace manactl::report {
namespace {

using Json = nlohmann::ordered_json;

// The names of a metric and of its fields in JSON.
struct MetricRow {
  Metric metric;
  const char* field;
  const char* unit;
};

constexpr MetricRow kRows[] = {
    {Metric::rate, "packets_per_second", "packets/s"},
    {Metric::cpu_time, "cpu_ns_per_packet", "ns/packet"},
    {Metric::instructions, "instructions_per_packet", "instructions/packet"},
    {Metric::delivered, "delivered_share", "share"},
};

std::vector<double> values_of(const AbSide& side, Metric metric) {
  std::vector<double> values;
  values.reserve(side.runs.size());
  for (const auto& run : side.runs) values.push_back(run.of(metric).value_or(0));
  return values;
}

bool is_mostly_idle(const AbResult& result) {
  const auto is_idle = [](const AbFigures& run) { return run.empty_polls.value_or(0) > 0.5; };
  return std::ranges::any_of(result.a.runs, is_idle) || std::ranges::any_of(result.b.runs, is_idle);
}

// Returns why a run can give no figure; empty if it can.
std::string why_unusable(const AbFigures& run) {
  if (!run.search_failure.empty())
    return "the search of a run has no result: " + run.search_failure;
  return run.rate.value_or(0) <= 0 ? "a run moved no packets" : "";
}

// True if each run has a value of the metric, and no value is 0.
bool was_measured(const AbResult& result, Metric metric) {
  return datapath::compare_pairs(values_of(result.a, metric), values_of(result.b, metric))
      .has_value();
}

// True if most runs of a side have the property.
bool holds_mostly(const AbSide& side, bool AbFigures::* property) {
  const auto count = std::ranges::count(side.runs, true, property);
  return 2 * static_cast<std::size_t>(count) > side.runs.size();
}

// True if the requested rate limits the slower side, which might otherwise be the faster one.
bool is_capped(const AbResult& result) {
  const auto found = effect_on(result, Metric::rate);
  if (result.plan.metric != Metric::rate || !found) return false;
  return holds_mostly(found->effect.change < 0 ? result.b : result.a, &AbFigures::is_capped);
}

bool is_noisy(const AbResult& result) {
  return holds_mostly(result.a, &AbFigures::is_noisy) ||
         holds_mostly(result.b, &AbFigures::is_noisy);
}

// Noise that is not independent of the side makes a small difference look certain. A difference of
// noisy runs counts only if the whole interval exceeds the threshold.
Verdict without_noise(const AbResult& result, Verdict verdict, const datapath::Bounds& bounds) {
  if (!is_noisy(result) || (verdict != Verdict::better && verdict != Verdict::worse))
    return verdict;
  const double least = verdict == Verdict::better ? bounds.low : -bounds.high;
  return least > result.plan.threshold ? verdict : Verdict::inconclusive;
}

// The verdict on one metric alone.
Verdict verdict_on(const AbResult& result, Metric metric) {
  const auto found = effect_on(result, metric);
  if (!found || !found->effect.confidence) return Verdict::inconclusive;
  // A higher rate is better, and so is a lower cost.
  auto [change, bounds] = std::pair(found->effect.change, *found->effect.confidence);
  if (metric == Metric::cpu_time || metric == Metric::instructions) {
    change = -change;
    bounds = {-bounds.high, -bounds.low};
  }
  return without_noise(result, judge(change, bounds, result.plan.threshold), bounds);
}

bool is_rate_reached(const BenchResult& result, double rate) {
  const auto requested =
      datapath::requested_rate(result.plan, result.plan.trial, result.report.ports);
  return !result.search && requested > 0 && rate >= datapath::kReached * requested;
}

// The width of the confidence interval of the plan's metric; empty with too few rounds.
std::optional<double> width_of(const AbResult& result) {
  const auto found = effect_on(result, result.plan.metric);
  if (!found || !found->effect.confidence) return std::nullopt;
  return found->effect.confidence->high - found->effect.confidence->low;
}

Json json_of(const AbSide& side) {
  Json json;
  json["command"] = strings(side.command);
  json["settings"] = Json::object();
  for (const auto& [name, value] : side.settings) json["settings"][name] = value;
  return json;
}

Json json_of(const AbFigures& figures) {
  Json json;
  for (const auto& row : kRows) {
    const auto value = figures.of(row.metric);
    json[row.field] = value ? Json(*value) : Json();
  }
  return json;
}

Json metrics_json(const AbResult& result) {
  auto list = Json::array();
  for (const auto& found : effects_of(result)) {
    const auto& bounds = found.effect.confidence;
    Json json;
    json["name"] = word_of(kMetrics, found.metric);
    for (const auto& row : kRows) {
      if (row.metric == found.metric) json["unit"] = row.unit;
    }
    json["a"] = found.a;
    json["b"] = found.b;
    json["change"] = found.effect.change;
    json["confidence_95"] = bounds ? Json({bounds->low, bounds->high}) : Json(nullptr);
    list.push_back(json);
  }
  return list;
}

// Returns "  all rounds: B +0.61 % (-1.02 to +2.10 %)" after a complete round.
std::string change_text(const AbResult& result) {
  const auto found = effect_on(result, result.plan.metric);
  if (!found) return {};
  const auto& [change, confidence] = std::pair(found->effect.change, found->effect.confidence);
  auto text = fmt::format("  all rounds: B {:+.2f} %", change * kPercent);
  if (confidence) {
    text += fmt::format(
        " ({:+.2f} to {:+.2f} %)", confidence->low * kPercent, confidence->high * kPercent);
  }
  return text;
}

// Returns a note if the options of A and B have the same effect; empty if they differ.
std::string equality_note(const AbResult& result) {
  if (result.a.command.front() != result.b.command.front()) return {};
  if (result.a.command == result.b.command) {
    return "A and B run the same command: every difference is noise";
  }
  if (result.rounds() == 0 || !differences(result).empty()) return {};
  return "no setting in the results of A and B differs: their options may have the same effect";
}

}  // namespace

std::optional<double> AbFigures::of(Metric metric) const {
  if (metric == Metric::rate) return rate;
  if (metric == Metric::delivered) return loss ? std::optional(1 - *loss) : std::nullopt;
  return metric == Metric::cpu_time ? cpu_time : instructions;
}

AbFigures ab_figures(const BenchResult& result) {
  const auto total = total_of(result.report);
  const auto costs = costs_of(result);
  AbFigures figures{figure_of(result), cpu_time_of(result), costs.instructions};
  // Without a steady interval, or if packets flowed in few of them, the run has no median.
  if (!figures.rate && !result.search) {
    figures.rate = per_second(datapath::headline(result.plan.mode, total), total.seconds);
  }
  figures.is_paced = was_paced(result);
  figures.is_noisy = result.summary.noisy();
  figures.is_capped = is_rate_reached(result, figures.rate.value_or(0));
  figures.empty_polls = costs.empty_polls;
  // The trials of a search lose packets on purpose.
  const auto loss = result.search ? std::nullopt : loss_of(result.plan.mode, total);
  if (loss) figures.loss = loss->share;
  if (result.search && !figures.rate) {
    const auto& goal = result.search->found.front();
    figures.search_failure = goal_text(goal.loss) + ' ' + found_text(goal);
  }
  return figures;
}

Result<AbEffect> effect_on(const AbResult& result, Metric metric) {
  const auto a = values_of(result.a, metric);
  const auto b = values_of(result.b, metric);
  const auto effect = datapath::compare_pairs(a, b);
  if (effect) return AbEffect{metric, datapath::median(a), datapath::median(b), *effect};
  for (const auto* side : {&result.a, &result.b}) {
    for (const auto& run : side->runs) {
      if (const auto why = why_unusable(run); !why.empty()) return fail(Errc::invalid, why);
    }
  }
  const auto is_paced = [](const AbFigures& run) { return run.is_paced; };
  if (std::ranges::any_of(result.a.runs, is_paced) ||
      std::ranges::any_of(result.b.runs, is_paced)) {
    return fail(Errc::invalid,
                fmt::format("with --rate or --find, workers wait between packets, and the metric "
                            "'{}' would include the waiting: omit these options",
                            word_of(kMetrics, metric)));
  }
  std::vector<std::string> measured;
  for (const auto& other : kRows) {
    if (was_measured(result, other.metric)) measured.emplace_back(word_of(kMetrics, other.metric));
  }
  return fail(Errc::invalid,
              fmt::format("a run did not measure the metric '{}'; {}",
                          word_of(kMetrics, metric),
                          measured.empty() ? "choose other options of bench"
                                           : "all runs measured " + join(measured, " and ")));
}

std::vector<AbEffect> effects_of(const AbResult& result) {
  std::vector<AbEffect> found;
  for (const auto& row : kRows) {
    if (const auto effect = effect_on(result, row.metric)) found.push_back(*effect);
  }
  return found;
}

bool is_finished(const AbResult& result) {
  const auto width = width_of(result);
  return result.rounds() >= result.plan.max_rounds || (width && *width <= result.plan.precision);
}

std::vector<std::string> ab_progress(const AbResult& result, std::string_view run, double seconds) {
  const auto done = result.a.runs.size() + result.b.runs.size();
  auto state = fmt::format("round {} of at most {}, run of {}",
                           std::min(result.a.runs.size(), result.b.runs.size()) + 1,
                           result.plan.max_rounds,
                           run);
  if (done > 0) {
    const auto left = static_cast<double>(2 * std::size_t{result.plan.max_rounds} - done);
    state += fmt::format("; at most {:.0f} s left",
                         std::ceil(seconds / static_cast<double>(done) * left));
  }
  std::string figures = done > 0 ? "  last runs:" : " ";
  for (const auto& [side, name] : {std::pair(&result.a, "A"), std::pair(&result.b, "B")}) {
    if (side->runs.empty()) continue;
    const auto& last = side->runs.back();
    figures += fmt::format(" {} {}", name, pps_text(last.rate.value_or(0)));
    if (last.loss) figures += fmt::format(", {:.3g} % lost", *last.loss * kPercent);
    figures += ';';
  }
  std::vector<std::string> lines = {state, figures};
  if (auto change = change_text(result); !change.empty()) lines.push_back(std::move(change));
  return lines;
}

Verdict verdict_of(const AbResult& result) {
  if (result.plan.metric != Metric::rate) return verdict_on(result, result.plan.metric);
  const auto rate = is_capped(result) ? Verdict::inconclusive : verdict_on(result, Metric::rate);
  return combine_with_loss(rate, verdict_on(result, Metric::delivered));
}

std::vector<Difference> differences(const AbResult& result) {
  return differences(result.a.settings, result.b.settings);
}

std::vector<std::string> remarks_on(const AbResult& result) {
  std::vector<std::string> remarks;
  if (auto note = equality_note(result); !note.empty()) remarks.push_back(std::move(note));
  if (const auto found = effect_on(result, Metric::delivered)) {
    auto remark = loss_remark({found->a, found->b}, {"in A", "in B"}, result.plan.threshold);
    if (!remark.empty()) remarks.push_back(std::move(remark));
  }
  if (result.rounds() < datapath::kMinPairs) {
    remarks.push_back(fmt::format("a verdict needs {} rounds", datapath::kMinPairs));
  } else if (is_capped(result) && verdict_of(result) == Verdict::inconclusive) {
    remarks.emplace_back(
        "--rate limits the rate of the slower side: omit --rate to compare A and B");
  } else if (verdict_of(result) == Verdict::inconclusive && is_noisy(result)) {
    remarks.push_back(
        fmt::format("most runs were noisy, so a verdict requires that the whole confidence "
                    "interval exceeds {:g} %: "
                    "free the CPUs of the workers, or allow more rounds (--rounds)",
                    result.plan.threshold * kPercent));
  } else if (verdict_of(result) == Verdict::inconclusive) {
    std::string remark =
        "the difference may be due to chance: allow more rounds (--rounds) or longer runs "
        "(--duration)";
    if (result.plan.metric == Metric::rate && was_measured(result, Metric::cpu_time)) {
      remark += ", or use --metric cpu-time, which other programs disturb less";
    }
    remarks.push_back(std::move(remark));
  }
  if (result.plan.metric != Metric::rate && is_mostly_idle(result)) {
    remarks.push_back(
        fmt::format("most polls found no packet: the metric '{}' includes them, so it depends on "
                    "the rate of the traffic more than on the cost of a packet",
                    word_of(kMetrics, result.plan.metric)));
  }
  return remarks;
}

std::string ab_json(const AbResult& result, std::string_view tool, int exit) {
  Json document;
  document["schema"] = "manactl.bench-ab/1";
  document["manactl"] = tool;
  document["exit"] = exit;
  document["verdict"] = name_of(verdict_of(result));
  document["metric"] = word_of(kMetrics, result.plan.metric);
  document["threshold"] = result.plan.threshold;
  document["precision"] = result.plan.precision;
  document["max_rounds"] = result.plan.max_rounds;
  document["stop_signal"] = result.stop_signal == 0 ? Json() : Json(result.stop_signal);
  document["metrics"] = metrics_json(result);
  document["a"] = json_of(result.a);
  document["b"] = json_of(result.b);
  document["differences"] = Json::array();
  for (const auto& [name, a, b] : differences(result)) {
    Json json;
    json["name"] = name;
    json["a"] = a;
    json["b"] = b;
    document["differences"].push_back(json);
  }
  document["rounds"] = Json::array();
  for (std::size_t i = 0; i < result.rounds(); ++i) {
    Json json;
    json["a"] = json_of(result.a.runs[i]);
    json["b"] = json_of(result.b.runs[i]);
    document["rounds"].push_back(json);
  }
  document["remarks"] = strings(remarks_on(result));
  return document.dump(2) + '\n';
}

}  // namespace manactl::report
