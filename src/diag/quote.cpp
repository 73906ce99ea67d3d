// SPDX-License-Identifier: MIT

#include "diag/quote.h"

#include "base/text.h"
#include "diag/log_time.h"

namespace manactl::diag {

Quote quote_of(const Event& event) {
  const auto time = event.time.empty() ? time_of(event.line_text, event.message) : event.time;
  return {std::string(event.log), event.line, printable(event.message), printable(time)};
}

Event event_of(const Quote& quote) {
  return {quote.text, quote.line, quote.time, quote.log};
}

}  // namespace manactl::diag
