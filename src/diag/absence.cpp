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

void AbsenceTracker::end_waiting(Rule& rule, const Device& device, std::vector<Absence>& absences) {
  std::erase_if(rule.waiting, [&](Waiting& one) {
    const bool is_missing = one.device.may_be(device);
    if (is_missing) absences.push_back({rule.signature, std::move(one.captures)});
    return is_missing;
  });
}

std::vector<Absence> AbsenceTracker::next(const Signature& signature, const Captures& captures) {
  std::vector<Absence> absences;
  const auto device = devices_.device_of(signature, captures);
  const auto is_about_device = [&device](const Waiting& one) { return one.device.may_be(device); };
  for (auto& rule : rules_) {
    const auto& absence = *rule.signature->absence;
    auto& waiting = rule.waiting;
    if (signature.begins && *signature.begins == kind_of(*rule.signature)) waiting.clear();
    if (lists(absence.without, signature)) std::erase_if(waiting, is_about_device);
    if (lists(absence.until, signature)) end_waiting(rule, device, absences);
    const bool is_known = std::ranges::find(waiting, device, &Waiting::device) != waiting.end();
    if (lists(absence.from, signature) && !is_known && waiting.size() < kMaxDevices) {
      waiting.push_back({device, captures});
    }
  }
  return absences;
}

}  // namespace manactl::diag
