// SPDX-License-Identifier: MIT

#include "diag/counter_reader.h"

#include <algorithm>
#include <utility>

#include "base/characters.h"
#include "base/text.h"
#include "diag/log_reader.h"
#include "diag/log_time.h"

namespace manactl::diag {

void CounterReader::begin_block(std::string_view block, std::uint64_t first_line) {
  block_ = block;
  if (format_ != nullptr) read_lines(0, first_line);
}

bool CounterReader::note(std::string_view line, std::string_view message, std::uint64_t number) {
  row_.values.clear();
  for (const auto& format : formats_) {
    if (format.names && format.names->match(message, row_)) {
      device_ = row_.device;
      names_ = &format;
      return false;
    }
    if (!format.begin.match(message, row_)) continue;
    note_report(format, line, number);
    if (format.gap > 0) {
      newest_ = &format;
      newest_line_ = message;
    }
    return format.gap > 0;
  }
  return false;
}

bool CounterReader::note_same(std::string_view line,
                              std::string_view message,
                              std::uint64_t number) {
  if (newest_ == nullptr) return false;
  // Most programs report about one device, so this comparison replaces the match of the pattern.
  if (message != newest_line_) {
    row_.values.clear();
    if (!newest_->begin.match(message, row_)) return false;
    newest_line_ = message;
  }
  note_report(*newest_, line, number);
  return true;
}

void CounterReader::note_report(const CounterFormat& format,
                                std::string_view line,
                                std::uint64_t number) {
  auto& unread = unread_.at(noted_++ % kMaxUnread);
  unread.format = &format;
  unread.at = static_cast<std::size_t>(line.data() - block_.data());
  unread.number = number;
  unread.device.clear();
  if (names_ == &format) unread.device = std::exchange(device_, {}).substr(0, kMaxDevice);
}

void CounterReader::read() {
  const auto first = noted_ > kMaxUnread ? noted_ - kMaxUnread : 0;
  for (auto i = first; i < noted_; ++i) {
    const auto& unread = unread_.at(i % kMaxUnread);
    begin_report(unread);
    read_lines(unread.at, unread.number);
  }
  noted_ = 0;
}

void CounterReader::finish() {
  end_report();
}

void CounterReader::begin_report(const Unread& unread) {
  end_report();
  format_ = unread.format;
  report_.program = format_->program;
  report_.device = unread.device;
  report_.format = format_;
  report_.has_deltas = format_->has_deltas;
  report_.is_port = format_->is_port;
  // Without names, the reports may be about several devices.
  report_.is_comparable = !format_->names || !unread.device.empty();
  is_first_line_ = true;
  misses_ = 0;
  two_lines_.clear();
}

void CounterReader::read_lines(std::size_t at, std::uint64_t number) {
  while (format_ != nullptr && at < block_.size()) {
    const auto end = block_.find('\n', at);
    // The log may end in the middle of a number.
    if (end == std::string_view::npos && is_digit(block_.back())) return;
    const auto size = std::min(end, block_.size()) - at;
    read_line(block_.substr(at, size), number++);
    at += size + 1;
  }
}

void CounterReader::read_line(std::string_view line, std::uint64_t number) {
  const auto& format = *format_;
  const auto text = without_prefix(line, scratch_);
  row_.device = {};
  row_.values.clear();
  const bool begins = format.begin.match(text, row_);
  if (begins && !is_first_line_) return end_report();
  if (is_first_line_) report_.time = printable(time_of(line, text));
  is_first_line_ = false;
  const auto last = match_rows(text);
  const bool is_row = begins || last > 0;
  add_row(text, number);
  misses_ = is_row ? 0 : misses_ + 1;
  const bool is_last = format.has_last_row && last == format.rows.size();
  if (is_last || misses_ > format.gap || format.gap == 0) end_report();
}

// Returns the number of the last row that matches, from 1; 0 if none does.
std::size_t CounterReader::match_rows(std::string_view text) {
  std::size_t last = 0;
  two_lines_.erase(0, two_lines_.find('\n') + 1);
  while (two_lines_.ends_with(' ')) two_lines_.pop_back();
  two_lines_ += '\n';
  two_lines_ += text;
  for (std::size_t i = 0; i < format_->rows.size(); ++i) {
    const auto& row = format_->rows[i];
    if (row.match(row.has_two_lines() ? two_lines_ : text, row_)) last = i + 1;
  }
  return last;
}

void CounterReader::add_row(std::string_view text, std::uint64_t number) {
  auto device = row_.device.substr(0, kMaxDevice);
  // In a loop of a shell, the output is that of several devices.
  if (device.starts_with('$')) {
    report_.is_comparable = false;
    device = {};
  }
  if (!device.empty() && device != report_.device) {
    add_report();
    report_.device = device;
  }
  for (const auto& [counter, value] : row_.values) report_.add(counter, value, number, text);
}

void CounterReader::add_report() {
  if (!report_.is_empty()) tracker_.add(report_);
  report_.clear();
}

void CounterReader::end_report() {
  if (format_ == nullptr) return;
  add_report();
  format_ = nullptr;
}

}  // namespace manactl::diag
