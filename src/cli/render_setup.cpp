// SPDX-License-Identifier: MIT

#include "cli/render_setup.h"

#include <algorithm>

#include "base/text.h"

namespace manactl::cli {
namespace {

void print_undone(std::ostream& out, const std::vector<setup::Undone>& undone, bool all) {
  std::vector<std::string> by_hand;
  for (const auto& one : undone) {
    if (one.result && !all) continue;
    out << (one.result ? "  undone  "
            : one.gone ? "  gone    "
                       : "  FAILED  ")
        << printable(one.title);
    if (!one.result) out << ": " << printable(one.result.error().message);
    out << '\n';
    by_hand.insert(by_hand.end(), one.by_hand.begin(), one.by_hand.end());
  }
  if (by_hand.empty()) return;
  out << "Do by hand what is left:\n";
  for (const auto& command : by_hand) out << "  " << printable(command) << '\n';
}

std::string before_of(const setup::Values& before) {
  std::string text;
  for (const auto& [key, value] : before) {
    // Addresses and routes would fill the screen; --json has them.
    if (key.find('.') != std::string::npos || key == "index") continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", key, value.empty() ? "-" : value);
  }
  return printable(text, 100);
}

void print_steps(std::ostream& out,
                 const std::vector<setup::Ran>& ran,
                 std::string_view done,
                 int verbosity) {
  for (const auto& step : ran) {
    if (!step.changed && verbosity == 0) continue;
    out << fmt::format("  {:8}{}", step.changed ? done : "as is", printable(step.title));
    const auto before = before_of(step.before);
    if (!before.empty()) out << "  (before: " << before << ')';
    if (verbosity > 0) out << fmt::format("  {} ms", step.took.count());
    out << '\n';
  }
}

std::string name_of(const setup::Entry& entry) {
  return printable(entry.interface.empty() ? entry.id : entry.interface, 60);
}

// The exit code tells the first from the others.
const char* restored_how(const setup::Restored& restored) {
  if (restored.is_complete()) return " is restored";
  return setup::all_good(restored.undone) ? " is restored as far as that can be known"
                                          : " is NOT restored completely";
}

const char* end_of(const setup::Prepared& prepared) {
  if (prepared.outcome != setup::Outcome::rolled_back) {
    return "Not everything could be taken back:\n";
  }
  const bool gone = std::any_of(
      prepared.undone.begin(), prepared.undone.end(), [](const auto& one) { return one.gone; });
  return gone ? "Everything else is as it was.\n" : "Everything is as it was.\n";
}

void print_failure(std::ostream& out, const setup::Prepared& prepared) {
  out << name_of(prepared.entry) << " could not be prepared: " << printable(prepared.cause.message)
      << '\n'
      << end_of(prepared);
  if (prepared.outcome == setup::Outcome::rolled_back) return;
  print_undone(out, prepared.undone, false);
  out << "When the reason is gone, the rest is done by:\n  manactl restore "
      << name_of(prepared.entry) << '\n';
}

void print_next(std::ostream& out, const PrepareAnswer& answer) {
  if (!answer.slots.empty()) {
    out << "DPDK takes it with:\n  " << eal_line(answer.slots, true) << '\n';
  }
  const auto& entry = answer.prepared.entry;
  for (const auto& path : answer.persistent) out << "Written: " << printable(path) << '\n';
  if (answer.confirm_within) {
    out << fmt::format("It is taken back in {} s unless you run:\n  manactl confirm\n",
                       *answer.confirm_within);
  }
  const bool known = !entry.interface.empty() || !entry.id.empty();
  out << "Undo it with:\n  manactl restore "
      << (entry.interface.empty() ? (known ? "--all" : "IFACE") : name_of(entry)) << '\n';
}

}  // namespace

std::string eal_line(const std::vector<setup::Slot>& slots, bool allow_channels) {
  std::string line;
  for (const auto& slot : slots) {
    line += fmt::format("{}--vdev=\"{}\"", line.empty() ? "" : " ", setup::vdev_of(slot));
    if (!allow_channels) continue;
    for (const auto& channel : slot.channels) line += " -a " + channel;
  }
  return line;
}

void text(Screen& screen, const PrepareAnswer& answer, int verbosity) {
  auto& out = screen.stream();
  const auto& prepared = answer.prepared;
  const bool failed = prepared.outcome == setup::Outcome::rolled_back ||
                      prepared.outcome == setup::Outcome::roll_back_failed;
  if (failed) return print_failure(out, prepared);
  const std::string name = name_of(prepared.entry);
  if (prepared.outcome == setup::Outcome::already) {
    out << name << " is prepared already\n";
  } else if (answer.rehearsed) {
    out << name << " would be prepared with these steps:\n";
    print_steps(out, prepared.ran, "would", verbosity);
    out << "Nothing was changed. The writes are:\n";
    for (const auto& command : answer.commands) out << "  " << printable(command) << '\n';
  } else {
    print_steps(out, prepared.ran, "done", verbosity);
    out << name << " is prepared\n";
  }
  print_next(out, answer);
}

void text(Screen& screen, const RestoreAnswer& answer, int verbosity) {
  auto& out = screen.stream();
  for (const auto& path : answer.removed) out << "Removed: " << printable(path) << '\n';
  if (answer.restored.empty() && answer.removed.empty()) out << "There is nothing to restore\n";
  for (const auto& one : answer.restored) {
    const std::string name = printable(one.interface.empty() ? one.id : one.interface, 60);
    if (one.earlier_boot) {
      out << name << ": prepared before the last reboot, which undid it\n";
      continue;
    }
    out << name << restored_how(one) << '\n';
    print_undone(out, one.undone, verbosity > 0);
    if (one.unknown.empty()) continue;
    out << (one.journaled ? "What cannot be known any more:\n"
                          : "There was no journal for it, so "
                            "these are not known:\n");
    for (const auto& unknown : one.unknown) out << "  " << printable(unknown, 300) << '\n';
  }
}

namespace {

std::string wait_text(const setup::Wait& wait) {
  using setup::WatchdogState;
  if (wait.watchdog == WatchdogState::dead) {
    return "not confirmed, and its watchdog is dead: NOBODY takes it back";
  }
  std::string text = "not confirmed";
  if (wait.left) {
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(*wait.left).count();
    text += seconds > 0 ? fmt::format(": taken back in {} s", seconds)
                        : fmt::format(" in time, {} s ago: its watchdog is at work", -seconds);
  }
  if (wait.watchdog == WatchdogState::unknown) text += "; whether its watchdog lives is not known";
  return text;
}

void print_status(std::ostream& out, const setup::NicStatus& nic, int verbosity) {
  out << printable(nic.name, 60) << "  " << nic.owner;
  if (!nic.uio.empty()) out << " (" << printable(nic.uio) << ')';
  for (const char* key : {"vf", "mac", "pci", "uuid"}) {
    const auto value = setup::value_of(nic.nic, key);
    if (!value.empty()) out << "  " << key << ' ' << printable(value, 60);
  }
  out << "\n  journal: " << nic.journal << '\n';
  if (nic.wait) out << "  " << wait_text(*nic.wait) << '\n';
  for (const auto& holder : nic.holders) {
    out << fmt::format("  in use by process {} ({})\n", holder.pid, holder.program);
  }
  for (const auto& command : nic.run) out << "  run: " << printable(command) << '\n';
  if (verbosity == 0 && nic.journal == "none") return;
  for (const auto& step : nic.did) out << "  done: " << printable(step) << '\n';
}

}  // namespace

void text(Screen& screen, const StatusAnswer& answer, int verbosity) {
  auto& out = screen.stream();
  for (const auto& nic : answer.status.nics) print_status(out, nic, verbosity);
  for (const auto& other : answer.status.others) print_status(out, other, verbosity);
  if (answer.status.nics.empty()) out << "There is no Azure NIC here\n";
  for (const auto& path : answer.persistent) out << "at every boot: " << printable(path) << '\n';
  if (!answer.journal_error.empty()) {
    out << "the journal is not known: " << printable(answer.journal_error) << '\n';
  }
}

namespace {

std::string core_list(const std::vector<unsigned>& cores) {
  return CpuList{cores}.str();
}

void print_vpp(std::ostream& out, const ArgsAnswer& answer) {
  out << "dpdk {\n";
  for (const auto& slot : answer.slots) {
    std::string macs;
    for (const auto& mac : slot.macs) macs += (macs.empty() ? "mac=" : ",mac=") + mac.str();
    out << "  dev " << slot.pci.str() << " {\n    devargs " << macs << "\n"
        << fmt::format("    num-rx-queues {}\n    num-tx-queues {}\n", answer.queues, answer.queues)
        << fmt::format(
               "    num-rx-desc {}\n    num-tx-desc {}\n  }}\n", kDescriptors, kDescriptors);
    for (const auto& channel : slot.channels) {
      if (answer.allow_channels) out << "  dev " << channel << '\n';
    }
  }
  out << "}\n";
}

void print_environment(std::ostream& out, const ArgsAnswer& answer) {
  std::vector<std::string> buses, macs, channels;
  for (const auto& slot : answer.slots) {
    buses.push_back(slot.pci.str());
    for (const auto& mac : slot.macs) macs.push_back(mac.str());
    channels.insert(channels.end(), slot.channels.begin(), slot.channels.end());
  }
  out << "BUS_INFO='" << join(buses, " ") << "'\nMANA_MAC='" << join(macs, " ") << "'\nDEV_UUID='"
      << join(channels, " ") << "'\nEAL_ARGS='" << eal_line(answer.slots, answer.allow_channels)
      << "'\n";
}

}  // namespace

void text(Screen& screen, const ArgsAnswer& answer, Reader reader) {
  auto& out = screen.stream();
  const auto eal = eal_line(answer.slots, answer.allow_channels);
  switch (reader) {
    case Reader::eal:
      out << eal << '\n';
      return;
    case Reader::vpp:
      return print_vpp(out, answer);
    case Reader::environment:
      return print_environment(out, answer);
    case Reader::json:
      return json(screen, answer);
    case Reader::testpmd:
      out << fmt::format(
          "dpdk-testpmd -l {} {} -- --forward-mode=txonly --auto-start --nb-cores={} --txq={} "
          "--rxq={} --txd={} --rxd={} --stats 2\n",
          core_list(answer.cores),
          eal,
          answer.cores.size() > 1 ? answer.cores.size() - 1 : 1,
          answer.queues,
          answer.queues,
          kDescriptors,
          kDescriptors);
  }
}

void confirm_text(Screen& screen, const std::vector<std::string>& confirmed) {
  for (const auto& name : confirmed) screen.stream() << printable(name, 60) << " stays prepared\n";
  if (confirmed.empty()) screen.stream() << "Nothing waits for a confirmation\n";
}

}  // namespace manactl::cli
