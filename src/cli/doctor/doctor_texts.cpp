// SPDX-License-Identifier: MIT
//
// Texts that doctor prints with and without -v.

#include <algorithm>

#include "base/text.h"
#include "cli/doctor/render_doctor.h"
#include "diag/log_time.h"

namespace manactl::cli {
namespace {

constexpr std::size_t kMaxFailure = 200;  // bytes of a quoted line

// Returns "none of 32 checks failed (1 warned, 2 unknown: see 'manactl check')"
std::string check_summary(const diag::Report& report, bool has_mana) {
  using diag::Status;
  std::vector<std::string> others;
  for (const auto status : {Status::warn, Status::unknown}) {
    const auto count = report.count(status);
    if (count > 0)
      others.push_back(fmt::format("{} {}", count, status == Status::warn ? "warned" : "unknown"));
  }
  const auto all = report.outcomes.size(), skipped = report.count(Status::skipped);
  std::string text =
      all == 1 ? "the check did not fail"
      : has_mana
          ? fmt::format("none of {} checks failed", all)
          : fmt::format("without MANA, {} of {} checks ran, and none failed", all - skipped, all);
  if (!others.empty()) text += fmt::format(" ({}: see 'manactl check')", join(others, ", "));
  return text;
}

// True if the checks ran on a VM with MANA.
bool has_checked_mana(const DoctorResult& result) {
  const auto* const mana = result.report.find("hardware.mana");
  return mana != nullptr && mana->finding.status == diag::Status::pass;
}

std::vector<Headline> success_and_fault(const DoctorResult& result, const diag::Verdict& verdict) {
  const auto& worked = *verdict.worked;
  std::vector<Headline> rows = {
      {Color::red,
       "Last success:",
       fmt::format("{} ({})",
                   worked.signature->title,
                   place_of(result, worked.quote.log, worked.last_line, worked.last_time))}};
  if (!verdict.failure) return rows;
  const auto& failure = *verdict.failure;
  rows.push_back({Color::red,
                  std::string(kFirstFault),
                  fmt::format("{} ({})",
                              printable(failure.text, kMaxFailure),
                              place_of(result, failure.log, failure.line, failure.time))});
  return rows;
}

}  // namespace

std::string place_of(const DoctorResult& result,
                     std::string_view log,
                     std::uint64_t line,
                     std::string_view time) {
  const auto* const before = time.empty() ? "" : ", ";
  return fmt::format("{}{}{}{}",
                     result.logs.size() > 1 ? printable(log) + ':' : "line ",
                     line,
                     before,
                     diag::moment_text(time));
}

std::string times(std::uint64_t count) {
  return count > 1 ? fmt::format(", {} times", count) : std::string();
}

std::string report_command(const DoctorResult& result) {
  if (!result.bundle.empty()) return {};
  std::string command = "manactl doctor --bundle vm.tar.gz --scrub";
  for (const auto& log : result.logs) {
    if (log.is_captured) continue;
    command += log.name == "kernel log" ? " --kernel-log" : " --log " + shell_word(log.name);
  }
  return result.hints.complete(command);
}

std::string report_hint(const DoctorResult& result) {
  if (result.bundle.empty()) return "To report this, attach the file that this command writes:";
  return fmt::format(
      "To report this, attach '{}'. If it was written without --scrub, it contains addresses and "
      "names: write it again with --scrub first.",
      printable(result.bundle));
}

bool has_unknown_cause(const DoctorResult& result) {
  const auto& verdict = result.diagnosis.verdict;
  return verdict && diag::is_failure(verdict->answer) && !result.diagnosis.root;
}

// A cause that is the state of a NIC, and not an event, is the answer itself. If the NIC works in
// the kernel, only some programs have the fault.
std::string root_heading(const DoctorResult& result) {
  const auto& verdict = result.diagnosis.verdict;
  const auto& quote = result.diagnosis.root->quote;
  if (verdict && verdict->answer == diag::Answer::works && quote) return "But:";
  const bool is_state = verdict && verdict->answer == diag::Answer::degraded && quote &&
                        quote->line == verdict->failure->line;
  return is_state ? "Degraded:" : "Root cause:";
}

// A cause found by a check needs no confirmation; checks may confirm a cause found in a log.
std::string evidence_text(const diag::Diagnosis::Item& item) {
  const bool is_check = diag::find_check(item.id) != nullptr;
  if (is_check || item.confirmation == diag::Confirmation::undecided) return {};
  return fmt::format("{}: {}", word_of(kConfirmations, item.confirmation), item.confirmed_by);
}

// The answer of a failure with a known cause is the root cause.
std::vector<Headline> headlines(const DoctorResult& result) {
  if (!result.diagnosis.verdict) return {};
  const auto& verdict = *result.diagnosis.verdict;
  const auto& worked = verdict.worked;
  if (worked && verdict.answer == diag::Answer::works) {
    return {{Color::green,
             "Works:",
             fmt::format("{} ({})",
                         worked->signature->title,
                         place_of(result, worked->quote.log, worked->last_line))}};
  }
  if (verdict.answer == diag::Answer::not_mana) {
    return {{Color::none,
             "Not MANA:",
             "the logs contain no line of a MANA NIC or its drivers. Use --log with the logs of "
             "the kernel and of the DPDK program on a VM with MANA."}};
  }
  if (verdict.idle) {
    const auto& signature = *verdict.idle->signature;
    const auto place = place_of(result, verdict.idle->quote.log, verdict.idle->last_line);
    const auto* const heading = signature.counters ? "Idle:" : "Unknown:";
    return {{Color::none, heading, fmt::format("{} ({})", signature.title, place)},
            {Color::none, "Next:", signature.fix}};
  }
  std::vector<Headline> rows;
  if (worked && verdict.answer == diag::Answer::worked_until) {
    rows = success_and_fault(result, verdict);
  }
  if (has_unknown_cause(result)) {
    const bool is_degraded = verdict.answer == diag::Answer::degraded;
    rows.push_back({Color::red, is_degraded ? "Degraded," : "Failed,", "and the cause is unknown"});
  }
  return rows;
}

std::string no_cause_text(const DoctorResult& result) {
  const auto& verdict = result.diagnosis.verdict;
  // The answer for the logs is already there.
  const bool is_answered =
      verdict && (verdict->answer != diag::Answer::no_failure || verdict->idle);
  const bool has_mana = has_checked_mana(result);
  const bool lacks_mana = !has_mana && result.report.find("hardware.mana") != nullptr;
  const bool only_logs = !has_mana && result.probe == nullptr;
  if (result.diagnosis.root || (is_answered && only_logs)) return {};
  const bool probe_failed = result.probe != nullptr && result.probe->end();
  std::string sentence = probe_failed ? "The checks found no cause: " : "No cause found: ";
  const bool has_checks = !result.report.outcomes.empty();
  if (has_checks) sentence += check_summary(result.report, !lacks_mana);
  if (has_checks && !result.logs.empty()) sentence += ", and ";
  if (!result.logs.empty()) {
    const auto lines = result.diagnosis.lines;
    sentence += fmt::format("{} log {} {} no {}error",
                            lines,
                            lines == 1 ? "line" : "lines",
                            lines == 1 ? "contains" : "contain",
                            result.diagnosis.unknown.empty() ? "" : "known ");
  }
  return result.hints.complete(sentence + '.');
}

std::vector<std::string> warning_texts(const DoctorResult& result) {
  if (!has_checked_mana(result)) return {};
  std::vector<std::string> texts;
  for (const auto& outcome : result.report.outcomes) {
    if (outcome.finding.status != diag::Status::warn) continue;
    texts.push_back(fmt::format("{} ({})", outcome.check.problem, outcome.check.id));
  }
  return texts;
}

}  // namespace manactl::cli
