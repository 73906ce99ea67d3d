// SPDX-License-Identifier: MIT

#include "diag/program_fix.h"

#include <algorithm>
#include <set>

#include "base/text.h"

namespace manactl::diag {
namespace {

constexpr std::string_view kPlaceholder = "IFACE";

// The only name; empty if there are several or none.
std::string only(const std::set<std::string>& names) {
  return names.size() == 1 ? *names.begin() : std::string();
}

// Open vSwitch names its ports in the lines about them and in their counters.
std::string port_of(const LogReport& log, const LogEntry& error) {
  if (!error.device.series.empty()) return error.device.series;
  std::set<std::string> ports;
  for (const auto& one : log.entries) {
    const bool is_open = one.resolution == Resolution::none && !one.device.series.empty();
    if (is_open) ports.insert(one.device.series);
  }
  if (!ports.empty()) return only(ports);
  for (const auto& run : log.runs) {
    for (const auto& one : run.milestones) ports.insert(one.device.series);
  }
  ports.erase("");
  return only(ports);
}

std::string nic_of(const LogReport& log, const LogEntry& error) {
  std::set<std::string> nics;
  for (const auto& nic : log.nics) {
    const bool is_other = !error.device.channel.empty() && error.device.channel != nic.channel;
    if (!is_other && !nic.interface.empty()) nics.insert(nic.interface);
  }
  return only(nics);
}

}  // namespace

const ProgramFix* fix_of_program(const LogReport& log, const LogEntry& error) {
  const auto is_program = [](const Run& run) { return run.kind == RunKind::program; };
  const auto of_error = std::ranges::find(log.runs, error.run, &Run::number);
  // Of several programs, only that of the error counts.
  const bool has_run = of_error != log.runs.end() && is_program(*of_error) &&
                       std::ranges::count_if(log.runs, is_program) > 1;
  const auto& applications = has_run ? of_error->applications : log.applications;
  const auto& fixes = error.signature->fixes;
  const auto fix = std::ranges::find_if(
      fixes, [&](const ProgramFix& one) { return applications.contains(one.program); });
  return fix == fixes.end() ? nullptr : &*fix;
}

std::string with_names(std::string command, const LogReport& log, const LogEntry& error) {
  const bool is_of_ovs = command.find("ovs-vsctl") != std::string::npos;
  const auto name = is_of_ovs ? port_of(log, error) : nic_of(log, error);
  if (name.empty()) return command;
  const auto word = shell_word(name);
  for (auto at = command.find(kPlaceholder); at != std::string::npos;
       at = command.find(kPlaceholder, at + word.size())) {
    command.replace(at, kPlaceholder.size(), word);
  }
  return command;
}

}  // namespace manactl::diag
