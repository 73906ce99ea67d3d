// SPDX-License-Identifier: MIT
//
// Reads two lines of numbers and prints their statistics as JSON, to compare them with another
// implementation.

#include <fmt/format.h>

#include <iostream>
#include <sstream>

#include "datapath/analysis/statistics.h"

namespace {

std::vector<double> numbers_of_a_line() {
  std::string line;
  std::getline(std::cin, line);
  std::istringstream words(line);
  std::vector<double> numbers;
  for (double number = 0; words >> number;) numbers.push_back(number);
  return numbers;
}

}  // namespace

int main() {
  using namespace manactl::datapath;
  const auto a = numbers_of_a_line();
  const auto b = numbers_of_a_line();
  const auto one = estimate(a);
  const auto effect = compare(a, b);
  if (!effect) return 1;
  const auto bounds = one.confidence.value_or(Bounds{-1, -1});
  fmt::print(R"({{"median": {}, "low": {}, "high": {}, "variation": {}, "p": {}, "change": {}, )"
             R"("change_low": {}, "change_high": {}}})"
             "\n",
             one.median,
             bounds.low,
             bounds.high,
             one.variation.value_or(0),
             effect->p,
             effect->change,
             effect->confidence.low,
             effect->confidence.high);
}
