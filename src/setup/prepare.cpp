// SPDX-License-Identifier: MIT

#include "setup/prepare.h"

#include <array>
#include <ctime>

#include "base/text.h"
#include "host/gather.h"
#include "setup/discarding_files.h"
#include "setup/lock.h"
#include "setup/persistent_files.h"
#include "setup/sysfs.h"
#include "setup/takeover.h"

namespace manactl::setup {
namespace {

std::string local_time() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  std::array<char, 32> text{};
  if (localtime_r(&now, &parts) == nullptr) return {};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S%z", &parts);
  return text.data();
}

// Gathers the facts for the plan. Waits if the VF has just joined, because hv_netvsc may still set
// it up, and the journal would record that it was down.
host::Facts gather_settled(const Request& request, const SetupContext& context) {
  auto facts = host::gather(context.system, host::SshSearch::every_process);
  const auto* nic = request.interface ? facts.find_nic(request.interface->str()) : nullptr;
  if (nic == nullptr || !nic->vf || !nic->synthetic) return facts;
  if (!wait_for_takeover(context, interface_of(*nic->vf))) return facts;
  return host::gather(context.system, host::SshSearch::every_process);
}

// Writes the files of --persist. While the NIC is not confirmed, only the journal contains them, so
// that the next boot does not prepare a NIC that the watchdog has restored.
Result<> persist(const Request& request, const SetupContext& context, PrepareResult& result) {
  const auto& entry = result.entry;
  const auto files = persistent_files(request, entry, context.system.files);
  if (!files) return tl::unexpected<Error>(files.error());
  const auto written = entry.confirmed ? context.persistence.write(*files)
                                       : context.journal.save_boot_files(entry.id, *files);
  if (!written) return because(written.error(), "cannot write the files of --persist");
  for (const auto& file : *files) result.persistent.push_back(file.path());
  return {};
}

PrepareResult already_prepared(Plan& plan) {
  PrepareResult result;
  result.outcome = PrepareOutcome::already_prepared;
  result.entry = std::move(plan.entry);
  result.warnings = std::move(plan.warnings);
  return result;
}

}  // namespace

Result<std::vector<Entry>> entries_of_this_boot(Journal& journal, const std::string& boot) {
  auto entries = journal.entries();
  if (!entries) return entries;
  std::vector<Entry> valid;
  for (auto& entry : *entries) {
    if (!entry.is_readable() || entry.is_valid_in(boot)) {
      valid.push_back(std::move(entry));
      continue;
    }
    const auto closed = journal.remove(entry.id);
    if (!closed) return tl::unexpected<Error>(closed.error());
  }
  return valid;
}

PrepareResult run_steps(Plan& plan,
                        const StepContext& context,
                        Journal& journal,
                        const SignalPoll& poll_signal) {
  PrepareResult result;
  Transaction transaction(context, journal, poll_signal);
  const auto completed = transaction.run(plan.steps, plan.entry);
  result.entry = std::move(plan.entry);
  result.warnings = std::move(plan.warnings);
  result.steps = transaction.take_results();
  result.reverted = transaction.reverted();
  result.signal = transaction.signal();
  if (completed) {
    result.entry.ready = true;
    return result;
  }
  result.cause = completed.error();
  result.outcome =
      transaction.is_rolled_back() ? PrepareOutcome::rolled_back : PrepareOutcome::roll_back_failed;
  return result;
}

Result<PrepareResult> run_plan(Plan& plan,
                               const SetupContext& context,
                               const BeforeChanges& before_changes,
                               Lock& lock) {
  plan.entry.created = local_time();
  if (before_changes) {
    const auto ready = before_changes(plan.entry, lock);
    if (!ready) return tl::unexpected<Error>(ready.error());
  }
  const auto opened = context.journal.create(plan.entry);
  if (opened) return run_steps(plan, context, context.journal, context.poll_signal);
  // The file may exist: the rename may have succeeded before the directory failed to sync.
  (void)context.journal.remove(plan.entry.id);
  PrepareResult result;
  result.outcome = PrepareOutcome::rolled_back;
  result.cause = opened.error();
  result.entry = std::move(plan.entry);
  return result;
}

Result<PrepareResult> prepare(const Request& request,
                              const SetupContext& context,
                              const BeforeChanges& before_changes) {
  const auto lock = take_lock(context.lock_file, context.command);
  if (!lock) return tl::unexpected<Error>(lock.error());
  const auto boot = boot_id(context.system.files);
  if (!boot) return because(boot.error(), "cannot identify this boot");
  const auto entries = entries_of_this_boot(context.journal, *boot);
  if (!entries) return tl::unexpected<Error>(entries.error());
  const auto facts = gather_settled(request, context);
  auto plan = make_plan(request, facts, context.system, *entries);
  if (!plan) return tl::unexpected<Error>(plan.error());
  if (plan->already_prepared) {
    auto result = already_prepared(*plan);
    if (!request.boot_program.empty()) result.persisted = persist(request, context, result);
    return result;
  }
  auto result = run_plan(*plan, context, before_changes, **lock);
  if (result && result->outcome == PrepareOutcome::done && !request.boot_program.empty()) {
    result->persisted = persist(request, context, *result);
  }
  return result;
}

Result<PrepareResult> dry_run_prepare(const Request& request,
                                      const StepContext& context,
                                      const std::vector<Entry>& entries) {
  const auto facts = host::gather(context.system, host::SshSearch::every_process);
  auto plan = make_plan(request, facts, context.system, entries);
  if (!plan) return tl::unexpected<Error>(plan.error());
  if (plan->already_prepared) return already_prepared(*plan);
  DiscardingDirectory no_files;
  Journal journal(no_files);
  return run_steps(*plan, context, journal, {});
}

}  // namespace manactl::setup
