// SPDX-License-Identifier: MIT

#include "diag/confirm.h"

#include <algorithm>
#include <array>

namespace manactl::diag {
namespace {

bool failed(const Ran* ran) {
  return ran != nullptr && ran->finding.status == Status::fail;
}

}  // namespace

Verdict confirm(const Signature& signature, const Report& checks) {
  std::array<const Ran*, 5> first{};  // by status
  for (const auto& id : signature.checks) {
    const Ran* ran = checks.find(id);
    if (ran == nullptr) continue;
    auto& place = first.at(static_cast<std::size_t>(ran->finding.status));
    if (place == nullptr) place = ran;
  }
  const auto seen = [&first](Status status) { return first.at(static_cast<std::size_t>(status)); };
  if (seen(Status::fail) != nullptr) return {Confirmation::confirmed, seen(Status::fail)};
  if (seen(Status::warn) != nullptr) return {Confirmation::confirmed, seen(Status::warn)};
  if (seen(Status::unknown) != nullptr || seen(Status::pass) == nullptr) return {};
  return {Confirmation::contradicted, seen(Status::pass)};
}

std::vector<const Ran*> first_causes(const Report& checks) {
  std::vector<const Ran*> causes;
  for (const auto& ran : checks.ran) {
    if (!failed(&ran)) continue;
    const auto explains = [&checks](std::string_view id) { return failed(checks.find(id)); };
    if (std::ranges::none_of(ran.check.caused_by, explains)) causes.push_back(&ran);
  }
  return causes;
}

}  // namespace manactl::diag
