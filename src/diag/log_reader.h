// SPDX-License-Identifier: MIT
//
// Lines out of bytes, in constant memory: NULs and colours are taken out, a line longer than a
// block is given as its beginning, and nothing is copied that need not be.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_source.h"
#include "base/result.h"

namespace manactl::diag {

// A block of whole lines, valid until the next call.
struct Block {
  std::string_view text;         // ends with '\n' but for the last line and lines that were cut
  std::uint64_t first_line = 0;  // number of its first line, from 1
};

class LogReader {
 public:
  static constexpr std::size_t kBlock = 256U << 10;
  static constexpr std::size_t kLongestLine = 64U << 10;  // of a line that fills a block

  explicit LogReader(ByteSource& source);

  // An empty block at the end.
  Result<Block> next();

  // Lines of all blocks so far.
  std::uint64_t lines() const { return lines_; }

 private:
  Result<void> fill();
  void skip_rest_of_line();
  Block take(std::size_t size, std::size_t shown);

  ByteSource& source_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // of what is read and not yet given
  std::uint64_t lines_ = 0;
  bool skipping_ = false;  // inside the rest of a line that was too long
  bool finished_ = false;
};

std::uint64_t count_line_ends(std::string_view text);

// `line` without line end, and without the prefixes of journald, dmesg, syslog and container logs.
std::string_view without_prefix(std::string_view line, std::string& scratch);

}  // namespace manactl::diag
