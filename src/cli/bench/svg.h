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

#include "cli/bench/html_report.h"
#include "cli/bench/units.h"

namespace manactl::cli {

// A scale from values to coordinates.
struct Axis {
  double low = 0, high = 1;  // values
  double from = 0, to = 1;   // coordinates
  double at(double value) const;
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

struct Box {
  double x = 0, y = 0, width = 0, height = 0;
};

struct Spot {
  double x = 0, y = 0, radius = 0;
};

// A picture that grows by one element a call. Text is escaped; a tip is told to who points at it.
class Svg {
 public:
  Svg(std::string_view id, const Plot& plot, std::string_view title, std::string_view description);

  const Plot& plot() const { return plot_; }

  double height() const { return plot_.y_end() - plot_.top; }  // of the plot alone

  double width() const { return plot_.x_end() - plot_.left; }

  void text(double x, double y, std::string_view style, std::string_view text);
  void line(const Box& diagonal, std::string_view style);
  void rect(const Box& box, std::string_view style, std::string_view tip = {});
  void path(std::string_view d, std::string_view style, std::string_view tip = {});
  void dot(const Spot& spot, std::string_view style, std::string_view tip = {});

  // The line below the plot, a mark on it with its value, and what the values are.
  void x_base(std::string_view label);
  void x_mark(double x, std::string_view value);
  void x_marks(const Axis& x, const Unit& unit);

  // A line across the plot with its value on the left, and the unit above.
  void y_unit(const Unit& unit);
  void y_mark(double y, std::string_view value);
  void y_marks(const Axis& y, const Unit& unit);

  void add(std::string_view element) { out_ += element; }

  std::string end() &&;

 private:
  // The end of an element that was begun with "<name ...".
  void close(std::string_view name, std::string_view tip);

  Plot plot_;
  std::string out_;
};

// Of each of `columns` equal stretches of the points the lowest and the highest point, in their
// order; all points when they are not more than that.
std::vector<HtmlPoint> thin(const std::vector<HtmlPoint>& points, std::size_t columns);

// The attribute d of a path through the points.
std::string path_of(const std::vector<HtmlPoint>& points, const Axis& x, const Axis& y);

}  // namespace manactl::cli
