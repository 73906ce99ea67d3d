// SPDX-License-Identifier: MIT

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "report/figures.h"
#include "report/html/elements.h"
#include "report/html/pages.h"
#include "report/html/svg.h"

namespace manactl::report {
namespace {

constexpr std::size_t kMaxDotsPerResult = 400;  // dots per result; limits the size of the page

std::string percent(double share) {
  return fmt::format("{:+.2f} %", share * kPercent);
}

// Selects kMaxDotsPerResult rates at even steps of the sorted rates, including the lowest and the
// highest.
std::vector<double> select_dots(std::vector<double> rates) {
  std::sort(rates.begin(), rates.end());
  if (rates.size() <= kMaxDotsPerResult) return rates;
  std::vector<double> selected;
  selected.reserve(kMaxDotsPerResult);
  for (std::size_t i = 0; i < kMaxDotsPerResult; ++i) {
    selected.push_back(rates[i * (rates.size() - 1) / (kMaxDotsPerResult - 1)]);
  }
  return selected;
}

// Draws one result as dots, which are spread vertically so that they do not hide each other.
void draw_side(
    Svg& svg, const CompareInput& side, const Axis& x, double middle, std::string_view dot) {
  constexpr double kHalf = 22, kGolden = 0.618034, kBand = 34, kRadius = 3, kGap = 4, kMinWidth = 2;
  const auto rate = datapath::estimate(side.rates);
  if (rate.confidence) {
    const double from = x.at(rate.confidence->low);
    const double width = std::max(x.at(rate.confidence->high) - from, kMinWidth);
    svg.rect(
        {from, middle - kBand, width, 2 * kBand}, "band", "95 % confidence interval of the median");
  }
  double offset = 0;
  for (const double value : select_dots(side.rates)) {
    offset = std::fmod(offset + kGolden, 1);
    svg.dot({x.at(value), middle + (offset - 0.5) * 2 * kHalf, kRadius}, dot);
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
  const double margin = std::max((range.high - range.low) * 0.05, range.high * 0.001);
  return {std::max(range.low - margin, 0.0), range.high + margin};
}

std::string rates_chart(const CompareResult& result) {
  Plot plot;
  plot.height = 290;
  plot.right = 24;
  const auto range = range_of(result);
  const auto unit = rate_unit(range.high);
  const Axis x{range.low, range.high, plot.left, plot.x_end()};
  const auto description = fmt::format("Median before: {}, after: {}",
                                       quantity(datapath::median(result.before.rates), unit),
                                       quantity(datapath::median(result.after.rates), unit));
  constexpr double kBefore = 70, kAfter = 180, kGap = 12, kHalfLetter = 4;
  Svg svg("rates", plot, "Rates of both results", description);
  svg.x_marks(x, unit);
  svg.x_axis(fmt::format("rate in {}", unit.name));
  svg.text(plot.left - kGap, kBefore + kHalfLetter, "e strong", "before");
  svg.text(plot.left - kGap, kAfter + kHalfLetter, "e strong", "after");
  draw_side(svg, result.before, x, kBefore, "dot overlapping");
  draw_side(svg, result.after, x, kAfter, "dot1 overlapping");
  const auto count = std::max(result.before.rates.size(), result.after.rates.size());
  return chart_html(
      "rates of both results",
      std::move(svg).end(),
      {},
      fmt::format("Each dot is the median rate of a trial{}. Dashed line: "
                  "median; shaded: its 95 % confidence interval. The scale does not start at 0.",
                  count > kMaxDotsPerResult
                      ? fmt::format(" (at most {} per result are drawn)", kMaxDotsPerResult)
                      : ""));
}

// Draws the change with its confidence interval, which requires evidence.
std::string change_chart(const datapath::Effect& effect, double threshold_share) {
  Plot plot;
  plot.height = 130;
  plot.right = 24;
  const double reach = 1.15 * std::max({std::abs(effect.confidence.low),
                                        std::abs(effect.confidence.high),
                                        std::abs(effect.change),
                                        threshold_share,
                                        0.001});
  const Axis x{-reach, reach, plot.left, plot.x_end()};
  const auto description = fmt::format("{} (95 % CI: {} to {})",
                                       percent(effect.change),
                                       percent(effect.confidence.low),
                                       percent(effect.confidence.high));
  constexpr double kHalf = 9, kRadius = 6, kMinWidth = 2;
  const double low = x.at(effect.confidence.low);
  const double width = std::max(x.at(effect.confidence.high) - low, kMinWidth);
  Svg svg("change", plot, "Change of the median", description);
  const double middle = plot.top + svg.height() / 2;
  const double threshold = x.at(-threshold_share);
  svg.rect({threshold, plot.top, x.at(threshold_share) - threshold, svg.height()},
           "pale",
           "below the threshold");
  svg.line({x.at(0), plot.top, 0, svg.height()}, "base");
  svg.rect(
      {low, middle - kHalf, width, 2 * kHalf}, "band", "95 % confidence interval of the change");
  svg.line({low, middle, width, 0}, "s0");
  svg.dot({x.at(effect.change), middle, kRadius}, "dot", description);
  svg.x_marks(x, {1 / kPercent, "%"});
  svg.x_axis("change of the median in %");
  return chart_html("change of the median",
                    std::move(svg).end(),
                    {},
                    fmt::format("Dot: change; bar: its 95 % confidence interval; gray: changes "
                                "below the threshold of {:g} %.",
                                threshold_share * kPercent));
}

std::vector<std::string> side_row(std::string_view name, const CompareInput& side) {
  const auto rate = datapath::estimate(side.rates);
  const auto unit = rate_unit(rate.median);
  return {fmt::format("{}: {}", name, side.name),
          side.host.empty() ? "-" : side.host,
          side.started > 0 ? utc_text(side.started) : "-",
          fmt::format("{}", rate.count),
          median_text(side),
          rate.confidence ? quantity(rate.confidence->low, unit) : "-",
          rate.confidence ? quantity(rate.confidence->high, unit) : "-",
          rate.variation ? fmt::format("{:.2f} %", *rate.variation * kPercent) : "-",
          side.noisy ? "yes" : "no",
          side.loss ? loss_text(*side.loss) : "-"};
}

HtmlTable results_table(const CompareResult& result) {
  return {"Results",
          {"result",
           "host",
           "started",
           "trials",
           "median",
           "95 % CI low",
           "95 % CI high",
           "variation",
           "noisy",
           "lost"},
          {side_row("before", result.before), side_row("after", result.after)}};
}

HtmlTable machines_table(const CompareResult& result) {
  HtmlTable table{"Differences between the machines", {"setting", "before", "after"}, {}};
  for (auto& [name, before, after] : differences(result.before.machine, result.after.machine)) {
    table.rows.push_back({name, before, after});
  }
  return table;
}

HtmlRows figures(const CompareResult& result) {
  HtmlRows rows = {{"verdict", std::string(name_of(result.verdict))},
                   {"change of the median", percent(result.change)}};
  if (result.loss) rows.emplace_back("verdict on the loss", std::string(name_of(*result.loss)));
  if (const auto& evidence = result.evidence) {
    const auto& [low, high] = evidence->confidence;
    rows.emplace_back("95 % confidence interval",
                      fmt::format("{:+.2f} to {}", low * kPercent, percent(high)));
    rows.emplace_back("p-value", fmt::format("{:.3g}", evidence->p));
  }
  return rows;
}

std::vector<std::string> warnings(const CompareResult& result) {
  auto lines = remarks_on(result);
  for (const auto* side : {&result.before, &result.after}) {
    if (side->noisy) lines.push_back("Noisy: " + side->name);
  }
  return lines;
}

}  // namespace

std::string compare_html(const CompareResult& result, std::string_view tool) {
  const auto verdict = name_of(result.verdict);
  const bool is_about_loss = result.loss == Verdict::worse || result.loss == Verdict::better;
  auto page =
      page_head(fmt::format("{}: {}{}",
                            verdict,
                            percent(result.change),
                            is_about_loss ? fmt::format(", loss {}", name_of(*result.loss)) : ""),
                fmt::format("{} compared with {}", result.after.name, result.before.name));
  page += warnings_html(warnings(result));
  page += figures_html(figures(result), verdict);
  if (result.evidence) {
    page += "<h2>Change</h2>\n";
    page += change_chart(*result.evidence, result.threshold);
  }
  page += "<h2>Rates</h2>\n";
  page += rates_chart(result);
  page += table_html(results_table(result));
  page += table_html(machines_table(result));
  page += rows_html("Configuration of both", result.before.configuration);
  return page + page_foot(fmt::format("manactl {}", tool));
}

}  // namespace manactl::report
