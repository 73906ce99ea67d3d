// SPDX-License-Identifier: MIT

#include "diag/ticket_scan.h"

#include <algorithm>

#include "diag/literal_scanner.h"

namespace manactl::diag {
namespace {

bool has_ticket_literal(std::string_view line) {
  static const LiteralScanner scanner(host::ticket_literals(), LiteralScanner::Case::exact);
  return scanner.next(line, 0).at != std::string_view::npos;
}

}  // namespace

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
  const auto line = block_.substr(begin, end + 1 - begin);
  if (reader_.is_reading() || has_ticket_literal(line)) {
    reader_.add(line, number, block_.substr(0, begin));
  }
  next_ = end + 1;
  number_ = number + 1;
}

}  // namespace manactl::diag
