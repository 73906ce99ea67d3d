// SPDX-License-Identifier: MIT
//
// Prints the results of prepare, restore, confirm and args: text in render_setup.cpp and
// render_args.cpp, JSON in json_setup.cpp.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/context.h"
#include "setup/confirm.h"
#include "setup/nic_identity.h"
#include "setup/prepare.h"
#include "setup/restore.h"

namespace manactl::cli {

struct PrepareOutput {
  setup::PrepareResult prepared;
  std::vector<setup::Slot> slots;  // for the DPDK arguments
  bool allow_channels = true;      // accepts_channels()
  bool is_dry_run = false;
  std::vector<std::string> commands;     // the writes that a dry run omits, as shell commands
  std::vector<std::string> persistent;   // paths of the files of --persist
  std::optional<double> confirm_within;  // seconds
};

// Returns what a successful run could not do, such as reserving all hugepages that DPDK needs.
std::vector<std::string> warnings_of(const setup::PrepareResult& prepared);

void print_warnings(Context& context, const std::vector<std::string>& warnings);

void print_text(Screen& screen, const PrepareOutput& result, int verbosity);

// Prints the document of schemas/prepare.schema.json.
void print_json(Screen& screen, const PrepareOutput& result, Exit exit);

void print_text(Screen& screen, const std::vector<setup::RestoreResult>& restored, int verbosity);

// Prints the result of a dry run of restore.
void print_plan(Screen& screen, const std::vector<setup::RestoreResult>& planned, int verbosity);

// Prints the document of schemas/restore.schema.json.
void print_json(Screen& screen,
                const std::vector<setup::RestoreResult>& restored,
                bool is_dry_run,
                Exit exit);

// Prints the result of confirm; empty if the NIC was confirmed before.
void print_text(Screen& screen, const std::optional<setup::ConfirmResult>& confirmed);

// Prints the document of schemas/confirm.schema.json.
void print_json(Screen& screen, const std::optional<setup::ConfirmResult>& confirmed);

enum class ArgsFormat { testpmd, eal, vpp, environment, json };

struct ArgsOutput {
  std::vector<setup::Slot> slots;
  bool allow_channels = true;   // accepts_channels()
  std::vector<unsigned> cores;  // the CPUs of the lcores; the first one is EAL's main lcore
  unsigned queues = 1;          // a power of two, as net_mana requires
  std::vector<std::string> warnings;
  const host::Facts* facts = nullptr;
  std::vector<const host::Nic*> nics = {};  // in `facts`
};

inline constexpr unsigned kDescriptors = 256;  // net_mana: at least 64, a multiple of 64

void print_args(Screen& screen, const ArgsOutput& result, ArgsFormat format);
void print_json(Screen& screen, const ArgsOutput& result);  // schemas/args.schema.json

// Returns whether the arguments may contain "-a <VMBus id>", which DPDK rejects before 23.11. If
// several releases are installed, any of them may read the arguments, so all have to accept it.
// Without it, DPDK uses every channel that is bound to uio_hv_generic.
bool accepts_channels(const host::Facts& facts);

// Returns --vdev=7870:00:00.0,mac=... for each slot, and -a <VMBus id> for each allowed channel. No
// argument contains a character that a shell interprets.
std::vector<std::string> eal_arguments(const std::vector<setup::Slot>& slots, bool allow_channels);

}  // namespace manactl::cli
