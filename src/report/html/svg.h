// SPDX-License-Identifier: MIT
//
// Draws axes, grids and lines of charts as SVG. Styles are CSS classes of data/report.css. thin()
// removes points that the pixel columns cannot show, so that pages of long runs stay small.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "report/html/page.h"
#include "report/units.h"

namespace manactl::report {

// Maps the values from `low` to `high` to the coordinates from `from` to `to`.
struct Axis {
  double low = 0, high = 1;  // values
  double from = 0, to = 1;   // coordinates
  double at(double value) const;
};

// Round numbers (1, 2, 5, 10 ...) within [low, high], about `count` of them.
std::vector<double> ticks(double low, double high, unsigned count);

// The size of a picture, and the margins between its edges and the plot, in SVG units.
struct Plot {
  double width = 960, height = 300;
  double left = 66, right = 104, top = 24, bottom = 44;

  double x_end() const { return width - right; }

  double y_end() const { return height - bottom; }
};

// An axis for rates. It starts at 0, unless the rates lie so close together that their differences
// would be invisible. It spans at least a tenth of the highest rate, so that noise stays small.
Axis rate_axis(const HtmlBand& range, const Plot& plot);

struct Box {
  double x = 0, y = 0, width = 0, height = 0;
};

struct Spot {
  double x = 0, y = 0, radius = 0;
};

// An SVG picture. Each call adds elements and escapes text. A `tooltip` is the element's <title>.
class Svg {
 public:
  Svg(std::string_view id, const Plot& plot, std::string_view title, std::string_view description);

  const Plot& plot() const { return plot_; }

  double height() const { return plot_.y_end() - plot_.top; }  // height of the plot without margins

  double width() const { return plot_.x_end() - plot_.left; }

  void text(double x, double y, std::string_view style, std::string_view text);
  void line(const Box& diagonal, std::string_view style);
  void rect(const Box& box, std::string_view style, std::string_view tooltip = {});
  void path(std::string_view d, std::string_view style, std::string_view tooltip = {});
  void dot(const Spot& spot, std::string_view style, std::string_view tooltip = {});

  // x_axis() draws the line and label of the x axis, x_mark() one mark, x_marks() all marks.
  void x_axis(std::string_view label);
  void x_mark(double x, std::string_view value);
  void x_marks(const Axis& x, const Unit& unit);

  // y_unit() draws the unit above the y axis, y_mark() one grid line, y_marks() all of these.
  void y_unit(const Unit& unit);
  void y_mark(double y, std::string_view value);
  void y_marks(const Axis& y, const Unit& unit);

  void add(std::string_view element) { out_ += element; }

  std::string end() &&;

 private:
  // Closes an element that starts with "<name ...".
  void close(std::string_view name, std::string_view tooltip);

  Plot plot_;
  std::string out_;
};

// Divides the points into `columns` groups of equal size and returns the points with the lowest and
// highest rate of each group, in order of time. Up to 2 * `columns` points are returned unchanged.
std::vector<HtmlPoint> thin(const std::vector<HtmlPoint>& points, std::size_t columns);

bool has_rate(const HtmlPoint& point);

// Returns the attribute d of an SVG <path> through the points. A point without a rate interrupts
// the line.
std::string path_data(const std::vector<HtmlPoint>& points, const Axis& x, const Axis& y);

}  // namespace manactl::report
