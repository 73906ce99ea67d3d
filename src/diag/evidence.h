// SPDX-License-Identifier: MIT
//
// Determines whether the state of this VM confirms the fault that a log line reports.

#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "diag/runner.h"
#include "diag/signature.h"
#include "host/facts.h"

namespace manactl::diag {

enum class Confirmation { confirmed, contradicted, undecided };

// A state of the VM that is not a fault but explains a log line. Example: a link that is up is
// healthy, but is the reason why DPDK finds the port busy.
struct Observation {
  std::string_view id;  // "port-busy"; signatures refer to it
  std::string text;     // "VF enP30832s1d1 of eth1 is up: the kernel holds the port"
  std::vector<std::string> commands;
};

// The observations that apply to this VM.
std::vector<Observation> observations_of(const host::Facts& facts);

// Observations in a log instead of the VM: see diag/arguments.h.
inline constexpr std::string_view kOtherMac = "other-mac";
inline constexpr std::string_view kDefaultAddresses = "default-addresses";
inline constexpr std::string_view kRepeatedArgument = "repeated-argument";
inline constexpr std::string_view kNoManaPackage = "no-mana-package";
inline constexpr std::string_view kKernelOwnsNic = "kernel-owns-nic";
inline constexpr std::array<std::string_view, 7> kLogObservations = {kOtherMac,
                                                                     kDefaultAddresses,
                                                                     kRepeatedArgument,
                                                                     kNoManaPackage,
                                                                     kKernelOwnsNic,
                                                                     "crash-kernel",
                                                                     "no-pci"};

// The ids of all observations, whether they apply or not.
std::vector<std::string_view> observation_ids();

// The check, the observation or the value in the line that determined `confirmation`; there is none
// if it is undecided.
struct Evidence {
  Confirmation confirmation = Confirmation::undecided;
  const CheckOutcome* check = nullptr;
  const Observation* observation = nullptr;
  std::string_view value = {};
};

// The fault is confirmed by a failed check of the signature, by its observation, or by a check that
// warns. Passing checks contradict it only if the signature allows that, because the log may be
// old, or the program that wrote the log may have run as another user or with other arguments. If
// the line names a kernel module (capture "module"), the checks of other modules do not count.
Evidence find_evidence(const Signature& signature,
                       const Report& checks,
                       const std::vector<Observation>& observations,
                       const Captures& line = {});

// Judges each alternative of the signature for a line with these captured values. If the line has a
// value that an alternative names, it contradicts those that name others. It confirms the
// alternative if no other names the same value. In all other cases, the checks and the observation
// of the alternative decide. `line` must outlive the result.
std::vector<Evidence> judge_alternatives(const Signature& signature,
                                         const Captures& line,
                                         const Report& checks,
                                         const std::vector<Observation>& observations);

// True if the line has, for each alternative, a value that only other causes have, such as an errno
// that no alternative names. The cause is then unknown.
bool excludes_alternatives(const Signature& signature, const Captures& line);

// Failed checks that are not consequences of other failed checks, in the order of the report.
std::vector<const CheckOutcome*> first_causes(const Report& checks);

}  // namespace manactl::diag
