// SPDX-License-Identifier: MIT

#include "diag/tally.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace manactl::diag {

void Tally::ok(std::string line, std::string name) {
  if (name.empty()) name = line;
  seen_.push_back({Status::pass, std::move(line), {}, std::move(name)});
}

void Tally::warn(std::string line, std::vector<std::string> commands) {
  seen_.push_back({Status::warn, std::move(line), std::move(commands)});
}

void Tally::fail(std::string line, std::vector<std::string> commands) {
  seen_.push_back({Status::fail, std::move(line), std::move(commands)});
}

void Tally::unknown(std::string line) {
  seen_.push_back({Status::unknown, std::move(line), {}});
}

Status Tally::worst() const {
  for (const Status status : {Status::fail, Status::warn, Status::unknown}) {
    const bool any = std::any_of(
        seen_.begin(), seen_.end(), [status](const Seen& s) { return s.status == status; });
    if (any) return status;
  }
  return Status::pass;
}

Finding Tally::finding(std::string_view nothing, std::string why) const {
  if (seen_.empty()) return skipped(std::string(nothing));
  Finding finding;
  finding.status = worst();
  const bool well = finding.status == Status::pass;
  std::vector<std::string> said;
  Remedy remedy{std::move(why), {}};
  for (const Seen& seen : seen_) {
    finding.evidence.push_back(seen.line);
    if (seen.status == finding.status) said.push_back(well ? seen.name : seen.line);
    for (const std::string& command : seen.commands) {
      auto& known = remedy.commands;
      const bool is_new = std::find(known.begin(), known.end(), command) == known.end();
      if (is_new) known.push_back(command);
    }
  }
  finding.detail = brief(said, well ? ", " : "; ");
  if (finding.status == Status::fail || finding.status == Status::warn) {
    finding.remedy = std::move(remedy);
  }
  // A single line would only be said twice.
  if (finding.evidence.size() == 1 && finding.evidence.front() == finding.detail) {
    finding.evidence.clear();
  }
  return finding;
}

std::string brief(const std::vector<std::string>& lines, std::string_view between) {
  constexpr std::size_t kShown = 3;
  if (lines.size() <= kShown) return join(lines, between);
  const std::vector<std::string> first(lines.begin(), lines.begin() + kShown);
  return fmt::format("{}{}and {} more", join(first, between), between, lines.size() - kShown);
}

}  // namespace manactl::diag
