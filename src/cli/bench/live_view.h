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

class LiveView {
 public:
  // Shows nothing if `screen` is not a terminal.
  LiveView(Screen& screen, const datapath::BenchPlan& plan) : screen_(screen), plan_(plan) {}

  void start_trial();
  void show(const datapath::Interval& interval);
  void clear();  // removes the drawn lines; call before printing the result

 private:
  std::vector<std::string> lines(const datapath::Interval& interval) const;

  Screen& screen_;
  const datapath::BenchPlan& plan_;
  std::size_t trial_ = 0;        // number of the current trial, from 1
  double elapsed_ = 0;           // seconds since the start of the trial
  datapath::Sample so_far_;      // counts since the start of the trial
  std::size_t drawn_lines_ = 0;  // lines to overwrite at the next update
};

}  // namespace manactl::cli
