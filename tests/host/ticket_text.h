// SPDX-License-Identifier: MIT
//
// Reads tickets in tests, and prints the facts that they contain.

#pragma once

#include <string>

#include "host/ticket/ticket.h"

namespace manactl::host {

// Passes the lines to the reader that it needs, as diag::read_log does.
Ticket read_ticket(const std::string& text);

// One line for each fact that the ticket contains.
std::string ticket_facts(const Ticket& ticket);

inline std::string ticket_facts(const std::string& text) {
  return ticket_facts(read_ticket(text));
}

// Puts `mark` before each line of `text`.
std::string marked(const std::string& text, const std::string& mark);

}  // namespace manactl::host
