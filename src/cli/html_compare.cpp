// SPDX-License-Identifier: MIT

#include "cli/html_compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "cli/html_text.h"
#include "cli/svg.h"
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
std::string strip(const BenchDocument& side, const Axis& x, double middle, std::string_view dot) {
  constexpr double kHalf = 22, kGolden = 0.618034, kBand = 34;
  const auto rate = datapath::estimate(side.rates);
  const auto unit = rate_unit(rate.median);
  std::string text;
  if (rate.confidence) {
    const double from = x.at(rate.confidence->low);
    const double width = std::max(x.at(rate.confidence->high) - from, 2.0);
    text += rect_at({from, middle - kBand, width, 2 * kBand}, "band", "95 % bounds of the median");
  }
  double turn = 0;
  for (const double value : some_of(side.rates)) {
    turn = std::fmod(turn + kGolden, 1);
    text +=
        fmt::format("<circle class=\"{}\" cx=\"{}\" cy=\"{:.1f}\" r=\"3\" fill-opacity=\".65\"/>\n",
                    dot,
                    x.px(value),
                    middle + (turn - 0.5) * 2 * kHalf);
  }
  const double at = x.at(rate.median);
  text += line_at({at, middle - kBand, 0, 2 * kBand}, "median");
  return text + text_at(at, middle - kBand - 4, "m strong", quantity(rate.median, unit));
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
  constexpr double kBefore = 70, kAfter = 180;
  auto svg = svg_begin("rates", plot, "Rates of both results", said);
  svg += x_marks(plot, x, unit, fmt::format("rate of an interval in {}", unit.name));
  svg += text_at(plot.left - 12, kBefore + 4, "e strong", "before");
  svg += text_at(plot.left - 12, kAfter + 4, "e strong", "after");
  svg += strip(result.before, x, kBefore, "dot") + strip(result.after, x, kAfter, "dot1");
  const auto most = std::max(result.before.rates.size(), result.after.rates.size());
  return figure_of(
      "rates of both results",
      svg + "</svg>\n",
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
  const double middle = (plot.top + plot.y_end()) / 2;
  const double height = plot.y_end() - plot.top;
  const double low = x.at(effect.confidence.low);
  const double width = std::max(x.at(effect.confidence.high) - low, 2.0);
  auto svg = svg_begin("change", plot, "Change of the median", said);
  svg += rect_at(
      {x.at(-result.threshold), plot.top, x.at(result.threshold) - x.at(-result.threshold), height},
      "pale",
      "smaller than the threshold");
  svg += line_at({x.at(0), plot.top, 0, height}, "base");
  svg += rect_at({low, middle - 9, width, 18}, "band", "95 % bounds of the change");
  svg += line_at({low, middle, width, 0}, "s0");
  svg += fmt::format(
      "<circle class=\"dot\" cx=\"{}\" cy=\"{:.1f}\" r=\"6\"><title>{}</title></circle>\n",
      x.px(effect.change),
      middle,
      said);
  svg += x_marks(plot, x, {1 / kPercent, "%"}, "change of the median in %");
  return figure_of(
      "change of the median",
      svg + "</svg>\n",
      {},
      fmt::format(
          "Dot: the change; bar: its 95 % bounds; grey: smaller than the threshold of {:g} %.",
          result.threshold * kPercent));
}

std::vector<std::string> side_row(std::string_view name, const BenchDocument& side) {
  const auto rate = datapath::estimate(side.rates);
  const auto unit = rate_unit(rate.median);
  return {fmt::format("{}: {}", name, side.path),
          fmt::format("{}", rate.count),
          quantity(rate.median, unit),
          rate.confidence ? quantity(rate.confidence->low, unit) : "-",
          rate.confidence ? quantity(rate.confidence->high, unit) : "-",
          fmt::format("{:.2f} %", rate.variation * kPercent),
          side.noisy ? "yes" : "no"};
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
  const auto& effect = result.effect;
  const auto verdict = name_of(result.verdict);
  auto page = page_head(fmt::format("{}: {}", verdict, percent(effect.change)),
                        fmt::format("{} against {}", result.after.path, result.before.path));
  page += warnings_of(warnings(result));
  page += figures_of(
      {{"verdict", std::string(verdict)},
       {"change of the median", percent(effect.change)},
       {"95 % bounds",
        fmt::format(
            "{:+.2f} to {}", effect.confidence.low * kPercent, percent(effect.confidence.high))},
       {"chance of such a difference (p)", fmt::format("{:.3g}", effect.p)}},
      verdict);
  page += "<h2>Change</h2>\n" + change_chart(result) + "<h2>Rates</h2>\n" + rates_chart(result);
  page += table_of({"Results",
                    {"file", "intervals", "median", "95 % from", "to", "variation", "noisy"},
                    {side_row("before", result.before), side_row("after", result.after)}});
  std::vector<HtmlRow> rows;
  for (const auto& [name, value] : result.before.configuration) rows.push_back({name, value});
  page += rows_of("Configuration of both", rows);
  return page + page_foot(fmt::format("manactl {}", version()));
}

}  // namespace manactl::cli
