// SPDX-License-Identifier: MIT

#include "diag/finding.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace manactl::diag {

Finding pass(std::string detail, std::vector<std::string> evidence) {
  return {Status::pass, std::move(detail), std::nullopt, std::move(evidence)};
}

std::vector<Remedy> numbered(const Remedy& remedy) {
  std::vector<Remedy> all = remedy.others;
  all.insert(all.begin(), {remedy.why, remedy.commands});
  if (all.size() == 1) return all;
  for (std::size_t i = 0; i < all.size(); ++i) all[i].why.insert(0, fmt::format("{}. ", i + 1));
  return all;
}

void add_other_remedy(Finding& finding, Remedy other) {
  if (finding.remedy) finding.remedy->others.push_back(std::move(other));
}

Finding warn(std::string detail, Remedy remedy, std::vector<std::string> evidence) {
  return {Status::warn, std::move(detail), std::move(remedy), std::move(evidence)};
}

Finding fail(std::string detail, Remedy remedy, std::vector<std::string> evidence) {
  return {Status::fail, std::move(detail), std::move(remedy), std::move(evidence)};
}

Finding skipped(std::string reason) {
  return {Status::skipped, std::move(reason), std::nullopt, {}};
}

Finding unknown(std::string reason) {
  return {Status::unknown, std::move(reason), std::nullopt, {}};
}

void FindingBuilder::ok(std::string line, std::string name) {
  if (name.empty()) name = line;
  lines_.push_back({Status::pass, std::move(line), {}, std::move(name)});
}

void FindingBuilder::warn(std::string line, std::vector<std::string> commands) {
  lines_.push_back({Status::warn, std::move(line), std::move(commands)});
}

void FindingBuilder::fail(std::string line, std::vector<std::string> commands) {
  lines_.push_back({Status::fail, std::move(line), std::move(commands)});
}

void FindingBuilder::unknown(std::string line) {
  lines_.push_back({Status::unknown, std::move(line), {}});
}

Status FindingBuilder::worst() const {
  for (const Status status : {Status::fail, Status::warn, Status::unknown}) {
    if (std::ranges::find(lines_, status, &Line::status) != lines_.end()) return status;
  }
  return Status::pass;
}

Finding FindingBuilder::build(std::string_view reason_if_empty, std::string why) const {
  if (lines_.empty()) return skipped(std::string(reason_if_empty));
  Finding finding;
  finding.status = worst();
  const bool all_ok = finding.status == Status::pass;
  std::vector<std::string> worst_lines;
  Remedy remedy{std::move(why), {}};
  for (const Line& line : lines_) {
    finding.evidence.push_back(line.text);
    if (line.status == finding.status) worst_lines.push_back(all_ok ? line.name : line.text);
    append_commands(remedy.commands, line.commands);
  }
  finding.detail = brief(worst_lines, all_ok ? ", " : "; ");
  if (finding.status == Status::fail || finding.status == Status::warn) {
    finding.remedy = std::move(remedy);
  }
  // The evidence must not repeat the detail.
  if (finding.evidence.size() == 1 && finding.evidence.front() == finding.detail) {
    finding.evidence.clear();
  }
  return finding;
}

void append_commands(std::vector<std::string>& commands, const std::vector<std::string>& next) {
  const auto first_new = std::ranges::find_if(next, [&commands](const std::string& command) {
    return std::ranges::find(commands, command) == commands.end();
  });
  commands.insert(commands.end(), first_new, next.end());
}

std::string brief(const std::vector<std::string>& lines, std::string_view separator) {
  constexpr std::size_t kShown = 3;
  if (lines.size() <= kShown) return join(lines, separator);
  const std::vector<std::string> first(lines.begin(), lines.begin() + kShown);
  return fmt::format("{}{}and {} more", join(first, separator), separator, lines.size() - kShown);
}

}  // namespace manactl::diag
