// SPDX-License-Identifier: MIT

#include "setup/transaction.h"

#include <algorithm>

#include "setup/nic_interface.h"
#include "setup/vanished_device.h"

namespace manactl::setup {
namespace {

Result<> revert_step(const StepContext& context,
                     RevertRequest request,
                     const Entry& entry,
                     const std::vector<Entry>& entries) {
  const auto& record = request.record;
  auto step = make_step(record);
  if (!step) return tl::unexpected<Error>(step.error());
  for (const auto& other : entries) {
    if (other.id == entry.id || other.boot_id != entry.boot_id) continue;
    for (const auto& theirs : other.steps) {
      const bool has_effect = theirs.begun && !theirs.reverted;
      if (theirs.kind == record.kind && has_effect) request.other_records.push_back(&theirs);
    }
  }
  return (*step)->revert(context, request);
}

// The index of the interface that the step changes; empty if there is none now.
std::string interface_index(const StepRecord& record, const os::System& system) {
  if (record.interface().empty()) return {};
  const auto link = find_link(system, interface_of(record.parameters));
  return link ? std::to_string(link->index) : std::string();
}

// The host may offer the channel again after an earlier restore: the interface is then a new one.
bool needs_revert(const StepRecord& record, const os::System& system) {
  if (!record.reverted) return true;
  if (record.written_to.empty()) return false;
  const auto index = interface_index(record, system);
  return !index.empty() && index != record.written_to;
}

}  // namespace

bool StepResult::only_verifies() const {
  if (kind == StepKind::wait_for_uio) return true;
  return kind == StepKind::keep_down && value_at(before, "state") == "down";
}

std::string StepResult::before_text() const {
  std::string text;
  for (const auto& [key, value] : before) {
    // Keys with a dot are elements of lists: "address.000000".
    if (key.find('.') != std::string::npos || key == "index") continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", key, value.empty() ? "-" : value);
  }
  return text;
}

bool all_reverted(const std::vector<RevertResult>& results) {
  return std::all_of(
      results.begin(), results.end(), [](const RevertResult& one) { return one.succeeded(); });
}

std::vector<RevertResult> roll_back(const StepContext& context,
                                    Entry& entry,
                                    const std::vector<Entry>& entries,
                                    bool force) {
  const bool is_repeated = std::ranges::any_of(entry.steps, &StepRecord::reverted);
  std::vector<RevertResult> results;
  Values at_return;
  for (auto record = entry.steps.rbegin(); record != entry.steps.rend(); ++record) {
    if (!needs_revert(*record, context.system)) continue;
    RevertResult one{record->title, {}, {}};
    const RevertRequest request{*record, {}, force, is_repeated, &at_return, &one.notes};
    one.kind = record->kind;
    const auto index = interface_index(*record, context.system);
    one.result = revert_step(context, request, entry, entries);
    record->written_to =
        index.empty() && one.result ? interface_index(*record, context.system) : index;
    if (!one.result) {
      const auto vanished = find_vanished_device(entry, context.system);
      one.device_vanished = vanished.caused(one.result.error(), *record, entry);
      one.given_up = force && record->kind == StepKind::save_addresses;
    }
    record->reverted = one.succeeded();
    if (!one.succeeded()) one.manual_commands = record->manual_commands;
    results.push_back(std::move(one));
  }
  return results;
}

Result<> Transaction::run_step(Step& step, Entry& entry, std::size_t number) {
  auto observed = step.observe(context_.system);
  if (!observed) return because(observed.error(), step.title());
  const auto start = context_.clock.now();
  const bool done = step.is_done(*observed);
  results_.push_back({step.kind(), step.title(), std::move(*observed)});
  if (done) return {};
  results_.back().changed = true;
  const auto begun = journal_.begin_step(entry.id, number);
  if (!begun) return because(begun.error(), step.title());
  auto& record = entry.steps[number];
  record.begun = true;
  const auto* const writes = context_.omitted_writes;
  const auto earlier = writes == nullptr ? 0 : writes->size();
  auto after = step.apply(context_);
  if (writes != nullptr) {
    results_.back().commands.assign(writes->begin() + static_cast<std::ptrdiff_t>(earlier),
                                    writes->end());
  }
  if (!after) return because(after.error(), step.title());
  // Set before verify(): reverting needs the number of granted hugepages even if verify() finds it
  // too low.
  record.after = std::move(*after);
  const auto verified = step.verify(context_.system);
  if (!verified) return because(verified.error(), step.title());
  const auto written = journal_.finish_step(entry.id, number, record.after);
  if (!written) return because(written.error(), step.title());
  record.done = true;
  results_.back().took = context_.clock.now() - start;
  return {};
}

// This process knows which steps it began, and reverts only these. Marks the others as reverted
// too, because a later process would have to compare values.
void Transaction::roll_back_begun(Entry& entry) {
  Entry begun = entry;
  begun.steps.resize(results_.size());
  if (!results_.empty() && results_.back().changed && !begun.steps.back().begun) {
    begun.steps.pop_back();
  }
  const auto entries = journal_.entries();
  reverted_ = roll_back(context_, begun, entries.value_or(std::vector<Entry>{}), false);
  for (std::size_t number = 0; number < entry.steps.size(); ++number) {
    entry.steps[number].reverted = number >= begun.steps.size() || begun.steps[number].reverted;
  }
}

Result<> Transaction::run(const Steps& steps, Entry& entry) {
  Result<> result;
  for (std::size_t number = 0; number < steps.size() && result; ++number) {
    result = run_step(*steps[number], entry, number);
    signal_ = poll_signal_ ? poll_signal_() : 0;
    if (result && signal_ != 0) result = fail(Errc::io, "interrupted");
  }
  if (result) result = journal_.mark_ready(entry.id);
  if (result) return result;
  roll_back_begun(entry);
  const auto vanished = find_vanished_device(entry, context_.system).text(entry);
  if (!vanished.empty()) result = because(result.error(), vanished);
  if (!is_rolled_back()) {
    (void)journal_.mark_reverted(entry);
    return result;
  }
  const auto closed = journal_.remove(entry.id);
  if (!closed) reverted_.push_back({"close the journal entry", closed, {"manactl restore --all"}});
  return result;
}

}  // namespace manactl::setup
