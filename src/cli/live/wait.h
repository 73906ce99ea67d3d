// SPDX-License-Identifier: MIT
//
// Waits until NICs have reached a state: the command wait.

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/enum_words.h"
#include "cli/context.h"
#include "cli/nic_name.h"

namespace manactl::cli {

enum class WaitGoal {
  vf,        // the kernel uses the VF
  ready,     // check finds no failure
  prepared,  // prepare has completed and is confirmed
};

inline constexpr EnumWords<WaitGoal, 3> kWaitGoals{
    {{WaitGoal::vf, "vf"}, {WaitGoal::ready, "ready"}, {WaitGoal::prepared, "prepared"}}};

struct WaitOptions {
  std::optional<NicName> nic;  // empty: all NICs
  std::optional<WaitGoal> goal;
  double timeout = 120;  // seconds; servicing removes a VF for seconds, rarely for minutes
};

// The state of a NIC, or of one that does not exist yet, at one poll.
struct WaitedNic {
  std::string name;
  bool is_reached = false;
  std::string state;   // "VF enP30832p0s0 is in use"
  std::string advice;  // the command that comes next if the state is not reached; may be empty
};

// Fails if waiting is useless: the name denotes several NICs, or the journal cannot be read. A NIC
// that does not exist may appear later, so it has a state.
Result<std::vector<WaitedNic>> read_states(WaitGoal goal,
                                           const std::optional<NicName>& name,
                                           const os::System& system);

// The clock of run_wait(), which tests replace.
struct WaitClock {
  std::function<double()> seconds;           // since the start
  std::function<int(double seconds)> pause;  // returns the number of a signal that ended it, or 0
};

Exit run_wait(const WaitOptions& options, const WaitClock& clock, Context& context);

}  // namespace manactl::cli
