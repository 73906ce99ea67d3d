// SPDX-License-Identifier: MIT

#include "setup/transaction.h"

#include <algorithm>

#include "setup/gone.h"

namespace manactl::setup {
namespace {

Result<> revert_one(Machine& machine,
                    const StepRecord& record,
                    const Entry& entry,
                    const std::vector<Entry>& open,
                    bool force) {
  auto step = make_step(record.kind, record.parameters);
  if (!step) return tl::unexpected<Error>(step.error());
  Undo undo{record, {}, force};
  for (const auto& other : open) {
    if (other.id == entry.id) continue;
    for (const auto& theirs : other.steps) {
      if (theirs.kind == record.kind) undo.others.push_back(&theirs);
    }
  }
  return (*step)->revert(machine, undo);
}

}  // namespace

std::vector<Undone> roll_back(Machine& machine,
                              const Entry& entry,
                              const std::vector<Entry>& open,
                              bool force) {
  std::vector<Undone> undone;
  for (auto record = entry.steps.rbegin(); record != entry.steps.rend(); ++record) {
    auto result = revert_one(machine, *record, entry, open, force);
    Undone one{record->title, std::move(result), {}};
    if (!one.result) {
      one.gone = explains(gone_of(entry, machine.system), entry, *record, one.result.error());
    }
    if (!one.is_good()) one.by_hand = record->by_hand;
    undone.push_back(std::move(one));
  }
  return undone;
}

bool all_good(const std::vector<Undone>& undone) {
  return std::all_of(undone.begin(), undone.end(), [](const Undone& u) { return u.is_good(); });
}

bool Transaction::is_undone() const {
  return all_good(undone_);
}

Result<> Transaction::run_step(Step& step, Entry& entry, std::size_t number) {
  auto seen = step.observe(machine_.system);
  if (!seen) return because(seen.error(), step.title());
  const auto start = machine_.clock.now();
  const bool done = step.done(*seen);
  ran_.push_back({step.title(), std::move(*seen), false, {}});
  if (done) return {};
  ran_.back().changed = true;
  const auto noted = journal_.begin(entry.id, number);
  if (!noted) return because(noted.error(), step.title());
  auto& record = entry.steps[number];
  record.begun = true;
  auto answer = step.apply(machine_);
  if (!answer) return because(answer.error(), step.title());
  // What was granted must be known even when it was too little.
  record.after = std::move(*answer);
  const auto verified = step.verify(machine_.system);
  if (!verified) return because(verified.error(), step.title());
  const auto kept = journal_.done(entry.id, number, record.after);
  if (!kept) return because(kept.error(), step.title());
  record.done = true;
  ran_.back().took = machine_.clock.now() - start;
  return {};
}

Result<> Transaction::run(const Steps& steps, Entry& entry) {
  Result<> good;
  for (std::size_t number = 0; number < steps.size() && good; ++number) {
    good = run_step(*steps[number], entry, number);
    signal_ = interrupted_ ? interrupted_() : 0;
    if (good && signal_ != 0) good = fail(Errc::io, "interrupted");
  }
  if (good) good = journal_.ready(entry.id);
  if (good) return good;
  // This process knows what it has not begun; a later one would have to look.
  Entry begun = entry;
  while (begun.steps.size() > ran_.size()) begun.steps.pop_back();
  if (!begun.steps.empty() && ran_.size() == begun.steps.size() && ran_.back().changed &&
      !begun.steps.back().begun) {
    begun.steps.pop_back();
  }
  const auto open = journal_.entries();
  undone_ = roll_back(machine_, begun, open.value_or(std::vector<Entry>{}), false);
  const auto gone = gone_of(begun, machine_.system).text(entry);
  if (!gone.empty()) good = because(good.error(), gone);
  if (!is_undone()) return good;
  const auto closed = journal_.close(entry.id);
  if (!closed) undone_.push_back({"close the journal", closed, {"manactl restore --all"}});
  return good;
}

}  // namespace manactl::setup
