// SPDX-License-Identifier: MIT

#include "setup/tune.h"

#include <algorithm>
#include <deque>

#include "base/text.h"
#include "host/gather.h"
#include "setup/discarding_files.h"
#include "setup/guard.h"
#include "setup/lock.h"
#include "setup/restore.h"
#include "setup/sysfs.h"
#include "setup/tuning_files.h"

namespace manactl::setup {
namespace {

struct NicPlan {
  TunedNic nic;
  Plan plan;
  std::vector<PersistentFile> files = {};  // of --persist
};

using NicPlans = std::deque<NicPlan>;  // a plan cannot be copied

host::Facts gather_tunable(const os::System& system) {
  auto facts = host::gather(system, host::SshSearch::every_process);
  if (facts.nics) host::gather_settings(system.links, *facts.nics);
  return facts;
}

Result<std::vector<const host::Nic*>> select_nics(const TuneRequest& request,
                                                  const host::Facts& facts,
                                                  const std::vector<Entry>& entries) {
  std::vector<const host::Nic*> nics;
  if (!facts.nics) return because(facts.nics.error(), "cannot list the NICs");
  if (!request.nic.empty()) {
    auto found = facts.azure_nic(request.nic);
    // The interface of a prepared NIC no longer exists.
    for (const auto& entry : entries) {
      const auto* prepared = facts.find_nic(entry.nic.channel_id());
      if (!found && entry.matches(request.nic) && prepared != nullptr) found = prepared;
    }
    if (!found) return tl::unexpected<Error>(found.error());
    nics.push_back(*found);
    return nics;
  }
  for (const auto& nic : *facts.nics) {
    if (nic.has_mana_vf()) nics.push_back(&nic);
  }
  if (nics.empty()) return fail(Errc::not_found, "no NIC has a MANA VF: run 'manactl check'");
  return nics;
}

Result<> check_forced_name(const TuneRequest& request, const std::vector<const host::Nic*>& nics) {
  const auto is_named = [&](const host::Nic* nic) {
    return nic->name() == request.force_interface;
  };
  if (request.force_interface.empty() || std::ranges::any_of(nics, is_named)) return {};
  return fail(Errc::invalid,
              fmt::format("--force-interface names '{}', which is not a NIC that is tuned",
                          printable(request.force_interface)));
}

// Plans all NICs before the first one is changed.
Result<NicPlans> plan_nics(const TuneRequest& request,
                           const os::System& system,
                           const std::vector<Entry>& entries) {
  auto allowed = require_initial_namespace(system.files);
  if (allowed) allowed = refuse_unfinished(entries, boot_id(system.files).value_or(""));
  if (!allowed) return tl::unexpected<Error>(allowed.error());
  const auto facts = gather_tunable(system);
  const auto nics = select_nics(request, facts, entries);
  if (!nics) return tl::unexpected<Error>(nics.error());
  allowed = check_forced_name(request, *nics);
  if (!allowed) return tl::unexpected<Error>(allowed.error());
  NicPlans plans;
  for (const auto* nic : *nics) {
    auto& planned = plans.emplace_back();
    planned.nic.name = nic->name();
    planned.nic.left_alone = reason_to_leave(*nic, entries);
    if (!planned.nic.left_alone.empty()) continue;
    auto plan = make_tune_plan(*nic, request, facts, system, entries);
    if (!plan) return tl::unexpected<Error>(plan.error());
    planned.nic.settings = std::move(plan->settings);
    planned.nic.objections = std::move(plan->objections);
    planned.plan = std::move(plan->plan);
    planned.nic.result.outcome = PrepareOutcome::already_prepared;
    planned.nic.result.entry = planned.plan.entry;
    if (!request.persist) continue;
    // Before the first change, because not every distribution can repeat them at boot.
    auto files = tuning_files(*nic, planned.nic.settings, entries, facts, system.files);
    if (!files) return tl::unexpected<Error>(files.error());
    planned.files = std::move(*files);
  }
  const auto& only = plans.front().nic;
  if (request.nic.empty() || only.left_alone.empty()) return plans;
  return fail(Errc::busy,
              fmt::format("'{}' is left alone, because {}: run 'manactl restore {}' first",
                          printable(request.nic),
                          only.left_alone,
                          printable(request.nic)));
}

bool has_failed(const NicPlan& planned) {
  const auto outcome = planned.nic.result.outcome;
  return outcome == PrepareOutcome::rolled_back || outcome == PrepareOutcome::roll_back_failed;
}

// Reverts what this run has changed on NICs before the one that failed. Those after it were not
// changed.
void roll_back_others(NicPlans& plans, const std::string& failed, const SetupContext& context) {
  for (auto planned = plans.rbegin(); planned != plans.rend(); ++planned) {
    const bool is_left = !planned->nic.left_alone.empty() || planned->plan.already_prepared;
    if (is_left || has_failed(*planned)) continue;
    auto& result = planned->nic.result;
    const bool is_changed = result.outcome == PrepareOutcome::done;
    auto restored = is_changed ? restore_entry(result.entry, context, false) : RestoreResult();
    result.outcome =
        restored.is_complete() ? PrepareOutcome::rolled_back : PrepareOutcome::roll_back_failed;
    result.reverted = std::move(restored.reverted);
    result.cause = {Errc::io, 0, fmt::format("'{}' could not be tuned", printable(failed))};
  }
}

// An error means that nothing was changed.
Result<> run_plans(NicPlans& plans,
                   const SetupContext& context,
                   const BeforeChanges& before_changes,
                   Lock& lock) {
  bool has_changed = false;
  for (auto& planned : plans) {
    if (!planned.nic.left_alone.empty() || planned.plan.already_prepared) continue;
    auto result = run_plan(planned.plan, context, before_changes, lock);
    if (!result && !has_changed) return tl::unexpected<Error>(result.error());
    if (result) {
      planned.nic.result = std::move(*result);
    } else {
      planned.nic.result.outcome = PrepareOutcome::rolled_back;
      planned.nic.result.cause = result.error();
    }
    if (planned.nic.result.outcome != PrepareOutcome::done) {
      roll_back_others(plans, planned.nic.name, context);
      return {};
    }
    has_changed = true;
  }
  return {};
}

// The newest entry of tune for the NIC of `planned`; its id is empty if there is none.
std::string entry_with_files(const NicPlan& planned, const std::vector<Entry>& entries) {
  const auto& result = planned.nic.result;
  if (result.outcome == PrepareOutcome::done) return result.entry.id;
  const auto* newest = newest_tuning(result.entry.nic_id(), entries);
  return newest == nullptr ? "" : newest->id;
}

// The journal always contains the files, because restore then knows that a reboot does not undo the
// changes. While they are not confirmed, only the journal contains them.
Result<> persist_files(const NicPlan& planned,
                       const SetupContext& context,
                       const std::vector<Entry>& entries) {
  const auto id = entry_with_files(planned, entries);
  const auto& entry = planned.nic.result.entry;
  auto saved = id.empty() ? Result<>() : context.journal.save_boot_files(id, planned.files);
  if (saved && entry.confirmed) {
    const auto replaced = context.persistence.replace(entry.persistent_name(), planned.files);
    if (!replaced) saved = tl::unexpected<Error>(replaced.error());
  }
  if (saved) return {};
  return because(saved.error(), "cannot write the files of --persist");
}

void persist(NicPlans& plans, const SetupContext& context, const std::vector<Entry>& entries) {
  for (auto& planned : plans) {
    auto& result = planned.nic.result;
    if (!planned.nic.left_alone.empty() || planned.files.empty()) continue;
    result.persisted = persist_files(planned, context, entries);
    for (const auto& file : planned.files) result.persistent.push_back(file.path());
  }
}

std::vector<TunedNic> nics_of(NicPlans& plans) {
  std::vector<TunedNic> nics;
  nics.reserve(plans.size());
  for (auto& planned : plans) nics.push_back(std::move(planned.nic));
  return nics;
}

}  // namespace

Result<std::vector<TunedNic>> tune(const TuneRequest& request,
                                   const SetupContext& context,
                                   const BeforeChanges& before_changes) {
  const auto lock = take_lock(context.lock_file, context.command);
  if (!lock) return tl::unexpected<Error>(lock.error());
  const auto boot = boot_id(context.system.files);
  if (!boot) return because(boot.error(), "cannot identify this boot");
  const auto entries = entries_of_this_boot(context.journal, *boot);
  if (!entries) return tl::unexpected<Error>(entries.error());
  auto plans = plan_nics(request, context.system, *entries);
  if (!plans) return tl::unexpected<Error>(plans.error());
  const auto run = run_plans(*plans, context, before_changes, **lock);
  if (!run) return tl::unexpected<Error>(run.error());
  if (std::ranges::none_of(*plans, has_failed)) persist(*plans, context, *entries);
  return nics_of(*plans);
}

Result<std::vector<TunedNic>> dry_run_tune(const TuneRequest& request,
                                           const StepContext& context,
                                           const std::vector<Entry>& entries) {
  auto plans = plan_nics(request, context.system, entries);
  if (!plans) return tl::unexpected<Error>(plans.error());
  DiscardingDirectory no_files;
  Journal journal(no_files);
  for (auto& planned : *plans) {
    if (planned.nic.left_alone.empty() && !planned.plan.already_prepared) {
      planned.nic.result = run_steps(planned.plan, context, journal, {});
    }
    for (const auto& file : planned.files) planned.nic.result.persistent.push_back(file.path());
  }
  return nics_of(*plans);
}

}  // namespace manactl::setup
