// SPDX-License-Identifier: MIT
//
// The table of commands. Only the invoked command adds its options to CLI11, because adding those
// of all commands would take longer than a check. add_NAME() is defined in cmd_NAME.cpp in the
// folder of the command, add_confirm() in setup/cmd_status.cpp. commands.cpp defines the table.

#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "cli/context.h"

namespace CLI {
class App;
}

namespace manactl::cli {

using CommandAction = std::function<Exit(Context&)>;

// The use that a command makes of the captured machine of --root.
enum class RootUse : std::uint8_t {
  inspects,  // inspects it
  limited,   // changes or measures this machine: its action rejects --root or needs --dry-run
  none,      // inspects no machine, so a typed --root is rejected
};

struct Command {
  std::string_view name;     // one word, or two: "bench compare"
  std::string_view usage;    // positional arguments, for help: "[IFACE]"
  std::string_view summary;  // one line
  std::array<std::string_view, 2> examples;
  CommandAction (*add_options)(CLI::App&);  // returns the action to run after parsing
  RootUse root = RootUse::limited;
  bool prints_data = false;  // its text is input of other programs, so --quiet does not affect it
};

std::span<const Command> commands();

// Returns null if `name` is not a command.
const Command* find_command(std::string_view name);

CommandAction add_check(CLI::App& app);
CommandAction add_doctor(CLI::App& app);
CommandAction add_bench(CLI::App& app);
CommandAction add_bench_ab(CLI::App& app);
CommandAction add_bench_compare(CLI::App& app);
CommandAction add_bench_list(CLI::App& app);
CommandAction add_bench_merge(CLI::App& app);
CommandAction add_bench_rm(CLI::App& app);
CommandAction add_bench_show(CLI::App& app);
CommandAction add_prepare(CLI::App& app);
CommandAction add_restore(CLI::App& app);
CommandAction add_tune(CLI::App& app);
CommandAction add_status(CLI::App& app);
CommandAction add_args(CLI::App& app);
CommandAction add_confirm(CLI::App& app);
CommandAction add_wait(CLI::App& app);
CommandAction add_decode(CLI::App& app);
CommandAction add_sim(CLI::App& app);
CommandAction add_completion(CLI::App& app);

}  // namespace manactl::cli
