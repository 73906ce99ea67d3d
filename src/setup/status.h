// SPDX-License-Identifier: MIT
//
// Who owns each NIC, and what the journal tells of it. Takes no lock and changes nothing.

#pragma once

#include <string>
#include <vector>

#include "host/facts.h"
#include "setup/journal.h"

namespace manactl::setup {

struct Holder {
  unsigned pid = 0;
  std::string program;
};

struct NicStatus {
  std::string name;
  Values nic;                    // as identity_of() tells
  std::string owner;             // "kernel", "uio", "nobody"
  std::string uio;               // "uio0"
  std::vector<Holder> holders;   // processes that have the uio device or the VF's uverbs open
  std::string journal;           // "none", "prepared", "unfinished", "waits for confirmation", ...
  std::vector<std::string> did;  // what was changed
};

struct Status {
  std::vector<NicStatus> nics;
  std::vector<NicStatus> others;  // entries of the journal without a NIC: hugepages, lost ones
};

Status status_of(const host::Facts& facts,
                 const std::vector<Entry>& entries,
                 const os::System& system);

}  // namespace manactl::setup
