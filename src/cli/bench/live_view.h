// SPDX-License-Identifier: MIT
//
// Shows the progress of a run on a terminal: a few lines that are redrawn, or one line per interval
// if the terminal cannot redraw.

#pragma once

#include <string>
#include <vector>

#include "cli/screen.h"
#include "datapath/bench.h"

namespace manactl::cli {

// Lines on a terminal that are redrawn. Draws nothing if the terminal cannot redraw.
class LiveFrame {
 public:
  explicit LiveFrame(Screen& screen) : screen_(screen) {}

  // Wraps longer lines.
  void draw(const std::vector<std::string>& lines);

  unsigned width() const { return screen_.width() - 4; }

  void clear();  // removes the lines, and the "^C" of an interrupted run

 private:
  std::string to_first_line() const;

  Screen& screen_;
  std::size_t lines_ = 0;  // that were drawn
};

class LiveView {
 public:
  // Shows nothing if `screen` is not a terminal.
  LiveView(Screen& screen, const datapath::BenchPlan& plan)
      : screen_(screen), frame_(screen), plan_(plan) {}

  void start_trial();
  void show(const datapath::Interval& interval);

  // Shows this line, the state of a search, above the rates. A terminal that cannot redraw gets it
  // at once.
  void set_status(const std::string& line);

  void clear() { frame_.clear(); }  // call before printing the result

 private:
  std::vector<std::string> lines(const datapath::Interval& interval) const;

  Screen& screen_;
  LiveFrame frame_;
  const datapath::BenchPlan& plan_;
  std::string status_;       // may be empty
  std::size_t trial_ = 0;    // number of the current trial, from 1
  double elapsed_ = 0;       // seconds since the start of the trial
  datapath::Sample so_far_;  // counts since the start of the trial
};

}  // namespace manactl::cli
