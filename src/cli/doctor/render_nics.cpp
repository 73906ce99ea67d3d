// SPDX-License-Identifier: MIT

#include <array>

#include "base/text.h"
#include "cli/doctor/render_doctor.h"
#include "diag/log_time.h"

namespace manactl::cli {
namespace {

constexpr std::size_t kMaxNics = 3;  // that are named without -v

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

std::string place_of(const DoctorResult& result, const diag::Quote& quote) {
  return fmt::format(
      "{}{}", result.logs.size() > 1 ? printable(quote.log) + ':' : "line ", quote.line);
}

void write_away(Screen& screen, const DoctorResult& result, const DoctorResult::Log& log) {
  for (const auto& [state, advice] : kAdvice) {
    bool has_state = false;
    for (const auto& nic : log.nics) {
      if (nic.state != state || !nic.has_worked || !nic.since) continue;
      has_state = true;
      auto text = fmt::format("{} has not used its VF since ", printable(nic.name()));
      const auto time = diag::moment_text(nic.since->time, log.last_time);
      const auto place = place_of(result, *nic.since);
      text += time.empty() ? place : fmt::format("{} ({})", time, place);
      if (nic.seconds && *nic.seconds >= 1) {
        text += fmt::format(", for the last {} of the log", diag::duration_text(*nic.seconds));
      }
      write_indented(screen, "Away: ", text);
    }
    if (has_state) write_indented(screen, "  ", std::string(advice));
  }
}

}  // namespace

void print_nics(Screen& screen, const DoctorResult& result, int verbosity) {
  const auto answer = result.diagnosis.verdict->answer;
  const bool is_away = answer == diag::Answer::away;
  const bool is_degraded = answer == diag::Answer::degraded;
  if (!is_away && !is_degraded && answer != diag::Answer::works) return;
  bool has_text = !is_degraded;
  for (const auto& log : result.logs) {
    std::size_t shown = 0;
    if (is_away) write_away(screen, result, log);
    for (const auto& nic : log.nics) {
      const bool is_used = is_degraded && nic.state == diag::VfState::used && nic.since;
      if ((!is_used && nic.removals.count == 0) || (shown == kMaxNics && verbosity == 0)) continue;
      ++shown;
      auto text = printable(nic.name());
      if (is_used) text += fmt::format(" has used its VF since {}", place_of(result, *nic.since));
      if (is_used && nic.removals.count > 0) text += ", and";
      if (nic.removals.count > 0) {
        text += " was without its VF " + diag::removals_text(nic.removals);
      }
      write_indented(screen, "", text);
      has_text = true;
    }
  }
  if (has_text) screen.stream() << '\n';
}

}  // namespace manactl::cli
