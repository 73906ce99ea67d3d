// SPDX-License-Identifier: MIT

#include "diag/quote.h"

#include "base/text.h"

namespace manactl::diag {

Quote quote_of(const Event& event) {
  return {std::string(event.log), event.line, printable(event.message), printable(event.time)};
}

Event event_of(const Quote& quote) {
  return {quote.text, quote.line, quote.time, quote.log};
}

}  // namespace manactl::diag
