// SPDX-License-Identifier: MIT

#include "diag/decision.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/text.h"

namespace manactl::diag {
namespace {

// A command, or several that differ only in the pattern that grep searches for.
struct Candidate {
  std::string program;                // "dmesg | grep", or the complete command
  std::vector<std::string> patterns;  // extended regular expressions
  std::size_t causes = 0;

  std::string command() const {
    if (patterns.empty()) return program;
    const auto pattern = join(patterns, "|");
    const bool is_extended = pattern.find_first_of(kExtended) != std::string::npos;
    return fmt::format("{} {}\"{}\"", program, is_extended ? "-E " : "", pattern);
  }

  // Characters that are literal in a basic regular expression.
  static constexpr std::string_view kExtended = "|+?(){}";
};

// Returns the command at the beginning of the text; empty if there is none.
std::string_view command_in(std::string_view confirm) {
  if (!confirm.starts_with('`')) return {};
  return confirm.substr(1, confirm.find('`', 1) - 1);
}

void add_unless_present(std::vector<std::string>& list, std::string_view text) {
  if (std::ranges::find(list, text) == list.end()) list.emplace_back(text);
}

// The alternatives of an extended regular expression; the whole one if it has groups.
std::vector<std::string> alternatives_of(std::string_view pattern) {
  std::vector<std::string> alternatives;
  if (pattern.find('(') != std::string_view::npos) return {std::string(pattern)};
  for (const auto one : split(pattern, '|')) add_unless_present(alternatives, one);
  return alternatives;
}

// Splits "dmesg | grep -E 'a|b'" into "dmesg | grep" and the patterns. A command stays whole if it
// has other options, or if its pattern means something else as an extended regular expression or
// between other quotes.
Candidate candidate_of(std::string_view command) {
  constexpr std::string_view kGrep = " | grep ";
  const auto at = command.find(kGrep);
  if (at == std::string_view::npos) return {std::string(command), {}};
  auto pattern = command.substr(at + kGrep.size());
  const bool is_extended = pattern.starts_with("-E ");
  if (is_extended) pattern.remove_prefix(3);
  const bool is_quoted = pattern.size() > 2 && pattern.front() == pattern.back() &&
                         (pattern.front() == '"' || pattern.front() == '\'');
  if (is_quoted) pattern = pattern.substr(1, pattern.size() - 2);
  const bool is_word = pattern.find_first_of(" -") == std::string_view::npos;
  const bool is_plain = pattern.find_first_of("\"'`$\\") == std::string_view::npos;
  const bool is_same =
      is_extended || pattern.find_first_of(Candidate::kExtended) == std::string_view::npos;
  if ((!is_quoted && !is_word) || !is_plain || !is_same) return {std::string(command), {}};
  return {std::string(command.substr(0, at + kGrep.size() - 1)), alternatives_of(pattern)};
}

void count(std::vector<Candidate>& candidates, Candidate one) {
  const auto same = std::ranges::find(candidates, one.program, &Candidate::program);
  if (same == candidates.end()) {
    one.causes = 1;
    candidates.push_back(std::move(one));
    return;
  }
  ++same->causes;
  for (const auto& pattern : one.patterns) add_unless_present(same->patterns, pattern);
}

}  // namespace

std::optional<Decision> best_decision(const std::vector<PossibleCause>& causes) {
  std::vector<Candidate> candidates;
  std::vector<std::string> checks;
  std::size_t checked = 0;
  for (const auto& one : causes) {
    if (one.confirmation != Confirmation::undecided) continue;
    for (const auto& id : one.checks) add_unless_present(checks, id);
    if (!one.checks.empty()) ++checked;
    const auto command = command_in(one.confirm);
    if (!command.empty()) count(candidates, candidate_of(command));
  }
  const auto most = std::ranges::max_element(candidates, {}, &Candidate::causes);
  const std::size_t most_causes = most == candidates.end() ? 0 : most->causes;
  // For one cause with checks, the command of its text is as good.
  if (checked > 1 && checked >= most_causes) {
    return Decision{"manactl check --only " + join(checks, ","), checked};
  }
  if (most == candidates.end()) return std::nullopt;
  return Decision{most->command(), most->causes};
}

}  // namespace manactl::diag
