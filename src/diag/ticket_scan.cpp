// SPDX-License-Identifier: MIT

#include "diag/ticket_scan.h"

#include <algorithm>

namespace manactl::diag {

void TicketScan::begin(const Block& block) {
  block_ = block.text;
  next_ = 0;
  number_ = block.first_line;
}

void TicketScan::read_until(std::size_t end) {
  while (reader_.is_reading() && next_ < std::min(end, block_.size())) {
    const auto line_end = std::min(block_.find('\n', next_), block_.size());
    if (line_end >= end) return;  // the candidate line
    reader_.add(block_.substr(next_, line_end + 1 - next_), number_, {});
    next_ = line_end + 1;
    ++number_;
  }
}

void TicketScan::read_line(std::size_t begin, std::size_t end, std::uint64_t number) {
  reader_.add(block_.substr(begin, end + 1 - begin), number, block_.substr(0, begin));
  next_ = end + 1;
  number_ = number + 1;
}

}  // namespace manactl::diag
