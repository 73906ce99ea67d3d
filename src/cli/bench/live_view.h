// SPDX-License-Identifier: MIT
//
// A run while it goes on: a few lines of a terminal that are written over, or one line for each
// interval where nothing can be written over.

#pragma once

#include <string>
#include <vector>

#include "cli/screen.h"
#include "datapath/bench.h"

namespace manactl::cli {

class LiveView {
 public:
  // Shows nothing on what is no terminal.
  LiveView(Screen& screen, const datapath::BenchPlan& plan) : screen_(screen), plan_(plan) {}

  void start_trial();
  void show(const datapath::Interval& interval);
  void clear();  // the result takes the place

 private:
  std::vector<std::string> lines(const datapath::Interval& interval) const;

  Screen& screen_;
  const datapath::BenchPlan& plan_;
  std::size_t trial_ = 0;  // the first is 1
  double elapsed_ = 0;     // seconds of it
  std::size_t drawn_ = 0;  // lines that stand on the terminal
};

}  // namespace manactl::cli
