// SPDX-License-Identifier: MIT

#include "cli/bench/run.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <limits>
#include <memory>

#include "base/text.h"
#include "cli/bench/bench_files.h"
#include "cli/bench/exit.h"
#include "cli/bench/interference.h"
#include "cli/bench/live_view.h"
#include "cli/bench/options.h"
#include "cli/bench/render_bench.h"
#include "cli/bench/saved_results.h"
#include "cli/bench/sim.h"
#include "cli/bench/stop_file.h"
#include "cli/bench/traffic_text.h"
#include "cli/bench/trial_monitor.h"
#include "cli/bench/trial_readings.h"
#include "cli/bench/virtual_device.h"
#include "cli/options.h"
#include "cli/signals.h"
#include "cli/version.h"
#include "datapath/engines.h"
#include "datapath/measure/trials.h"
#include "datapath/plan/plan.h"
#include "datapath/traffic/traffic.h"
#include "report/bench_json.h"
#include "report/result_store.h"
#include "report/search_text.h"
#include "report/series.h"

namespace manactl::cli {
namespace {

// Returns wall-clock seconds since 1970, so that results of two machines can be aligned.
double now() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since).count();
}

// Reports progress while packets flow: events on stdout (-o ndjson) and the live view on stderr.
class ProgressReporter {
 public:
  ProgressReporter(Context& context,
                   const datapath::BenchPlan& plan,
                   Output output,
                   StopOnSignal& signals)
      : context_(context),
        view_(context.err, plan),
        plan_(plan),
        prints_events_(output == Output::ndjson),
        signals_(signals) {}

  void start(const datapath::BenchReport& opened) { print(report::start_event(plan_, opened)); }

  datapath::Progress callbacks() {
    datapath::Progress progress;
    progress.started = [this] {
      signals_.stop_gracefully();
      trial_starts_.push_back(now());
      view_.start_trial();
      elapsed_ = 0;
    };
    progress.interval = [this](const datapath::Interval& interval) {
      elapsed_ += interval.total.seconds;
      print(report::interval_event(trial_starts_.size() - 1, elapsed_, interval));
      view_.show(interval);
    };
    progress.event = [this](const datapath::Event& event) {
      print(report::device_event(trial_starts_.size() - 1, event));
    };
    return progress;
  }

  void show(const datapath::SearchProgress& progress) {
    const auto* last = last_probe_ ? &*last_probe_ : nullptr;
    view_.set_status(report::progress_text(trial_starts_.size() + 1, progress, last));
  }

  void show(const datapath::SearchProbe& probe) { last_probe_ = probe; }

  void end() { view_.clear(); }

  StopOnSignal& signals() const { return signals_; }

  const std::vector<double>& trial_starts() const { return trial_starts_; }

 private:
  void print(const std::string& event) {
    if (prints_events_) context_.out.stream() << event << std::flush;
  }

  Context& context_;
  LiveView view_;
  const datapath::BenchPlan& plan_;
  bool prints_events_;
  StopOnSignal& signals_;
  std::vector<double> trial_starts_;  // seconds since 1970
  double elapsed_ = 0;                // seconds of the current trial
  std::optional<datapath::SearchProbe> last_probe_;
};

// A run: what it measures, and with which privileges.
struct Run {
  const datapath::BenchPlan& plan;
  const RunOptions& options;
  const os::Files& system;
  bool gives_up_root;
};

// Packets are input from others, but MANA needs the privileges: the kernel opens queues for raw
// packets, also those of a VF that has returned, only with CAP_NET_RAW.
bool can_give_up_root(const datapath::BenchPlan& plan) {
  return geteuid() == 0 && plan.nics.empty();
}

// Call it before the first packet.
void give_up_root(StopOnSignal& signals, std::vector<std::string>& notes) {
  const auto changed = become_nobody();
  signals.follow_parent();
  if (!changed) notes.push_back("the run kept privileges of root: " + changed.error().message);
}

// `save` may be empty.
Result<std::unique_ptr<BenchFiles>> open_files(const Run& run, SaveResult save) {
  std::unique_ptr<StopFile> stop_file;
  if (!run.options.until_deleted.empty()) {
    auto opened = StopFile::open(run.options.until_deleted);
    if (!opened) return tl::unexpected<Error>(opened.error());
    stop_file = std::move(*opened);
  }
  if (!run.gives_up_root) return local_files(std::move(stop_file), std::move(save));
  return start_files_process(std::move(stop_file), std::move(save), memif_sockets(run.plan.vdevs));
}

