// SPDX-License-Identifier: MIT
//
// Runs the checks that the facts of a ticket allow. A check that needs something that the log does
// not contain does not run, so a fact that the log lacks is never reported as missing from the VM.

#pragma once

#include <string>
#include <vector>

#include "diag/evidence.h"
#include "diag/runner.h"
#include "host/ticket/ticket.h"

namespace manactl::diag {

struct TicketReport {
  Report checks;  // only those with a result: none is skipped or unknown
  std::vector<Observation> observations;
  std::vector<std::string> outputs;                               // "lspci (line 3)"
  std::vector<std::string> unused;                                // what is not used, and why
  bool has_synthetic_link = false, has_several_machines = false;  // see host::Ticket
};

// `runs` are those of the same log: a program or a kernel that used MANA contradicts failures.
TicketReport check_ticket(const host::Ticket& ticket,
                          const std::vector<Run>& runs,
                          const std::string& dpdk_release,
                          const std::string& log);

}  // namespace manactl::diag
