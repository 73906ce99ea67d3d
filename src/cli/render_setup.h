// SPDX-License-Identifier: MIT
//
// The answers of prepare, restore, status, args and confirm, as text for people and JSON for
// programs.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/context.h"
#include "setup/restore.h"
#include "setup/slots.h"
#include "setup/status.h"

namespace manactl::cli {

struct PrepareAnswer {
  setup::Prepared prepared;
  std::vector<setup::Slot> slots;     // what DPDK is told
  std::vector<std::string> commands;  // of a rehearsal
  bool rehearsed = false;
  std::vector<std::string> persistent;   // files
  std::optional<double> confirm_within;  // seconds
  Exit exit = Exit::ok;
};

void text(Screen& screen, const PrepareAnswer& answer, int verbosity);
void json(Screen& screen, const PrepareAnswer& answer);  // schemas/prepare.schema.json

struct RestoreAnswer {
  std::vector<setup::Restored> restored;
  std::vector<std::string> removed;  // persistent files
  Exit exit = Exit::ok;
};

void text(Screen& screen, const RestoreAnswer& answer, int verbosity);
void json(Screen& screen, const RestoreAnswer& answer);  // schemas/restore.schema.json

struct StatusAnswer {
  setup::Status status;
  std::string journal_error;  // why the journal could not be read
  std::vector<std::string> persistent;
};

void text(Screen& screen, const StatusAnswer& answer, int verbosity);
void json(Screen& screen, const StatusAnswer& answer);  // schemas/status.schema.json

enum class Reader { testpmd, eal, vpp, environment, json };

struct ArgsAnswer {
  std::vector<setup::Slot> slots;
  bool allow_channels = true;   // DPDK 23.11 and later take "-a <VMBus id>"
  std::vector<unsigned> cores;  // the first is EAL's main one
  unsigned queues = 1;          // a power of two, as net_mana wants
};

inline constexpr unsigned kDescriptors = 256;  // net_mana: at least 64, a multiple of 64

void text(Screen& screen, const ArgsAnswer& answer, Reader reader);
void json(Screen& screen, const ArgsAnswer& answer);  // schemas/args.schema.json

void confirm_text(Screen& screen, const std::vector<std::string>& confirmed);
void confirm_json(Screen& screen, const std::vector<std::string>& confirmed);

// "--vdev="7870:00:00.0,mac=..."" for each slot, and the channels.
std::string eal_line(const std::vector<setup::Slot>& slots, bool allow_channels);

}  // namespace manactl::cli
