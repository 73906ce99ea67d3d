// SPDX-License-Identifier: MIT
//
// Reports which driver owns each NIC, and what the journal records about it. Takes no lock and
// changes nothing.

#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/enum_words.h"
#include "host/facts.h"
#include "host/nic_state.h"
#include "setup/guard.h"
#include "setup/journal.h"
#include "setup/watchdog.h"

namespace manactl::setup {

using host::kOwnerWords;
using host::Owner;

enum class JournalState {
  unknown,  // the journal was not read
  none,
  prepared,
  tuned,
  awaiting_confirmation,
  unfinished,
  damaged,
  earlier_boot,
  rebound,  // something other than manactl has rebound the channel
};

inline constexpr EnumWords<JournalState, 9> kJournalStateWords{{
    {JournalState::unknown, "unknown"},
    {JournalState::none, "none"},
    {JournalState::prepared, "prepared"},
    {JournalState::tuned, "tuned"},
    {JournalState::awaiting_confirmation, "awaiting confirmation"},
    {JournalState::unfinished, "unfinished"},
    {JournalState::damaged, "damaged"},
    {JournalState::earlier_boot, "from an earlier boot"},
    {JournalState::rebound, "rebound by something else"},
}};

// An unconfirmed NIC, which its watchdog restores at the deadline.
struct Confirmation {
  std::optional<std::chrono::milliseconds> time_left;  // negative after the deadline
  WatchdogState watchdog = WatchdogState::unknown;
};

struct NicStatus {
  std::string name;
  NicIdentity nic;
  const host::Nic* facts = nullptr;     // in the facts of status_of(); null without a NIC
  std::vector<std::string> objections;  // why prepare refuses a NIC of the kernel
  Owner owner = Owner::nobody;
  std::string uio;              // "uio0"
  std::vector<Holder> holders;  // processes that have the uio device or the VF's uverbs open
  JournalState journal = JournalState::unknown;
  std::vector<std::string> changes;  // titles of the steps that began
  std::optional<Confirmation> confirmation;
  std::vector<std::string> commands;  // commands that end an abnormal or unconfirmed state

  // Whether an interface, the channel, the PCI address or the MAC address has this name.
  bool has_name(const std::string& text) const;
};

struct Status {
  std::vector<NicStatus> nics;
  std::vector<NicStatus> others;  // journal entries without a NIC: hugepages, removed NICs
};

// `entries` is empty if the journal was not read. `now` is a time of the boot clock, like the
// deadlines in the journal. The result points into `facts`.
Status status_of(const host::Facts& facts,
                 const std::optional<std::vector<Entry>>& entries,
                 const os::System& system,
                 std::chrono::milliseconds now);

}  // namespace manactl::setup
