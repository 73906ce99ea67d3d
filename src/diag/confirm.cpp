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

Testimony confirm(const Signature& signature,
                  const Report& checks,
                  const std::vector<Witness>& witnesses) {
  std::array<const Ran*, 5> first{};  // by status
  for (const auto& id : signature.checks) {
    const Ran* ran = checks.find(id);
    if (ran == nullptr) continue;
    auto& place = first.at(static_cast<std::size_t>(ran->finding.status));
    if (place == nullptr) place = ran;
  }
  const auto seen = [&first](Status status) { return first.at(static_cast<std::size_t>(status)); };
  const auto witness = std::ranges::find_if(
      witnesses, [&signature](const Witness& w) { return w.id == signature.witness; });
  if (seen(Status::fail) != nullptr) return {Confirmation::confirmed, seen(Status::fail), nullptr};
  if (witness != witnesses.end()) return {Confirmation::confirmed, nullptr, &*witness};
  if (seen(Status::warn) != nullptr) return {Confirmation::confirmed, seen(Status::warn), nullptr};
  const bool may = signature.passing_contradicts && seen(Status::unknown) == nullptr &&
                   seen(Status::skipped) == nullptr;
  if (!may || seen(Status::pass) == nullptr) return {};
  return {Confirmation::contradicted, seen(Status::pass), nullptr};
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
