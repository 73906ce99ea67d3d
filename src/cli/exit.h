// SPDX-License-Identifier: MIT
//
// Exit codes, and their mapping from errors and results of the libraries.

#pragma once

#include <vector>

#include "base/result.h"

namespace manactl::adapter {
struct Outcome;
}

namespace manactl::datapath {
struct ProbeReport;
}

namespace manactl::diag {
struct Report;
}

namespace manactl::host {
struct Facts;
}

namespace manactl::setup {
struct PrepareResult;
struct RestoreResult;
struct TunedNic;
}  // namespace manactl::setup

namespace manactl::cli {

// A test compares these codes with the table in man/manactl.1.scd.
enum class Exit {
  ok = 0,
  findings = 1,
  usage = 2,
  unsupported = 3,
  denied = 4,
  busy = 5,
  rolled_back = 6,
  roll_back_failed = 7,
  internal = 70,
  hangup = 129,
  interrupted = 130,
  terminated = 143,
};

constexpr Exit findings_if(bool found) {
  return found ? Exit::findings : Exit::ok;
}

Exit exit_of(const Error& error);

// Returns `findings` if a check failed, else `unsupported` if there is no MANA adapter. With
// `strict`, warnings and unknown results count as findings.
Exit exit_of(const host::Facts& facts, const diag::Report& report, bool strict);

// Returns `busy` if the port is in use, `denied` if a call was not permitted, `unsupported` if
// there is no device or library, and `findings` if any other stage failed.
Exit exit_of(const datapath::ProbeReport& report);

// Returns 128 + n if signal n interrupted a run, which was then rolled back.
Exit exit_of(const setup::PrepareResult& prepared);

Exit exit_of(const std::vector<setup::RestoreResult>& restored);

// Returns the code of the NIC with the most serious result.
Exit exit_of(const std::vector<setup::TunedNic>& tuned);

// Returns the program's exit status, or `findings` if it is 0 but the adapter found violations.
// With `strict`, those that known defects of the driver explain count too.
Exit exit_of(const adapter::Outcome& outcome, bool strict);

}  // namespace manactl::cli
