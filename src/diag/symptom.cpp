// SPDX-License-Identifier: MIT

#include "diag/symptom.h"

#include <algorithm>
#include <tuple>

namespace manactl::diag {
namespace {

constexpr std::string_view kManaDriver = "net_mana";

bool has_required_lines(const LogEntry& entry, const LogReport& log) {
  const auto& required = entry.signature->benign_without;
  return required.empty() || std::ranges::any_of(log.entries, [&](const LogEntry& other) {
           if (other.signature == nullptr || !matches_any_id(required, other.signature->id)) {
             return false;
           }
           const bool is_earlier =
               kind_of(*other.signature) == kind_of(*entry.signature) && other.run < entry.run;
           return other.resolution == Resolution::none && !is_earlier;
         });
}

bool can_cause(const Symptom& one, const Symptom& other) {
  const auto& cause = one.signature();
  const auto& effect = other.signature();
  if (cause.role != Role::cause) return false;
  return std::ranges::any_of(effect.explained_by, [&](const std::string& pattern) {
    // With wildcards, two signatures may explain each other: the higher rank is the cause.
    return matches_id(pattern, cause.id) && (!pattern.ends_with('*') || cause.rank > effect.rank);
  });
}

// The logs of two programs, or of two kernels, have nothing to do with each other. An error of the
// kernel may explain an error of a program in another log, and vice versa.
bool has_explanation(const Symptom& other, const Symptoms& symptoms) {
  return std::ranges::all_of(other.logs, [&](const LogReport* log) {
    return std::ranges::any_of(symptoms, [&](const Symptom& one) {
      const bool may_be_elsewhere = kind_of(one.signature()) != kind_of(other.signature());
      return (may_be_elsewhere || one.is_in(*log)) && can_cause(one, other);
    });
  });
}

// An unrecognized error of DPDK or a driver may be why a later step of the application failed.
bool follows_unknown_error(const Symptom& one) {
  const auto& entry = *one.entry;
  if (one.signature().source != kApplication) return false;
  return std::ranges::any_of(one.log().entries, [&entry](const LogEntry& other) {
    return other.signature == nullptr && other.blocks && other.run == entry.run &&
           other.resolution == Resolution::none && other.first.line < entry.first.line;
  });
}

}  // namespace

bool Symptom::is_in(const LogReport& log) const {
  return std::ranges::find(logs, &log) != logs.end();
}

bool Symptom::may_be_root() const {
  return !is_explained && !has_unknown_cause && signature().role == Role::cause;
}

bool is_benign(const LogEntry& entry, const LogReport& log) {
  return entry.benign || entry.signature->role == Role::benign || !has_required_lines(entry, log);
}

bool is_guess(const LogEntry& entry, const LogReport& log, const Report& checks) {
  const auto& signature = *entry.signature;
  if (is_rule(signature) && !has_required_lines(entry, log)) return true;
  if (signature.counters && log.ticket.has_several_machines) return true;
  if (!signature.absence || signature.source != kManaDriver || log.has_mana) return false;
  const auto* const mana = checks.find("hardware.mana");
  return mana == nullptr || mana->finding.status == Status::unknown ||
         mana->finding.status == Status::skipped;
}

void mark_explained(Symptoms& symptoms) {
  for (auto& one : symptoms) {
    one.has_unknown_cause =
        follows_unknown_error(one) || excludes_alternatives(one.signature(), one.entry->captures);
    one.is_explained = has_explanation(one, symptoms);
  }
}

bool may_explain(const CheckOutcome& failed, const Symptom& symptom, const Report& checks) {
  const auto is_about = [&](const std::string& id) {
    const auto* const outcome = checks.find(id);
    if (outcome == nullptr) return false;
    const auto& causes = outcome->check.caused_by;
    return outcome == &failed || std::ranges::find(causes, failed.check.id) != causes.end();
  };
  const auto& signature = symptom.signature();
  return std::ranges::any_of(signature.checks, is_about) ||
         std::ranges::any_of(signature.alternatives, [&is_about](const Alternative& one) {
           return std::ranges::any_of(one.checks, is_about);
         });
}

bool is_more_important(const Symptom& one, const Symptom& other) {
  const auto order = [](const Symptom& c) {
    switch (c.evidence.confirmation) {
      case Confirmation::confirmed:
        return 0;
      case Confirmation::undecided:
        return 1;
      case Confirmation::contradicted:
        return 2;
    }
    return 2;
  };
  return std::tuple(order(one), -one.signature().rank) <
         std::tuple(order(other), -other.signature().rank);
}

void insert_by_importance(Symptoms& symptoms, const Symptom& one) {
  const auto is_less_important = [&one](const Symptom& other) {
    return is_more_important(one, other);
  };
  symptoms.insert(std::ranges::find_if(symptoms, is_less_important), one);
}

}  // namespace manactl::diag
