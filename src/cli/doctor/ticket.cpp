// SPDX-License-Identifier: MIT

#include "cli/doctor/ticket.h"

namespace manactl::cli {
namespace {

constexpr std::string_view kAll = "all outputs: ";

}  // namespace

const diag::TicketReport* find_ticket(const std::vector<diag::LogReport>& logs,
                                      std::vector<std::string>& notes) {
  const diag::TicketReport* found = nullptr;
  for (const auto& log : logs) {
    for (const auto& unused : log.ticket.unused) {
      if (unused.starts_with(kAll)) {
        notes.push_back("the outputs of commands are not used: " + unused.substr(kAll.size()));
      }
    }
    if (log.ticket.checks.outcomes.empty()) continue;
    if (found != nullptr) {
      notes.emplace_back(
          "several logs have outputs of commands, perhaps of several machines: none is used");
      return nullptr;
    }
    found = &log.ticket;
  }
  if (found == nullptr) return nullptr;
  notes.emplace_back("the checks used the outputs of commands in the log, not this machine");
  return found;
}

}  // namespace manactl::cli
