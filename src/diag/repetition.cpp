// SPDX-License-Identifier: MIT

#include "diag/repetition.h"

#include <algorithm>

#include "diag/log_time.h"

namespace manactl::diag {
namespace {

constexpr std::string_view kProgram = "the program";

// The name of the device in a line. The synthetic interface of a line of hv_netvsc comes first.
std::string name_in(const Captures& captures, const Device& device) {
  for (const auto name : {interface_name(captures, "ifname"),
                          capture(captures, "bdf"),
                          capture(captures, "program")}) {
    if (!name.empty()) return std::string(name);
  }
  const auto text = device.text();
  return text.empty() ? std::string(kProgram) : text;
}

// Lines of the log may add names to a device, but its interface keeps its first name.
std::string key_of(const Device& device, const std::string& name) {
  if (!device.interface.empty()) return device.interface;
  const auto text = device.text();
  return text.empty() ? name : text;
}

bool has_reached(const RepetitionRule::Limit& limit, const std::deque<std::string>& times) {
  for (std::size_t i = 0; i + limit.times <= times.size(); ++i) {
    const auto seconds = seconds_between(times[i], times.back());
    if (seconds && *seconds <= limit.seconds && *seconds >= limit.min_seconds) return true;
  }
  return false;
}

}  // namespace

RepetitionTracker::RepetitionTracker(const std::vector<Signature>& all) {
  for (const auto& signature : all) {
    if (signature.repetition) rules_.push_back({&signature, {}});
  }
}

bool RepetitionTracker::counts(const Signature& signature) const {
  return std::ranges::any_of(rules_, [&signature](const Rule& rule) {
    const auto& ids = rule.signature->repetition->of;
    return std::ranges::find(ids, signature.id) != ids.end();
  });
}

void RepetitionTracker::next(const Signature& signature,
                             const Captures& captures,
                             const Device& device,
                             const Event& event) {
  for (auto& rule : rules_) {
    const auto& ids = rule.signature->repetition->of;
    if (std::ranges::find(ids, signature.id) == ids.end()) continue;
    const auto name = name_in(captures, device);
    add(rule, key_of(device, name), name, event);
  }
}

void RepetitionTracker::add_failed_run(const Event& event) {
  for (auto& rule : rules_) {
    if (rule.signature->repetition->failed_runs) add(rule, "", std::string(kProgram), event);
  }
}

void RepetitionTracker::add(Rule& rule,
                            const std::string& device,
                            const std::string& name,
                            const Event& event) {
  const auto& limits = rule.signature->repetition->limits;
  const auto known = rule.series.find(device);
  if (known == rule.series.end() && rule.series.size() == kMaxDevices) return;
  auto& series = rule.series[device];
  series.name = name;
  if (series.count == 0) {
    series.first = quote_of(event);
  }
  ++series.count;
  series.last_line = event.line;
  if (!series.newest.empty()) {
    const auto seconds = seconds_between(series.newest.back(), event.time);
    if (!seconds) series.newest.clear();
    series.seconds += seconds.value_or(0);
  }
  series.newest.emplace_back(event.time);
  const auto most = std::ranges::max(limits, {}, &RepetitionRule::Limit::times).times;
  if (series.newest.size() > most) series.newest.pop_front();
  series.is_fault = series.is_fault || std::ranges::any_of(limits, [&](const auto& limit) {
                      return has_reached(limit, series.newest);
                    });
}

// The figures are those of the device with the most events.
std::vector<Conclusion> RepetitionTracker::finish() const {
  std::vector<Conclusion> conclusions;
  for (const auto& rule : rules_) {
    const Series* worst = nullptr;
    std::vector<std::string> names;
    for (const auto& [device, series] : rule.series) {
      if (!series.is_fault) continue;
      names.push_back(series.name);
      if (worst == nullptr || series.count > worst->count) worst = &series;
    }
    if (worst == nullptr) continue;
    std::ranges::sort(names);
    const auto mean = worst->seconds / static_cast<double>(worst->count - 1);
    conclusions.push_back({rule.signature,
                           {{"names", list_text(shortened(names))},
                            {"count", std::to_string(worst->count)},
                            {"period", duration_text(worst->seconds)},
                            {"mean", duration_text(mean)}},
                           worst->first,
                           worst->last_line,
                           worst->count});
  }
  return conclusions;
}

}  // namespace manactl::diag
