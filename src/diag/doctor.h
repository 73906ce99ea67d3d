// SPDX-License-Identifier: MIT
//
// Determines the root cause from failed checks and log lines, and separates it from its
// consequences, from other causes, from harmless lines and from unrecognized errors.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "diag/decision.h"
#include "diag/evidence.h"
#include "diag/log_scan.h"
#include "diag/runner.h"
#include "diag/verdict.h"

namespace manactl::diag {

struct Diagnosis {
  struct Item {
    std::string id;              // signature or check; empty for unrecognized errors
    std::string title;           // names the fault
    std::optional<Quote> quote;  // set if the item comes from a log, not a check
    std::uint64_t count = 1;
    std::string cause, fix;
    std::vector<PossibleCause> alternatives;  // if the line does not show which is the cause
    std::vector<std::string> commands;
    std::vector<Remedy> other_fixes;  // each can replace `fix` and `commands`; the best comes first
    Confirmation confirmation = Confirmation::undecided;
    std::string confirmed_by;    // "rdma.driver-id: kernel reports 19, libibverbs chose erdma"
    std::string note;            // what the log's DPDK release means for this cause; may be empty
    std::optional<Quote> proof;  // the line that proves that an error did not matter
    std::vector<Quote> context;  // the lines around an unrecognized error
  };

  std::optional<Verdict> verdict;  // of the logs; empty if there are none
  std::optional<Item> root;
  std::vector<Item> others;        // causes that the root does not explain, most important first
  std::vector<Item> consequences;  // of these causes; without a root, of an unknown cause
  std::vector<Item> unexplained;   // errors of the logs that none of these causes explains
  std::vector<Item> benign;
  std::vector<Item> expected;   // errors that are normal in the state of the device
  std::vector<Item> recovered;  // errors after which a later line shows success
  std::vector<Item> unknown;
  std::uint64_t lines = 0;
  std::uint64_t more_unknown = 0;  // unrecognized lines that are not in `unknown`
};

// `logs` may come from different programs: the DPDK release of a log applies to its own lines only.
Diagnosis diagnose(const Report& checks,
                   const std::vector<LogReport>& logs,
                   const std::vector<Observation>& observations = {});

}  // namespace manactl::diag
