// SPDX-License-Identifier: MIT

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/text.h"
#include "report/html/charts.h"
#include "report/html/elements.h"
#include "report/html/svg.h"

namespace manactl::report {
namespace {

double max_rate(const std::vector<HtmlQueue>& queues) {
  double high = 0;
  for (const auto& queue : queues) high = std::max(high, queue.rate);
  return high;
}

double mean(const std::vector<HtmlQueue>& queues) {
  double sum = 0;
  for (const auto& queue : queues) sum += queue.rate;
  return sum / static_cast<double>(queues.size());
}

std::string describe(const std::vector<HtmlQueue>& queues, const Unit& unit) {
  const auto by_rate = [](const HtmlQueue& a, const HtmlQueue& b) { return a.rate < b.rate; };
  const auto [low, high] = std::minmax_element(queues.begin(), queues.end(), by_rate);
  if (quantity(low->rate, unit) == quantity(high->rate, unit)) {
    return fmt::format("{} queues with {} each", queues.size(), quantity(low->rate, unit));
  }
  return fmt::format(
      "{} queues: the slowest is queue {} with {}, the fastest queue {} with {}; the mean is {}",
      queues.size(),
      low->name,
      quantity(low->rate, unit),
      high->name,
      quantity(high->rate, unit),
      quantity(mean(queues), unit));
}

void draw_bars(Svg& svg, const std::vector<HtmlQueue>& queues, const Axis& y) {
  constexpr double kMaxWidth = 64, kShare = 0.75, kLetter = 7, kBelow = 18;
  constexpr std::size_t kMaxNameBytes = 12;
  const auto& plot = svg.plot();
  const double step = svg.width() / static_cast<double>(queues.size());
  const double width = std::min(step * kShare, kMaxWidth);
  const auto unit = rate_unit(y.high);
  double middle = plot.left - step / 2;
  double labels_end = 0;  // the x coordinate where the last label ends
  for (const auto& queue : queues) {
    middle += step;
    const double top = y.at(queue.rate);
    svg.rect({middle - width / 2, top, width, plot.y_end() - top},
             "bar",
             fmt::format("queue {}: {}", queue.name, quantity(queue.rate, unit)));
    const auto name = printable(queue.name, kMaxNameBytes);
    const double half = static_cast<double>(name.size() + 1) * kLetter / 2;
    if (middle - half < labels_end) continue;
    labels_end = middle + half;
    svg.text(middle, plot.y_end() + kBelow, "m", name);
  }
}

// The rates of one queue as a small line in a table cell. All queues share the scale up to `max`.
std::string sparkline_cell(const std::vector<double>& rates, double max, std::size_t columns) {
  std::vector<double> measured;
  std::ranges::copy_if(
      rates, std::back_inserter(measured), [](double rate) { return std::isfinite(rate); });
  if (measured.empty()) return "<td></td>";
  constexpr double kWidth = 160, kHeight = 24;
  const Axis x{0, static_cast<double>(rates.size()), 0, kWidth};
  const Axis y{0, max, kHeight - 1, 1};
  std::vector<HtmlPoint> points;
  points.reserve(rates.size());
  for (const double rate : rates) points.push_back({static_cast<double>(points.size()), rate});
  const auto [low, high] = std::ranges::minmax(measured);
  const auto unit = rate_unit(high);
  return fmt::format(
      "<td><svg class=\"sparkline\" viewBox=\"0 0 160 24\" preserveAspectRatio=\"none\" "
      "role=\"img\" aria-label=\"between {} and {}\"><path d=\"{}\"/></svg></td>",
      quantity(low, unit),
      quantity(high, unit),
      path_data(thin(points, columns), x, y));
}

double max_interval_rate(const std::vector<HtmlQueue>& queues) {
  double max = 0;
  for (const auto& queue : queues) {
    for (const double rate : queue.rates) max = std::max(max, rate);
  }
  return max;
}

}  // namespace

std::string queue_chart(const HtmlReport& report) {
  const auto& queues = report.queues;
  // The bar of a single queue would repeat the rate of the run.
  if (queues.size() < 2 || !std::isfinite(mean(queues))) return {};
  Plot plot;
  plot.height = 240;
  const Axis y = rate_axis({0, max_rate(queues)}, plot);
  const auto unit = rate_unit(y.high);
  const auto description = describe(queues, unit);
  Svg svg("queues", plot, "Rate of each queue", description);
  svg.y_marks(y, unit);
  draw_bars(svg, queues, y);
  constexpr double kGap = 6, kHalfLetter = 4;
  const double at = y.at(mean(queues));
  svg.line({plot.left, at, svg.width(), 0}, "median");
  svg.text(plot.x_end() + kGap, at + kHalfLetter, "strong", "mean");
  svg.x_axis("queue");
  return chart_html("rate of each queue", std::move(svg).end(), {}, description);
}

std::string queue_table(const HtmlReport& report) {
  if (report.queues.empty()) return {};
  constexpr std::size_t kMaxColumns = 120, kMaxTotal = 10000;  // points per sparkline and in total
  const auto points = std::min(kMaxColumns, kMaxTotal / report.queues.size());
  const double max = report.queues.size() > 1 ? max_interval_rate(report.queues) : 0;
  const auto unit = rate_unit(max_rate(report.queues));
  std::vector<std::string> columns = {"queue", "mean"};
  if (max > 0) columns.emplace_back("over time");
  columns.insert(columns.end(), report.queue_columns.begin(), report.queue_columns.end());
  auto text = table_start("queues", columns);
  for (const auto& queue : report.queues) {
    text += "<tr>" + name_cell(queue.name) + value_cell(quantity(queue.rate, unit));
    if (max > 0) text += sparkline_cell(queue.rates, max, points);
    for (const auto& cell : queue.cells) text += value_cell(cell);
    text += "</tr>\n";
  }
  return text.append(kTableEnd);
}

}  // namespace manactl::report
