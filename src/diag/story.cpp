// SPDX-License-Identifier: MIT

#include "diag/story.h"

#include <algorithm>
#include <array>
#include <ranges>

#include "diag/error_heuristics.h"
#include "diag/log_time.h"

namespace manactl::diag {
namespace {

// Without a VF, packets take the synthetic path, so they prove nothing about these errors.
bool is_about_mana(const LogEntry& error) {
  constexpr std::array<std::string_view, 5> kSources = {
      "net_mana", "libmana", "libibverbs", "mana.ko", "mana_ib"};
  if (error.signature == nullptr) return false;
  return std::ranges::find(kSources, error.signature->source) != kSources.end() ||
         error.signature->blocks == State::probed;
}

bool is_error(const Signature& signature) {
  return signature.role == Role::cause || signature.role == Role::consequence;
}

bool contains(const auto& list, const auto& value) {
  return std::ranges::find(list, value) != list.end();
}

bool has_benign_capture(const Signature& signature, const Captures& captures) {
  return std::ranges::any_of(signature.benign_when,
                             [&captures](const auto& one) { return contains(captures, one); });
}

bool works(const Milestone& milestone, const Run& run) {
  const auto first = run.kind == RunKind::boot ? State::configured : State::started;
  if (!is_step(milestone.state) || milestone.state < first) return false;
  return milestone.signature->source != kApplication || !is_on_synthetic_path(run);
}

bool has_step(const Run& run) {
  return std::ranges::any_of(run.milestones, [](const auto& one) { return is_step(one.state); });
}

// The newest milestone that may be about `device`; null if there is none.
template <class Milestones>
auto* newest_of(Milestones& milestones, const Device& device) {
  decltype(milestones.data()) newest = nullptr;
  for (auto& one : milestones) {
    const bool is_newer = newest == nullptr || one.last_line >= newest->last_line;
    if (is_newer && one.device.may_be(device)) newest = &one;
  }
  return newest;
}

}  // namespace

bool is_on_synthetic_path(const Run& run) {
  const Milestone* newest = nullptr;
  for (const auto& one : run.milestones) {
    const bool shows_path =
        one.state == State::synthetic || (is_step(one.state) && one.state != State::detected &&
                                          one.signature->source != kApplication);
    if (shows_path && (newest == nullptr || one.last_line >= newest->last_line)) newest = &one;
  }
  return newest != nullptr && newest->state == State::synthetic;
}

// ---- runs ---------------------------------------------------------------------------------------

Run* Story::current_run(RunKind kind) {
  const auto number = current_.find(kind);
  if (number == current_.end()) return nullptr;
  const auto found = std::ranges::find(runs_, number->second, &Run::number);
  return found == runs_.end() ? nullptr : &*found;
}

Run& Story::begin_run(RunKind kind, const Event& event) {
  if (runs_.size() == kMaxRuns) {
    // Keep the first run, the newest ones and the current one of each kind.
    const auto is_current = [this](const Run& run) { return current_run(run.kind) == &run; };
    runs_.erase(std::find_if_not(runs_.begin() + 1, runs_.end(), is_current));
    ++more_runs_;
  }
  auto& run = runs_.emplace_back();
  run.number = ++last_run_;
  run.kind = kind;
  run.first_line = event.line;
  run.time = event.time;
  current_[kind] = run.number;
  return run;
}

Run& Story::run_of(const Signature& signature, const Event& event) {
  const auto kind = signature.begins.value_or(kind_of(signature));
  auto* const run = current_run(kind);
  const bool is_step_after_end =
      run != nullptr && run->ending != Ending::none && signature.state && is_step(*signature.state);
  // A run may begin with several lines. Such a line begins a new run if the current run already has
  // this line, has shown a step, or has ended.
  const bool is_next =
      run != nullptr && signature.begins &&
      (contains(run->beginnings, &signature) || has_step(*run) || run->ending != Ending::none);
  auto& chosen = run == nullptr || is_step_after_end || is_next ? begin_run(kind, event) : *run;
  if (signature.begins) chosen.beginnings.push_back(&signature);
  return chosen;
}

// ---- lines --------------------------------------------------------------------------------------

bool Story::add(const Signature& signature,
                const Captures& captures,
                const Device& device,
                const Event& event) {
  if (!event.time.empty()) last_time_ = event.time;
  outages_.next(signature, captures, device, event);
  if (signature.role == Role::note && !signature.begins) return false;
  const auto* const current = current_run(kind_of(signature));
  const bool is_running = current != nullptr && current->ending == Ending::none;
  if (signature.needs_run && !is_running) return false;
  last_ = &signature;
  repeated_run_ = nullptr;
  auto& run = run_of(signature, event);
  run.last_line = std::max(run.last_line, event.line);
  if (run.kind == RunKind::program) run.applications.merge(std::exchange(applications_, {}));
  const auto release = capture(captures, "release");
  if (!release.empty() && run.kind == RunKind::program) run.dpdk_release = release;
  const bool is_end = signature.ends && run.ending != *signature.ends;
  if (is_end) {
    run.ending = *signature.ends;
    run.end = quote_of(event);
  }
  if (is_error(signature) || signature.role == Role::benign) {
    add_entry(signature, captures, device, event, run.number);
  }
  if (signature.state) add_state(signature, event, device, run);
  if (!open_.empty()) resolve_open(signature, device, event, run);
  return is_end && run.ending == Ending::failed && run.kind == RunKind::program;
}

void Story::add(const Conclusion& conclusion) {
  add(*conclusion.rule, conclusion.captures, conclusion.device, event_of(conclusion.line));
}

bool Story::repeat(const Signature& signature, std::uint64_t line) {
  if (last_ != &signature) return false;
  if (repeated_run_ == nullptr) {
    auto* const run = current_run(kind_of(signature));
    auto* const newest = run == nullptr ? nullptr : newest_of(run->milestones, {});
    if (newest == nullptr || newest->signature != &signature) return false;
    repeated_run_ = run;
    repeated_ = newest;
    newest->last_time.clear();
    if (run->worked && run->worked->signature == &signature) run->worked->last_time.clear();
  }
  repeated_run_->last_line = repeated_->last_line = line;
  auto& worked = repeated_run_->worked;
  if (worked && worked->signature == &signature) worked->last_line = line;
  return true;
}

Story::Slot* Story::slot_of(const Key& key) {
  const auto found = slots_.find(key);
  if (found != slots_.end()) return &found->second;
  if (std::get<const Signature*>(key) == nullptr) {
    if (unknown_slots_ == kMaxUnknown) return nullptr;
    ++unknown_slots_;
  } else if (slots_.size() >= kMaxDevices + kMaxUnknown && !std::get<std::string>(key).empty()) {
    return slot_of({std::get<0>(key), std::get<1>(key), ""});
  }
  return &slots_[key];
}

void Story::add_line(LogEntry& entry, const Event& event, std::uint64_t run) {
  if (entry.count == 0) {
    entry.first = quote_of(event);
    entry.last_line = 0;
  }
  ++entry.count;
  entry.last_line = event.line;
  entry.run = run;
}

LogEntry& Story::add_entry(const Signature& signature,
                           const Captures& captures,
                           const Device& device,
                           const Event& event,
                           std::uint64_t run) {
  const bool benign = has_benign_capture(signature, captures);
  const auto* const reason =
      is_error(signature) && !benign ? reason_to_expect(signature, device) : nullptr;
  auto& slot = *slot_of({&signature, benign, is_error(signature) ? device.text() : ""});
  auto& entry = reason == nullptr ? slot.open : slot.expected;
  const bool is_new = entry.count == 0;
  add_line(entry, event, run);
  if (!is_new) return entry;
  entry.signature = &signature;
  entry.captures = captures;
  entry.benign = benign;
  entry.device = device;
  entry.blocks = signature.blocks;
  if (reason != nullptr) {
    entry.resolution = Resolution::expected;
    entry.proof = reason->quote;
  } else if (is_error(signature) && !benign) {
    open_.push_back(&slot);
  }
  return entry;
}

// A program that works after the last line of the rule has recovered.
void Story::conclude(const Conclusion& conclusion) {
  const auto& rule = *conclusion.rule;
  const auto* const run = current_run(kind_of(rule));
  const bool is_over = rule.blocks && run != nullptr && run->kind == RunKind::program &&
                       run->worked && run->worked->last_line > conclusion.last_line;
  if (is_over) return;
  auto& entry = add_entry(rule,
                          conclusion.captures,
                          conclusion.device,
                          event_of(conclusion.line),
                          run == nullptr ? 0 : run->number);
  entry.count += conclusion.count - 1;
  entry.last_line = conclusion.last_line;
}

// The shell does not name the program that was killed. One that works may have been killed by its
// user.
void Story::end_killed_run(const Event& event) {
  auto* const run = current_run(RunKind::program);
  const bool is_over = run == nullptr || run->ending != Ending::none || run->worked;
  if (event.message != "Killed" || is_over) return;
  run->ending = Ending::failed;
  run->end = quote_of(event);
}

LogEntry* Story::add_unknown(const Event& event) {
  last_ = nullptr;
  repeated_run_ = nullptr;
  end_killed_run(event);
  auto* const slot = slot_of({nullptr, false, kind_of_text(event.message)});
  if (slot == nullptr) {
    ++more_unknown_;
    return nullptr;
  }
  const auto kind = run_kind_of_text(event.message);
  const auto* const run = kind ? current_run(*kind) : nullptr;
  const bool is_new = slot->open.count == 0;
  add_line(slot->open, event, run == nullptr ? 0 : run->number);
  if (!is_new) return nullptr;
  if (kind) {
    slot->open.blocks = *kind == RunKind::boot ? State::configured : State::started;
    open_.push_back(slot);
  }
  return &slot->open;
}

std::vector<LogEntry> Story::take_entries() {
  std::vector<LogEntry> entries;
  for (auto& [key, slot] : slots_) {
    const auto* const reason = reason_to_ignore(slot.open);
    if (reason != nullptr) {
      slot.open.resolution = Resolution::expected;
      slot.open.proof = reason->quote;
    }
    for (auto* const entry : {&slot.open, &slot.expected, &slot.recovered}) {
      if (entry->count > 0) entries.push_back(std::move(*entry));
    }
  }
  std::ranges::stable_sort(entries, {}, [](const LogEntry& entry) { return entry.first.line; });
  return entries;
}

// ---- states -------------------------------------------------------------------------------------

void Story::add_state(const Signature& signature,
                      const Event& event,
                      const Device& device,
                      Run& run) {
  auto* newest = newest_of(run.milestones, device);
  const bool is_repeated = newest != nullptr && newest->device == device &&
                           newest->state == *signature.state && newest->signature == &signature;
  if (!is_repeated) {
    constexpr std::ptrdiff_t kFirst = 10;  // these are never forgotten
    if (run.milestones.size() == kMaxMilestones) {
      run.milestones.erase(run.milestones.begin() + kFirst);
      ++run.more_milestones;
    }
    newest = &run.milestones.emplace_back(
        Milestone{*signature.state, &signature, device, quote_of(event), std::string(event.time)});
  }
  auto& milestone = *newest;
  milestone.last_line = event.line;
  milestone.last_time = event.time;
  if (works(milestone, run)) run.worked = milestone;
}

// The newest state of the device, in a current run, in which the error is normal.
const Milestone* Story::reason_to_expect(const Signature& error, const Device& device) {
  if (error.expected_in.empty()) return nullptr;
  for (const auto kind : {RunKind::boot, RunKind::program}) {
    const auto* const run = current_run(kind);
    if (run == nullptr) continue;
    const auto* const newest = newest_of(run->milestones, device);
    if (newest != nullptr && contains(error.expected_in, newest->state)) return newest;
  }
  return nullptr;
}

// Returns the newest line about a channel. Returns null if, for some channel, the newest line is
// one of `matters_after` and precedes the error.
const Milestone* Story::reason_to_ignore(const LogEntry& error) {
  if (error.count == 0 || error.signature == nullptr) return nullptr;
  const auto& matters_after = error.signature->matters_after;
  const auto* const run = matters_after.empty() ? nullptr : current_run(RunKind::boot);
  if (run == nullptr) return nullptr;
  std::map<std::string, const Milestone*> newest;
  const Milestone* reason = nullptr;
  for (const auto& one : run->milestones) {
    if (one.device.channel.empty()) continue;
    auto*& of_channel = newest[one.device.channel];
    if (of_channel == nullptr || one.last_line >= of_channel->last_line) of_channel = &one;
  }
  for (const auto& [channel, one] : newest) {
    const bool is_older = one->quote.line < error.last_line;
    if (is_older && contains(matters_after, one->signature->id)) return nullptr;
    if (reason == nullptr || one->last_line > reason->last_line) reason = one;
  }
  return reason;
}

// Whether the driver has opened the function of the error again.
bool Story::has_probed_since(const LogEntry& error, const Run& run) {
  return std::ranges::any_of(run.milestones, [&error](const Milestone& one) {
    return one.state == State::probed && one.last_line > error.last_line &&
           one.device.pci == error.device.pci;
  });
}

// An error that names one port of the adapter is not recovered by a line about another port.
bool Story::proves_recovery(const Step& step, const LogEntry& error) {
  const auto& [signature, device, run, is_other_path] = step;
  if (!signature.state || !is_step(*signature.state) || !device.may_be(error.device)) return false;
  // Counters show nothing about other ports.
  const bool is_of_port = !device.series.empty() && device.series == error.device.series;
  if (signature.counters) return is_of_port;
  const auto kind_of_error = error.signature == nullptr ? run.kind : kind_of(*error.signature);
  // A NIC that works in the kernel does not prove that a program can use it.
  if (run.kind == RunKind::boot && kind_of_error == RunKind::program) return false;
  if (is_other_path && is_about_mana(error)) return false;
  if (!error.device.index.empty() && device.index.empty() && !has_probed_since(error, run))
    return false;
  const bool is_later_run = kind_of_error == run.kind && error.run != run.number;
  // A ticket may contain the start of the program after the fault.
  const bool is_older = run.worked && is_days_before(run.worked->quote.time, error.first.time);
  if (is_later_run && is_older) return false;
  if (is_later_run && run.worked && run.worked->quote.line > error.last_line) return true;
  return error.blocks && *signature.state >= *error.blocks;
}

void Story::resolve_open(const Signature& signature,
                         const Device& device,
                         const Event& event,
                         const Run& run) {
  const bool is_other_path = signature.source == kApplication && is_on_synthetic_path(run);
  const Step step{signature, device, run, is_other_path};
  const auto is_resolved = [&](const LogEntry& error) {
    if (error.last_line >= event.line) return false;
    const bool is_resolver = error.signature != nullptr &&
                             contains(error.signature->resolved_by, signature.id) &&
                             device.may_be(error.device);
    return is_resolver || proves_recovery(step, error);
  };
  std::erase_if(open_, [&](Slot* slot) {
    if (!is_resolved(slot->open)) return false;
    auto& recovered = slot->recovered;
    const auto before = recovered.count;
    if (before == 0) {
      recovered = slot->open;
      recovered.resolution = Resolution::recovered;
    }
    recovered.count = before + slot->open.count;
    recovered.last_line = slot->open.last_line;
    recovered.run = slot->open.run;
    recovered.proof = quote_of(event);
    slot->open = {};
    return true;
  });
}

}  // namespace manactl::diag
