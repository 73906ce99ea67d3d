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
           "not, see `lspci -k -d 1414:`."},
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

}  // namespace

std::vector<NicLine> nic_lines(const DoctorResult& result) {
  const auto& verdict = result.diagnosis.verdict;
  if (!verdict) return {};
  const bool is_away = verdict->answer == diag::Answer::away;
  const bool is_degraded = verdict->answer == diag::Answer::degraded;
  if (!is_away && !is_degraded && verdict->answer != diag::Answer::works) return {};
  std::vector<NicLine> lines;
  for (const auto& log : result.logs) {
    if (is_away) add_away(lines, result, log);
    for (const auto& nic : log.nics) {
      const bool is_used = is_degraded && nic.state == diag::VfState::used && nic.since;
      if (!is_used && nic.removals.count == 0) continue;
      auto text = printable(nic.name());
      if (is_used) {
        text += fmt::format(" has used its VF since {}",
                            place_of(result, nic.since->log, nic.since->line));
      }
      if (is_used && nic.removals.count > 0) text += ", and";
      if (nic.removals.count > 0) {
        text += " was without its VF " + diag::removals_text(nic.removals);
      }
      lines.push_back({"", std::move(text)});
    }
  }
  return lines;
}

}  // namespace manactl::cli
