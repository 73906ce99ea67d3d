// SPDX-License-Identifier: MIT

#include "diag/runner.h"

#include <algorithm>
#include <exception>
#include <optional>

#include "base/text.h"

namespace manactl::diag {

namespace {

bool names(std::string_view word, const Check& check) {
  return word == check.id || word == check.group();
}

// Why the check cannot be asked here; nothing when it can.
std::optional<Finding> unmet(const Check& check,
                             const host::Facts& facts,
                             const Question& question) {
  switch (check.needs) {
    case Needs::nothing:
      return std::nullopt;
    case Needs::mana:
      if (!facts.functions) return unknown(facts.functions.error().message);
      if (!facts.has_mana()) return skipped("no MANA function");
      return std::nullopt;
    case Needs::nic:
      if (!facts.nics) return unknown(facts.nics.error().message);
      if (!nics_of(facts, question).empty()) return std::nullopt;
      if (!question.interface) return skipped("no Azure NIC");
      return skipped(fmt::format("'{}' is no Azure NIC", printable(*question.interface)));
  }
  return std::nullopt;
}

Finding ask(const Check& check, const host::Facts& facts, const Question& question) {
  try {
    auto reason = unmet(check, facts, question);
    return reason ? *std::move(reason) : check.run(facts, question);
  } catch (const std::exception& bug) {
    return unknown(fmt::format("this check broke off: {}", printable(bug.what())));
  } catch (...) {
    return unknown("this check broke off");
  }
}

Error no_such_check(std::string_view word, const std::vector<Check>& all) {
  std::vector<std::string> candidates;
  for (const Check& check : all) {
    candidates.emplace_back(check.id);
    const std::string group(check.group());
    if (std::find(candidates.begin(), candidates.end(), group) == candidates.end()) {
      candidates.push_back(group);
    }
  }
  const std::string meant = nearest(word, candidates);
  std::string message = fmt::format("no check or group '{}'", printable(word));
  if (!meant.empty()) message += fmt::format("; did you mean '{}'?", meant);
  return Error{Errc::invalid, 0, std::move(message)};
}

}  // namespace

std::size_t Report::count(Status status) const {
  return static_cast<std::size_t>(std::count_if(
      ran.begin(), ran.end(), [status](const Ran& r) { return r.finding.status == status; }));
}

const Ran* Report::find(std::string_view id) const {
  const auto found =
      std::find_if(ran.begin(), ran.end(), [id](const Ran& r) { return r.check.id == id; });
  return found == ran.end() ? nullptr : &*found;
}

Result<Report> run_checks(const host::Facts& facts,
                          const Question& question,
                          const std::vector<std::string>& only) {
  std::vector<Check> checks = all_checks();
  for (const std::string& word : only) {
    const bool known = std::any_of(
        checks.begin(), checks.end(), [&word](const Check& check) { return names(word, check); });
    if (!known) return tl::unexpected<Error>(no_such_check(word, checks));
  }
  const auto is_asked = [&only](const Check& check) {
    const auto is_named = [&check](const std::string& word) { return names(word, check); };
    return only.empty() || std::any_of(only.begin(), only.end(), is_named);
  };
  std::erase_if(checks, [&is_asked](const Check& check) { return !is_asked(check); });
  return run_table(checks, facts, question);
}

Report run_table(std::span<const Check> checks,
                 const host::Facts& facts,
                 const Question& question) {
  Report report;
  report.ran.reserve(checks.size());
  for (const Check& check : checks) report.ran.push_back({check, ask(check, facts, question)});
  return report;
}

}  // namespace manactl::diag
