// SPDX-License-Identifier: MIT

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/html/charts.h"
#include "report/html/elements.h"
#include "report/html/svg.h"

namespace manactl::report {
namespace {

constexpr double kAll = 100;

// Returns the number of nines of a percentile: 90 % is 1, 99 % is 2. The x axis is linear in nines,
// so that the few slowest packets, which matter most, stay visible.
double nines(double percent) {
  return -std::log10(std::max(1 - percent / kAll, 1e-9));
}

// The decimal logarithm of a time in ns, clamped to 1 ns ... 1e15 ns (11 days); NaN counts as 1 ns.
double decades(double nanoseconds) {
  constexpr double kMax = 1e15;
  return std::log10(std::min(kMax, std::max(1.0, nanoseconds)));
}

double max_nines(const std::vector<HtmlPercentile>& latency) {
  double max = 1;
  for (const auto& [percent, nanoseconds] : latency) {
    if (percent < kAll) max = std::max(max, nines(percent));
  }
  return max;
}

// The slowest packet (100 %) is drawn half a nine after the last percentile.
double x_value(double percent, double last) {
  return percent < kAll ? nines(percent) : last + 0.5;
}

void percent_mark(Svg& svg, double x, std::string_view name) {
  svg.line({x, svg.plot().top, 0, svg.height()}, "grid");
  svg.x_mark(x, name);
}

void percent_marks(Svg& svg, const Axis& x, double last, bool has_max) {
  percent_mark(svg, x.at(0), "0 %");
  percent_mark(svg, x.at(nines(50)), "50 %");
  for (int nine = 1; nine <= static_cast<int>(last + 1e-6); ++nine) {
    percent_mark(svg,
                 x.at(nine),
                 fmt::format("{:.{}f} %", kAll - std::pow(10, 2 - nine), std::max(nine - 2, 0)));
  }
  if (has_max) percent_mark(svg, x.to, "maximum");
  svg.x_axis("percentile");
}

// Draws the marks 1, 2, 5, 10 ... of a logarithmic axis.
void log_marks(Svg& svg, const Axis& y) {
  for (int power = static_cast<int>(std::floor(y.low)); power <= static_cast<int>(y.high);
       ++power) {
    for (const double digit : {1, 2, 5}) {
      const double value = digit * std::pow(10, power);
      const double at = std::log10(value);
      if (at < y.low || at > y.high) continue;
      svg.y_mark(y.at(at), latency_mark(value));
    }
  }
}

std::string describe(const std::vector<HtmlPercentile>& latency) {
  std::string text;
  for (const auto& [percent, nanoseconds] : latency) {
    for (const double shown : {50.0, 99.0, 99.9, 99.99, kAll}) {
      if (std::abs(percent - shown) > 1e-9) continue;
      const auto name = percent < kAll ? fmt::format("{:g} %", percent) : std::string("maximum");
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
  constexpr std::size_t kMaxDots = 60;
  constexpr double kRadius = 2.8;
  const double last = max_nines(latency);
  std::vector<HtmlPoint> points;
  points.reserve(latency.size());
  for (const auto& [percent, nanoseconds] : latency) {
    points.push_back({x_value(percent, last), decades(nanoseconds)});
  }
  svg.path(path_data(points, x, y), "s0");
  if (points.size() > kMaxDots) return;
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
  const double last = max_nines(latency);
  const bool has_max = latency.back().percent >= kAll;
  const Axis x{0, x_value(latency.back().percent, last), plot.left, plot.x_end()};
  const double low = decades(latency.front().nanoseconds);
  const double high = decades(latency.back().nanoseconds);
  constexpr double kMinSpan = 0.8, kMargin = 0.06;  // decades
  const Axis y{low - kMargin, std::max(high + kMargin, low + kMinSpan), plot.y_end(), plot.top};
  const auto description = describe(latency);
  Svg svg("latency", plot, "Latency by percentile", description);
  log_marks(svg, y);
  percent_marks(svg, x, last, has_max);
  draw_curve(svg, latency, x, y);
  return chart_html("latency by percentile", std::move(svg).end(), {}, description);
}

}  // namespace manactl::report
