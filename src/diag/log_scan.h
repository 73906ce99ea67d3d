// SPDX-License-Identifier: MIT
//
// Reads a log once and collects its known lines, the lines that look like errors, and the DPDK
// release that wrote it.

#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_source.h"
#include "base/result.h"
#include "diag/evidence.h"
#include "diag/signature_set.h"
#include "diag/story.h"
#include "diag/ticket_checks.h"

namespace manactl::diag {

struct LogReport {
  std::vector<LogEntry> entries;      // in order of first appearance
  std::vector<Run> runs;              // in order of their beginnings
  std::uint64_t more_runs = 0;        // runs that `runs` omits
  std::vector<NicStory> nics;         // synthetic NICs of the last boot, when the log ends
  std::string first_time, last_time;  // of the first and last lines with a time; may be empty
  std::uint64_t lines = 0;
  std::uint64_t matched_lines = 0;        // lines that match a signature
  std::uint64_t more_unknown = 0;         // unrecognized lines without an entry
  std::string dpdk_release;               // "24.11.2"; empty if the log does not contain it
  std::string dpdk_range;                 // "22.11 to 24.07", from message prefixes; may be empty
  bool has_mana = false;                  // a line of a driver or library of MANA
  bool has_platform = false;              // a line of DPDK, or of a driver of Hyper-V
  bool has_other_nic = false;             // a line of the driver of another NIC
  Applications applications;              // of all runs
  std::vector<Observation> observations;  // from arguments and outputs in the log
  TicketReport ticket;                    // from pasted commands and their output

  // DPDK without any NIC may have failed before it found MANA.
  bool is_about_mana() const { return has_mana || (has_platform && !has_other_nic); }
};

// Reads `source` to its end. Fails only if reading fails, whatever the log contains.
Result<LogReport> read_log(ByteSource& source, const std::string& name, const SignatureSet& known);

// Returns the DPDK releases that print the prefix of `message`: "22.11 to 24.07"; may be empty.
std::string_view releases_of_prefix(std::string_view message);

}  // namespace manactl::diag
