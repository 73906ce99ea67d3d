// SPDX-License-Identifier: MIT

#include "diag/absence.h"

#include <algorithm>

#include "base/text.h"
#include "diag/log_time.h"

namespace manactl::diag {
namespace {

bool lists(const std::vector<std::string>& ids, const Signature& signature) {
  return std::ranges::any_of(ids, [&signature](const std::string& id) {
    const bool is_family = id.ends_with('*');
    const auto family = std::string_view(id).substr(0, id.size() - 1);
    return is_family ? std::string_view(signature.id).starts_with(family) : id == signature.id;
  });
}

}  // namespace

AbsenceTracker::AbsenceTracker(const std::vector<Signature>& all, std::string log)
    : log_(std::move(log)) {
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

bool AbsenceTracker::needs_time(const Signature& signature) const {
  return std::ranges::any_of(rules_, [&signature](const Rule& rule) {
    const auto& absence = *rule.signature->absence;
    return absence.end_after > 0 && lists(absence.from, signature);
  });
}

std::vector<Absence> AbsenceTracker::next(const Signature& signature,
                                          const Captures& captures,
                                          const Event& event) {
  std::vector<Absence> absences;
  const auto device = devices_.device_of(signature, captures);
  const auto is_about_device = [&device](const Waiting& one) { return one.device.may_be(device); };
  for (auto& rule : rules_) {
    const auto& absence = *rule.signature->absence;
    auto& waiting = rule.waiting;
    if (signature.begins && *signature.begins == kind_of(*rule.signature)) waiting.clear();
    if (lists(absence.without, signature)) {
      std::erase_if(waiting,
                    [&](const Waiting& one) { return absence.any_device || is_about_device(one); });
    }
    if (lists(absence.until, signature)) end_waiting(rule, device, absences);
    const bool is_known = std::ranges::find(waiting, device, &Waiting::device) != waiting.end();
    if (lists(absence.from, signature) && !is_known && waiting.size() < kMaxDevices) {
      waiting.push_back({device, captures, {}});
      if (absence.end_after > 0) {
        waiting.back().line = {log_, event.line, printable(event.message), printable(event.time)};
      }
    }
  }
  return absences;
}

std::vector<Conclusion> AbsenceTracker::finish(std::string_view last_time) const {
  std::vector<Conclusion> conclusions;
  for (const auto& rule : rules_) {
    const auto end_after = rule.signature->absence->end_after;
    for (const auto& one : rule.waiting) {
      const auto seconds = seconds_between(one.line.time, last_time);
      if (end_after == 0 || !seconds || *seconds < end_after) continue;
      auto captures = one.captures;
      captures.emplace_back("duration", duration_text(*seconds));
      conclusions.push_back({rule.signature, captures, one.line, one.line.line, 1, one.device});
    }
  }
  return conclusions;
}

}  // namespace manactl::diag
