// SPDX-License-Identifier: MIT

#include "diag/absence.h"

#include <algorithm>

namespace manactl::diag {
namespace {

bool lists(const std::vector<std::string>& ids, const Signature& signature) {
  return std::ranges::find(ids, signature.id) != ids.end();
}

}  // namespace

AbsenceTracker::AbsenceTracker(const std::vector<Signature>& all) {
  for (const auto& signature : all) {
    if (signature.absence) rules_.push_back({&signature, {}});
  }
}

std::vector<Absence> AbsenceTracker::next(const Signature& signature, const Captures& captures) {
  std::vector<Absence> absences;
  const auto device = devices_.device_of(signature, captures);
  const auto is_about_device = [&device](const Waiting& one) { return one.device.may_be(device); };
  for (auto& [rule, waiting] : rules_) {
    if (signature.begins && *signature.begins == kind_of(*rule)) waiting.clear();
    if (lists(rule->absence->without, signature)) std::erase_if(waiting, is_about_device);
    if (lists(rule->absence->until, signature)) {
      std::erase_if(waiting, [&, rule = rule](Waiting& one) {
        const bool missing = is_about_device(one);
        if (missing) absences.push_back({rule, std::move(one.captures)});
        return missing;
      });
    }
    const bool is_known = std::ranges::find(waiting, device, &Waiting::device) != waiting.end();
    if (lists(rule->absence->from, signature) && !is_known && waiting.size() < kMaxDevices) {
      waiting.push_back({device, captures});
    }
  }
  return absences;
}

}  // namespace manactl::diag
