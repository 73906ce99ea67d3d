// SPDX-License-Identifier: MIT
//
// Functions that the plans of prepare and tune share.

#include <algorithm>

#include "base/text.h"
#include "setup/plan.h"

namespace manactl::setup {

std::string entry_id_of(const host::Nic& nic) {
  return nic.vmbus ? nic.vmbus->str() : "vf-" + nic.vf->mac.str();
}

const Entry* prepared_entry(const host::Nic& nic, const std::vector<Entry>& entries) {
  return find_entry(entries,
                    [&](const Entry& it) { return !it.is_tuning() && it.belongs_to(nic); });
}

Result<> refuse_unfinished(const std::vector<Entry>& entries, const std::string& boot) {
  for (const auto& entry : entries) {
    if (entry.is_finished() || (entry.is_readable() && !entry.is_valid_in(boot))) continue;
    return fail(
        Errc::busy,
        fmt::format("an earlier run for '{}' did not finish: run 'manactl restore {}' first",
                    printable(entry.name()),
                    printable(entry.name())));
  }
  return {};
}

// The kernel gives the name of a prepared NIC to the next interface.
Result<> refuse_taken_name(const host::Nic& nic, const std::vector<Entry>& entries) {
  const auto name = nic.name();
  const auto* other = find_entry(
      entries, [&](const Entry& it) { return it.interface == name && !it.belongs_to(nic); });
  if (other == nullptr) return {};
  return fail(Errc::busy,
              fmt::format("'{}' was the name of the {} NIC {}: rename this interface, or run "
                          "'manactl restore {}' first",
                          printable(name),
                          other->is_tuning() ? "tuned" : "prepared",
                          printable(other->nic_id()),
                          printable(other->id)));
}

Result<> refuse_unconfirmed_tuning(const host::Nic& nic, const std::vector<Entry>& entries) {
  const auto is_unconfirmed = [&](const Entry& it) {
    return it.is_tuning() && !it.confirmed && it.belongs_to(nic);
  };
  if (find_entry(entries, is_unconfirmed) == nullptr) return {};
  const auto name = printable(nic.name());
  return fail(Errc::busy,
              fmt::format("'{}' is tuned but not confirmed: run 'manactl confirm {}', or 'manactl "
                          "restore {}' first",
                          name,
                          name,
                          name));
}

Result<> record_state(Plan& plan, const os::System& system) {
  for (const auto& step : plan.steps) {
    auto before = step->observe(system);
    if (!before) return because(before.error(), step->title());
    plan.entry.steps.push_back(make_record(*step, std::move(*before)));
  }
  return {};
}

}  // namespace manactl::setup
