// SPDX-License-Identifier: MIT

#include "cli/command.h"

namespace manactl::cli {
namespace {

constexpr std::array kCommands = {
    Command{"check",
            "[IFACE|BUNDLE] [OPTION]...",
            "Check whether this VM is ready for MANA",
            {"manactl check", "manactl check eth1 --queues 8 -v"},
            add_check,
            RootUse::inspects},
    Command{"doctor",
            "[FILE]... [OPTION]...",
            "Find the root cause of MANA and DPDK problems",
            {"manactl doctor testpmd.log --kernel-log",
             "manactl doctor --kernel-log --bundle vm.tar.gz --scrub"},
            add_doctor,
            RootUse::inspects},
    Command{
        "bench",
        "[IFACE|--vdev DEVICE] [OPTION]...",
        "Measure packet rates in user space",
        {"manactl bench eth1 --mode tx --queues 4", "manactl bench --sim --mode rx --duration 5"},
        add_bench},
    Command{"bench ab",
            "[OPTION]... -- COMMON -- A -- B",
            "Measure two configurations in turns and compare them",
            {"manactl bench ab -- eth1 -- --queues 1 -- --queues 4",
             "manactl bench ab -- --sim -- --size 64 -- --size 128"},
            add_bench_ab},
    Command{"bench compare",
            "BEFORE AFTER [OPTION]...",
            "Compare two results and report regressions",
            {"manactl bench compare before after", "manactl bench compare before latest --json"},
            add_bench_compare,
            RootUse::none},
    Command{"bench merge",
            "SENDER RECEIVER [OPTION]...",
            "Merge the results of both ends of a run",
            {"manactl bench merge sender.json receiver.json",
             "manactl bench merge sender.json receiver.json -o html"},
            add_bench_merge,
            RootUse::none},
    Command{"bench list",
            "[OPTION]...",
            "List saved results",
            {"manactl bench list", "manactl bench list --json"},
            add_bench_list,
            RootUse::none},
    Command{"bench rm",
            "RESULT... [OPTION]...",
            "Remove saved results",
            {"manactl bench rm latest", "manactl bench rm before after"},
            add_bench_rm,
            RootUse::none},
    Command{"bench show",
            "[RESULT] [OPTION]...",
            "Print a saved result",
            {"manactl bench show", "manactl bench show before -o html"},
            add_bench_show,
            RootUse::none},
    Command{"prepare",
            "[IFACE] [OPTION]...",
            "Bind a NIC to user space (reversible)",
            {"manactl prepare eth1 --dry-run", "manactl prepare eth1 --confirm-timeout 60"},
            add_prepare},
    Command{"restore",
            "[IFACE|--all] [OPTION]...",
            "Undo the changes of prepare",
            {"manactl restore eth1 --dry-run", "manactl restore eth1"},
            add_restore},
    Command{"status",
            "[IFACE|BUNDLE] [OPTION]...",
            "Show which driver owns each NIC and what was changed",
            {"manactl status", "manactl status eth1 --watch"},
            add_status,
            RootUse::inspects},
    Command{"args",
            "[IFACE|BUNDLE]... [OPTION]...",
            "Print the DPDK arguments of prepared NICs",
            {"manactl args eth1", "dpdk-testpmd $(manactl args eth1 --for eal) -- -i"},
            add_args,
            RootUse::inspects,
            true},
    Command{"confirm",
            "[OPTION]... [IFACE]",
            "Confirm the changes of prepare --confirm-timeout",
            {"manactl confirm", "manactl confirm eth1"},
            add_confirm,
            RootUse::none},
    Command{"decode",
            "KIND HEX|FILE|- [OPTION]...",
            "Decode MANA hardware formats",
            {"manactl decode cq-doorbell 0500000040000080", "manactl decode sq-wqe dump.txt"},
            add_decode,
            RootUse::none},
    Command{"sim",
            "[OPTION]... -- COMMAND...",
            "Run a program on a MANA adapter in software",
            {"manactl sim -- dpdk-testpmd -l 0-1 --in-memory",
             "manactl sim --fault tx=33 -- manactl bench --duration 5"},
            add_sim,
            RootUse::none},
    Command{"completion",
            "bash|zsh|fish",
            "Print the completion script of a shell",
            {"manactl completion bash", "manactl completion zsh"},
            add_completion,
            RootUse::none,
            true},
};

}  // namespace

std::span<const Command> commands() {
  return kCommands;
}

const Command* find_command(std::string_view name) {
  for (const auto& command : kCommands) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

}  // namespace manactl::cli
