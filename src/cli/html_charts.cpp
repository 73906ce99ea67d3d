// SPDX-License-Identifier: MIT

#include "cli/html_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/html_text.h"
#include "cli/svg.h"

namespace manactl::cli {
namespace {

constexpr std::size_t kFewPoints = 240;  // up to which each is a dot with a tooltip
constexpr double kGap = 6;
constexpr std::size_t kStyles = 3;
constexpr std::string_view kSwatch =
    "<li><svg viewBox=\"0 0 28 12\" aria-hidden=\"true\">{}</svg>{}</li>\n";

std::string swatch_line(std::string_view style, std::string_view name) {
  return fmt::format(kSwatch, line_at({0, 6, 28, 0}, style), escape(name));
}

std::string swatch_box(std::string_view style, std::string_view name) {
  return fmt::format(kSwatch, rect_at({0, 0, 28, 12}, style), escape(name));
}

HtmlBand range_of(const HtmlReport& report) {
  HtmlBand range{HUGE_VAL, 0};
  for (const auto& line : report.series) {
    for (const auto& point : line.points) {
      if (!std::isfinite(point.rate)) continue;
      range.low = std::min(range.low, point.rate);
      range.high = std::max(range.high, point.rate);
    }
  }
  return range;
}

std::string spans_of(const std::vector<HtmlSpan>& spans,
                     const Plot& plot,
                     const Axis& x,
                     std::string_view style) {
  constexpr double kLeastWidth = 2;
  std::string text;
  for (const auto& span : spans) {
    const double from = x.at(std::clamp(span.from, x.low, x.high));
    const double to = x.at(std::clamp(span.to, x.low, x.high));
    text += rect_at({from, plot.top, std::max(to - from, kLeastWidth), plot.y_end() - plot.top},
                    style,
                    span.why);
  }
  return text;
}

// A sign at the top of each: colour alone would not tell everybody.
std::string marks_of(const std::vector<HtmlSpan>& spans, const Plot& plot, const Axis& x) {
  std::string text;
  for (const auto& span : spans) {
    text += fmt::format(
        "<path class=\"mark\" d=\"M{0:.1f} {1:.1f}l-5 -9h10z\"><title>{2}</title></path>\n",
        x.at(std::clamp((span.from + span.to) / 2, x.low, x.high)),
        plot.top,
        escape(span.why));
  }
  return text;
}

std::string bounds_of(const HtmlReport& report, const Plot& plot, const Axis& y) {
  if (!report.confidence) return {};
  constexpr double kLeastHeight = 2;
  const double top = y.at(report.confidence->high);
  const double height = std::max(y.at(report.confidence->low) - top, kLeastHeight);
  return rect_at(
      {plot.left, top, plot.x_end() - plot.left, height}, "band", "95 % bounds of the median");
}

std::string median_of(const HtmlReport& report, const Plot& plot, const Axis& y, const Unit& unit) {
  if (!report.median) return {};
  const double at = y.at(*report.median);
  return line_at({plot.left, at, plot.x_end() - plot.left, 0}, "median") +
         text_at(plot.x_end() + kGap, at - 2, "strong", "median") +
         text_at(plot.x_end() + kGap, at + 12, "strong", quantity(*report.median, unit));
}

std::string dots_of(const HtmlSeries& line, std::size_t style, const Axis& x, const Axis& y) {
  std::string text;
  const auto unit = rate_unit(y.high);
  for (const auto& point : line.points) {
    text += fmt::format(
        "<circle class=\"dot{}\" cx=\"{}\" cy=\"{}\" r=\"2.4\"><title>{:g} s: "
        "{}</title></circle>\n",
        style == 0 ? "" : fmt::format("{}", style),
        x.px(point.seconds),
        y.px(point.rate),
        point.seconds,
        quantity(point.rate, unit));
  }
  return text;
}

double last_second(const HtmlReport& report) {
  double last = 0;
  for (const auto& line : report.series) {
    if (!line.points.empty()) last = std::max(last, line.points.back().seconds);
  }
  return last;
}

std::string rate_legend(const HtmlReport& report) {
  std::string legend;
  for (std::size_t i = 0; i < report.series.size(); ++i) {
    legend += swatch_line(fmt::format("s{}", i % kStyles), report.series[i].name);
  }
  if (report.median) legend += swatch_line("median", "median of " + report.series.front().name);
  if (report.confidence) legend += swatch_box("band", "its 95 % bounds");
  if (!report.left_out.empty()) legend += swatch_box("pale", "left out of the median");
  if (!report.trials.empty()) legend += swatch_line("trial", "next trial");
  if (!report.disturbed.empty()) legend += swatch_box("hatch", "disturbed");
  return legend;
}

std::string rate_caption(const HtmlReport& report, std::size_t drawn, const Axis& y) {
  std::string caption;
  const auto all = report.series.front().points.size();
  if (drawn < all) {
    caption = fmt::format(
        "{} intervals, drawn in {} columns: each shows its lowest and its highest one. ",
        all,
        drawn / 2);
  }
  if (y.low > 0) caption += "The scale does not begin at 0.";
  return caption;
}

std::string describe(const HtmlReport& report, const HtmlBand& range, const Unit& unit) {
  auto text = fmt::format("{} intervals in {:.1f} s, between {} and {}",
                          report.series.front().points.size(),
                          last_second(report),
                          quantity(range.low, unit),
                          quantity(range.high, unit));
  if (report.median) text += ", median " + quantity(*report.median, unit);
  return text + fmt::format("; {} intervals disturbed", report.disturbed.size());
}

}  // namespace

std::string rate_chart(const HtmlReport& report, const std::vector<HtmlSpan>& disturbed) {
  if (report.series.empty() || last_second(report) <= 0) return {};
  const Plot plot;
  const auto range = range_of(report);
  const Axis x{0, last_second(report), plot.left, plot.x_end()};
  const Axis y = rate_axis(range, plot);
  const auto unit = rate_unit(range.high);
  const auto time = seconds_unit(x.high);
  auto svg = svg_begin("rate", plot, "Throughput over time", describe(report, range, unit));
  svg +=
      "<defs><pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
      "patternTransform=\"rotate(45)\"><path class=\"hatch-line\" d=\"M0 "
      "0V6\"/></pattern></defs>\n";
  svg += spans_of(report.left_out, plot, x, "pale");
  svg += spans_of(disturbed, plot, x, "hatch");
  svg += y_grid(plot, y, unit) + x_marks(plot, x, time, fmt::format("time in {}", time.name));
  svg += bounds_of(report, plot, y);
  for (const double begin : report.trials) {
    svg += line_at({x.at(begin), plot.top, 0, plot.y_end() - plot.top}, "trial");
  }
  std::size_t drawn = 0;
  for (std::size_t i = 0; i < report.series.size(); ++i) {
    const auto few = thin(report.series[i].points, static_cast<std::size_t>(x.to - x.from));
    if (i == 0) drawn = few.size();
    svg += fmt::format("<path class=\"s{}\" d=\"{}\"/>\n", i % kStyles, path_of(few, x, y));
    if (few.size() <= kFewPoints) svg += dots_of(report.series[i], i % kStyles, x, y);
  }
  svg += median_of(report, plot, y, unit) + marks_of(disturbed, plot, x) + "</svg>\n";
  return figure_of(
      "throughput over time", svg, rate_legend(report), rate_caption(report, drawn, y));
}

}  // namespace manactl::cli
