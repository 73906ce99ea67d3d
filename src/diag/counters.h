// SPDX-License-Identifier: MIT
//
// Draws conclusions from the counters in a log (Signature::counters), in constant memory.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/conclusion.h"
#include "diag/counter_rule.h"
#include "diag/quote.h"
#include "diag/signature.h"

namespace manactl::diag {

struct CounterValue {
  std::uint64_t value = 0;
  Quote line;  // the first line that contributed to the value; its text need not be printable
};

// The counters of one device that one program printed at one time.
class CounterReport {
 public:
  void clear() { used_ = 0; }

  void add(Counter counter, std::uint64_t value, std::uint64_t number, std::string_view text);

  bool is_empty() const { return used_ == 0; }

  CounterValue* find(Counter counter);  // null if the report does not have it
  const CounterValue* find(Counter counter) const;

  std::string program, device, time;
  const void* format = nullptr;              // reports of one command have the same
  bool has_deltas = false, is_port = false;  // see CounterFormat
  bool is_comparable = false;  // false if other reports of the series may be about another device

 private:
  bool has(Counter counter) const;

  std::array<CounterValue, kCounters.size()> values_;
  std::uint32_t used_ = 0;  // a bit for each counter
};

// Follows the reports and the states of the program. A counter that decreases belongs to another
// run of the program, or to another machine, so it begins a new series.
class CounterTracker {
 public:
  explicit CounterTracker(const std::vector<Signature>& all);

  void add(CounterReport& report);

  // Expects each line that matches a signature, before what follows from it.
  void next(const Signature& signature, const Captures& captures);

  // Expects the end of the log.
  void finish();

  // Returns the conclusions since the last call. Their lines do not name the log, and
  // their texts need not be printable.
  std::vector<Conclusion> take();

 private:
  static constexpr std::size_t kMaxSeries = 256;

  // The state of one rule for traffic that stops.
  struct Stop {
    bool has_changed = false;
    std::uint64_t unchanged = 0;  // reports without a change
    bool is_reported = false;
    Quote first;                    // of the reports without a change
    std::uint64_t last_change = 0;  // the line of the report before it
  };

  struct Total {
    std::uint64_t first = 0, reports = 0;
    CounterValue newest;
  };

  struct Series {
    std::string program, device;
    bool is_port = false;
    std::uint64_t reports = 0;
    const void* format = nullptr;        // of the first report
    std::uint64_t of_first_command = 0;  // reports of this format
    std::array<std::optional<Total>, kCounters.size()> totals;
    std::vector<Stop> stops;  // same indexes as rules_

    const CounterValue* find(Counter counter) const;  // the newest value; null if there is none
  };

  Series& series_of(const CounterReport& report);
  static bool has_gone_back(const Series& series, const CounterReport& report);
  static void update(Series& series, CounterReport& report);
  bool applies(const CounterRule& rule, const Series& series) const;
  void look_for_stop(Series& series, const CounterReport& report, std::size_t rule);
  void look_for_growth(const Series& series, const CounterReport& report, const Signature& rule);
  void report_resumption(const Series& series, const Quote& line);
  void conclude(const Series& series);
  void end(Series& series);
  void end_all();
  void note_receiver(const Signature& signature, const Series& series);
  void look_for_missing();
  bool is_zero_everywhere(const CounterRule& rule, const Series& series) const;
  void look_for_idle(const Signature& signature, const Series& series);
  void look_for_frozen(const Signature& signature, const Series& series);
  void look_for_zero(const Signature& signature, const Series& series);
  void look_for_share(const Signature& signature, const Series& series);
  void report(const Signature& signature,
              const Series& series,
              const Quote& line,
              Captures captures);

  std::vector<const Signature*> rules_;
  std::vector<Series> series_;
  std::vector<Conclusion> found_;
  std::string mode_;  // of the program; empty if the log does not name it
  std::string mac_;   // of its port; empty if no arguments name it

  // The port that sent the most packets in a mode that only sends, and the one that received the
  // most packets in a mode of a rule for missing packets.
  struct Port {
    const Signature* rule = nullptr;
    std::string mac;
    std::uint64_t packets = 0;
    Quote line;
  };

  std::optional<Port> sender_, receiver_;
  bool is_paused_ = false;
};

}  // namespace manactl::diag
