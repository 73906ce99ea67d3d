// SPDX-License-Identifier: MIT

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/html_charts.h"
#include "cli/html_text.h"
#include "cli/svg.h"

namespace manactl::cli {
namespace {

constexpr double kAll = 100;

// Each nine gets the same room, as the tail is what matters: 0, 90, 99, 99.9 ... The slowest of all
// (100 %) stands half a nine behind the last.
double nines(double percent) {
  return -std::log10(std::max(1 - percent / kAll, 1e-9));
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

std::string percent_marks(const Plot& plot, const Axis& x, double last, bool slowest) {
  constexpr double kTick = 5, kBelow = 19, kLabel = 38;
  const auto mark = [&](double at, const std::string& name) {
    return line_at({x.at(at), plot.top, 0, plot.y_end() - plot.top}, "grid") +
           line_at({x.at(at), plot.y_end(), 0, kTick}, "base") +
           text_at(x.at(at), plot.y_end() + kBelow, "m", name);
  };
  auto text = mark(0, "0 %") + mark(nines(50), "50 %");
  for (int nine = 1; nine <= static_cast<int>(last + 1e-6); ++nine) {
    text +=
        mark(nine, fmt::format("{:.{}f} %", kAll - std::pow(10, 2 - nine), std::max(nine - 2, 0)));
  }
  if (slowest) text += mark(x.high, "slowest");
  text += line_at({plot.left, plot.y_end(), plot.x_end() - plot.left, 0}, "base");
  return text + text_at((plot.left + plot.x_end()) / 2,
                        plot.y_end() + kLabel,
                        "m",
                        "share that was not slower");
}

// The same round numbers on a logarithmic scale: 1, 2, 5, 10 ...
std::string log_grid(const Plot& plot, const Axis& y, const Unit& unit) {
  std::string text = text_at(plot.left - 8, plot.top - 8, "e", unit.name);
  for (int power = static_cast<int>(std::floor(y.low)); power <= static_cast<int>(y.high);
       ++power) {
    for (const double digit : {1, 2, 5}) {
      const double value = digit * std::pow(10, power);
      const double at = std::log10(value);
      if (at < y.low || at > y.high) continue;
      text += line_at({plot.left, y.at(at), plot.x_end() - plot.left, 0}, "grid");
      text += text_at(plot.left - 8, y.at(at) + 4, "e", fmt::format("{:g}", value / unit.factor));
    }
  }
  return text;
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

std::string curve(const std::vector<HtmlPercentile>& latency, const Axis& x, const Axis& y) {
  const double last = last_nine(latency);
  std::vector<HtmlPoint> points;
  std::string dots;
  for (const auto& [percent, nanoseconds] : latency) {
    points.push_back({place(percent, last), std::log10(std::max(nanoseconds, 1.0))});
    dots += fmt::format(
        "<circle class=\"dot\" cx=\"{}\" cy=\"{}\" r=\"2.8\"><title>{:g} %: {}</title></circle>\n",
        x.px(points.back().seconds),
        y.px(points.back().rate),
        percent,
        quantity(nanoseconds, latency_unit(nanoseconds)));
  }
  constexpr std::size_t kFew = 60;
  const auto line = fmt::format("<path class=\"s0\" d=\"{}\"/>\n", path_of(points, x, y));
  return line + (points.size() <= kFew ? dots : std::string());
}

}  // namespace

std::string latency_chart(const HtmlReport& report) {
  const auto& latency = report.latency;
  if (latency.size() < 2) return {};
  const Plot plot;
  const double last = last_nine(latency);
  const bool slowest = latency.back().percent >= kAll;
  const Axis x{0, place(latency.back().percent, last), plot.left, plot.x_end()};
  const double low = std::log10(std::max(latency.front().nanoseconds, 1.0));
  const double high = std::log10(std::max(latency.back().nanoseconds, 1.0));
  constexpr double kLeastSpan = 0.8, kAir = 0.06;  // decades
  const Axis y{low - kAir, std::max(high + kAir, low + kLeastSpan), plot.y_end(), plot.top};
  const auto unit = latency_unit(latency.back().nanoseconds);
  const auto said = describe(latency);
  auto svg = svg_begin("latency", plot, "Latency by percentile", said);
  svg += log_grid(plot, y, unit) + percent_marks(plot, x, last, slowest);
  svg += curve(latency, x, y) + "</svg>\n";
  return figure_of("latency by percentile", svg, {}, said);
}

}  // namespace manactl::cli
