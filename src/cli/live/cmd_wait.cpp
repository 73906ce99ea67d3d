// SPDX-License-Identifier: MIT

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>

#include "cli/command.h"
#include "cli/live/wait.h"
#include "cli/options.h"
#include "cli/signals.h"
#include "cli/watch.h"

namespace manactl::cli {
namespace {

Exit run(const WaitOptions& options, Context& context) {
  if (!context.root.empty()) {
    return report_usage_error(context, "wait: --root is not supported");
  }
  if (!options.goal) {
    return report_usage_error(context, "wait: --for is missing: vf, ready or prepared");
  }
  StopOnSignal signals;
  signals.stop_gracefully();
  const auto start = std::chrono::steady_clock::now();
  const WaitClock clock{
      [start] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      },
      [&signals](double seconds) {
        pause_for(seconds, signals.token());
        return signals.number();
      }};
  return run_wait(options, clock, context);
}

}  // namespace

CommandAction add_wait(CLI::App& app) {
  auto options = std::make_shared<WaitOptions>();
  add_value(
      app,
      {"IFACE", type::kInterface, "wait for this NIC, which may not exist yet (default: all)"},
      store_in(options->nic, NicName::parse));
  add_value(app,
            {"--for", type::kWaitGoal, "wait for this state (required)"},
            store_word_in(options->goal, kWaitGoals));
  add_value(app,
            {"--timeout", "TIME", "fail after this time (default: 120 s)"},
            store_in(options->timeout, parse_duration));
  return [options](Context& context) { return run(*options, context); };
}

}  // namespace manactl::cli
