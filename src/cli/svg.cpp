// SPDX-License-Identifier: MIT

#include "cli/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "base/text.h"
#include "cli/html_text.h"

namespace manactl::cli {
namespace {

constexpr double kTen = 10;
constexpr int kDigits = 4;  // of a quantity that count

Unit largest_below(std::span<const Unit> units, double most) {
  Unit fit = units.front();
  for (const auto& unit : units) {
    if (most >= unit.factor) fit = unit;
  }
  return fit;
}

// Digits behind the point of a value that counts in steps of `step`.
int decimals(double step) {
  if (!(step > 0)) return 0;
  return std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-9)), 0, kDigits);
}

std::string number(double value) {
  return fmt::format("{:.1f}", value);
}

}  // namespace

Unit rate_unit(double most) {
  constexpr std::array<Unit, 4> kUnits = {
      {{1, "pps"}, {1e3, "kpps"}, {1e6, "Mpps"}, {1e9, "Gpps"}}};
  return largest_below(kUnits, most);
}

Unit seconds_unit(double most) {
  constexpr std::array<Unit, 3> kUnits = {{{1, "s"}, {60, "min"}, {3600, "h"}}};
  constexpr double kSeveral = 3;  // "180 s", but "4 min"
  return largest_below(kUnits, most / kSeveral);
}

Unit latency_unit(double most) {
  constexpr std::array<Unit, 4> kUnits = {{{1, "ns"}, {1e3, "\u00b5s"}, {1e6, "ms"}, {1e9, "s"}}};
  return largest_below(kUnits, most);
}

std::string quantity(double value, const Unit& unit) {
  if (!std::isfinite(value)) return "unknown";
  const double scaled = value / unit.factor;
  const int before = std::abs(scaled) < 1 ? 1 : static_cast<int>(std::log10(std::abs(scaled))) + 1;
  return fmt::format("{:.{}f} {}", scaled, std::max(kDigits - before, 0), unit.name);
}

double Axis::at(double value) const {
  if (!(high > low) || !std::isfinite(value)) return from;
  return from + (value - low) / (high - low) * (to - from);
}

std::string Axis::px(double value) const {
  return number(at(value));
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
  constexpr double kNear = 0.7, kLeastSpan = 0.1, kHeadroom = 1.08;
  if (!(range.low <= range.high)) return {0, 1, plot.y_end(), plot.top};  // nothing finite
  Axis axis{0, range.high > 0 ? range.high * kHeadroom : 1, plot.y_end(), plot.top};
  if (range.low < kNear * range.high) return axis;
  const double span =
      std::max((range.high - range.low) * kHeadroom * kHeadroom, kLeastSpan * range.high);
  const double middle = (range.low + range.high) / 2;
  axis.low = middle - span / 2;
  axis.high = middle + span / 2;
  return axis;
}

std::string svg_begin(std::string_view id,
                      const Plot& plot,
                      std::string_view title,
                      std::string_view description) {
  return fmt::format(
      "<svg id=\"{0}\" viewBox=\"0 0 {1} {2}\" role=\"img\" aria-labelledby=\"{0}-t {0}-d\" "
      "xmlns=\"http://www.w3.org/2000/svg\">\n"
      "<title id=\"{0}-t\">{3}</title>\n<desc id=\"{0}-d\">{4}</desc>\n",
      id,
      plot.width,
      plot.height,
      escape(title),
      escape(description));
}

std::string text_at(double x, double y, std::string_view style, std::string_view text) {
  return fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\">{}</text>\n",
                     style,
                     number(x),
                     number(y),
                     escape(text));
}

std::string line_at(const Box& diagonal, std::string_view style) {
  return fmt::format("<path class=\"{}\" d=\"M{} {}l{} {}\"/>\n",
                     style,
                     number(diagonal.x),
                     number(diagonal.y),
                     number(diagonal.width),
                     number(diagonal.height));
}

std::string rect_at(const Box& box, std::string_view style, std::string_view tip) {
  auto text = fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"",
                          style,
                          number(box.x),
                          number(box.y),
                          number(box.width),
                          number(box.height));
  return text + (tip.empty() ? "/>\n" : fmt::format("><title>{}</title></rect>\n", escape(tip)));
}

std::string y_grid(const Plot& plot, const Axis& y, const Unit& unit) {
  constexpr unsigned kLines = 5;
  constexpr double kGap = 8, kHalfLetter = 4;
  auto text = text_at(plot.left - kGap, plot.top - kGap, "e", unit.name);
  const auto values = ticks(y.low / unit.factor, y.high / unit.factor, kLines);
  const double step = values.size() > 1 ? values[1] - values[0] : 1;
  for (const double value : values) {
    const double at = y.at(value * unit.factor);
    text += line_at({plot.left, at, plot.x_end() - plot.left, 0}, "grid");
    text += text_at(
        plot.left - kGap, at + kHalfLetter, "e", fmt::format("{:.{}f}", value, decimals(step)));
  }
  return text;
}

std::string x_marks(const Plot& plot, const Axis& x, const Unit& unit, std::string_view label) {
  constexpr unsigned kMarks = 10;
  constexpr double kTick = 5, kBelow = 19, kLabel = 38;
  auto text = line_at({plot.left, plot.y_end(), plot.x_end() - plot.left, 0}, "base");
  const auto values = ticks(x.low / unit.factor, x.high / unit.factor, kMarks);
  const double step = values.size() > 1 ? values[1] - values[0] : 1;
  for (const double value : values) {
    const double at = x.at(value * unit.factor);
    text += line_at({at, plot.y_end(), 0, kTick}, "base");
    text += text_at(at, plot.y_end() + kBelow, "m", fmt::format("{:.{}f}", value, decimals(step)));
  }
  return text + text_at((plot.left + plot.x_end()) / 2, plot.y_end() + kLabel, "m", label);
}

std::vector<HtmlPoint> thin(const std::vector<HtmlPoint>& points, std::size_t columns) {
  if (columns == 0 || points.size() <= 2 * columns) return points;
  std::vector<HtmlPoint> few;
  const auto by_rate = [](const HtmlPoint& a, const HtmlPoint& b) { return a.rate < b.rate; };
  for (std::size_t column = 0; column < columns; ++column) {
    const auto* const begin = points.data() + column * points.size() / columns;
    const auto* const end = points.data() + (column + 1) * points.size() / columns;
    const auto [low, high] = std::minmax_element(begin, end, by_rate);
    few.push_back(*std::min(low, high));
    if (low != high) few.push_back(*std::max(low, high));
  }
  return few;
}

std::string path_of(const std::vector<HtmlPoint>& points, const Axis& x, const Axis& y) {
  std::string path;
  for (const auto& point : points) {
    path += fmt::format("{}{} {}", path.empty() ? "M" : "L", x.px(point.seconds), y.px(point.rate));
  }
  return path;
}

}  // namespace manactl::cli
