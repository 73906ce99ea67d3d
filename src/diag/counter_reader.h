// SPDX-License-Identifier: MIT
//
// Reads the reports of counters in a log. Notes where reports begin, and parses them only when
// another line depends on them. Of a long sequence of reports, parses only the newest kMaxUnread.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "diag/counter_format.h"
#include "diag/counters.h"

namespace manactl::diag {

class CounterReader {
 public:
  CounterReader(const std::vector<CounterFormat>& formats, CounterTracker& tracker)
      : formats_(formats), tracker_(tracker) {}

  // Continues the report at the end of the last block.
  void begin_block(std::string_view block, std::uint64_t first_line);

  // Notes a report if `line` of the block begins one. Returns true if it does, and no signature has
  // to be tried. `message` is the line without its prefix.
  bool note(std::string_view line, std::string_view message, std::uint64_t number);

  // The same, but only if the report has the format of the one before, which is faster to find out.
  bool note_same(std::string_view line, std::string_view message, std::uint64_t number);

  // Whether the newest report with more than one line is about a port of DPDK.
  bool reads_ports() const { return newest_ != nullptr && newest_->is_port; }

  // Reads the reports that were noted in the block.
  void read();

  // Ends the last report of the log.
  void finish();

 private:
  static constexpr std::size_t kMaxUnread = 16;
  static constexpr std::size_t kMaxDevice = 64;  // bytes of a name that are compared

  struct Unread {
    const CounterFormat* format = nullptr;
    std::size_t at = 0;  // in block_
    std::uint64_t number = 0;
    std::string device;
  };

  void note_report(const CounterFormat& format, std::string_view line, std::uint64_t number);
  void begin_report(const Unread& unread);
  void read_lines(std::size_t at, std::uint64_t number);
  void read_line(std::string_view line, std::uint64_t number);
  std::size_t match_rows(std::string_view text);
  void add_row(std::string_view text, std::uint64_t number);
  void add_report();
  void end_report();

  const std::vector<CounterFormat>& formats_;
  CounterTracker& tracker_;
  std::string_view block_;
  std::array<Unread, kMaxUnread> unread_;  // a ring
  std::size_t noted_ = 0;                  // reports since the last call of read()
  std::string device_;                     // from the line of a command
  const CounterFormat* names_ = nullptr;   // the format of this command
  const CounterFormat* newest_ = nullptr;  // of the newest report with more than one line
  std::string newest_line_;                // that began this report
  const CounterFormat* format_ =
      nullptr;  // of the report that is being read; null if there is none
  CounterReport report_;
  std::uint64_t misses_ = 0;  // lines without a row since the last row
  bool is_first_line_ = false;
  CounterRow row_;
  std::string two_lines_, scratch_;
};

}  // namespace manactl::diag
