// SPDX-License-Identifier: MIT

#include "cli/bench/html_compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "cli/bench/html_text.h"
#include "cli/bench/svg.h"
#include "cli/version.h"

namespace manactl::cli {
namespace {

constexpr double kPercent = 100;
constexpr std::size_t kMostDots = 400;  // of a side; more would only make the page large

std::string percent(double share) {
  return fmt::format("{:+.2f} %", share * kPercent);
}

std::string_view name_of(Verdict verdict) {
  constexpr std::array<std::string_view, 3> kNames = {"worse", "same", "better"};
  return kNames[static_cast<std::size_t>(verdict)];
}

// Evenly among the sorted, with the lowest and the highest.
std::vector<double> some_of(std::vector<double> rates) {
  std::sort(rates.begin(), rates.end());
  if (rates.size() <= kMostDots) return rates;
  std::vector<double> few;
  for (std::size_t i = 0; i < kMostDots; ++i) {
    few.push_back(rates[i * (rates.size() - 1) / (kMostDots - 1)]);
  }
  return few;
}

// Dots of one side, each a little aside of the one before so that none hides another.
void draw_side(
    Svg& svg, const BenchDocument& side, const Axis& x, double middle, std::string_view dot) {
  constexpr double kHalf = 22, kGolden = 0.618034, kBand = 34, kRadius = 3, kGap = 4, kLeast = 2;
  const auto rate = datapath::estimate(side.rates);
  if (rate.confidence) {
    const double from = x.at(rate.confidence->low);
    const double width = std::max(x.at(rate.confidence->high) - from, kLeast);
    svg.rect({from, middle - kBand, width, 2 * kBand}, "band", "95 % bounds of the median");
  }
  double turn = 0;
  for (const double value : some_of(side.rates)) {
    turn = std::fmod(turn + kGolden, 1);
    svg.dot({x.at(value), middle + (turn - 0.5) * 2 * kHalf, kRadius}, dot);
  }
  const double at = x.at(rate.median);
  svg.line({at, middle - kBand, 0, 2 * kBand}, "median");
  svg.text(at, middle - kBand - kGap, "m strong", quantity(rate.median, rate_unit(rate.median)));
}

HtmlBand range_of(const CompareResult& result) {
  HtmlBand range{HUGE_VAL, 0};
  for (const auto* side : {&result.before, &result.after}) {
    for (const double rate : side->rates) {
      range.low = std::min(range.low, rate);
      range.high = std::max(range.high, rate);
    }
  }
  const double air = std::max((range.high - range.low) * 0.05, range.high * 0.001);
  return {std::max(range.low - air, 0.0), range.high + air};
}

std::string rates_chart(const CompareResult& result) {
  Plot plot;
  plot.height = 290;
  plot.right = 24;
  const auto range = range_of(result);
  const auto unit = rate_unit(range.high);
  const Axis x{range.low, range.high, plot.left, plot.x_end()};
  const auto said = fmt::format("Median before: {}, after: {}",
                                quantity(datapath::median(result.before.rates), unit),
                                quantity(datapath::median(result.after.rates), unit));
  constexpr double kBefore = 70, kAfter = 180, kGap = 12, kHalfLetter = 4;
  Svg svg("rates", plot, "Rates of both results", said);
  svg.x_marks(x, unit);
  svg.x_base(fmt::format("rate of an interval in {}", unit.name));
  svg.text(plot.left - kGap, kBefore + kHalfLetter, "e strong", "before");
  svg.text(plot.left - kGap, kAfter + kHalfLetter, "e strong", "after");
  draw_side(svg, result.before, x, kBefore, "dot pile");
  draw_side(svg, result.after, x, kAfter, "dot1 pile");
  const auto most = std::max(result.before.rates.size(), result.after.rates.size());
  return figure_of(
      "rates of both results",
      std::move(svg).end(),
      {},
      fmt::format(
          "Each dot is a steady interval{}. Dashed: the median; shaded: its 95 % bounds. "
          "The scale does not begin at 0.",
          most > kMostDots ? fmt::format("; of more than {0}, {0} evenly chosen", kMostDots) : ""));
}

std::string change_chart(const CompareResult& result) {
  const auto& effect = result.effect;
  Plot plot;
  plot.height = 130;
  plot.right = 24;
  const double reach = 1.15 * std::max({std::abs(effect.confidence.low),
                                        std::abs(effect.confidence.high),
                                        std::abs(effect.change),
                                        result.threshold,
                                        0.001});
  const Axis x{-reach, reach, plot.left, plot.x_end()};
  const auto said = fmt::format("{} (95 %: {} to {})",
                                percent(effect.change),
                                percent(effect.confidence.low),
                                percent(effect.confidence.high));
  constexpr double kHalf = 9, kRadius = 6, kLeast = 2;
  const double low = x.at(effect.confidence.low);
  const double width = std::max(x.at(effect.confidence.high) - low, kLeast);
  Svg svg("change", plot, "Change of the median", said);
  const double middle = plot.top + svg.height() / 2;
  const double grey = x.at(-result.threshold);
  svg.rect({grey, plot.top, x.at(result.threshold) - grey, svg.height()},
           "pale",
           "smaller than the threshold");
  svg.line({x.at(0), plot.top, 0, svg.height()}, "base");
  svg.rect({low, middle - kHalf, width, 2 * kHalf}, "band", "95 % bounds of the change");
  svg.line({low, middle, width, 0}, "s0");
  svg.dot({x.at(effect.change), middle, kRadius}, "dot", said);
  svg.x_marks(x, {1 / kPercent, "%"});
  svg.x_base("change of the median in %");
  return figure_of(
      "change of the median",
      std::move(svg).end(),
      {},
      fmt::format(
          "Dot: the change; bar: its 95 % bounds; grey: smaller than the threshold of {:g} %.",
          result.threshold * kPercent));
}

std::vector<std::string> side_row(std::string_view name, const BenchDocument& side) {
  constexpr std::string_view kNothing = "-";
  const auto rate = datapath::estimate(side.rates);
  const auto unit = rate_unit(rate.median);
  std::vector<std::string> cells;
  cells.push_back(fmt::format("{}: {}", name, side.path));
  cells.push_back(fmt::format("{}", rate.count));
  cells.push_back(quantity(rate.median, unit));
  cells.emplace_back(rate.confidence ? quantity(rate.confidence->low, unit) : kNothing);
  cells.emplace_back(rate.confidence ? quantity(rate.confidence->high, unit) : kNothing);
  cells.push_back(fmt::format("{:.2f} %", rate.variation * kPercent));
  cells.emplace_back(side.noisy ? "yes" : "no");
  return cells;
}

HtmlTable table(const CompareResult& result) {
  HtmlTable table;
  table.title = "Results";
  for (const std::string_view column :
       {"file", "intervals", "median", "95 % from", "to", "variation", "noisy"}) {
    table.columns.emplace_back(column);
  }
  table.rows.push_back(side_row("before", result.before));
  table.rows.push_back(side_row("after", result.after));
  return table;
}

HtmlTable machines(const CompareResult& result) {
  HtmlTable table;
  table.title = "Differences of the machines";
  for (const std::string_view column : {"what", "before", "after"}) {
    table.columns.emplace_back(column);
  }
  for (auto& [name, before, after] : differences(result.before.machine, result.after.machine)) {
    table.rows.push_back({name, before, after});
  }
  return table;
}

std::vector<HtmlRow> figures(const CompareResult& result) {
  const auto& effect = result.effect;
  const auto& [low, high] = effect.confidence;
  std::vector<HtmlRow> rows;
  rows.push_back({"verdict", std::string(name_of(result.verdict))});
  rows.push_back({"change of the median", percent(effect.change)});
  rows.push_back({"95 % bounds", fmt::format("{:+.2f} to {}", low * kPercent, percent(high))});
  rows.push_back({"chance of such a difference (p)", fmt::format("{:.3g}", effect.p)});
  return rows;
}

std::vector<std::string> warnings(const CompareResult& result) {
  std::vector<std::string> lines;
  for (const auto* side : {&result.before, &result.after}) {
    if (side->noisy) lines.push_back("noisy: " + side->path);
  }
  return lines;
}

}  // namespace

std::string html_page(const CompareResult& result) {
  const auto verdict = name_of(result.verdict);
  auto page = page_head(fmt::format("{}: {}", verdict, percent(result.effect.change)),
                        fmt::format("{} against {}", result.after.path, result.before.path));
  page += warnings_of(warnings(result));
  page += figures_of(figures(result), verdict);
  page += "<h2>Change</h2>\n";
  page += change_chart(result);
  page += "<h2>Rates</h2>\n";
  page += rates_chart(result);
  page += table_of(table(result));
  page += table_of(machines(result));
  std::vector<HtmlRow> rows;
  for (const auto& [name, value] : result.before.configuration) rows.push_back({name, value});
  page += rows_of("Configuration of both", rows);
  page += page_foot(fmt::format("manactl {}", version()));
  return page;
}

}  // namespace manactl::cli
