// SPDX-License-Identifier: MIT

#include "diag/outage.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "diag/log_time.h"

namespace manactl::diag {
namespace {

constexpr std::string_view kSyntheticDriver = "hv_netvsc";

// Returns the name of the synthetic interface in a line of hv_netvsc; empty before it has a name.
std::string_view synthetic_name(const Signature& signature, const Captures& captures) {
  if (signature.source != kSyntheticDriver) return {};
  return interface_name(captures, "ifname");
}

}  // namespace

void Absences::add(std::optional<double> seconds) {
  ++count;
  if (!seconds) return;
  longest = std::max(longest, *seconds);
  if (lengths.size() == kMaxLengths) lengths.erase(lengths.begin());
  lengths.push_back(*seconds);
}

void OutageTracker::next(const Signature& signature,
                         const Captures& captures,
                         const Device& device,
                         const Event& event) {
  for (const auto& [key, value] : captures) {
    if (key.starts_with("synthetic") && ready_.size() < kMaxReady) ready_.insert(value);
  }
  if (!signature.state || is_rule(signature) || kind_of(signature) != RunKind::boot) {
    if (signature.begins == RunKind::boot) begin_boot();
    return;
  }
  if (signature.ends) is_shut_down_ = true;
  follow_function(signature, device, event);
  if (device.channel.empty()) return;
  const auto known = vfs_.find(device.channel);
  if (known == vfs_.end() && vfs_.size() == kMaxNics) return;
  auto& vf = known == vfs_.end() ? vfs_[device.channel] : known->second;
  if (!device.pci.empty()) vf.pci = device.pci;
  const auto name = synthetic_name(signature, captures);
  if (!name.empty()) vf.interface = name;
  follow_vf(vf, *signature.state, event);
}

void OutageTracker::begin_boot() {
  is_shut_down_ = false;
  functions_.clear();
  ready_.clear();
  for (auto& [channel, vf] : vfs_) {
    Vf next;
    next.interface = vf.interface;
    next.removals = vf.removals;
    next.switches = vf.switches;
    next.last_switch = vf.last_switch;
    vf = std::move(next);
  }
}

void OutageTracker::follow_function(const Signature& signature,
                                    const Device& device,
                                    const Event& event) {
  const auto known = functions_.find(device.pci);
  const bool is_full = known == functions_.end() && functions_.size() == kMaxFunctions;
  if (device.pci.empty() || is_full) return;
  if (*signature.state == State::servicing) functions_[device.pci].is_servicing = true;
  if (*signature.state == State::probed) functions_[device.pci] = {event.line, false};
}

// hv_netvsc prints when the host adds and removes the VF, when the VF joins and leaves the
// synthetic NIC, and when the data path switches. The line about joining may precede 'VF slot N
// added', and the line about leaving may follow 'VF slot N removed'.
void OutageTracker::follow_vf(Vf& vf, State state, const Event& event) {
  vf.step_time = event.time;
  switch (state) {
    case State::detected:
    case State::joined:
      vf.is_removed = false;
      if (state == State::joined) vf.is_joined = true;
      if (state == State::detected) vf.is_added = true;
      if (state == State::detected) vf.added_at = event.line;
      if (!vf.is_used && !vf.first_seen) vf.first_seen = quote_of(event);
      break;
    case State::synthetic:
      stop_using(vf, event);
      break;
    case State::stopped:
      stop_using(vf, event);
      vf.is_joined = false;
      break;
    case State::lost:
      stop_using(vf, event);
      vf.removed = quote_of(event);
      vf.is_removed = vf.was_removed = true;
      vf.is_added = false;
      vf.added_at = event.line;
      break;
    case State::configured:
    case State::started:
    case State::link_up:
    case State::traffic:
      use(vf, event);
      break;
    case State::probed:
    case State::servicing:
    case State::idle:
      break;
  }
}

void OutageTracker::use(Vf& vf, const Event& event) {
  if (vf.is_used) return;
  if (vf.use_ended) {
    auto& absences = vf.was_removed ? vf.removals : vf.switches;
    absences.add(seconds_between(vf.use_ended->time, event.time));
    if (!vf.was_removed) vf.last_switch = vf.use_ended;
  }
  vf.has_worked = vf.is_used = true;
  vf.is_removed = vf.was_removed = false;
  vf.used = quote_of(event);
  vf.use_ended.reset();
  vf.first_seen.reset();
}

void OutageTracker::stop_using(Vf& vf, const Event& event) {
  // If no earlier line is about the VF, the NIC used it before the log began.
  const bool is_new = !vf.has_worked && !vf.first_seen;
  if (is_new) vf.has_worked = true;
  vf.is_used = false;
  if (vf.has_worked && !vf.use_ended) vf.use_ended = quote_of(event);
}

bool OutageTracker::is_any_function(const Vf& vf, auto&& condition) const {
  return std::ranges::any_of(functions_, [&](const auto& one) {
    return (vf.pci.empty() || vf.pci == one.first) && condition(one.second);
  });
}

VfState OutageTracker::state_of(const Vf& vf) const {
  if (is_shut_down_) return VfState::stopped;
  if (vf.is_removed) return VfState::removed;
  if (vf.is_used) return VfState::used;
  const auto is_servicing = [](const Function& one) { return one.is_servicing; };
  if (vf.has_worked && !vf.was_removed && is_any_function(vf, is_servicing)) {
    return VfState::servicing;
  }
  if (vf.is_joined) return VfState::not_switched;
  if (vf.has_worked && !vf.was_removed) return VfState::stopped;
  const auto is_probed = [&vf](const Function& one) { return one.probed_at > vf.added_at; };
  return is_any_function(vf, is_probed) ? VfState::not_joined : VfState::not_bound;
}

std::vector<NicStory> OutageTracker::finish(std::string_view last_time) const {
  std::vector<NicStory> nics;
  for (const auto& [channel, vf] : vfs_) {
    const bool is_known = vf.has_worked || vf.is_joined || vf.is_added;
    if (!is_known && vf.removals.count == 0) continue;
    NicStory nic;
    nic.channel = channel;
    nic.interface = vf.interface;
    nic.state = state_of(vf);
    nic.has_worked = vf.has_worked;
    nic.is_set_up = ready_.contains(vf.interface);
    nic.removals = vf.removals;
    nic.switches = vf.switches;
    nic.last_switch = vf.last_switch;
    nic.since_step = seconds_between(vf.step_time, last_time);
    nic.since = nic.state == VfState::removed ? vf.removed
                : vf.is_used                  ? vf.used
                : vf.use_ended                ? vf.use_ended
                                              : vf.first_seen;
    if (nic.since) nic.seconds = seconds_between(nic.since->time, last_time);
    nics.push_back(std::move(nic));
  }
  std::ranges::stable_sort(nics, {}, &NicStory::name);
  return nics;
}

namespace {

// Without errors, the log does not show why a VF that never worked is not used. Either nobody needs
// it, or its interface is down. If another VF of the VM is used, the driver works, and each VF
// joins its NIC within seconds.
bool applies(const Signature& rule, const NicStory& nic, const std::vector<NicStory>& nics) {
  constexpr double kStepSeconds = 30;  // each step takes at most a few seconds
  if (rule.vf_state != nic.state || !nic.seconds || !nic.since_step) return false;
  if (*nic.since_step < kStepSeconds) return false;
  if (nic.has_worked) return *nic.seconds >= kServicingSeconds;
  if (nic.state == VfState::not_joined && *nic.seconds >= kServicingSeconds) {
    return std::ranges::any_of(nics, [](const auto& one) { return one.state == VfState::used; });
  }
  return nic.state == VfState::not_switched && nic.is_set_up;
}

}  // namespace

std::vector<Conclusion> conclude_vf_states(const std::vector<Signature>& all,
                                           const std::vector<NicStory>& nics,
                                           std::string_view last_time) {
  std::vector<Conclusion> conclusions;
  for (const auto& rule : all) {
    std::vector<std::string> names;
    const NicStory* first = nullptr;
    for (const auto& nic : nics) {
      if (!rule.vf_state || !applies(rule, nic, nics)) continue;
      names.push_back(nic.name());
      if (first == nullptr || *nic.seconds > *first->seconds) first = &nic;
    }
    if (first == nullptr) continue;
    conclusions.push_back(
        {&rule,
         {{"vfs", (names.size() > 1 ? "VFs of " : "VF of ") + list_text(shortened(names))},
          {"have", names.size() == 1 ? "it has" : "they have"},
          {"time", moment_text(first->since->time, last_time)},
          {"duration", duration_text(*first->seconds)}},
         *first->since,
         first->since->line});
  }
  return conclusions;
}

std::string absences_text(const Absences& absences) {
  std::vector<std::string> lengths;
  for (const auto seconds : absences.lengths) lengths.push_back(duration_text(seconds));
  auto text = absences.count == 1 ? std::string("once") : fmt::format("{} times", absences.count);
  if (lengths.empty()) return text;
  if (absences.count == lengths.size()) return text + ": " + join(lengths, ", ");
  return text + fmt::format(", for at most {}", duration_text(absences.longest));
}

}  // namespace manactl::diag
