// SPDX-License-Identifier: MIT
//
// One entry of data/signatures.json: how to recognize a log line, what it means and what to do.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "diag/counter_rule.h"
#include "diag/finding.h"
#include "diag/state.h"

namespace manactl::diag {

enum class Role {
  cause,        // explains other lines; may be the root cause
  consequence,  // never the root cause
  benign,       // looks like an error but is harmless
  evidence,     // shows a state, or the start or end of a run
  note,         // carries information about the log, such as its DPDK release; never shown
};

// The values of named groups. Some names have a meaning for all signatures: those of devices (see
// diag/device.h), "release", and names that begin with "program": the line counts only if this
// program uses DPDK.
using Captures = std::vector<std::pair<std::string, std::string>>;

// Returns the value of the first capture with this name; empty if there is none.
std::string_view capture(const Captures& captures, std::string_view name);

// One of several possible causes of a line.
struct Alternative {
  std::string cause;
  std::string confirm;              // how to confirm it by hand, in the log or on the VM
  std::vector<std::string> checks;  // if one fails, the VM has this cause; if all pass, it has not
  std::string observation = {};     // if set, the VM has this cause only if it applies
  Captures values = {};             // the line has one of these values if this is its cause
  std::string fix = {};             // if set, replaces that of the signature for this cause
  std::vector<Remedy> other_fixes = {};  // as those of the signature
};

// Detects a missing step. After a line of `from`, the signature applies to a line of `until` in the
// same run if no line of `without` came in between.
// All elements are ids of signatures; "mana-*" in `without` stands for all that begin with "mana-".
// If `end_after` is set, the signature also applies to the line of `from` if none of `without`
// follows, and the log goes on for this number of seconds.
struct AbsenceRule {
  std::vector<std::string> from, without, until;
  double end_after = 0;
  bool any_device = false;  // a line of `without` about another device is enough
};

// Events that are a fault if `times` of them have happened to one device within `seconds`, but not
// within less than `min_seconds`, because one servicing event may remove a VF several times. `of`
// holds ids of signatures; with `failed_runs`, the failure of a program's run is such an event.
struct RepetitionRule {
  struct Limit {
    std::size_t times = 0;
    double seconds = 0;
    double min_seconds = 0;
  };

  std::vector<std::string> of;
  bool failed_runs = false;
  std::vector<Limit> limits;
};

// The fix for a program with settings of its own: "VPP", "Open vSwitch".
struct ProgramFix {
  std::string program;
  std::string fix;
  std::vector<std::string> commands;
  std::vector<Remedy> other_fixes = {};
};

struct Signature {
  std::string id;
  // Names the fault. In the title, the cause, the fix, the commands and the texts `confirm` of the
  // alternatives, "{name}" is the capture `name`.
  std::string title;
  std::string source;  // "net_mana", "eal", ...
  Role role = Role::cause;
  int rank = 0;       // of equally confirmed causes, the one with the highest rank is the root
  std::string match;  // RE2 syntax; named groups are captures; empty if there is a rule
  std::optional<AbsenceRule> absence;
  std::optional<CounterRule> counters;  // see diag/counters.h
  std::optional<RepetitionRule> repetition;
  std::optional<VfState> vf_state;  // of a NIC when the log ends (see diag/outage.h)
  std::vector<std::string> examples;
  std::string meaning, cause, fix;
  std::vector<Remedy> other_fixes;    // each can replace `fix` and `commands`; the best comes first
  std::vector<ProgramFix> fixes;      // replace all of these in logs of these programs
  std::string application;            // the program that prints the line, as `fixes` name it
  std::string confirm;                // how to confirm the cause by hand
  std::vector<std::string> commands;  // for a root shell; may be empty
  std::vector<Alternative> alternatives;  // if the line alone does not show the cause
  std::string since, until;               // releases that print the line, as text for people

  // DPDK prints the line from release `printed_from` on. Releases in `removed_in` no longer print
  // it, and those in `fixed_in` fix its cause. Both lists hold the first such release of each LTS
  // line and, as last element, the first such mainline release.
  std::string printed_from;
  std::vector<std::string> removed_in;
  std::vector<std::string> fixed_in;

  // Ids of other signatures. "mana-*" stands for all ids that begin with "mana-", and "*" for all;
  // in explained_by, such a pattern covers only causes of a higher rank.
  std::vector<std::string> explained_by;  // any of these in the log makes the line a consequence
  // The line is benign unless the log has one of these, and it is open in the same run or a later
  // one. A signature that names itself is benign once it is resolved.
  std::vector<std::string> benign_without;
  std::vector<std::string> resolved_by;  // any of these later in the log proves recovery
  Captures benign_when;                  // a capture with this value makes the line benign

  // How the line changes runs and states (see diag/story.h).
  std::optional<State> state;      // of the device after the line
  std::optional<State> blocks;     // the device cannot reach this state while the fault lasts
  std::vector<State> expected_in;  // in these states, the error is normal
  // Ids of signatures. The error can be a cause only if, for some VMBus channel, the newest line of
  // the log is one of these and precedes the error. It can also be a cause if the log has no line
  // about a channel.
  std::vector<std::string> matters_after;
  std::optional<RunKind> begins;  // the line begins a run
  std::optional<Ending> ends;     // the line ends the current run
  // The line is ignored unless it names such an interface (see DeviceNames::is_about).
  std::optional<NicPart> about;
  // While the fault lasts, packets of the NIC pass nevertheless, for example on the synthetic path.
  // False if the NIC may have no address, no name or no link.
  bool packets_pass = false;
  // The NIC works in the kernel in spite of the fault. Only some programs cannot use it.
  bool nic_works = false;
  bool affects_one_port = false;  // other ports of the program may work nevertheless
  bool needs_run = false;         // ignored unless a run of its kind exists and has not ended
  bool is_total = false;          // the line reports totals of what happened earlier in the run

  // The checks and the observation that can confirm the fault on the VM (see diag/evidence.h).
  std::vector<std::string> checks;
  std::string observation;
  std::string shows;                 // the observation that the line is, for other signatures
  bool passing_contradicts = false;  // if all checks pass, the VM does not have this fault now
};

// The source of lines of a program that uses DPDK, not of DPDK itself.
inline constexpr std::string_view kApplication = "testpmd";

// The source of lines about a NIC that is not MANA. They matter only if the log is not about MANA.
inline constexpr std::string_view kOtherNic = "other";

// The kind of the run that prints the lines of a signature. Scripts that bind devices act on the
// kernel, so their lines belong to a boot.
RunKind kind_of(const Signature& signature);

// Whether the signature applies to several lines, or to missing ones, instead of matching one line.
inline bool is_rule(const Signature& signature) {
  return signature.absence || signature.counters || signature.repetition || signature.vf_state;
}

// Whether `pattern` is this id or, if it ends with '*', the beginning of it.
bool matches_id(std::string_view pattern, std::string_view id);
bool matches_any_id(const std::vector<std::string>& patterns, std::string_view id);

// Reads data/signatures.json. Errc::invalid names the signature and the field.
Result<std::vector<Signature>> parse_signatures(std::string_view json);

}  // namespace manactl::diag
