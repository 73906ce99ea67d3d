// SPDX-License-Identifier: MIT

#include "cli/exit.h"

#include <algorithm>

#include "adapter/check/checker.h"
#include "adapter/check/known_defects.h"
#include "adapter/launch/launch.h"
#include "datapath/probe.h"
#include "diag/runner.h"
#include "host/facts.h"
#include "setup/prepare.h"
#include "setup/restore.h"
#include "setup/tune.h"

namespace manactl::cli {

Exit exit_of(const Error& error) {
  switch (error.code) {
    case Errc::not_found:
    case Errc::unsupported:
      return Exit::unsupported;
    case Errc::denied:
      return Exit::denied;
    case Errc::busy:
      return Exit::busy;
    case Errc::invalid:
      return Exit::usage;
    case Errc::timeout:
    case Errc::io:
      break;
  }
  return Exit::internal;
}

Exit exit_of(const host::Facts& facts, const diag::Report& report, bool strict) {
  using diag::Status;
  if (!report.healthy()) return Exit::findings;
  if (!facts.has_mana() && !facts.is_on_azure()) return Exit::unsupported;
  const bool is_certain = report.count(Status::warn) == 0 && report.count(Status::unknown) == 0;
  return findings_if(strict && !is_certain);
}

Exit exit_of(const datapath::ProbeReport& report) {
  const auto end = report.end();
  if (!end) return Exit::ok;
  const auto& reason = report.at(*end).reason;
  if (reason && reason->code == Errc::busy) return Exit::busy;
  if (reason && reason->code == Errc::denied) return Exit::denied;
  const bool failed = report.at(*end).outcome == datapath::Outcome::failed;
  return failed && *end <= datapath::Stage::find ? Exit::unsupported : Exit::findings;
}

Exit exit_of(const setup::PrepareResult& prepared) {
  constexpr int kSignalBase = 128;
  if (prepared.outcome == setup::PrepareOutcome::roll_back_failed) return Exit::roll_back_failed;
  if (prepared.outcome != setup::PrepareOutcome::rolled_back) return Exit::ok;
  return prepared.signal == 0 ? Exit::rolled_back
                              : static_cast<Exit>(kSignalBase + prepared.signal);
}

Exit exit_of(const std::vector<setup::RestoreResult>& restored) {
  const bool complete = std::all_of(
      restored.begin(), restored.end(), [](const auto& one) { return one.is_complete(); });
  return complete ? Exit::ok : Exit::roll_back_failed;
}

Exit exit_of(const std::vector<setup::TunedNic>& tuned) {
  Exit worst = Exit::ok;
  for (const auto& nic : tuned) {
    const auto exit = exit_of(nic.result);
    if (exit == Exit::roll_back_failed) return exit;
    // Of the NICs that were rolled back, only one has the signal.
    worst = std::max(worst, exit);
  }
  return worst;
}

Exit exit_of(const adapter::Outcome& outcome, bool strict) {
  const auto& counters = *outcome.counters;
  const bool has_violations = adapter::Checker(*outcome.counters).total() != 0 &&
                              (strict || !adapter::has_only_known_defects(counters));
  return outcome.status == 0 ? findings_if(has_violations) : static_cast<Exit>(outcome.status);
}

}  // namespace manactl::cli
