// SPDX-License-Identifier: MIT
//
// Lines out of bytes, in constant memory: CRLF and NUL are handled, a line longer than the limit is
// given as its beginning, and nothing is copied that need not be.

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
  std::string_view text;         // ends with '\n' but for the last line of the log
  std::uint64_t first_line = 0;  // number of its first line, from 1
};

class LogReader {
 public:
  static constexpr std::size_t kLongestLine = 64U << 10;

  explicit LogReader(ByteSource& source);

  // An empty block at the end.
  Result<Block> next();

 private:
  ByteSource& source_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // of what is read and not yet given
  std::uint64_t line_ = 1;
  bool skipping_ = false;  // inside the rest of a line that was too long
  bool finished_ = false;
};

// `line` without colours, and without the prefixes of journald, dmesg, syslog and container logs.
std::string_view without_prefix(std::string_view line, std::string& scratch);

}  // namespace manactl::diag
