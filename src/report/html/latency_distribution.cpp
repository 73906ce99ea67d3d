// SPDX-License-Identifier: MIT
//
// The histogram and the cumulative distribution of latencies, and the table of percentiles.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "report/figures.h"
#include "report/html/charts.h"
#include "report/html/elements.h"
#include "report/html/svg.h"

namespace manactl::report {
namespace {

// The decimal logarithm of a time in ns of at least 1 ns.
double time_decade(double nanoseconds) {
  return std::log10(std::max(1.0, nanoseconds));
}

std::uint64_t packets_in(const std::vector<HtmlBin>& bins) {
  return std::accumulate(bins.begin(), bins.end(), std::uint64_t{0}, [](auto sum, const auto& bin) {
    return sum + bin.count;
  });
}

// A logarithmic axis from the fastest to the slowest packet.
Axis time_axis(const std::vector<HtmlBin>& bins, const Plot& plot) {
  constexpr double kMinSpan = 0.001;  // decades
  const double low = time_decade(bins.front().low);
  return {low, std::max(time_decade(bins.back().high), low + kMinSpan), plot.left, plot.x_end()};
}

// Returns 1, 2, 5, 10 ..., only the powers of ten if there are many decades, and evenly spaced
// times if the axis is shorter than a decade.
std::vector<double> time_marks(const Axis& x) {
  constexpr double kWide = 4, kRounding = 1e-9;  // decades
  constexpr unsigned kMarks = 6;
  std::vector<double> marks;
  for (double power = std::floor(x.low); power <= x.high; ++power) {
    for (const double digit : {1, 2, 5}) {
      if (digit > 1 && x.high - x.low > kWide) continue;
      const double at = power + std::log10(digit);
      if (at >= x.low - kRounding && at <= x.high + kRounding)
        marks.push_back(digit * std::pow(10, power));
    }
  }
  if (marks.size() > 2) return marks;
  return ticks(std::pow(10, x.low), std::pow(10, x.high), kMarks);
}

void draw_time_axis(Svg& svg, const Axis& x) {
  for (const double mark : time_marks(x)) {
    const double at = x.at(time_decade(mark));
    svg.line({at, svg.plot().top, 0, svg.height()}, "grid");
    svg.x_mark(at, latency_mark(mark));
  }
  svg.x_axis("latency");
}

// "1", "100", "1k", "10M"
std::string power_text(int power) {
  constexpr std::array<const char*, 7> kPrefixes = {"", "k", "M", "G", "T", "P", "E"};
  return fmt::format("{:g}{}",
                     std::pow(10, power % 3),
                     kPrefixes.at(std::min<std::size_t>(static_cast<std::size_t>(power / 3), 6)));
}

std::string packets_text(std::uint64_t packets) {
  return fmt::format("{} {}", grouped(packets), packets == 1 ? "packet" : "packets");
}

std::string span_text(double low, double high) {
  const auto unit = latency_unit(high);
  return fmt::format("{} to {}", number_text(low, unit), quantity(high, unit));
}

}  // namespace

std::string latency_histogram(const HtmlReport& report) {
  const auto& bins = report.latency_bins;
  if (packets_in(bins) == 0) return {};
  // The axis starts at half a packet, so that the bar of one packet is visible.
  constexpr double kHalfPacket = -0.3, kMargin = 0.15;
  const Plot plot;
  const Axis x = time_axis(bins, plot);
  const auto most =
      *std::max_element(bins.begin(), bins.end(), [](const HtmlBin& a, const HtmlBin& b) {
        return a.count < b.count;
      });
  const double top = std::log10(static_cast<double>(most.count));
  const Axis y{kHalfPacket, std::max(std::ceil(top), 1.0) + kMargin, plot.y_end(), plot.top};
  const auto description = fmt::format("{}; the most frequent latency is {}: {}",
                                       packets_text(packets_in(bins)),
                                       span_text(most.low, most.high),
                                       packets_text(most.count));
  Svg svg("histogram", plot, "Histogram of the latency", description);
  draw_time_axis(svg, x);
  svg.y_unit({1, "packets"});
  for (int power = 0; power <= static_cast<int>(y.high); ++power) {
    svg.y_mark(y.at(power), power_text(power));
  }
  for (const auto& bin : bins) {
    if (bin.count == 0) continue;
    const double from = x.at(time_decade(bin.low));
    const double bar = y.at(std::log10(static_cast<double>(bin.count)));
    svg.rect({from, bar, std::max(x.at(time_decade(bin.high)) - from, 1.0), plot.y_end() - bar},
             "bar",
             fmt::format("{}: {}", span_text(bin.low, bin.high), packets_text(bin.count)));
  }
  return chart_html("histogram of the latency",
                    std::move(svg).end(),
                    {},
                    "Histogram: " + description + ". Both scales are logarithmic.");
}

std::string latency_distribution(const HtmlReport& report) {
  const auto& bins = report.latency_bins;
  const auto total = packets_in(bins);
  if (total == 0) return {};
  constexpr double kAllPackets = 100;
  const Plot plot;
  const Axis x = time_axis(bins, plot);
  const Axis y{0, kAllPackets, plot.y_end(), plot.top};
  std::vector<HtmlPoint> points = {{x.low, 0}};
  std::uint64_t so_far = 0;
  for (const auto& bin : bins) {
    so_far += bin.count;
    points.push_back({time_decade(bin.high),
                      kAllPackets * static_cast<double>(so_far) / static_cast<double>(total)});
  }
  std::string description;
  for (const auto& [percent, nanoseconds] : report.latency) {
    if (percent != 50 && percent != 99) continue;
    description += fmt::format("{}{:g} % of the packets took at most {}",
                               description.empty() ? "" : ", ",
                               percent,
                               quantity(nanoseconds, latency_unit(nanoseconds)));
  }
  Svg svg("distribution", plot, "Cumulative distribution of the latency", description);
  draw_time_axis(svg, x);
  svg.y_unit({1, "%"});
  for (const double share : {0, 25, 50, 75, 100}) {
    svg.y_mark(y.at(share), fmt::format("{:g}", share));
  }
  svg.path(path_data(points, x, y), "s0");
  return chart_html("cumulative distribution of the latency",
                    std::move(svg).end(),
                    {},
                    "Cumulative distribution: " + description);
}

std::string latency_table(const HtmlReport& report) {
  if (report.latency.empty()) return {};
  const auto total = static_cast<double>(packets_in(report.latency_bins));
  auto text =
      table_start("percentiles of the latency", {"percentile", "latency", "slower packets"});
  for (const auto& [percent, nanoseconds] : report.latency) {
    const auto slower = std::floor(total * (1 - percent / kPercent) + 0.5);
    text +=
        "<tr>" +
        name_cell(percent <= 0          ? std::string("minimum")
                  : percent >= kPercent ? std::string("maximum")
                                        : fmt::format("{:g} %", percent)) +
        value_cell(quantity(nanoseconds, latency_unit(nanoseconds))) +
        value_cell(total > 0 && percent > 0 ? grouped(static_cast<std::uint64_t>(slower)) : "-") +
        "</tr>\n";
  }
  return text.append(kTableEnd);
}

}  // namespace manactl::report
