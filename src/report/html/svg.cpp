// SPDX-License-Identifier: MIT

#include "report/html/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "report/html/elements.h"

namespace manactl::report {
namespace {

constexpr double kTen = 10;
constexpr double kLabelGap = 8;  // SVG units between the plot and the text next to it
constexpr int kMaxDigits = 4;    // maximum number of decimals of a mark

// Returns the number of decimals that multiples of `step` need.
int decimals(double step) {
  if (!(step > 0)) return 0;
  return std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-9)), 0, kMaxDigits);
}

// Returns `value` with enough decimals to differ from the adjacent marks.
std::string tick_text(double value, const std::vector<double>& all) {
  const double step = all.size() > 1 ? all[1] - all[0] : 1;
  return fmt::format("{:.{}f}", value, decimals(step));
}

}  // namespace

double Axis::at(double value) const {
  if (!(high > low) || !std::isfinite(value)) return from;
  return from + (value - low) / (high - low) * (to - from);
}

std::vector<double> ticks(double low, double high, unsigned count) {
  std::vector<double> marks;
  if (!(high > low) || !std::isfinite(high - low)) return marks;
  const double rough = (high - low) / count;
  const double power = std::pow(kTen, std::floor(std::log10(rough)));
  double step = power * kTen;
  for (const double factor : {5, 2, 1}) {
    if (power * factor >= rough) step = power * factor;
  }
  const double first = std::ceil(low / step - 1e-9);
  for (unsigned i = 0; (first + i) * step <= high + step * 1e-9; ++i) {
    marks.push_back((first + i) * step);
  }
  return marks;
}

Axis rate_axis(const HtmlBand& range, const Plot& plot) {
  constexpr double kNear = 0.7, kMinSpan = 0.1, kHeadroom = 1.08;
  if (!(range.low <= range.high)) return {0, 1, plot.y_end(), plot.top};  // no finite value
  Axis axis{0, range.high > 0 ? range.high * kHeadroom : 1, plot.y_end(), plot.top};
  if (range.low < kNear * range.high) return axis;
  const double span =
      std::max((range.high - range.low) * kHeadroom * kHeadroom, kMinSpan * range.high);
  const double middle = (range.low + range.high) / 2;
  axis.low = middle - span / 2;
  axis.high = middle + span / 2;
  return axis;
}

Svg::Svg(std::string_view id,
         const Plot& plot,
         std::string_view title,
         std::string_view description)
    : plot_(plot),
      out_(fmt::format(
          R"(<svg id="{0}" viewBox="0 0 {1} {2}" role="img" aria-labelledby="{0}-t {0}-d" )"
          R"(xmlns="http://www.w3.org/2000/svg">)"
          "\n"
          R"(<title id="{0}-t">{3}</title><desc id="{0}-d">{4}</desc>)"
          "\n",
          id,
          plot.width,
          plot.height,
          escape(title),
          escape(description))) {}

void Svg::text(double x, double y, std::string_view style, std::string_view text) {
  out_ +=
      fmt::format(R"(<text class="{}" x="{:.1f}" y="{:.1f}">{}</text>)", style, x, y, escape(text));
  out_ += '\n';
}

void Svg::line(const Box& diagonal, std::string_view style) {
  const auto& [x, y, width, height] = diagonal;
  path(fmt::format("M{:.1f} {:.1f}l{:.1f} {:.1f}", x, y, width, height), style);
}

void Svg::rect(const Box& box, std::string_view style, std::string_view tooltip) {
  out_ += fmt::format(R"(<rect class="{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}")",
                      style,
                      box.x,
                      box.y,
                      box.width,
                      box.height);
  close("rect", tooltip);
}

void Svg::path(std::string_view d, std::string_view style, std::string_view tooltip) {
  out_ += fmt::format(R"(<path class="{}" d="{}")", style, d);
  close("path", tooltip);
}

void Svg::dot(const Spot& spot, std::string_view style, std::string_view tooltip) {
  out_ += fmt::format(
      R"(<circle class="{}" cx="{:.1f}" cy="{:.1f}" r="{}")", style, spot.x, spot.y, spot.radius);
  close("circle", tooltip);
}

void Svg::close(std::string_view name, std::string_view tooltip) {
  out_ +=
      tooltip.empty() ? "/>\n" : fmt::format("><title>{}</title></{}>\n", escape(tooltip), name);
}

void Svg::x_axis(std::string_view label) {
  constexpr double kBelow = 38;
  line({plot_.left, plot_.y_end(), width(), 0}, "base");
  text(plot_.left + width() / 2, plot_.y_end() + kBelow, "m", label);
}

void Svg::x_mark(double x, std::string_view value) {
  constexpr double kTick = 5, kBelow = 19;
  line({x, plot_.y_end(), 0, kTick}, "base");
  text(x, plot_.y_end() + kBelow, "m", value);
}

void Svg::x_marks(const Axis& x, const Unit& unit) {
  constexpr unsigned kMarks = 10;
  const auto values = ticks(x.low / unit.factor, x.high / unit.factor, kMarks);
  for (const double value : values) x_mark(x.at(value * unit.factor), tick_text(value, values));
}

void Svg::y_unit(const Unit& unit) {
  text(plot_.left - kLabelGap, plot_.top - kLabelGap, "e", unit.name);
}

void Svg::y_mark(double y, std::string_view value) {
  constexpr double kHalfLetter = 4;
  line({plot_.left, y, width(), 0}, "grid");
  text(plot_.left - kLabelGap, y + kHalfLetter, "e", value);
}

void Svg::y_marks(const Axis& y, const Unit& unit) {
  constexpr unsigned kMarks = 5;
  y_unit(unit);
  const auto values = ticks(y.low / unit.factor, y.high / unit.factor, kMarks);
  for (const double value : values) y_mark(y.at(value * unit.factor), tick_text(value, values));
}

std::string Svg::end() && {
  return std::move(out_ += "</svg>\n");
}

std::vector<HtmlPoint> thin(const std::vector<HtmlPoint>& points, std::size_t columns) {
  if (columns == 0 || points.size() <= 2 * columns) return points;
  std::vector<HtmlPoint> thinned;
  // A group that has a point without a rate keeps it, because it interrupts the line.
  const auto key = [](const HtmlPoint& point) { return has_rate(point) ? point.rate : -HUGE_VAL; };
  const auto by_rate = [&](const HtmlPoint& a, const HtmlPoint& b) { return key(a) < key(b); };
  for (std::size_t column = 0; column < columns; ++column) {
    const auto* const begin = points.data() + column * points.size() / columns;
    const auto* const end = points.data() + (column + 1) * points.size() / columns;
    const auto [low, high] = std::minmax_element(begin, end, by_rate);
    thinned.push_back(*std::min(low, high));
    if (low != high) thinned.push_back(*std::max(low, high));
  }
  return thinned;
}

bool has_rate(const HtmlPoint& point) {
  return std::isfinite(point.rate);
}

std::string path_data(const std::vector<HtmlPoint>& points, const Axis& x, const Axis& y) {
  std::string path;
  bool is_new_line = true;
  for (const auto& point : points) {
    if (has_rate(point)) {
      path += fmt::format(
          "{}{:.1f} {:.1f}", is_new_line ? 'M' : 'L', x.at(point.seconds), y.at(point.rate));
    }
    is_new_line = !has_rate(point);
  }
  return path;
}

}  // namespace manactl::report