void save(Context& context, BenchFiles& files, report::BenchResult& result) {
  const auto saved = save_result(files, result);
  if (saved) {
    print_note(context, "saved as " + result.id);
    return;
  }
  // This error is not fatal: run_plan() still prints the result.
  (void)print_error(context, because(saved.error(), "cannot save the result").value());
}

// Returns the rate limit of --rate for a port in packets per second; infinity without --rate.
Result<double> max_rate_of(const datapath::BenchPlan& plan, const datapath::BenchReport& opened) {
  if (!plan.trial.rate) return std::numeric_limits<double>::infinity();
  const auto link = opened.ports.empty() ? 0 : opened.ports.front().link_mbps;
  return datapath::packets_per_second(*plan.trial.rate, plan.traffic, link);
}

// Runs the trials of a session.
struct TrialRunner {
  datapath::Session& session;
  const Run& run;
  ProgressReporter& reporter;
  const datapath::Progress progress;

  Result<> search(report::BenchResult& result) const;
  Result<> repeat(report::BenchResult& result) const;
};

Result<> TrialRunner::search(report::BenchResult& result) const {
  const auto& options = run.options;
  TrialMonitor monitor(run.system, run.plan.cpus);
  datapath::FindPlan goals;
  goals.mode = result.plan.mode;
  goals.trial = result.plan.trial;
  goals.losses = options.losses;
  goals.repeat = options.repeat;
  const auto max_rate = max_rate_of(result.plan, session.about());
  if (!max_rate) return tl::unexpected<Error>(max_rate.error());
  goals.max_rate = *max_rate;
  result.plan.trial.warmup_seconds = 0;  // the trials of a search have a ramp instead
  goals.was_disturbed = [&] { return monitor.was_disturbed(); };
  goals.on_progress = [&](const auto& state) { reporter.show(state); };
  goals.on_probe = [&](const auto& probe) { reporter.show(probe); };
  auto found =
      datapath::find(session, goals, reporter.signals().token(), with_readings(monitor, progress));
  if (!found) return tl::unexpected<Error>(found.error());
  result.report.trials = std::move(found->trials);
  for (const auto index : found->indexes) {
    result.trial_starts.push_back(reporter.trial_starts().at(index));
  }
  result.search = std::move(found->result);
  auto& notes = result.report.notes;
  notes.insert(notes.end(), found->notes.begin(), found->notes.end());
  return {};
}

Result<> TrialRunner::repeat(report::BenchResult& result) const {
  auto trials = datapath::repeat(
      session, result.plan.trial, run.options.repeat, reporter.signals().token(), progress);
  if (!trials) return tl::unexpected<Error>(trials.error());
  result.report.trials = std::move(*trials);
  result.trial_starts = reporter.trial_starts();
  result.trial_starts.resize(result.report.trials.size());
  return {};
}

void name_options(std::vector<std::string>& notes) {
  for (auto& note : notes) note = with_options(std::move(note));
}

// Sets the fields of a result that are known only after the trials.
void summarize(const os::Files& files, report::BenchResult& result) {
  result.tool_version = version();
  result.ended = now();
  result.machine = report::fingerprint(files);
  result.path = datapath::path_of(result.plan.mode, result.report);
  result.summary = report::summarize_trials(
      result.plan.mode,
      result.report.trials,
      {result.interference.stolen.value_or(-1), result.interference.preempted.value_or(-1)});
}

// Sets the planned duration to the measured one, because the deletion of the file ended the trial.
void record_early_end(report::BenchResult& result) {
  auto& trial = result.report.trials.back();
  trial.plan.seconds = result.plan.trial.seconds = trial.total.seconds;
  result.report.notes.emplace_back(
      "the measurement ended when the file of --until-deleted was deleted");
}

Result<report::BenchResult> measure(datapath::Engine& engine,
                                    const Run& run,
                                    BenchFiles& files,
                                    ProgressReporter& reporter) {
  const auto& options = run.options;
  const auto session = engine.open(run.plan);
  if (!session) return tl::unexpected<Error>(session.error());
  report::BenchResult result;
  result.plan = run.plan;
  result.report = (*session)->about();
  result.synthetic_allowed = options.allow_synthetic;
  if (run.gives_up_root) give_up_root(reporter.signals(), result.report.notes);
  reporter.start(result.report);
  InterferenceMonitor interference(run.system, run.plan.cpus);
  auto progress = with_readings(interference, reporter.callbacks());
  Result<bool> was_deleted = false;
  if (!options.until_deleted.empty()) {
    progress.is_over = [&] {
      if (was_deleted && !*was_deleted) was_deleted = files.was_deleted();
      return !was_deleted || *was_deleted;
    };
  }
  const TrialRunner trials{**session, run, reporter, progress};
  const auto done = options.losses.empty() ? trials.repeat(result) : trials.search(result);
  reporter.end();
  if (!done) return tl::unexpected<Error>(done.error());
  if (!was_deleted) return tl::unexpected<Error>(was_deleted.error());
  if (*was_deleted) record_early_end(result);
  result.interference = interference.so_far();
  summarize(run.system, result);
  name_options(result.report.notes);
  for (auto& trial : result.report.trials) name_options(trial.notes);
  if (report::is_interrupted(result)) result.stop_signal = reporter.signals().number();
  return result;
}

