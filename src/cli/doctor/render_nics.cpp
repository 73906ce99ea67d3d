// SPDX-License-Identifier: MIT

#include <array>

#include "base/text.h"
#include "cli/doctor/render_doctor.h"
#include "diag/log_time.h"

namespace manactl::cli {
namespace {

struct Advice {
  diag::VfState state;
  std::string_view text;
};

// The meaning of the state of a VF that is away for a short or unknown time, and the lines that
// should follow.
constexpr std::array kAdvice = {
    Advice{diag::VfState::removed,
           "The host removed the VF, as it does while Azure services the host. 'VF slot N added' "
           "should follow within two minutes; if it does not, the NIC is degraded."},
    Advice{diag::VfState::servicing,
           "The adapter is being reset or serviced. A line about its end should follow within two "
           "minutes; if it does not, the NIC is degraded."},
    Advice{diag::VfState::not_bound,
           "The host has added the VF. 'VF registering' should follow within seconds; if it does "
           "not, see `lspci -k`."},
    Advice{diag::VfState::not_joined,
           "The VF has a driver. 'VF registering' should follow within seconds; if it does not, "
           "see `manactl check`."},
    Advice{diag::VfState::not_switched,
           "The VF has joined the NIC. 'Data path switched to VF' should follow within seconds; if "
           "it does not, see `ip -br link`."},
    Advice{diag::VfState::stopped,
           "The VF left in an orderly way: its driver or that of the NIC was unbound, as for DPDK, "
           "or the system shut down."},
};

void add_away(std::vector<NicLine>& lines,
              const DoctorResult& result,
              const DoctorResult::Log& log) {
  for (const auto& [state, advice] : kAdvice) {
    bool has_state = false;
    for (const auto& nic : log.nics) {
      if (nic.state != state || !nic.has_worked || !nic.since) continue;
      has_state = true;
      auto text = fmt::format("{} has not used its VF since ", printable(nic.name()));
      const auto time = diag::moment_text(nic.since->time, log.last_time);
      const auto place = place_of(result, nic.since->log, nic.since->line);
      text += time.empty() ? place : fmt::format("{} ({})", time, place);
      if (nic.seconds && *nic.seconds >= 1) {
        text += fmt::format(", for the last {} of the log", diag::duration_text(*nic.seconds));
      }
      lines.push_back({"Away: ", std::move(text)});
    }
    if (has_state) lines.push_back({"  ", std::string(advice)});
  }
}

// "left its VF 2 times: 40 s, 6 s (last at 07:10:03, line 8)"
std::string switches_text(const DoctorResult& result,
                          const DoctorResult::Log& log,
                          const diag::NicStory& nic) {
  const auto& last = *nic.last_switch;
  const auto time = diag::moment_text(last.time, log.last_time);
  return fmt::format("left its VF {} ({}{}{})",
                     diag::absences_text(nic.switches),
                     nic.switches.count > 1 ? "last at " : "",
                     time.empty() ? "" : time + ", ",
                     place_of(result, last.log, last.line));
}

}  // namespace

std::vector<NicLine> nic_lines(const DoctorResult& result) {
  const auto& verdict = result.diagnosis.verdict;
  if (!verdict) return {};
  // A log without MANA may show the VF of another adapter, such as Mellanox.
  const bool is_other = verdict->answer == diag::Answer::not_mana;
  const bool is_away = verdict->answer == diag::Answer::away || is_other;
  const bool is_degraded = verdict->answer == diag::Answer::degraded;
  if (!is_away && !is_degraded && verdict->answer != diag::Answer::works) return {};
  std::vector<NicLine> lines;
  for (const auto& log : result.logs) {
    if (is_away) add_away(lines, result, log);
    for (const auto& nic : log.nics) {
      const bool is_used = is_degraded && nic.state == diag::VfState::used && nic.since;
      std::vector<std::string> parts;
      if (is_used) {
        parts.push_back(fmt::format("has used its VF since {}",
                                    place_of(result, nic.since->log, nic.since->line)));
      }
      if (nic.removals.count > 0) {
        parts.push_back("was without its VF " + diag::absences_text(nic.removals));
      }
      if (nic.switches.count > 0) parts.push_back(switches_text(result, log, nic));
      if (parts.empty()) continue;
      lines.push_back({"", printable(nic.name()) + " " + join(parts, ", and ")});
    }
  }
  return lines;
}

}  // namespace manactl::cli
