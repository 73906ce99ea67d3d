// SPDX-License-Identifier: MIT
//
// Who owns each NIC, and what the journal tells of it. Takes no lock and changes nothing.

#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "host/facts.h"
#include "setup/holders.h"
#include "setup/journal.h"
#include "setup/watchdog.h"

namespace manactl::setup {

// Of what is taken back unless somebody confirms it.
struct Wait {
  std::optional<std::chrono::milliseconds> left;  // below zero when the time is over
  WatchdogState watchdog = WatchdogState::unknown;
};

struct NicStatus {
  std::string name;
  Values nic;                    // as identity_of() tells
  std::string owner;             // "kernel", "uio", "nobody"
  std::string uio;               // "uio0"
  std::vector<Holder> holders;   // processes that have the uio device or the VF's uverbs open
  std::string journal;           // "none", "prepared", "unfinished", "waits for confirmation", ...
  std::vector<std::string> did;  // what was changed
  std::optional<Wait> wait;
  std::vector<std::string> run;  // commands that end a state in which it should not stay
};

struct Status {
  std::vector<NicStatus> nics;
  std::vector<NicStatus> others;  // entries of the journal without a NIC: hugepages, lost ones
};

// `now` is that of Clock: deadlines are compared with it.
Status status_of(const host::Facts& facts,
                 const std::vector<Entry>& entries,
                 const os::System& system,
                 std::chrono::milliseconds now);

}  // namespace manactl::setup
