// SPDX-License-Identifier: MIT

#include "diag/runner.h"

#include <algorithm>
#include <exception>
#include <map>
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
    case Requirement::azure:
    case Requirement::move: {
      const bool is_move = check.requirement == Requirement::move;
      if (facts.has_mana() && is_move) return skipped("the VM has MANA");
      if (facts.has_mana()) return std::nullopt;
      if (!facts.functions) return unknown(facts.functions.error().message);
      if (!options.forecast) return skipped("no MANA function");
      if (!facts.platform) return unknown(facts.platform.error().message);
      if (!facts.platform->azure) return skipped("not an Azure VM");
      return std::nullopt;
    }
    case Requirement::metadata:
      if (facts.metadata) return std::nullopt;
      return skipped("only with --imds, on an Azure VM");
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

// Returns the id or group that the word may stand for, as "driver-id" does for "rdma.driver-id".
std::string similar_check(std::string_view word) {
  std::vector<std::string> names;
  std::map<std::string, std::string> ids;  // by their last part
  for (const auto& check : all_checks()) {
    names.emplace_back(check.id);
    ids.emplace(check.id.substr(check.id.find('.') + 1), check.id);
  }
  for (const auto group : check_groups()) {
    if (word.size() > 2 && group.starts_with(word)) return std::string(group);
    names.emplace_back(group);
  }
  const auto exact = ids.find(std::string(word));
  if (exact != ids.end()) return exact->second;
  auto similar = nearest(word, names);
  if (!similar.empty()) return similar;
  std::vector<std::string> parts;
  for (const auto& [part, id] : ids) parts.push_back(part);
  const auto part = nearest(word, parts);
  return part.empty() ? std::string() : ids.at(part);
}

Error no_such_check(std::string_view word) {
  std::string message = fmt::format("no check or group '{}'", printable(word));
  const auto similar = similar_check(word);
  if (!similar.empty()) {
    return {Errc::invalid, 0, fmt::format("{}; did you mean '{}'?", message, similar)};
  }
  const auto group = word.substr(0, word.find('.'));
  std::vector<std::string> known;
  for (const auto& check : all_checks()) {
    if (check.group() == group) known.emplace_back(check.id);
  }
  if (known.empty()) {
    const auto groups = check_groups();
    known.assign(groups.begin(), groups.end());
  }
  return {Errc::invalid, 0, fmt::format("{}; known: {}", message, join(known, ", "))};
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
  std::erase_if(checks, [&](const Check& check) {
    return !is_selected(check) || (options.use && !check.matters_for(*options.use));
  });
  if (checks.empty() && options.use) {
    return fail(
        Errc::invalid,
        fmt::format("--for {} needs none of these checks", word_of(kUseWords, *options.use)));
  }
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
