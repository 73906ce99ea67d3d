// SPDX-License-Identifier: MIT

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "report/html/charts.h"
#include "report/html/elements.h"
#include "report/html/svg.h"

namespace manactl::report {
namespace {

constexpr std::size_t kMaxRateDots = 240;  // longer series are drawn without dots and tooltips
constexpr double kTextGap = 6;             // SVG units between the plot and the text next to it
constexpr std::size_t kStyles = 3;

constexpr std::string_view kHatch =
    R"(<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" )"
    R"svg(patternTransform="rotate(45)"><path class="hatch-line" d="M0 0V6"/></pattern></defs>)svg";

std::string swatch(std::string_view element, std::string_view name) {
  return fmt::format("<li><svg viewBox=\"0 0 28 12\" aria-hidden=\"true\">{}/></svg>{}</li>\n",
                     element,
                     escape(name));
}

std::string swatch_line(std::string_view style, std::string_view name) {
  return swatch(fmt::format(R"(<path class="{}" d="M0 6h28")", style), name);
}

std::string swatch_box(std::string_view style, std::string_view name) {
  return swatch(fmt::format(R"(<rect class="{}" width="28" height="12")", style), name);
}

HtmlBand range_of(const HtmlReport& report) {
  HtmlBand range{HUGE_VAL, 0};
  for (const auto& line : report.series) {
    for (const auto& point : line.points) {
      if (!has_rate(point)) continue;
      range.low = std::min(range.low, point.rate);
      range.high = std::max(range.high, point.rate);
    }
  }
  return range;
}

void draw_spans(Svg& svg,
                const std::vector<HtmlSpan>& spans,
                const Axis& x,
                std::string_view style) {
  constexpr double kMinWidth = 2;
  for (const auto& span : spans) {
    const double from = x.at(std::clamp(span.from, x.low, x.high));
    const double to = x.at(std::clamp(span.to, x.low, x.high));
    svg.rect(
        {from, svg.plot().top, std::max(to - from, kMinWidth), svg.height()}, style, span.reason);
  }
}

// Marks each span with a triangle as well, because some readers cannot see the colors.
void draw_marks(Svg& svg, const std::vector<HtmlSpan>& spans, const Axis& x) {
  for (const auto& span : spans) {
    const double at = x.at(std::clamp((span.from + span.to) / 2, x.low, x.high));
    svg.path(fmt::format("M{:.1f} {:.1f}l-5 -9h10z", at, svg.plot().top), "mark", span.reason);
  }
}

void draw_bounds(Svg& svg, const HtmlReport& report, const Axis& y) {
  if (!report.confidence) return;
  constexpr double kMinHeight = 2;
  const double top = y.at(report.confidence->high);
  const double height = std::max(y.at(report.confidence->low) - top, kMinHeight);
  svg.rect({svg.plot().left, top, svg.width(), height},
           "band",
           "95 % confidence interval of the median");
}

void draw_median(Svg& svg, const HtmlReport& report, const Axis& y, const Unit& unit) {
  if (!report.median) return;
  constexpr double kAbove = -2, kBelow = 12;
  const double at = y.at(*report.median);
  const double text_x = svg.plot().x_end() + kTextGap;
  svg.line({svg.plot().left, at, svg.width(), 0}, "median");
  svg.text(text_x, at + kAbove, "strong", "median");
  svg.text(text_x, at + kBelow, "strong", quantity(*report.median, unit));
}

void draw_dots(
    Svg& svg, const HtmlSeries& line, std::string_view style, const Axis& x, const Axis& y) {
  constexpr double kRadius = 2.4;
  const auto unit = rate_unit(y.high);
  for (const auto& point : line.points) {
    if (!has_rate(point)) continue;
    svg.dot({x.at(point.seconds), y.at(point.rate), kRadius},
            style,
            fmt::format("{:g} s: {}", point.seconds, quantity(point.rate, unit)));
  }
}

// Draws all series. Returns the number of points drawn for the first one.
std::size_t draw_series(Svg& svg, const HtmlReport& report, const Axis& x, const Axis& y) {
  constexpr std::array<std::array<std::string_view, 2>, kStyles> kStyle = {
      {{"s0", "dot"}, {"s1", "dot1"}, {"s2", "dot2"}}};
  std::size_t drawn = 0;
  for (std::size_t i = 0; i < report.series.size(); ++i) {
    const auto points = thin(report.series[i].points, static_cast<std::size_t>(svg.width()));
    const auto& [line, dot] = kStyle[i % kStyles];
    if (i == 0) drawn = points.size();
    svg.path(path_data(points, x, y), line);
    if (points.size() <= kMaxRateDots) draw_dots(svg, report.series[i], dot, x, y);
  }
  return drawn;
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
  if (report.median)
    legend += swatch_line("median", fmt::format("median ({})", report.series.front().name));
  if (report.confidence) legend += swatch_box("band", "95 % confidence interval of the median");
  if (!report.excluded.empty()) legend += swatch_box("pale", "excluded from the median");
  if (!report.trial_starts.empty()) legend += swatch_line("trial", "start of a trial");
  if (!report.disturbed.empty()) legend += swatch_box("hatch", "disturbed");
  return legend;
}

std::string rate_caption(const HtmlReport& report, std::size_t drawn, const Axis& y) {
  std::string caption;
  const auto total = report.series.front().points.size();
  if (drawn < total) {
    caption =
        fmt::format("{} intervals in {} columns; each column shows its lowest and highest rate. ",
                    total,
                    drawn / 2);
  }
  if (y.low > 0) caption += "The scale does not start at 0.";
  return caption;
}

std::string describe(const HtmlReport& report, const HtmlBand& range, const Unit& unit) {
  auto text = fmt::format("{} in {:.1f} s, between {} and {}",
                          counted(report.series.front().points.size(), "interval"),
                          last_second(report),
                          quantity(range.low, unit),
                          quantity(range.high, unit));
  if (report.median) text += ", median " + quantity(*report.median, unit);
  return text + fmt::format("; {} disturbed", counted(report.disturbed.size(), "interval"));
}

}  // namespace

std::string rate_chart(const HtmlReport& report, const std::vector<HtmlSpan>& disturbed) {
  if (report.series.empty() || last_second(report) <= 0) return {};
  const Plot plot;
  const auto range = range_of(report);
  if (range.low > range.high) return {};  // no interval has a rate
  const Axis x{0, last_second(report), plot.left, plot.x_end()};
  const Axis y = rate_axis(range, plot);
  const auto unit = rate_unit(range.high);
  const auto time = seconds_unit(x.high);
  Svg svg("rate", plot, "Throughput over time", describe(report, range, unit));
  svg.add(kHatch);
  draw_spans(svg, report.excluded, x, "pale");
  draw_spans(svg, disturbed, x, "hatch");
  svg.y_marks(y, unit);
  svg.x_marks(x, time);
  svg.x_axis(fmt::format("time in {}", time.name));
  draw_bounds(svg, report, y);
  for (const double begin : report.trial_starts)
    svg.line({x.at(begin), plot.top, 0, svg.height()}, "trial");
  const auto drawn = draw_series(svg, report, x, y);
  draw_median(svg, report, y, unit);
  draw_marks(svg, disturbed, x);
  return chart_html("throughput over time",
                    std::move(svg).end(),
                    rate_legend(report),
                    rate_caption(report, drawn, y));
}

}  // namespace manactl::report
