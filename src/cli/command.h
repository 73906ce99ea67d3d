// SPDX-License-Identifier: MIT
//
// The open table of commands. Only the command that was called builds its options: describing all
// of them to CLI11 would cost more than a check takes.

#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "cli/context.h"

namespace CLI {
class App;
}

namespace manactl::cli {

using Run = std::function<Exit(Context&)>;

struct Command {
  std::string_view name;     // one word, or two: "bench compare"
  std::string_view usage;    // positional arguments, for help: "[IFACE]"
  std::string_view summary;  // one line
  Run (*add)(CLI::App&);     // adds the options and answers what to do with them
};

std::span<const Command> commands();

const Command* find_command(std::string_view name);

Run add_check(CLI::App& app);
Run add_doctor(CLI::App& app);
Run add_bench(CLI::App& app);
Run add_bench_compare(CLI::App& app);
Run add_bench_list(CLI::App& app);
Run add_bench_merge(CLI::App& app);
Run add_bench_show(CLI::App& app);
Run add_prepare(CLI::App& app);
Run add_restore(CLI::App& app);
Run add_status(CLI::App& app);
Run add_args(CLI::App& app);
Run add_confirm(CLI::App& app);
Run add_decode(CLI::App& app);
Run add_sim(CLI::App& app);

}  // namespace manactl::cli