// Names the directory instead of the internal file with which the store tests it.
Result<> check_writable(const std::string& results) {
  auto writable = report::ResultStore(results).test();
  if (writable || writable.error().sys == 0) return writable;
  return fail_errno(writable.error().sys, fmt::format("cannot write to '{}'", printable(results)));
}

}  // namespace

void add_run_options(CLI::App& app, RunOptions& options) {
  add_value(
      app,
      {"--repeat", "N", "run N trials (default: 1)"},
      store_in(options.repeat, [](std::string_view text) { return parse_count(text, 1, 1000); }));
  add_value(app,
            {"--find",
             type::kGoals,
             "find the highest rate for each loss goal: 'ndr', 'pdr' or 'ndr,pdr=0.1%'"},
            store_in(options.losses, parse_goals));
  add_flag(app,
           "--allow-synthetic",
           options.allow_synthetic,
           "accept packets on the synthetic path, not only on the VF");
  add_value(
      app,
      {"--until-deleted", type::kFile, "create FILE when packets flow; stop when FILE is deleted"},
      store_in(options.until_deleted,
               [](std::string_view text) { return parse_text(text, "a path"); }));
  add_output(app, type::kOutput, options.output);
  add_value(app,
            {"--label", "TEXT", "give the saved result this name"},
            store_in(options.label, parse_label));
  add_flag(app, "--no-save", options.no_save, "do not save the result");
  add_results_option(app, options.results);
}

Result<> check_run(const datapath::BenchPlan& plan, const RunOptions& options) {
  auto valid = datapath::validate(plan);
  if (valid && !options.losses.empty()) valid = datapath::can_find(plan.mode);
  if (!valid) return tl::unexpected<Error>(with_options(valid.error()));
  return valid;
}

Exit run_plan(Context& context,
              const datapath::BenchPlan& plan,
              const RunOptions& options,
              const RunSetting& setting) {
  const auto output = output_of(context, options.output);
  if (!output) return report_error(context, because(output.error(), "bench").value());
  const auto system = context.system();
  if (!system) return report_error(context, system.error());
  const Run run{plan, options, system->files, can_give_up_root(plan)};
  const auto writer = options.no_save ? SaveResult() : result_writer(context, options.results);
  if (writer && !options.results.empty()) {
    const auto writable = check_writable(options.results);
    if (!writable) return report_error(context, because(writable.error(), "bench").value());
  }
  const auto files = open_files(run, writer);
  if (!files) return report_error(context, files.error());
  StopOnSignal signals;  // must precede the start of the engine's threads
  ProgressReporter reporter(context, plan, *output, signals);
  auto engine = setting.engine->make();
  if (!engine) return report_error(context, engine.error());
  auto result = measure(**engine, run, **files, reporter);
  if (!result) return report_error(context, with_options(result.error()));
  auto& notes = result->report.notes;
  if (!setting.note.empty()) notes.insert(notes.begin(), setting.note);
  result->label = options.label;
  result->command = context.arguments;
  if (setting.simulated) {
    result->simulated = true;
    result->path = {datapath::Path::emulated, {"the software adapter replaces the NIC"}};
    const bool received_nothing = receives(plan.mode) && report::moved_nothing(*result);
    const auto note = received_nothing ? backend_note(plan.mode, system->files) : std::string();
    if (!note.empty()) notes.push_back(note);
  }
  if (writer) save(context, **files, *result);
  if (*output == Output::ndjson) {
    context.out.stream() << report::end_event(*result, exit_code_of(*result));
  } else {
    print(context, *result, *output);
  }
  context.out.stream().flush();  // the reason comes after the result if both go to one file
  const auto exit = exit_of(*result);
  if (exit == Exit::findings && !report::took_rejected_path(*result)) {
    context.err.stream() << fmt::format("manactl: bench: no packet was {}\n",
                                        receives(plan.mode) ? "received" : "sent");
  } else if (exit == Exit::findings) {
    context.err.stream()
        << "manactl: bench: the packets took the synthetic path instead of the VF; "
           "use --allow-synthetic to accept this\n";
  }
  return exit;
}

}  // namespace manactl::cli
