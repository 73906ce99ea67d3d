// SPDX-License-Identifier: MIT

#include "cli/bench/run.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <limits>

#include "cli/bench/find_text.h"
#include "cli/bench/json.h"
#include "cli/bench/kept.h"
#include "cli/bench/live_view.h"
#include "cli/bench/render_bench.h"
#include "cli/bench/series.h"
#include "cli/options.h"
#include "cli/signals.h"
#include "cli/version.h"
#include "datapath/engines.h"
#include "datapath/plan.h"
#include "datapath/traffic.h"
#include "datapath/trials.h"
#include "host/cpu_time.h"

namespace manactl::cli {
namespace {

// Of the wall, so that two machines can be put side by side.
double now() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since).count();
}

// What is told while packets flow: events on stdout for programs, a few lines on a terminal.
class Teller {
 public:
  Teller(Context& context, const datapath::BenchPlan& plan, Output output)
      : context_(context),
        view_(context.err, plan),
        plan_(plan),
        events_(output == Output::ndjson) {}

  void start(const datapath::BenchReport& about) { tell(start_event(plan_, about)); }

  datapath::Progress progress(StopOnSignal& signals) {
    datapath::Progress progress;
    progress.started = [this, &signals] {
      signals.finish_when_asked();
      began_.push_back(now());
      view_.start_trial();
      ends_ = 0;
    };
    progress.interval = [this](const datapath::Interval& interval) {
      ends_ += interval.total.seconds;
      tell(interval_event(began_.size() - 1, ends_, interval));
      view_.show(interval);
    };
    progress.event = [this](const datapath::Event& event) {
      tell(device_event(began_.size() - 1, event));
    };
    return progress;
  }

  void end() { view_.clear(); }

  const std::vector<double>& began() const { return began_; }

 private:
  void tell(const std::string& line) {
    if (events_) context_.out.stream() << line << std::flush;
  }

  Context& context_;
  LiveView view_;
  const datapath::BenchPlan& plan_;
  bool events_;
  std::vector<double> began_;  // each trial, in seconds since 1970
  double ends_ = 0;            // of the trial, in seconds
};

Exit exit_of_run(const StopOnSignal& signals, const BenchResult& result) {
  constexpr int kBase = 128;
  if (!is_interrupted(result) || signals.number() == 0) return Exit::ok;
  return static_cast<Exit>(kBase + signals.number());
}

// The machine around a run; made when the engine has its threads.
class Watch {
 public:
  Watch(const os::Files& files, const datapath::BenchPlan& plan)
      : files_(files),
        cpus_(plan.cpus),
        load_(host::load(files)),
        before_(host::cpu_time(files, plan.cpus)),
        workers_(host::worker_time(files)) {}

  Circumstances so_far() const {
    Circumstances found{load_, host::load(files_), std::nullopt, std::nullopt};
    const auto after = host::cpu_time(files_, cpus_);
    if (before_ && after) found.stolen = host::stolen_share(*before_, *after);
    const auto workers = host::worker_time(files_);
    if (workers_ && workers) found.waited = host::waited_share(*workers_, *workers);
    return found;
  }

 private:
  const os::Files& files_;
  const CpuList& cpus_;
  std::optional<double> load_;
  Result<host::CpuTime> before_;
  Result<host::ThreadTime> workers_;
};

// What trials are run with, and when each began.
struct Running {
  const std::stop_token& stop;
  const datapath::Progress& progress;
  const std::vector<double>& began;
};

void save(Context& context, const RunOptions& options, BenchResult& result) {
  const bool somewhere = !options.place.empty() || !context.results.empty();
  if (options.no_save || !somewhere) return;
  const auto kept = keep(context, options.place, result);
  // What was measured is worth more than the copy of it.
  if (!kept) (void)report_error(context, because(kept.error(), "the result is not kept").value());
}

// What one port can be asked for at most.
Result<double> most_of(const datapath::BenchPlan& plan, const datapath::BenchReport& about) {
  if (!plan.trial.rate) return std::numeric_limits<double>::infinity();
  const auto link = about.ports.empty() ? 0 : about.ports.front().link_mbps;
  return datapath::packets_per_second(*plan.trial.rate, plan.traffic, link);
}

Result<> search(datapath::Session& session,
                const std::vector<double>& losses,
                unsigned repeat,
                const Running& run,
                BenchResult& result) {
  datapath::FindPlan goals;
  goals.mode = result.plan.mode;
  goals.trial = result.plan.trial;
  goals.losses = losses;
  goals.repeat = repeat;
  const auto most = most_of(result.plan, session.about());
  if (!most) return tl::unexpected<Error>(most.error());
  goals.most = *most;
  result.plan.trial.warmup_seconds = 0;  // a search's trials have a ramp in its place
  auto found = datapath::find(session, goals, run.stop, run.progress);
  if (!found) return tl::unexpected<Error>(found.error());
  result.report.trials = std::move(found->trials);
  for (const auto index : found->kept) result.began.push_back(run.began.at(index));
  result.search = std::move(found->result);
  auto& notes = result.report.notes;
  notes.insert(notes.end(), found->notes.begin(), found->notes.end());
  return {};
}

