// SPDX-License-Identifier: MIT

#include "diag/doctor.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "base/text.h"
#include "diag/program_fix.h"
#include "diag/release_table.h"
#include "diag/remedies.h"
#include "diag/symptom.h"

namespace manactl::diag {
namespace {

// ---- items --------------------------------------------------------------------------------------

std::string release_note(const Signature& signature, const LogReport& log) {
  const auto& release = log.dpdk_release;
  if (release.empty()) return {};
  const auto& from = signature.printed_from;
  const bool too_new = has_reached(release, signature.removed_in);
  if (too_new || (!from.empty() && !has_reached(release, {from}))) {
    return fmt::format("DPDK {}, the release of this log, does not print this line", release);
  }
  if (signature.fixed_in.empty()) return {};
  if (has_reached(release, signature.fixed_in)) {
    return fmt::format("DPDK {}, the release of this log, already has the DPDK fix", release);
  }
  return fmt::format("DPDK {}, the release of this log, lacks a fix that is in {}",
                     release,
                     join(signature.fixed_in, ", "));
}

// The detail of a passing check may be just a name, so the text includes the title of the check.
std::string evidence_text(const CheckOutcome& outcome) {
  const auto& check = outcome.check;
  const auto& finding = outcome.finding;
  if (finding.status != Status::pass) return fmt::format("{}: {}", check.id, finding.detail);
  return fmt::format("{}: {}: {}", check.id, check.title, finding.detail);
}

std::string evidence_text(const Evidence& evidence) {
  if (evidence.check != nullptr) return evidence_text(*evidence.check);
  if (evidence.observation != nullptr) return evidence.observation->text;
  return evidence.value.empty() ? "" : fmt::format("the line contains '{}'", evidence.value);
}

// Returns the remedy of the check that confirms a cause. It is for this VM, whereas the fix of a
// signature is for all.
std::optional<Remedy> remedy_of(const Evidence& evidence) {
  const bool is_confirmed = evidence.confirmation == Confirmation::confirmed;
  return is_confirmed && evidence.check != nullptr ? evidence.check->finding.remedy : std::nullopt;
}

std::optional<Remedy> remedy_of(const Alternative& alternative, const Evidence& evidence) {
  auto remedy = remedy_of(evidence);
  if (!remedy && !alternative.fix.empty())
    remedy = Remedy{alternative.fix, {}, alternative.other_fixes};
  return remedy;
}

// Replaces "{name}" by the capture of this name.
std::string with_captures(std::string text, const Captures& captures) {
  for (const auto& [name, value] : captures) {
    const auto placeholder = fmt::format("{{{}}}", name);
    for (auto at = text.find(placeholder); at != std::string::npos;
         at = text.find(placeholder, at + value.size())) {
      text.replace(at, placeholder.size(), value);
    }
  }
  return text;
}

Remedy with_captures(const Remedy& remedy, const Captures& captures) {
  Remedy result{with_captures(remedy.why, captures), {}};
  for (const auto& command : remedy.commands)
    result.commands.push_back(with_captures(command, captures));
  for (const auto& other : remedy.others) result.others.push_back(with_captures(other, captures));
  return result;
}

std::vector<PossibleCause> possible_causes_of(const LogEntry& entry,
                                              const Report& checks,
                                              const std::vector<Observation>& observations) {
  const auto& alternatives = entry.signature->alternatives;
  const auto judged = judge_alternatives(*entry.signature, entry.captures, checks, observations);
  std::vector<PossibleCause> causes;
  for (std::size_t i = 0; i < judged.size(); ++i) {
    causes.push_back({alternatives[i].cause,
                      with_captures(alternatives[i].confirm, entry.captures),
                      judged[i].confirmation,
                      evidence_text(judged[i]),
                      remedy_of(alternatives[i], judged[i]),
                      alternatives[i].checks});
  }
  return causes;
}

// Returns the remedy of the cause that is confirmed, if it is the only one.
std::optional<Remedy> remedy_of(const std::vector<PossibleCause>& causes) {
  const auto is_confirmed = [](const auto& one) {
    return one.confirmation == Confirmation::confirmed;
  };
  if (std::ranges::count_if(causes, is_confirmed) != 1) return std::nullopt;
  return std::ranges::find_if(causes, is_confirmed)->remedy;
}

// Returns the best remedy that is known for `one` on this VM, or for the kernel that the line
// names.
std::optional<Remedy> remedy_of(const Symptom& one) {
  auto remedy = remedy_of(one.possible_causes);
  if (!remedy) remedy = remedy_of(one.evidence);
  return remedy ? remedy : remedy_for_module(one.entry->captures);
}

void set_remedy(Diagnosis::Item& item, const Remedy& remedy) {
  item.fix = remedy.why;
  item.commands = remedy.commands;
  item.other_fixes = remedy.others;
}

Diagnosis::Item item_of(const Symptom& one) {
  const auto& signature = one.signature();
  const auto& captures = one.entry->captures;
  Diagnosis::Item item;
  item.id = signature.id;
  item.title = with_captures(signature.title, captures);
  item.quote = one.entry->first;
  item.count = one.count;
  item.cause = with_captures(signature.cause, captures);
  const auto* const of_program = fix_of_program(one.log(), *one.entry);
  set_remedy(
      item,
      with_captures(of_program != nullptr
                        ? Remedy{of_program->fix, of_program->commands, of_program->other_fixes}
                        : Remedy{signature.fix, signature.commands, signature.other_fixes},
                    captures));
  for (auto& command : item.commands) command = with_names(command, one.log(), *one.entry);
  item.confirmation = one.evidence.confirmation;
  item.note = release_note(signature, one.log());
  item.proof = one.entry->proof;
  item.alternatives = one.possible_causes;
  item.confirmed_by = evidence_text(one.evidence);
  if (const auto remedy = remedy_of(one)) {
    set_remedy(item, *remedy);
  } else if (one.evidence.observation != nullptr && !one.evidence.observation->commands.empty()) {
    // These name the devices of this VM; those of the signature are generic.
    item.commands = one.evidence.observation->commands;
  }
  return item;
}

Diagnosis::Item item_of(const CheckOutcome& outcome) {
  Diagnosis::Item item;
  item.id = outcome.check.id;
  item.title = outcome.check.problem;
  item.quote = outcome.quote;
  item.cause = outcome.finding.detail;
  item.confirmation = Confirmation::confirmed;
  item.confirmed_by = evidence_text(outcome);
  if (outcome.finding.remedy) set_remedy(item, *outcome.finding.remedy);
  return item;
}

Diagnosis::Item item_of(const LogEntry& unknown) {
  Diagnosis::Item item;
  item.title = "Unrecognized error";
  item.quote = unknown.first;
  item.count = unknown.count;
  item.context = unknown.context;
  return item;
}

// Sorts items of one log. Checks without a line come last.
void sort_by_line(std::vector<Diagnosis::Item>& items) {
  std::ranges::stable_sort(items, {}, [](const Diagnosis::Item& item) {
    return item.quote ? item.quote->line : UINT64_MAX;
  });
}

// ---- the diagnosis ------------------------------------------------------------------------------

class DiagnosisBuilder {
 public:
  DiagnosisBuilder(const Report& checks,
                   const std::vector<LogReport>& logs,
                   const std::vector<Observation>& observations)
      : checks_(checks), logs_(logs), observations_(observations) {
    for (const auto& log : logs) add_log(log);
  }

