// SPDX-License-Identifier: MIT

#include "cli/watch.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <sstream>

#include "base/text.h"
#include "cli/options.h"
#include "cli/signals.h"

namespace manactl::cli {
namespace {

// Overwrites the previous report in one write and clears what it leaves, because a terminal that is
// cleared first flickers. Without automatic line breaks, no line takes two rows after the terminal
// was made narrower.
std::string frame_of(const std::string& text, unsigned height) {
  std::string frame = "\x1b[?7l\x1b[H";
  const auto lines = split(text, '\n');
  // The text ends with a newline, so that the last element is empty. The cursor needs a row, too.
  const auto count = lines.size() - 1;
  const bool fits = height == 0 || count < height;
  const auto shown = fits ? count : std::max<std::size_t>(height, 3) - 2;
  for (std::size_t i = 0; i < shown; ++i) frame += fmt::format("{}\x1b[K\n", lines[i]);
  if (!fits) frame += fmt::format("({} more lines)\x1b[K\n", count - shown);
  return frame + "\x1b[J\x1b[?7h";
}

// Prints `text` in place of the previous report on a terminal, and below it elsewhere.
void print_report(Screen& screen, const std::string& text, bool is_first, bool is_stream) {
  auto& out = screen.stream();
  if (screen.can_redraw() && !is_stream) {
    out << frame_of(text, screen.height()) << std::flush;
    return;
  }
  if (!is_first && !is_stream) out << '\n';
  out << text << std::flush;
}

}  // namespace

void pause_for(double seconds, const std::stop_token& stop) {
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any never_notified;
  never_notified.wait_for(lock, stop, std::chrono::duration<double>(seconds), [] { return false; });
}

Exit exit_of_signal(int number) {
  constexpr int kSignalBase = 128;
  return static_cast<Exit>(kSignalBase + number);
}

void add_watch(CLI::App& app, WatchOptions& options) {
  add_flag(app, "--watch", options.on, "repeat the report until interrupted");
  add_value(
      app,
      {"--interval",
       "TIME",
       fmt::format("time between two reports of --watch (default: {} s)", options.default_seconds)},
      store_in(options.seconds, parse_duration));
}

Exit watch(Context& context,
           const WatchOptions& options,
           const std::function<Exit(Context&)>& report) {
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
  constexpr double kMaxFirstSeconds = 1;
  const double interval = options.seconds.value_or(options.default_seconds);
  if (options.shows_changes) pause_for(std::min(interval, kMaxFirstSeconds), signals.token());
  std::string last;
  while (signals.number() == 0) {
    std::ostringstream text;
    Screen screen = context.out.writing_to(text);
    Context inner{screen, context.err, context.json, context.verbosity, {}, {}, context.system};
    const Exit exit = report(inner);
    if (inner.failed || text.str().empty()) {
      context.out.stream() << text.str();
      return exit;
    }
    if (text.str() != last) {
      print_report(context.out, text.str(), last.empty(), options.is_stream);
    }
    last = text.str();
    if (!context.out.stream() && !context.quiet) return Exit::internal;
    pause_for(interval, signals.token());
  }
  return exit_of_signal(signals.number());
}

}  // namespace manactl::cli