Result<> run_trials(datapath::Session& session,
                    const RunOptions& options,
                    const Running& run,
                    BenchResult& result) {
  if (!options.losses.empty()) return search(session, options.losses, options.repeat, run, result);
  auto trials =
      datapath::repeat(session, result.plan.trial, options.repeat, run.stop, run.progress);
  if (!trials) return tl::unexpected<Error>(trials.error());
  result.report.trials = std::move(*trials);
  result.began = run.began;
  result.began.resize(result.report.trials.size());
  return {};
}

struct Task {
  datapath::Engine& engine;
  const datapath::BenchPlan& plan;
  const RunOptions& options;
};

Result<BenchResult> measure(Context& context,
                            const Task& task,
                            Teller& teller,
                            StopOnSignal& signals) {
  const auto& [engine, plan, options] = task;
  const auto system = context.system();
  if (!system) return tl::unexpected<Error>(system.error());
  const auto session = engine.open(plan);
  if (!session) return tl::unexpected<Error>(session.error());
  BenchResult result;
  result.plan = plan;
  result.report = (*session)->about();
  teller.start(result.report);
  const Watch watch(system->files, plan);
  const auto stop = signals.token();
  const auto progress = teller.progress(signals);
  const auto done = run_trials(**session, options, {stop, progress, teller.began()}, result);
  teller.end();
  if (!done) return tl::unexpected<Error>(done.error());
  result.tool = version();
  result.ended = now();
  result.machine = host::fingerprint(system->files);
  result.circumstances = watch.so_far();
  result.path = datapath::path_of(plan.mode, result.report);
  result.summary = summarize_trials(
      plan.mode,
      result.report.trials,
      {result.circumstances.stolen.value_or(-1), result.circumstances.waited.value_or(-1)});
  result.exit = exit_of_run(signals, result);
  const bool synthetic = result.path.verdict == datapath::Path::synthetic;
  if (result.exit == Exit::ok && synthetic && !options.allow_synthetic) {
    result.exit = Exit::findings;
  }
  return result;
}

}  // namespace

void add_run_options(CLI::App& app, RunOptions& options) {
  add_value(app,
            {"--repeat", "N", "trials, one after the other (1)"},
            into(options.repeat, [](std::string_view text) { return parse_count(text, 1, 1000); }));
  add_value(app,
            {"--find", "GOALS", "search for the rate: ndr, pdr, pdr=0.1%, ndr,pdr=1%"},
            into(options.losses, parse_goals));
  add_flag(app,
           "--allow-synthetic",
           options.allow_synthetic,
           "packets may take the synthetic device, not the VF");
  add_output(app, type::kOutput, options.output);
  add_flag(app, "--no-save", options.no_save, "do not keep the result for bench list");
  add_results(app, options.place);
}

Result<> check_run(const datapath::BenchPlan& plan, const RunOptions& options) {
  auto valid = datapath::validate(plan);
  return valid && !options.losses.empty() ? datapath::can_find(plan.mode) : valid;
}

Exit run_plan(Context& context,
              const datapath::BenchPlan& plan,
              const RunOptions& options,
              const RunSetting& setting) {
  const auto output = output_of(context, options.output);
  if (!output) return report_error(context, because(output.error(), "bench").value());
  StopOnSignal signals;  // before the engine's threads
  Teller teller(context, plan, *output);
  auto engine = setting.verbs ? datapath::make_verbs_engine() : datapath::make_engine();
  if (!engine) return report_error(context, engine.error());
  auto result = measure(context, {**engine, plan, options}, teller, signals);
  if (!result) return report_error(context, result.error());
  auto& notes = result->report.notes;
  if (!setting.note.empty()) notes.insert(notes.begin(), setting.note);
  if (setting.simulated) {
    result->simulated = true;
    result->path = {datapath::Path::emulated, {"the software adapter stands in for the NIC"}};
  }
  save(context, options, *result);
  if (*output == Output::ndjson) {
    context.out.stream() << end_event(*result);
  } else {
    print(context, *result, *output);
  }
  if (result->exit == Exit::findings) {
    context.err.stream()
        << "manactl: bench: the packets went through the synthetic device, not the "
           "VF; --allow-synthetic accepts that\n";
  }
  return result->exit;
}

}  // namespace manactl::cli