  Diagnosis run() &&;

 private:
  void add_log(const LogReport& log);
  void add_entry(Symptoms& symptoms, const LogEntry& entry, const LogReport& log);
  const Symptom* most_likely_root() const;
  Symptoms& list_for(const LogEntry& entry, const LogReport& log);
  void place_symptoms(const Symptom* root);
  void place_checks();
  void judge_logs();
  void explain_repeated_failures();
  bool is_reported(const CheckOutcome& outcome) const;
  bool is_explained_by_check(const Symptom& one) const;

  const Report& checks_;
  const std::vector<LogReport>& logs_;
  const std::vector<Observation>& observations_;
  std::deque<std::vector<Observation>> of_logs_;  // also with those of each log
  Diagnosis diagnosis_;
  Symptoms symptoms_, benign_, expected_, recovered_;
  std::vector<const Symptom*> unexplained_;    // consequences of an unknown cause
  std::vector<const CheckOutcome*> reported_;  // checks that confirm a log line
};

void DiagnosisBuilder::add_log(const LogReport& log) {
  // A log without a trace of MANA gets no remedies for MANA.
  diagnosis_.lines += log.lines;
  diagnosis_.more_unknown += log.more_unknown;
  auto& observations = of_logs_.emplace_back(observations_);
  observations.insert(observations.end(), log.observations.begin(), log.observations.end());
  for (const auto& entry : log.entries) {
    const bool is_other_nic = entry.signature != nullptr && entry.signature->source == kOtherNic;
    if (entry.signature != nullptr && is_other_nic == log.is_about_mana()) continue;
    if (entry.signature == nullptr) {
      diagnosis_.unknown.push_back(item_of(entry));
    } else if (is_guess(entry, log, checks_)) {
      continue;
    } else {
      add_entry(list_for(entry, log), entry, log);
    }
  }
}

Symptoms& DiagnosisBuilder::list_for(const LogEntry& entry, const LogReport& log) {
  if (is_benign(entry, log)) return benign_;
  if (entry.resolution == Resolution::expected) return expected_;
  return entry.resolution == Resolution::recovered ? recovered_ : symptoms_;
}

void DiagnosisBuilder::add_entry(Symptoms& symptoms, const LogEntry& entry, const LogReport& log) {
  // The title of a rule may name the device and its figures.
  const bool names_device =
      is_rule(*entry.signature) && entry.signature->title.find('{') != std::string::npos;
  const auto same = std::ranges::find_if(symptoms, [&](const Symptom& c) {
    return c.entry->signature == entry.signature &&
           (!names_device || c.entry->device == entry.device);
  });
  if (same != symptoms.end()) {
    same->count += entry.count;
    if (!same->is_in(log)) same->logs.push_back(&log);
    return;
  }
  const auto& observations = of_logs_.back();
  symptoms.push_back({&entry,
                      {&log},
                      entry.count,
                      find_evidence(*entry.signature, checks_, observations, entry.captures),
                      possible_causes_of(entry, checks_, observations)});
}

const Symptom* DiagnosisBuilder::most_likely_root() const {
  const Symptom* best = nullptr;
  for (const auto& one : symptoms_) {
    if (!one.may_be_root()) continue;
    if (best == nullptr || is_more_important(one, *best)) best = &one;
  }
  return best;
}

bool DiagnosisBuilder::is_reported(const CheckOutcome& outcome) const {
  const auto causes = outcome.check.caused_by;
  return std::ranges::any_of(reported_, [&](const CheckOutcome* reported) {
    return reported == &outcome || std::ranges::find(causes, reported->check.id) != causes.end();
  });
}

bool DiagnosisBuilder::is_explained_by_check(const Symptom& one) const {
  const auto causes = first_causes(checks_);
  return std::ranges::any_of(
      causes, [&](const CheckOutcome* failed) { return may_explain(*failed, one, checks_); });
}

// A program fails again and again for the reason for which its device fails.
void DiagnosisBuilder::explain_repeated_failures() {
  const auto is_explained = [&](const Symptom& effect) {
    return std::ranges::any_of(symptoms_, [&](const Symptom& one) {
      return one.is_in(effect.log()) && one.signature().role == Role::consequence &&
             is_explained_by_check(one);
    });
  };
  for (auto& one : symptoms_) {
    const auto& repetition = one.signature().repetition;
    const bool is_of_runs = repetition && repetition->failed_runs;
    if (is_of_runs && is_explained(one)) one.is_explained = true;
  }
}

void DiagnosisBuilder::place_symptoms(const Symptom* root) {
  Symptoms others;
  for (const auto& one : symptoms_) {
    if (&one == root) continue;
    if (one.may_be_root()) {
      insert_by_importance(others, one);
    } else if (one.is_explained || is_explained_by_check(one)) {
      diagnosis_.consequences.push_back(item_of(one));
    } else {
      unexplained_.push_back(&one);
    }
  }
  for (const auto& one : others) diagnosis_.others.push_back(item_of(one));
  const auto place_harmless = [](const Symptoms& harmless, std::vector<Diagnosis::Item>& items) {
    for (const auto& one : harmless) {
      items.push_back(item_of(one));
      items.back().commands.clear();
    }
  };
  place_harmless(benign_, diagnosis_.benign);
  place_harmless(expected_, diagnosis_.expected);
  place_harmless(recovered_, diagnosis_.recovered);
}

void DiagnosisBuilder::place_checks() {
  const auto causes = first_causes(checks_);
  for (const auto& outcome : checks_.outcomes) {
    if (outcome.finding.status != Status::fail) continue;
    if (std::ranges::find(reported_, &outcome) != reported_.end()) continue;
    const bool is_cause =
        std::ranges::find(causes, &outcome) != causes.end() && !is_reported(outcome);
    if (!is_cause) {
      diagnosis_.consequences.push_back(item_of(outcome));
    } else if (!diagnosis_.root) {
      diagnosis_.root = item_of(outcome);
    } else {
      diagnosis_.others.push_back(item_of(outcome));
    }
  }
}

void DiagnosisBuilder::judge_logs() {
  const auto& best = diagnosis_.root;
  const auto line_of_cause = [&](const LogReport& log) -> std::optional<Quote> {
    for (const auto& one : symptoms_) {
      if (one.may_be_root() && one.is_in(log)) return one.entry->first;
    }
    // The line of a check is in the log with the outputs.
    const bool is_of_ticket = best && log.ticket.checks.find(best->id) != nullptr;
    return is_of_ticket ? best->quote : std::nullopt;
  };
  for (const auto& log : logs_) {
    auto root = line_of_cause(log);
    if (best && best->quote && root && best->quote->log == root->log) root = best->quote;
    const auto verdict = judge(log, root);
    diagnosis_.verdict = diagnosis_.verdict ? more_serious(*diagnosis_.verdict, verdict) : verdict;
  }
}

Diagnosis DiagnosisBuilder::run() && {
  mark_explained(symptoms_);
  explain_repeated_failures();
  const Symptom* root = most_likely_root();
  // A fault that this VM does not have, or no longer has, is not the root if a check fails now.
  const bool is_past = root != nullptr && root->evidence.confirmation == Confirmation::contradicted;
  if (is_past && !first_causes(checks_).empty()) root = nullptr;
  for (const auto& one : symptoms_) {
    const auto& evidence = one.evidence;
    if (evidence.confirmation == Confirmation::confirmed && evidence.check != nullptr) {
      reported_.push_back(evidence.check);
    }
  }
  if (root != nullptr) diagnosis_.root = item_of(*root);
  place_symptoms(root);
  place_checks();
  // Without a root cause, all errors are in one list.
  auto& rest = diagnosis_.root ? diagnosis_.unexplained : diagnosis_.consequences;
  for (const auto* one : unexplained_) rest.push_back(item_of(*one));
  if (logs_.size() == 1) sort_by_line(diagnosis_.consequences);
  judge_logs();
  return std::move(diagnosis_);
}

}  // namespace

Diagnosis diagnose(const Report& checks,
                   const std::vector<LogReport>& logs,
                   const std::vector<Observation>& observations) {
  return DiagnosisBuilder(checks, logs, observations).run();
}

}  // namespace manactl::diag
