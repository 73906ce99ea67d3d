// SPDX-License-Identifier: MIT

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/bench/html_charts.h"
#include "cli/bench/html_text.h"
#include "cli/bench/svg.h"

namespace manactl::cli {
namespace {

constexpr double kAll = 100;

// Each nine gets the same room, as the tail is what matters: 0, 90, 99, 99.9 ... The slowest of all
// (100 %) stands half a nine behind the last.
double nines(double percent) {
  return -std::log10(std::max(1 - percent / kAll, 1e-9));
}

// From a nanosecond to eleven days; what is no number is a nanosecond.
double decades(double nanoseconds) {
  constexpr double kMost = 1e15;
  return std::log10(std::min(kMost, std::max(1.0, nanoseconds)));
}

double last_nine(const std::vector<HtmlPercentile>& latency) {
  double most = 1;
  for (const auto& [percent, nanoseconds] : latency) {
    if (percent < kAll) most = std::max(most, nines(percent));
  }
  return most;
}

double place(double percent, double last) {
  return percent < kAll ? nines(percent) : last + 0.5;
}

void percent_mark(Svg& svg, double x, std::string_view name) {
  svg.line({x, svg.plot().top, 0, svg.height()}, "grid");
  svg.x_mark(x, name);
}

void percent_marks(Svg& svg, const Axis& x, double last, bool slowest) {
  percent_mark(svg, x.at(0), "0 %");
  percent_mark(svg, x.at(nines(50)), "50 %");
  for (int nine = 1; nine <= static_cast<int>(last + 1e-6); ++nine) {
    percent_mark(svg,
                 x.at(nine),
                 fmt::format("{:.{}f} %", kAll - std::pow(10, 2 - nine), std::max(nine - 2, 0)));
  }
  if (slowest) percent_mark(svg, x.to, "slowest");
  svg.x_base("share that was not slower");
}

// Round numbers on a logarithmic scale: 1, 2, 5, 10 ...
void log_marks(Svg& svg, const Axis& y, const Unit& unit) {
  svg.y_unit(unit);
  for (int power = static_cast<int>(std::floor(y.low)); power <= static_cast<int>(y.high);
       ++power) {
    for (const double digit : {1, 2, 5}) {
      const double value = digit * std::pow(10, power);
      const double at = std::log10(value);
      if (at < y.low || at > y.high) continue;
      svg.y_mark(y.at(at), fmt::format("{:g}", value / unit.factor));
    }
  }
}

std::string describe(const std::vector<HtmlPercentile>& latency) {
  std::string text;
  for (const auto& [percent, nanoseconds] : latency) {
    for (const double wanted : {50.0, 99.0, 99.9, 99.99, kAll}) {
      if (std::abs(percent - wanted) > 1e-9) continue;
      const auto name = percent < kAll ? fmt::format("{:g} %", percent) : std::string("slowest");
      text += fmt::format("{}{}: {}",
                          text.empty() ? "" : ", ",
                          name,
                          quantity(nanoseconds, latency_unit(nanoseconds)));
    }
  }
  return text;
}

void draw_curve(Svg& svg,
                const std::vector<HtmlPercentile>& latency,
                const Axis& x,
                const Axis& y) {
  constexpr std::size_t kFew = 60;
  constexpr double kRadius = 2.8;
  const double last = last_nine(latency);
  std::vector<HtmlPoint> points;
  points.reserve(latency.size());
  for (const auto& [percent, nanoseconds] : latency) {
    points.push_back({place(percent, last), decades(nanoseconds)});
  }
  svg.path(path_of(points, x, y), "s0");
  if (points.size() > kFew) return;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto& [percent, nanoseconds] = latency[i];
    svg.dot({x.at(points[i].seconds), y.at(points[i].rate), kRadius},
            "dot",
            fmt::format("{:g} %: {}", percent, quantity(nanoseconds, latency_unit(nanoseconds))));
  }
}

}  // namespace

std::string latency_chart(const HtmlReport& report) {
  const auto& latency = report.latency;
  if (latency.size() < 2) return {};
  const Plot plot;
  const double last = last_nine(latency);
  const bool slowest = latency.back().percent >= kAll;
  const Axis x{0, place(latency.back().percent, last), plot.left, plot.x_end()};
  const double low = decades(latency.front().nanoseconds);
  const double high = decades(latency.back().nanoseconds);
  constexpr double kLeastSpan = 0.8, kAir = 0.06;  // decades
  const Axis y{low - kAir, std::max(high + kAir, low + kLeastSpan), plot.y_end(), plot.top};
  const auto said = describe(latency);
  Svg svg("latency", plot, "Latency by percentile", said);
  log_marks(svg, y, latency_unit(latency.back().nanoseconds));
  percent_marks(svg, x, last, slowest);
  draw_curve(svg, latency, x, y);
  return figure_of("latency by percentile", std::move(svg).end(), {}, said);
}

}  // namespace manactl::cli
