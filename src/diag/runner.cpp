// SPDX-License-Identifier: MIT

#include "diag/runner.h"

#include <algorithm>
#include <exception>
#include <optional>

#include "base/text.h"
#include "diag/fact_lookups.h"

namespace manactl::diag {

namespace {

bool names(std::string_view word, const Check& check) {
  return word == check.id || word == check.group();
}

// The finding of a check whose requirement is not met; nothing if it is met.
std::optional<Finding> unmet(const Check& check,
                             const host::Facts& facts,
                             const CheckOptions& options) {
  switch (check.requirement) {
    case Requirement::none:
      return std::nullopt;
    case Requirement::mana:
      if (!facts.functions) return unknown(facts.functions.error().message);
      if (!facts.has_mana()) return skipped("no MANA function");
      return std::nullopt;
    case Requirement::nic:
      if (!facts.nics) return unknown(facts.nics.error().message);
      if (!selected_nics(facts, options).empty()) return std::nullopt;
      if (!options.interface) return skipped("no Azure NIC");
      return skipped(fmt::format("'{}' is not an Azure NIC", printable(*options.interface)));
  }
  return std::nullopt;
}

Finding run_one(const Check& check, const host::Facts& facts, const CheckOptions& options) {
  try {
    auto finding = unmet(check, facts, options);
    return finding ? *std::move(finding) : check.run(facts, options);
  } catch (const std::exception& error) {
    return unknown(fmt::format("internal error in this check: {}", printable(error.what())));
  } catch (...) {
    return unknown("internal error in this check");
  }
}

Error no_such_check(std::string_view word) {
  std::vector<std::string> candidates;
  for (const auto& check : all_checks()) candidates.emplace_back(check.id);
  for (const auto group : check_groups()) candidates.emplace_back(group);
  const std::string suggestion = nearest(word, candidates);
  std::string message = fmt::format("no check or group '{}'", printable(word));
  if (!suggestion.empty()) message += fmt::format("; did you mean '{}'?", suggestion);
  return Error{Errc::invalid, 0, std::move(message)};
}

}  // namespace

std::size_t Report::count(Status status) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      outcomes, [status](const CheckOutcome& o) { return o.finding.status == status; }));
}

const CheckOutcome* Report::find(std::string_view id) const {
  const auto found =
      std::ranges::find_if(outcomes, [id](const CheckOutcome& o) { return o.check.id == id; });
  return found == outcomes.end() ? nullptr : &*found;
}

Result<Report> run_checks(const host::Facts& facts,
                          const CheckOptions& options,
                          const std::vector<std::string>& only) {
  std::vector<Check> checks = all_checks();
  for (const std::string& word : only) {
    const bool known =
        std::ranges::any_of(checks, [&word](const Check& check) { return names(word, check); });
    if (!known) return tl::unexpected<Error>(no_such_check(word));
  }
  const auto is_selected = [&only](const Check& check) {
    const auto is_named = [&check](const std::string& word) { return names(word, check); };
    return only.empty() || std::ranges::any_of(only, is_named);
  };
  std::erase_if(checks, [&is_selected](const Check& check) { return !is_selected(check); });
  return run_all(checks, facts, options);
}

Report run_all(std::span<const Check> checks,
               const host::Facts& facts,
               const CheckOptions& options) {
  Report report;
  report.outcomes.reserve(checks.size());
  for (const Check& check : checks) {
    report.outcomes.push_back({check, run_one(check, facts, options), {}});
  }
  return report;
}

}  // namespace manactl::diag
