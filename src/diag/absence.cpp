// SPDX-License-Identifier: MIT

#include "diag/absence.h"

#include <algorithm>

#include "diag/log_time.h"

namespace manactl::diag {

AbsenceTracker::AbsenceTracker(const std::vector<Signature>& all) {
  for (const auto& signature : all) {
    if (signature.absence) rules_.push_back({&signature, {}});
  }
}

std::vector<Conclusion> AbsenceTracker::end_waiting(Rule& rule,
                                                    const Device& device,
                                                    const Event& event) {
  std::vector<Conclusion> missing;
  std::erase_if(rule.waiting, [&](Waiting& one) {
    const bool is_missing = one.device.may_be(device);
    if (is_missing) {
      missing.push_back({rule.signature,
                         std::move(one.captures),
                         quote_of(event),
                         event.line,
                         1,
                         std::move(one.device)});
    }
    return is_missing;
  });
  return missing;
}

bool AbsenceTracker::needs_time(const Signature& signature) const {
  return std::ranges::any_of(rules_, [&signature](const Rule& rule) {
    const auto& absence = *rule.signature->absence;
    return absence.end_after > 0 && matches_any_id(absence.from, signature.id);
  });
}

std::vector<Conclusion> AbsenceTracker::next(const Signature& signature,
                                             const Captures& captures,
                                             const Device& device,
                                             const Event& event) {
  std::vector<Conclusion> conclusions;
  for (auto& rule : rules_) {
    const auto& absence = *rule.signature->absence;
    auto& waiting = rule.waiting;
    const auto is_over = [&](const Waiting& one) {
      return absence.any_device || one.device.may_be(device);
    };
    if (signature.begins && *signature.begins == kind_of(*rule.signature)) waiting.clear();
    if (matches_any_id(absence.without, signature.id)) std::erase_if(waiting, is_over);
    if (matches_any_id(absence.until, signature.id)) {
      for (auto& one : end_waiting(rule, device, event)) conclusions.push_back(std::move(one));
    }
    const bool is_known = std::ranges::find(waiting, device, &Waiting::device) != waiting.end();
    if (matches_any_id(absence.from, signature.id) && !is_known && waiting.size() < kMaxDevices) {
      waiting.push_back({device, captures, absence.end_after > 0 ? quote_of(event) : Quote()});
    }
  }
  return conclusions;
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
