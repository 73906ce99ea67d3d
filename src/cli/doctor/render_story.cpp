// SPDX-License-Identifier: MIT

#include <algorithm>

#include "base/text.h"
#include "cli/doctor/render_doctor.h"
#include "diag/log_time.h"

namespace manactl::cli {
namespace {

constexpr std::size_t kMaxOutputs = 2000;  // bytes

std::string describe_run(const diag::Run& run) {
  const bool is_program = run.kind == diag::RunKind::program;
  std::string text = is_program ? "DPDK program" : "kernel";
  if (!run.dpdk_release.empty()) text += ", DPDK " + printable(run.dpdk_release);
  text += fmt::format(", lines {} to {}", run.first_line, run.last_line);
  if (run.ending == diag::Ending::failed) return text + ", failed";
  if (run.worked) text += ", worked";
  return run.ending == diag::Ending::stopped ? text + ", stopped" : text;
}

void write_row(Screen& screen, std::uint64_t line, std::string_view time, std::string_view what) {
  screen.stream() << fmt::format("    {:>6}  {:<19}  ", line, printable(time)) << what << '\n';
}

void write_nic(Screen& screen, const diag::NicStory& nic, const std::string& last_time) {
  auto text = fmt::format("NIC {}: {}", printable(nic.name()), word_of(diag::kVfStates, nic.state));
  if (nic.since) {
    const auto time = diag::moment_text(nic.since->time, last_time);
    text += time.empty() ? fmt::format(" since line {}", nic.since->line)
                         : fmt::format(" since {} (line {})", time, nic.since->line);
  }
  if (nic.removals.count > 0) text += ", away " + diag::absences_text(nic.removals);
  if (nic.switches.count > 0) text += ", switched away " + diag::absences_text(nic.switches);
  screen.stream() << "  " << text << '\n';
}

// The outputs of commands that the log contains, and why some of them were not used.
void write_outputs(Screen& screen, const DoctorResult::Log& log) {
  const auto write = [&screen](std::string_view text, unsigned indent) {
    screen.stream() << wrap(printable(text, kMaxOutputs), screen.width(), indent) << '\n';
  };
  constexpr unsigned kIndent = 2;
  if (!log.outputs.empty()) write("outputs of commands: " + join(log.outputs, ", "), kIndent);
  for (const auto& text : log.unused) write("not used: " + text, kIndent);
}

}  // namespace

void print_text(Screen& screen, const DoctorResult::Log& log) {
  screen.stream() << "Story of " << printable(log.name) << '\n';
  if (log.runs.empty()) screen.stream() << "  no line shows a run or a state\n";
  for (const auto& run : log.runs) {
    screen.stream() << "  " << screen.paint(Color::bold, describe_run(run)) << '\n';
    for (const auto& one : run.milestones) {
      auto what = fmt::format(
          "{:<10}  {}", word_of(diag::kStates, one.state), printable(one.signature->title));
      const auto device = printable(one.device.text());
      if (!device.empty()) what += fmt::format(" ({})", device);
      if (one.last_line != one.quote.line) what += fmt::format(", last on line {}", one.last_line);
      write_row(screen, one.quote.line, one.time, what);
    }
    if (run.more_milestones > 0) {
      screen.stream() << fmt::format("    and {} more states\n", run.more_milestones);
    }
    if (run.end) {
      write_row(screen,
                run.end->line,
                "",
                fmt::format("{:<10}  {}", word_of(diag::kEndings, run.ending), run.end->text));
    }
  }
  for (const auto& nic : log.nics) write_nic(screen, nic, log.last_time);
  if (log.more_runs > 0) screen.stream() << fmt::format("  and {} more runs\n", log.more_runs);
  write_outputs(screen, log);
  screen.stream() << '\n';
}

}  // namespace manactl::cli
