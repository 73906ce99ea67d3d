// SPDX-License-Identifier: MIT
//
// Passes the lines of pasted outputs to host::TicketReader. Outside of outputs, only the candidate
// lines of the log are examined.

#pragma once

#include <cstdint>
#include <string_view>

#include "diag/log_reader.h"
#include "host/ticket/ticket.h"

namespace manactl::diag {

class TicketScan {
 public:
  void begin(const Block& block);

  bool is_reading() const { return reader_.is_reading(); }

  // If an output is being read, reads the lines that begin before the offset `end`.
  void read_until(std::size_t end);

  // Reads the candidate line from `begin` to `end`, which may begin an output or is part of one.
  // read_until(begin) precedes it.
  void read_line(std::size_t begin, std::size_t end, std::uint64_t number);

  host::Ticket finish() { return reader_.finish(); }

 private:
  host::TicketReader reader_;
  std::string_view block_;
  std::size_t next_ = 0;      // offset of the next line of the output that is being read
  std::uint64_t number_ = 0;  // of this line
};

}  // namespace manactl::diag
