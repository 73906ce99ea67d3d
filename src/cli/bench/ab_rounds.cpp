// SPDX-License-Identifier: MIT

#include "cli/bench/ab_rounds.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "base/program.h"
#include "base/text.h"
#include "cli/bench/live_view.h"
#include "cli/signals.h"
#include "report/bench_json.h"

namespace manactl::cli {
namespace {

// Runs the commands and reports their errors.
class RoundRunner {
 public:
  RoundRunner(Context& context, report::AbResult& result)
      : context_(context), result_(result), frame_(context.err) {
    signals_.stop_gracefully();
  }

  RoundRunner(const RoundRunner&) = delete;
  RoundRunner& operator=(const RoundRunner&) = delete;

  ~RoundRunner() { frame_.clear(); }

  // Runs both commands. Returns false after a failure or a signal.
  bool run();

  // Prints an estimate after the first round.
  void print_estimate();

  // The exit code of the failure, if any.
  const std::optional<Exit>& failure() const { return failure_; }

  int signal() const { return signals_.number(); }

 private:
  bool run(report::AbSide& side, const char* name);
  bool fail_with(Exit exit, const char* name, const report::AbSide& side, const std::string& why);
  void show(const char* name);

  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

  Context& context_;
  report::AbResult& result_;
  LiveFrame frame_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  StopOnSignal signals_;
  std::optional<Exit> failure_;
};

// Maps the status of a failed command to an exit code of this program.
Exit exit_of_status(int status) {
  const bool is_known =
      status >= static_cast<int>(Exit::findings) && status <= static_cast<int>(Exit::busy);
  return is_known ? static_cast<Exit>(status) : Exit::internal;
}

// The settings that may differ between the commands.
report::Rows settings_of(const report::BenchResult& result) {
  auto rows = report::configuration_of(result);
  rows.emplace_back("engine.version", printable(result.report.version));
  rows.emplace_back("manactl", printable(result.tool_version));
  return rows;
}

bool RoundRunner::run() {
  const bool a_first = result_.rounds() % 2 == 0;
  if (a_first) return run(result_.a, "A") && run(result_.b, "B");
  return run(result_.b, "B") && run(result_.a, "A");
}

bool RoundRunner::run(report::AbSide& side, const char* name) {
  constexpr std::size_t kMaxOutput = std::size_t{64} << 20U;
  show(name);
  auto command = side.command;
  command.insert(command.end(), {"-o", "json", "--no-save"});
  auto ran = run_program(command, kMaxOutput, signals_.token());
  if (signals_.number() != 0) return false;
  if (!ran) return fail_with(exit_of(ran.error()), name, side, ran.error().message);
  if (ran->status != 0 || context_.verbosity > 0) {
    frame_.clear();
    for (const auto line : split(ran->err, '\n')) {
      if (!line.empty()) context_.err.stream() << printable(line) << '\n';
    }
  }
  if (ran->status != 0) {
    return fail_with(
        exit_of_status(ran->status), name, side, fmt::format("exit status {}", ran->status));
  }
  const auto result =
      report::read_bench_without_series(std::move(ran->out), fmt::format("output of {}", name));
  if (!result) return fail_with(exit_of(result.error()), name, side, result.error().message);
  if (side.runs.empty()) side.settings = settings_of(*result);
  side.runs.push_back(report::ab_figures(*result));
  return true;
}

bool RoundRunner::fail_with(Exit exit,
                            const char* name,
                            const report::AbSide& side,
                            const std::string& why) {
  frame_.clear();
  failure_ = report_error(
      context_,
      exit,
      Error{Errc::io,
            0,
            fmt::format("bench ab: run of {} failed: {}: {}", name, why, join(side.command, " "))});
  return false;
}

void RoundRunner::print_estimate() {
  frame_.clear();
  const auto rounds = result_.plan.max_rounds;
  print_note(context_,
             fmt::format("the first round took {:.1f} s: {} rounds take about {:.0f} s",
                         seconds(),
                         rounds,
                         std::ceil(seconds() * rounds)));
}

// Shows the state before a run.
void RoundRunner::show(const char* name) {
  if (!context_.err.is_terminal() || context_.quiet) return;
  const auto lines = report::ab_progress(result_, name, seconds());
  if (context_.err.can_redraw()) {
    frame_.draw(lines);
  } else {
    for (const auto& line : lines) context_.err.stream() << line << '\n';
  }
}

}  // namespace

std::optional<Exit> run_rounds(Context& context, report::AbResult& result) {
  RoundRunner runner(context, result);
  while (runner.run()) {
    // A metric that is missing in the first round would be missing in all.
    if (const auto found = report::effect_on(result, result.plan.metric); !found) {
      return report_error(context, because(found.error(), "bench ab").value());
    }
    if (report::is_finished(result)) return std::nullopt;
    if (result.rounds() == 1) runner.print_estimate();
  }
  if (runner.failure()) return runner.failure();
  result.stop_signal = runner.signal();
  // Drops the run whose partner is missing.
  const auto complete = std::min(result.a.runs.size(), result.b.runs.size());
  result.a.runs.resize(complete);
  result.b.runs.resize(complete);
  return std::nullopt;
}

}  // namespace manactl::cli
