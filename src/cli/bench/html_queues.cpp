// SPDX-License-Identifier: MIT

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cli/bench/html_charts.h"
#include "cli/bench/html_text.h"
#include "cli/bench/svg.h"

namespace manactl::cli {
namespace {

double highest(const std::vector<HtmlQueue>& queues) {
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
  if (queues.size() == 1) return fmt::format("One queue: {}", quantity(high->rate, unit));
  return fmt::format(
      "{} queues: the lowest is {} with {}, the highest {} with {}, their mean is {}",
      queues.size(),
      low->name,
      quantity(low->rate, unit),
      high->name,
      quantity(high->rate, unit),
      quantity(mean(queues), unit));
}

void draw_bars(Svg& svg, const std::vector<HtmlQueue>& queues, const Axis& y) {
  constexpr double kMostWidth = 64, kShare = 0.75, kLetter = 7, kBelow = 18;
  constexpr std::size_t kLongestName = 12;
  const auto& plot = svg.plot();
  const double step = svg.width() / static_cast<double>(queues.size());
  const double width = std::min(step * kShare, kMostWidth);
  const auto unit = rate_unit(y.high);
  double middle = plot.left - step / 2;
  double labelled = 0;  // up to here there is text below the bars
  for (const auto& queue : queues) {
    middle += step;
    const double top = y.at(queue.rate);
    svg.rect({middle - width / 2, top, width, plot.y_end() - top},
             "bar",
             fmt::format("queue {}: {}", queue.name, quantity(queue.rate, unit)));
    const auto name = printable(queue.name, kLongestName);
    const double half = static_cast<double>(name.size() + 1) * kLetter / 2;
    if (middle - half < labelled) continue;
    labelled = middle + half;
    svg.text(middle, plot.y_end() + kBelow, "m", name);
  }
}

// All queues on one scale, so that their lines can be compared.
std::string spark_of(const std::vector<double>& rates, double most, std::size_t columns) {
  if (rates.empty()) return "<td></td>";
  constexpr double kWidth = 160, kHeight = 24;
  const Axis x{0, static_cast<double>(rates.size()), 0, kWidth};
  const Axis y{0, most, kHeight - 1, 1};
  std::vector<HtmlPoint> points;
  points.reserve(rates.size());
  for (const double rate : rates) points.push_back({static_cast<double>(points.size()), rate});
  const auto [low, high] = std::minmax_element(rates.begin(), rates.end());
  const auto unit = rate_unit(*high);
  return fmt::format(
      "<td><svg class=\"spark\" viewBox=\"0 0 160 24\" preserveAspectRatio=\"none\" role=\"img\" "
      "aria-label=\"between {} and {}\"><path d=\"{}\"/></svg></td>",
      quantity(*low, unit),
      quantity(*high, unit),
      path_of(thin(points, columns), x, y));
}

double highest_interval(const std::vector<HtmlQueue>& queues) {
  double most = 0;
  for (const auto& queue : queues) {
    for (const double rate : queue.rates) most = std::max(most, rate);
  }
  return most;
}

std::string row_of(const HtmlQueue& queue, const Unit& unit, const std::string& spark) {
  auto row = fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td>{}",
                         escape(queue.name),
                         quantity(queue.rate, unit),
                         spark);
  for (const auto& cell : queue.cells) row += fmt::format("<td>{}</td>", escape(cell));
  return row + "</tr>\n";
}

}  // namespace

std::string queue_chart(const HtmlReport& report) {
  const auto& queues = report.queues;
  if (queues.empty()) return {};
  Plot plot;
  plot.height = 240;
  const Axis y = rate_axis({0, highest(queues)}, plot);
  const auto unit = rate_unit(y.high);
  const auto said = describe(queues, unit);
  Svg svg("queues", plot, "Rate of each queue", said);
  svg.y_marks(y, unit);
  draw_bars(svg, queues, y);
  if (queues.size() > 1) {
    constexpr double kGap = 6, kHalfLetter = 4;
    const double at = y.at(mean(queues));
    svg.line({plot.left, at, svg.width(), 0}, "median");
    svg.text(plot.x_end() + kGap, at + kHalfLetter, "strong", "mean");
  }
  svg.x_base("queue");
  return figure_of("rate of each queue", std::move(svg).end(), {}, said);
}

std::string queue_table(const HtmlReport& report) {
  if (report.queues.empty()) return {};
  constexpr std::size_t kMostColumns = 120, kOfAll = 10000;
  const auto columns = std::min(kMostColumns, kOfAll / report.queues.size());
  const double most = highest_interval(report.queues);
  const auto unit = rate_unit(highest(report.queues));
  std::string text =
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"queues\">\n"
      "<table class=\"numbers\">\n<thead><tr><th scope=\"col\">queue</th><th "
      "scope=\"col\">mean</th>";
  if (most > 0) text += "<th scope=\"col\">over time</th>";
  for (const auto& column : report.queue_columns) {
    text += fmt::format("<th scope=\"col\">{}</th>", escape(column));
  }
  text += "</tr></thead>\n<tbody>\n";
  for (const auto& queue : report.queues) {
    text += row_of(queue, unit, most > 0 ? spark_of(queue.rates, most, columns) : std::string());
  }
  return text + "</tbody>\n</table>\n</div>\n";
}

}  // namespace manactl::cli
