// SPDX-License-Identifier: MIT

#include "diag/verdict.h"

#include <algorithm>
#include <array>

#include "diag/log_scan.h"
#include "diag/log_time.h"

namespace manactl::diag {
namespace {

// The run that decides: the last one of a program, or of the kernel if no program ran.
const Run* deciding_run(const LogReport& log) {
  const Run* chosen = nullptr;
  for (const auto& run : log.runs) {
    const bool is_preferred =
        chosen == nullptr || run.kind == RunKind::program || chosen->kind == RunKind::boot;
    if (is_preferred) chosen = &run;
  }
  return chosen;
}

// The cause whose first line this is. With a rule, several causes may have the same line: the one
// with the highest rank is the root.
const LogEntry* cause_at(const LogReport& log, const Quote& line) {
  const LogEntry* cause = nullptr;
  for (const auto& one : log.entries) {
    const bool is_cause = one.first.line == line.line && one.run != 0 && one.signature != nullptr &&
                          one.signature->role == Role::cause;
    if (!is_cause) continue;
    if (cause == nullptr || one.signature->rank > cause->signature->rank) cause = &one;
  }
  return cause;
}

const Run* run_of(const LogReport& log, const LogEntry& entry) {
  const auto run = std::ranges::find(log.runs, entry.run, &Run::number);
  return run == log.runs.end() ? nullptr : &*run;
}

// The newest line before `failure` that shows that the device has carried packets. Forwarding alone
// does not show this.
std::optional<Milestone> carried_packets(const Run& run,
                                         const Device& device = {},
                                         std::uint64_t failure = UINT64_MAX) {
  std::optional<Milestone> newest;
  if (!run.worked) return newest;
  for (const auto& one : run.milestones) {
    const bool carries = is_step(one.state) && one.state >= State::link_up &&
                         one.quote.line < failure && one.device.may_be(device);
    if (carries) newest = one;
  }
  // The line was repeated after the failure.
  if (newest && newest->last_line > failure) {
    newest->last_line = newest->quote.line;
    newest->last_time = newest->time;
  }
  return newest;
}

// The first line after the removal of a device that shows that packets had passed before it. A
// program prints such totals when it stops.
std::optional<Milestone> total_after(const Run& run, std::uint64_t removal) {
  const auto total = std::ranges::find_if(run.milestones, [removal](const Milestone& one) {
    return one.signature->is_total && one.quote.line > removal;
  });
  return total == run.milestones.end() ? std::nullopt : std::optional(*total);
}

// The newest state of a device that has disappeared, or that has not returned from servicing. The
// VFs of synthetic NICs are not among them: see LogReport::nics.
const Milestone* lost_device(const Run& run) {
  const Milestone* lost = nullptr;
  for (const auto& one : run.milestones) {
    if (one.state != State::lost && one.state != State::servicing) continue;
    if (one.state == State::lost && !one.device.channel.empty()) continue;
    const bool is_back = std::ranges::any_of(run.milestones, [&one](const Milestone& later) {
      return later.last_line > one.last_line && is_step(later.state) &&
             later.device.may_be(one.device);
    });
    if (!is_back) lost = &one;
  }
  return lost;
}

// The first error that no later line resolves and that no signature explains.
const LogEntry* unexplained_error(const LogReport& log, const Run* run) {
  for (const auto& entry : log.entries) {
    if (entry.resolution != Resolution::none || entry.benign) continue;
    if (run != nullptr && entry.run != run->number) continue;
    const bool is_unknown = entry.signature == nullptr && entry.blocks;
    const bool is_consequence =
        entry.signature != nullptr && entry.signature->role == Role::consequence;
    if (is_unknown || is_consequence) return &entry;
  }
  return nullptr;
}

// The first NIC that worked, but does not use its VF when the log ends. A VF that a program uses
// may have left its NIC.
const NicStory* nic_without_vf(const LogReport& log, const Run* run) {
  if (run != nullptr && run->kind == RunKind::program) return nullptr;
  const auto nic = std::ranges::find_if(log.nics, [](const NicStory& one) {
    return one.has_worked && one.state != VfState::used && one.since;
  });
  return nic == log.nics.end() ? nullptr : &*nic;
}

// The newest report without a change of the counters, if no later line shows packets. The line of a
// container counts only if nothing shows that a NIC works.
const Milestone* idle_report(const Run& run) {
  const Milestone* idle = nullptr;
  for (const auto& one : run.milestones) {
    if (one.state == State::idle) idle = &one;
  }
  const bool is_over = idle != nullptr && run.worked &&
                       (!idle->signature->counters || (run.worked->state == State::traffic &&
                                                       run.worked->last_line > idle->last_line));
  return is_over ? nullptr : idle;
}

// Whether packets pass after the error: on the synthetic path, or on another port.
bool works_partly(const Run& run, const LogEntry& error) {
  if (error.signature->affects_one_port || !error.device.index.empty()) {
    return run.worked && run.worked->last_line > error.first.line;
  }
  if (run.kind != RunKind::program) return false;
  return is_on_synthetic_path(run) &&
         std::ranges::any_of(run.milestones, [&error](const Milestone& one) {
           return one.state == State::traffic && !one.signature->is_total &&
                  one.last_line > error.last_line;
         });
}

// Whether the fault of a driver keeps a VF from its synthetic NIC, which works without it. Programs
// may need the VF nevertheless.
bool is_without_vf_only(const LogReport& log, const Run& run, const LogEntry& error) {
  const auto& cause = *error.signature;
  const bool is_of_driver = cause.source == "mana.ko" || cause.source == "hv_netvsc" ||
                            capture(error.captures, "module") == "mana";
  if (!is_of_driver || !cause.blocks || &run != deciding_run(log)) return false;
  return log.ticket.has_synthetic_link || std::ranges::any_of(log.nics, [](const NicStory& nic) {
           return !nic.has_worked &&
                  (nic.state == VfState::not_bound || nic.state == VfState::not_joined ||
                   nic.state == VfState::not_switched);
         });
}

// The last run of a program, if it failed after this line.
const Run* failed_program(const LogReport& log, const Quote& line) {
  const auto* const run = deciding_run(log);
  const bool has_failed =
      run != nullptr && run->kind == RunKind::program && run->ending == Ending::failed && run->end;
  if (!has_failed) return nullptr;
  // The messages of the kernel may precede or follow all those of the program.
  if (seconds_between(line.time, run->end->time)) return run;
  if (seconds_between(run->end->time, line.time)) return nullptr;
  return run->end->line > line.line ? run : nullptr;
}

// Whether the failed check that this line shows is about the VF of a synthetic NIC, which works
// without it.
bool shows_missing_vf(const TicketReport& ticket, const Quote& line) {
  constexpr std::array<std::string_view, 4> kAboutVf = {
      "hardware.driver", "hardware.ports", "interfaces.links", "kernel.mana"};
  return ticket.has_synthetic_link &&
         std::ranges::any_of(ticket.checks.outcomes, [&](const CheckOutcome& one) {
           return one.finding.status == Status::fail && one.quote && one.quote->line == line.line &&
                  std::ranges::find(kAboutVf, one.check.id) != kAboutVf.end();
         });
}

// Whether packets pass nevertheless, but on the synthetic path or not reliably.
bool is_degradation(const LogReport& log, const Run& run, const LogEntry& error) {
  const auto& cause = *error.signature;
  if (works_partly(run, error) || is_without_vf_only(log, run, error)) return true;
  const bool is_share = cause.counters && cause.counters->conclusion == CounterConclusion::share;
  if (is_share) return capture(error.captures, "passed") != "0";
  // A switch that failed leaves the path as it was.
  const bool uses_vf = capture(error.captures, "dir") == "from";
  return cause.vf_state || (cause.packets_pass && !uses_vf) ||
         ((cause.repetition || cause.counters) && kind_of(cause) == RunKind::boot);
}

int severity(Answer answer) {
  constexpr std::array kOrder = {Answer::not_mana,
                                 Answer::no_failure,
                                 Answer::works,
                                 Answer::away,
                                 Answer::degraded,
                                 Answer::failed_unknown,
                                 Answer::worked_until,
                                 Answer::failed};
  return static_cast<int>(std::ranges::find(kOrder, answer) - kOrder.begin());
}

}  // namespace

Verdict judge(const LogReport& log, const std::optional<Quote>& root) {
  if (!log.is_about_mana()) return {log.lines == 0 ? Answer::no_failure : Answer::not_mana, {}, {}};
  if (root) {
    const auto* const error = cause_at(log, *root);
    const auto* const run = error == nullptr ? nullptr : run_of(log, *error);
    if (run == nullptr) {
      const bool has_path = shows_missing_vf(log.ticket, *root);
      return {has_path ? Answer::degraded : Answer::failed, {}, root};
    }
    if (is_degradation(log, *run, *error) && run->ending != Ending::failed) {
      const auto* const program = failed_program(log, *root);
      const bool works = error->signature->nic_works && run == deciding_run(log) && run->worked;
      if (program == nullptr && works) return {Answer::works, run->worked, root};
      if (program == nullptr) return {Answer::degraded, {}, root};
      const auto before = carried_packets(*program);
      return {before ? Answer::worked_until : Answer::failed, before, root};
    }
    auto before = carried_packets(*run, error->device, root->line);
    const bool is_removal = error->signature->state == State::lost;
    if (!before && is_removal) before = total_after(*run, root->line);
    // The packets that were sent did not arrive.
    const auto& counters = error->signature->counters;
    const bool is_missing = counters && counters->conclusion == CounterConclusion::missing;
    if (!before || is_missing) return {Answer::failed, {}, root};
    return {Answer::worked_until, before, root};
  }
  const auto* const run = deciding_run(log);
  const auto* const error = unexplained_error(log, run);
  if (run == nullptr) {
    if (error == nullptr) return {};
    return {Answer::failed_unknown, {}, error->first};
  }
  if (run->ending == Ending::failed) {
    const auto before = carried_packets(*run);
    if (!before) return {Answer::failed_unknown, {}, run->end};
    return {Answer::worked_until, before, run->end};
  }
  const auto* const lost = lost_device(*run);
  if (lost != nullptr && run->worked) return {Answer::worked_until, run->worked, lost->quote};
  const auto* const nic = nic_without_vf(log, run);
  if (nic != nullptr) return {Answer::away, run->worked, nic->since};
  // Another port works: a line about this one would have resolved the error.
  const bool is_of_port = error != nullptr && !error->device.series.empty();
  if (is_of_port && run->worked) return {Answer::degraded, {}, error->first};
  const auto* const idle = idle_report(*run);
  if (idle != nullptr && error == nullptr) return {Answer::no_failure, {}, {}, *idle};
  // Which machine has these counters is unknown.
  const bool is_ambiguous =
      log.ticket.has_several_machines && run->worked && run->worked->signature->counters;
  if (run->worked && !is_ambiguous) return {Answer::works, run->worked, {}};
  if (error != nullptr) return {Answer::failed_unknown, {}, error->first};
  return {};
}

const Verdict& more_serious(const Verdict& one, const Verdict& other) {
  return severity(one.answer) >= severity(other.answer) ? one : other;
}

}  // namespace manactl::diag
