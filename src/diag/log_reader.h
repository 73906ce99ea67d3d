// SPDX-License-Identifier: MIT
//
// Splits a byte stream into blocks of whole lines in constant memory. Removes NUL bytes and escape
// sequences. Returns only the beginning of a line that is longer than a block.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_source.h"
#include "base/result.h"

namespace manactl::diag {

// Whole lines. The view is valid until the next call of LogReader::next().
struct Block {
  std::string_view text;         // ends with '\n' except after the last line and a shortened line
  std::uint64_t first_line = 0;  // number of the first line in `text`, from 1
};

class LogReader {
 public:
  static constexpr std::size_t kBlock = 256U << 10;
  static constexpr std::size_t kMaxLine = 64U << 10;  // bytes returned of a line longer than kBlock

  explicit LogReader(ByteSource& source);

  // Returns an empty block at the end of the log.
  Result<Block> next();

  // The number of lines in all blocks returned so far.
  std::uint64_t lines() const { return lines_; }

 private:
  Result<void> fill();
  void skip_rest_of_line();
  Block take(std::size_t size, std::size_t shown);

  ByteSource& source_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // range of buffer_ that next() has not returned yet
  std::uint64_t lines_ = 0;
  bool skipping_ = false;  // the next bytes belong to a line that was too long
  bool finished_ = false;
};

std::uint64_t count_line_ends(std::string_view text);

// Returns `line` without its line end and without the prefixes of journald, dmesg, syslog and
// container logs. The result refers to `line` or `scratch`.
std::string_view without_prefix(std::string_view line, std::string& scratch);

}  // namespace manactl::diag
