// SPDX-License-Identifier: MIT

#include "setup/prepare.h"

#include <array>
#include <ctime>

#include "host/gather.h"
#include "setup/lock.h"

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

// What belonged to an earlier boot went with it.
Result<std::vector<Entry>> entries_of_this_boot(Journal& journal, const std::string& boot) {
  auto entries = journal.entries();
  if (!entries) return entries;
  std::vector<Entry> valid;
  for (auto& entry : *entries) {
    if (!entry.unreadable.empty() || entry.boot_id == boot) {
      valid.push_back(std::move(entry));
      continue;
    }
    const auto closed = journal.close(entry.id);
    if (!closed) return tl::unexpected<Error>(closed.error());
  }
  return valid;
}

// Takes what is written down: nothing of a rehearsal is.
class NoFiles final : public os::Durable {
 public:
  std::string path() const override { return {}; }

  Result<std::vector<std::string>> list() const override { return std::vector<std::string>{}; }

  Result<std::string> read(std::string_view /*name*/) const override { return std::string(); }

  Result<> replace(std::string_view /*name*/, std::string_view /*text*/) override { return {}; }

  Result<> append(std::string_view /*name*/, std::string_view /*text*/) override { return {}; }

  Result<> remove(std::string_view /*name*/) override { return {}; }
};

Prepared run(Plan& plan, Machine& machine, Journal& journal, const Interrupted& interrupted) {
  Prepared result;
  Transaction transaction(machine, journal, interrupted);
  const auto good = transaction.run(plan.steps, plan.entry);
  result.entry = std::move(plan.entry);
  result.ran = transaction.take_ran();
  result.undone = transaction.undone();
  result.signal = transaction.signal();
  if (good) {
    result.entry.ready = true;
    return result;
  }
  result.cause = good.error();
  result.outcome = transaction.is_undone() ? Outcome::rolled_back : Outcome::roll_back_failed;
  return result;
}

}  // namespace

Result<Prepared> prepare(const Request& request,
                         const Session& session,
                         const BeforeChanges& before_changes) {
  const auto lock = take_lock(session.lock, session.command);
  if (!lock) return tl::unexpected<Error>(lock.error());
  const auto boot = boot_id(session.machine.system.files);
  if (!boot) return because(boot.error(), "cannot tell this boot from another");
  const auto open = entries_of_this_boot(session.journal, *boot);
  if (!open) return tl::unexpected<Error>(open.error());
  const auto facts = host::gather(session.machine.system, {}, host::Look::every_process);
  auto plan = make_plan(request, facts, session.machine.system, *open);
  if (!plan) return tl::unexpected<Error>(plan.error());
  Prepared result;
  if (plan->prepared) {
    result.outcome = Outcome::already;
    result.entry = std::move(plan->entry);
    return result;
  }
  plan->entry.created = local_time();
  if (before_changes) {
    const auto ready = before_changes(plan->entry, **lock);
    if (!ready) return tl::unexpected<Error>(ready.error());
  }
  const auto opened = session.journal.open(plan->entry);
  if (!opened) {
    // A kernel that refuses to write has nothing to take back either; but a rename may have
    // happened before the directory could not be synced.
    (void)session.journal.close(plan->entry.id);
    result.outcome = Outcome::rolled_back;
    result.cause = opened.error();
    result.entry = std::move(plan->entry);
    return result;
  }
  return run(*plan, session.machine, session.journal, session.interrupted);
}

Result<Prepared> rehearse(const Request& request,
                          Machine& machine,
                          const std::vector<Entry>& open) {
  const auto facts = host::gather(machine.system, {}, host::Look::every_process);
  auto plan = make_plan(request, facts, machine.system, open);
  if (!plan) return tl::unexpected<Error>(plan.error());
  Prepared result;
  if (plan->prepared) {
    result.outcome = Outcome::already;
    result.entry = std::move(plan->entry);
    return result;
  }
  NoFiles nothing;
  Journal journal(nothing);
  return run(*plan, machine, journal, {});
}

Result<std::vector<std::string>> confirm(const Session& session) {
  const auto lock = take_lock(session.lock, session.command);
  if (!lock) return tl::unexpected<Error>(lock.error());
  const auto entries = session.journal.entries();
  if (!entries) return tl::unexpected<Error>(entries.error());
  std::vector<std::string> confirmed;
  for (const auto& entry : *entries) {
    if (entry.confirmed || !entry.unreadable.empty()) continue;
    const auto written = session.journal.confirm(entry.id);
    if (!written) return tl::unexpected<Error>(written.error());
    confirmed.push_back(entry.interface.empty() ? entry.id : entry.interface);
  }
  return confirmed;
}

}  // namespace manactl::setup
