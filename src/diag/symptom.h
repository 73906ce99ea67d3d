// SPDX-License-Identifier: MIT
//
// Known errors in the logs: whether they are harmless, and which of them explain others.

#pragma once

#include <cstdint>
#include <vector>

#include "diag/doctor.h"
#include "diag/evidence.h"
#include "diag/log_scan.h"

namespace manactl::diag {

// A log entry, the evidence for its fault on this VM, and what explains it.
struct Symptom {
  const LogEntry* entry = nullptr;
  std::vector<const LogReport*> logs;  // those that have the line; `entry` is in the first
  std::uint64_t count = 0;             // number of matching lines in all logs
  Evidence evidence;
  std::vector<PossibleCause> possible_causes;
  bool is_explained = false;       // by another symptom
  bool has_unknown_cause = false;  // an unrecognized error or an unknown value explains it

  const Signature& signature() const { return *entry->signature; }

  const LogReport& log() const { return *logs.front(); }

  bool is_in(const LogReport& log) const;

  // Whether it can be the root cause.
  bool may_be_root() const;
};

using Symptoms = std::vector<Symptom>;

bool is_benign(const LogEntry& entry, const LogReport& log);

// True if the entry is only inferred from a missing line, and neither the log nor the VM shows that
// there is MANA: other NICs of Azure have MAC addresses of the same vendor. Also true if it
// compares counters of several machines.
bool is_guess(const LogEntry& entry, const LogReport& log, const Report& checks);

// Sets is_explained and has_unknown_cause of each symptom.
void mark_explained(Symptoms& symptoms);

// Whether this failed check, or a check that it causes to fail, can cause the symptom.
bool may_explain(const CheckOutcome& failed, const Symptom& symptom, const Report& checks);

// Confirmed symptoms come first and contradicted ones last, and each group is ordered by rank.
bool is_more_important(const Symptom& one, const Symptom& other);

void insert_by_importance(Symptoms& symptoms, const Symptom& one);

}  // namespace manactl::diag
