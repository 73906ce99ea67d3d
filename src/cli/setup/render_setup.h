// SPDX-License-Identifier: MIT
//
// Prints the results of prepare, restore, confirm, args and tune: text in render_setup.cpp,
// render_tune.cpp and programs.cpp, JSON in json_setup.cpp.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/context.h"
#include "cli/setup/programs.h"
#include "setup/confirm.h"
#include "setup/nic_identity.h"
#include "setup/prepare.h"
#include "setup/restore.h"
#include "setup/tune.h"

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

// Prints what failed to be reverted, with the commands that revert it, and with `is_verbose` also
// what was reverted.
void print_rollback(std::ostream& out,
                    const std::vector<setup::RevertResult>& undone,
                    bool is_verbose);

// Prints why the changes of a run failed, and whether they were rolled back. `what` says it of the
// NIC: "could not be prepared".
void print_failure(std::ostream& out, std::string_view what, const setup::PrepareResult& prepared);

struct TuneOutput {
  std::vector<setup::TunedNic> nics;
  std::optional<host::Profile> profile;
  bool is_dry_run = false;
  std::vector<std::string> commands;     // the writes that a dry run omits, as shell commands
  std::vector<std::string> persistent;   // paths of the files of --persist
  std::optional<double> confirm_within;  // seconds
};

void print_text(Screen& screen, const TuneOutput& result, int verbosity);

// Prints the document of schemas/tune.schema.json.
void print_json(Screen& screen, const TuneOutput& result, Exit exit);

struct ArgsOutput {
  struct Row {
    const Program* program;
    Result<ProgramArgs> args;
  };

  ArgsDevices devices;
  std::vector<Row> programs;
  std::vector<std::string> warnings;  // for every program
};

// Prints the document of schemas/args.schema.json.
void print_json(Screen& screen, const ArgsOutput& result);

}  // namespace manactl::cli
