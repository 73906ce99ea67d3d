// SPDX-License-Identifier: MIT
//
// The formats in which programs print counters: rows of data/counters.json.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "diag/counter_rule.h"

namespace manactl::diag {

// The values that a pattern found in a line.
struct CounterRow {
  std::string_view device;  // empty if the pattern has none
  std::vector<std::pair<Counter, std::uint64_t>> values;
};

// A pattern of a line with counters. It is faster than a regular expression: most lines of some
// logs have counters.
//
// A blank matches one or more blanks, "{rx}" a number and its meaning, "{device}" a name, "{}" any
// number and "{*}" any word. A number may also be "?", which gives no value. The pattern must match
// the beginning of the line after its blanks; if it begins with "...", any part that begins a word.
// With a line end in the pattern, it matches the line before and this line.
class CounterPattern {
 public:
  // Returns nothing if `text` has an unknown name.
  static std::optional<CounterPattern> parse(std::string_view text);

  // Appends to `row`. If the line does not match, returns false and leaves `row` unchanged.
  bool match(std::string_view line, CounterRow& row) const;

  bool has_two_lines() const { return has_two_lines_; }

 private:
  enum class Kind : std::uint8_t { text, blanks, number, counter, word, device };

  struct Part {
    Kind kind = Kind::text;
    std::string text = {};
    Counter counter = Counter::rx;
  };

  static std::optional<Part> placeholder(std::string_view name);
  bool match_here(std::string_view rest, CounterRow& row) const;

  std::vector<Part> parts_;
  bool matches_at_any_word_ = false;
  bool has_two_lines_ = false;
};

// How a program prints a report. The reports of one program about one device are a series.
struct CounterFormat {
  std::string program;                  // as texts name it
  std::vector<std::string> literals;    // a line that matches `begin` or `names` has one of them
  CounterPattern begin;                 // the first line of a report
  std::optional<CounterPattern> names;  // a line before the report that names the device
  std::vector<CounterPattern>
      rows;                   // also tried on the first line; values of the same counter are added
  std::uint64_t gap = 0;      // the report ends after more lines than this without a row
  bool has_last_row = false;  // the report ends with the last of `rows`
  bool has_deltas = false;    // the values are those of an interval, not totals
  bool is_port = false;       // the device is the number of a port of DPDK
};

// Reads data/counters.json.
Result<std::vector<CounterFormat>> parse_counter_formats(std::string_view json);

}  // namespace manactl::diag
