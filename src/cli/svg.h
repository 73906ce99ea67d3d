// SPDX-License-Identifier: MIT
//
// Axes, grids and lines of charts as text of SVG. Colours are classes of data/report.css. A line is
// thinned to what its columns of pixels can show, so that a page stays small however long a run
// was.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cli/html_report.h"

namespace manactl::cli {

struct Unit {
  double factor = 1;
  std::string_view name;
};

Unit rate_unit(double most);     // packets per second: "pps" to "Gpps"
Unit seconds_unit(double most);  // "s", "min", "h"
Unit latency_unit(double most);  // nanoseconds: "ns", "us", "ms", "s"

// "14.210 Mpps": as many digits as four significant ones need.
std::string quantity(double value, const Unit& unit);

// A scale from values to coordinates.
struct Axis {
  double low = 0, high = 1;  // values
  double from = 0, to = 1;   // coordinates
  double at(double value) const;
  std::string px(double value) const;  // at(), as text
};

// Round numbers (1, 2, 5, 10 ...) within [low, high], about `count` of them.
std::vector<double> ticks(double low, double high, unsigned count);

// Where a chart's values stand in its picture.
struct Plot {
  double width = 960, height = 300;
  double left = 66, right = 92, top = 24, bottom = 44;

  double x_end() const { return width - right; }

  double y_end() const { return height - bottom; }
};

// Of rates: from zero, unless all lie so close together that nothing would be seen of them. Noise
// is never drawn larger than a tenth of the value over the whole height.
Axis rate_axis(const HtmlBand& range, const Plot& plot);

std::string svg_begin(std::string_view id,
                      const Plot& plot,
                      std::string_view title,
                      std::string_view description);

// Lines across the plot with their values on the left, and the unit above them.
std::string y_grid(const Plot& plot, const Axis& y, const Unit& unit);

// Marks below the plot with their values, and what they are.
std::string x_marks(const Plot& plot, const Axis& x, const Unit& unit, std::string_view label);

struct Box {
  double x = 0, y = 0, width = 0, height = 0;
};

std::string text_at(double x, double y, std::string_view style, std::string_view text);
std::string line_at(const Box& diagonal, std::string_view style);
std::string rect_at(const Box& box, std::string_view style, std::string_view tip = {});

// Of each of `columns` equal stretches of the points the lowest and the highest point, in their
// order; all points when they are not more than that.
std::vector<HtmlPoint> thin(const std::vector<HtmlPoint>& points, std::size_t columns);

// The attribute d of a path through the points.
std::string path_of(const std::vector<HtmlPoint>& points, const Axis& x, const Axis& y);

}  // namespace manactl::cli
