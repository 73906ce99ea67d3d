// SPDX-License-Identifier: MIT

#include "cli/watch.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <sstream>

#include "cli/options.h"
#include "cli/signals.h"

namespace manactl::cli {
namespace {

constexpr int kSignalBase = 128;

void wait_for(double seconds, const std::stop_token& stop) {
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any never_notified;
  never_notified.wait_for(lock, stop, std::chrono::duration<double>(seconds), [] { return false; });
}

// Prints `text` in place of the previous report on a terminal, and below it elsewhere.
void print_report(Screen& screen, const std::string& text, bool is_first) {
  constexpr const char* kClearScreen = "\x1b[H\x1b[2J";
  auto& out = screen.stream();
  if (screen.can_redraw()) {
    out << kClearScreen;
  } else if (!is_first) {
    out << '\n';
  }
  out << text << std::flush;
}

}  // namespace

void add_watch(CLI::App& app, WatchOptions& options) {
  add_flag(app, "--watch", options.on, "repeat the report until interrupted");
  add_value(app,
            {"--interval", "TIME", "time between two reports of --watch (default: 2 s)"},
            store_in(options.seconds, parse_duration));
}

Exit watch(Context& context,
           const WatchOptions& options,
           const std::function<Exit(Context&)>& report) {
  constexpr double kDefaultSeconds = 2;
  if (!options.on && options.seconds) {
    return report_usage_error(context, "--interval requires --watch");
  }
  if (!options.on) return report(context);
  if (!context.root.empty()) {
    return report_usage_error(
        context, "--watch cannot be used with --root: a captured system never changes");
  }
  StopOnSignal signals;
  signals.stop_gracefully();
  std::string last;
  while (true) {
    std::ostringstream text;
    Screen screen = context.out.writing_to(text);
    Context inner{screen, context.err, context.json, context.verbosity, {}, {}, context.system};
    const Exit exit = report(inner);
    if (inner.failed || text.str().empty()) {
      context.out.stream() << text.str();
      return exit;
    }
    if (text.str() != last) print_report(context.out, text.str(), last.empty());
    last = text.str();
    if (!context.out.stream() && !context.quiet) return Exit::internal;
    wait_for(options.seconds.value_or(kDefaultSeconds), signals.token());
    if (signals.number() != 0) return static_cast<Exit>(kSignalBase + signals.number());
  }
}

}  // namespace manactl::cli
