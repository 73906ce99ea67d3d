// SPDX-License-Identifier: MIT

#include "diag/readiness.h"

#include <algorithm>

#include "diag/evidence.h"

namespace manactl::diag {
namespace {

bool decides(const Check& check, Use use, bool is_forecast) {
  const bool is_of_future =
      check.requirement == Requirement::azure || check.requirement == Requirement::move;
  const bool is_about_vm = check.requirement != Requirement::metadata;
  return check.matters_for(use) && is_about_vm && (is_of_future || !is_forecast);
}

}  // namespace

Readiness readiness_for(Use use, const host::Facts& facts, const Report& report) {
  const bool is_forecast = !facts.has_mana();
  Readiness readiness;
  // There is no forecast for a machine outside Azure: none of its checks applies.
  if (is_forecast && facts.platform && !facts.is_on_azure()) {
    if (const auto* azure = report.find("hardware.azure")) readiness.reasons.push_back(azure);
    readiness.ready = false;
    return readiness;
  }
  const auto add = [&](const CheckOutcome* outcome) {
    if (decides(outcome->check, use, is_forecast)) readiness.reasons.push_back(outcome);
  };
  std::ranges::for_each(first_causes(report), add);
  if (!readiness.reasons.empty()) {
    readiness.ready = false;
    return readiness;
  }
  for (const auto& outcome : report.outcomes) {
    if (outcome.finding.status == Status::unknown) add(&outcome);
  }
  const bool is_complete = std::ranges::all_of(all_checks(), [&](const Check& check) {
    return !decides(check, use, is_forecast) || report.find(check.id) != nullptr;
  });
  if (is_complete && readiness.reasons.empty()) readiness.ready = true;
  return readiness;
}

}  // namespace manactl::diag
