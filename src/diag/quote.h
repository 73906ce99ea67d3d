// SPDX-License-Identifier: MIT
//
// A line of a log, and what is quoted of it.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace manactl::diag {

struct Quote {
  std::string log;         // the file's name, "-" or "kernel log"
  std::uint64_t line = 0;  // from 1
  std::string text;        // printable, without prefix
  std::string time = {};   // as the log writes it; may be empty
};

// A line of the log. The views need to be valid only during a call.
struct Event {
  std::string_view message;  // without prefix
  std::uint64_t line = 0;
  std::string_view time;
  std::string_view log;
  std::string_view line_text = {};  // with prefix
};

// Reads the time from the whole line if the event has none.
Quote quote_of(const Event& event);

// The views refer to `quote`.
Event event_of(const Quote& quote);

}  // namespace manactl::diag
