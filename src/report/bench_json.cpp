// SPDX-License-Identifier: MIT

#include "report/bench_json.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "datapath/analysis/summary.h"
#include "report/json_io.h"
#include "report/plan_fields.h"
#include "report/series.h"

namespace manactl::report {

using datapath::Mode;
using datapath::Sample;

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kSchema = "manactl.bench/2";
constexpr std::string_view kFirstSchema = "manactl.bench/1";  // without unknown counters

// The text that starts the series.
constexpr std::string_view kSeriesMark = ",\n  \"series\": [";

}  // namespace

// The fields from "packets" to "gbit_per_second" describe the direction that the mode measures.
template <class Io, MaybeConst<Sample> S>
void fields(Io& io, S& sample, Mode mode) {
  io.value("seconds", sample.seconds);
  if constexpr (!Io::kReads) {
    const auto& headline = datapath::headline(mode, sample);
    io.value("packets", headline.packets);
    io.value("bytes", headline.bytes);
    io.value("missed", headline.missed);
    io.value("errors", headline.errors);
    io.value("mpps", per_second(headline, sample.seconds) / kMillion);
    io.value("gbit_per_second", gbits(headline, sample.seconds));
  }
  for (const auto& column : columns()) io.counter(column, sample);
}

template <class Io, MaybeConst<datapath::Summary> Summary>
void fields(Io& io, Summary& summary) {
  if constexpr (!Io::kReads) {
    io.value("unit", "packets/s");
    io.value("intervals", summary.rate.count);
  }
  io.value("left_out", summary.left_out);
  if constexpr (!Io::kReads) {
    const auto& bounds = summary.rate.confidence;
    const bool has_rate = summary.rate.count > 0;
    io.value("median", has_rate ? std::optional(summary.rate.median) : std::nullopt);
    io.value("confidence_95",
             bounds ? std::optional(std::array{bounds->low, bounds->high}) : std::nullopt);
    io.value("variation", summary.rate.variation);
    io.value("noisy", summary.noisy());
  }
  io.value("reasons", summary.reasons);
  io.value("rates", summary.rates);
  if constexpr (Io::kReads) summary.rate = datapath::estimate(summary.rates);
}

template <class Io, MaybeConst<BenchResult> R>
void machine_fields(Io& io, R& result) {
  auto& machine = result.machine;
  io.nullable("host", machine.host);
  io.nullable("kernel", machine.kernel);
  io.nullable("distribution", machine.distribution);
  io.nullable("cpu", machine.cpu);
  io.nullable("cpus", machine.cpus);
  io.nullable("numa_nodes", machine.numa_nodes);
  io.nullable("governor", machine.governor);
  io.nullable("isolated_cpus", machine.isolated_cpus);
  io.nullable("nohz_full_cpus", machine.nohz_full_cpus);
  io.nullable("smt", machine.smt);
  io.nullable("clocksource", machine.clocksource);
  io.nullable("hypervisor", machine.hypervisor);
  io.nullable("memory_kib", machine.memory_kib);
  io.value("load_before", result.interference.load_before);
  io.value("load_after", result.interference.load_after);
  io.value("stolen", result.interference.stolen);
  io.value("preempted", result.interference.preempted);
  io.value("worker_cpu_seconds", result.interference.cpu_seconds);
}

template <class Io, MaybeConst<BenchResult> R>
void path_fields(Io& io, R& result) {
  io.word("verdict", result.path.verdict, datapath::kPaths);
  io.value("evidence", result.path.evidence);
  io.value("synthetic_allowed", result.synthetic_allowed);
}

template <class Io>
void fields(Io& io, const datapath::Servicing& servicing) {
  io.value("before", servicing.before);
  io.value("during", servicing.during);
  io.value("after", servicing.after);
  io.value("seconds", servicing.seconds);
}

// If no round trip was measured, its times are null.
template <class Io>
void fields(Io& io, const datapath::Histogram& latency, bool with_buckets) {
  const bool empty = latency.count() == 0;
  const auto put = [&](const char* key, auto time) {
    io.value(key, empty ? std::nullopt : std::optional(time));
  };
  io.value("count", latency.count());
  put("min_ns", latency.min());
  put("mean_ns", latency.mean());
  put("p50_ns", latency.percentile(0.5));
  put("p90_ns", latency.percentile(0.9));
  put("p99_ns", latency.percentile(0.99));
  put("p99_9_ns", latency.percentile(0.999));
  put("p99_99_ns", latency.percentile(0.9999));
  put("max_ns", latency.max());
  if (!with_buckets) return;
  std::vector<std::array<std::uint64_t, 3>> buckets;
  for (const auto& [low, high, count] : latency.buckets()) buckets.push_back({low, high, count});
  io.value("buckets", buckets);
}

inline void fields(FieldReader& io, datapath::Histogram& latency, bool) {
  constexpr std::size_t kMemory = std::size_t{256} << 10U;  // more than the buckets of a Histogram
  if (!io.json().charge(kMemory)) return;
  std::vector<datapath::Histogram::Bucket> buckets;
  for (const auto& bucket : io.json().lists("buckets")) {
    if (bucket.size() != 3) {
      io.json().refuse("buckets", "has an element that is not [low, high, count]");
    } else {
      buckets.push_back({bucket[0], bucket[1], bucket[2]});
    }
  }
  latency = datapath::Histogram::of(buckets,
                                    io.json().number_or_zero("min_ns"),
                                    io.json().number_or_zero("max_ns"),
                                    io.json().real_or_none("mean_ns").value_or(0));
}

template <class Io, MaybeConst<datapath::ReplyCounts> Replies>
void fields(Io& io, Replies& replies) {
  io.value("reordered", replies.reordered);
  io.value("unrelated", replies.unrelated);
}

template <class Io, MaybeConst<datapath::Event> Event>
void fields(Io& io, Event& event) {
  io.value("at_seconds", event.at_seconds);
  io.value("device", event.device);
  io.word("kind", event.kind, datapath::kEventKinds);
}

// `trial` must be an element of result.report.trials: its index selects the start time.
template <class Io, MaybeConst<datapath::Trial> Trial, MaybeConst<BenchResult> R>
void fields(Io& io, Trial& trial, R& result) {
  const auto index = static_cast<std::size_t>(&trial - result.report.trials.data());
  const auto mode = result.plan.mode;
  if constexpr (Io::kReads) {
    trial.plan = result.plan.trial;
    result.trial_starts.resize(index + 1);
    io.time("started", result.trial_starts[index]);
  } else {
    io.time("started", index < result.trial_starts.size() ? result.trial_starts[index] : 0);
  }
  io.value("seconds", trial.plan.seconds);
  io.object("rate", trial.plan.rate);
  io.value("interrupted", trial.interrupted);
  io.object("total", trial.total, mode);
  io.list("queues", trial.queues, mode);
  if constexpr (!Io::kReads) {
    io.object("statistics",
              datapath::summarize(mode, trial.intervals, trial.plan.steady_after(), {}));
  }
  io.object("latency", trial.latency, true);
  auto replies = datapath::measures_latency(mode) ? std::optional(trial.replies) : std::nullopt;
  io.object("replies", replies);
  if constexpr (Io::kReads) trial.replies = replies.value_or(trial.replies);
  io.list("events", trial.events);
  if constexpr (!Io::kReads) io.object("servicing", servicing_of(mode, trial));
  io.value("notes", trial.notes);
}

template <class Io, MaybeConst<bool> Flag>
void disturbed_field(Io& io, Flag& disturbed) {
  if constexpr (Io::kReads) {
    io.nullable("disturbed", disturbed);  // older documents do not have it
  } else {
    io.value("disturbed", disturbed);
  }
}

template <class Io, MaybeConst<datapath::GoalResult> Goal>
void fields(Io& io, Goal& found) {
  io.value("loss", found.loss);
  io.value("lower", found.lower);
  io.value("upper", found.upper);
  io.value("final", found.is_final);
  io.value("throughput", found.throughput);
  io.value("low", found.low);
  io.value("high", found.high);
  disturbed_field(io, found.disturbed);
  io.word("end", found.end, datapath::kSearchEnds);
}

template <class Io, MaybeConst<datapath::SearchProbe> Probe>
void fields(Io& io, Probe& probe) {
  io.maybe_infinite("asked", probe.asked);
  io.value("seconds", probe.seconds);
  io.value("rate", probe.rate);
  io.value("sent", probe.sent);
  io.value("received", probe.received);
  io.value("valid", probe.valid);
  disturbed_field(io, probe.disturbed);
  io.value("stopped", probe.stopped);
}

template <class Io, MaybeConst<datapath::SearchResult> Search>
void fields(Io& io, Search& search) {
  io.value("reach", search.reach);
  io.list("found", search.found);
  io.list("probes", search.probes);
}

template <class Io>
void lisa_fields(Io& io, const datapath::BenchReport& report) {
  const auto put = [&](const std::string& name, datapath::Count Sample::* direction) {
    const auto rate = lisa_rate(report.trials, direction);
    const auto known = rate.value_or(datapath::LisaRate{});
    io.value((name + "_pps_maximum").c_str(), rate ? std::optional(known.maximum) : std::nullopt);
    io.value((name + "_pps_average").c_str(), rate ? std::optional(known.average) : std::nullopt);
    io.value((name + "_pps_minimum").c_str(), rate ? std::optional(known.minimum) : std::nullopt);
  };
  put("tx", &Sample::tx);
  put("rx", &Sample::rx);
}

// Figures that are computed from the trials when writing, and ignored when reading.
template <class Io>
void total_fields(Io& io, const BenchResult& result) {
  const auto mode = result.plan.mode;
  const auto total = total_of(result.report);
  io.object("total", total, mode);
  io.object("statistics", result.summary);
  const auto costs = costs_of(result);
  io.value("cycles_per_packet", costs.cycles);
  io.value("instructions_per_packet", costs.instructions);
  io.value("cpu_ns_per_packet", cpu_time_of(result));
  io.value("empty_poll_share", costs.empty_polls);
  io.value("full_burst_share", costs.full_bursts);
  const auto loss = loss_of(mode, total);
  io.value("lost", loss ? std::optional(loss->packets) : std::nullopt);
  io.object("latency", latency_of(result.report), false);
}

// The fields of the document without its series.
template <class Io, MaybeConst<BenchResult> R>
void fields(Io& io, R& result, int exit) {
  auto& report = result.report;
  if constexpr (!Io::kReads) io.value("schema", kSchema);
  io.value("manactl", result.tool_version);
  if constexpr (!Io::kReads) io.value("exit", exit);
  io.nullable("id", result.id);
  io.nullable("label", result.label);
  if constexpr (!Io::kReads)
    io.time("started", result.trial_starts.empty() ? 0 : result.trial_starts.front());
  io.time("ended", result.ended);
  io.object("engine", [&](auto& engine) { engine_fields(engine, report); });
  io.value("simulated", result.simulated);
  io.list("ports", report.ports);
  io.object("plan", result.plan);
  io.object("path", [&](auto& path) { path_fields(path, result); });
  if constexpr (!Io::kReads) io.value("interrupted", is_interrupted(result));
  io.nullable("stop_signal", result.stop_signal);
  if constexpr (Io::kReads) {
    io.object("statistics", result.summary);
  } else {
    total_fields(io, result);
  }
  io.object("search", result.search);
  if constexpr (!Io::kReads) {
    io.object("lisa", [&](auto& lisa) { lisa_fields(lisa, report); });
    io.list("queues", queues_of(report), result.plan.mode);
  }
  io.list("trials", report.trials, result);
  io.object("machine", [&](auto& machine) { machine_fields(machine, result); });
  io.nullable("command", result.command);
  io.value("eal_arguments", report.eal_arguments);
  // All notes, so that a reader need not search the trials.
  if constexpr (Io::kReads) io.value("notes", report.notes);
  if constexpr (!Io::kReads) io.value("notes", notes_on(result));
}

namespace {

Json event_of(const char* name) {
  Json json;
  json["schema"] = kEventSchema;
  json["event"] = name;
  return json;
}

Json document_of(const BenchResult& result, int exit) {
  Json json;
  FieldWriter io(json);
  fields(io, result, exit);
  return json;
}

BenchResult result_of(const JsonFields& json) {
  BenchResult result;
  FieldReader io(json);
  fields(io, result, 0);
  auto& trials = result.report.trials;
  for (const auto& trial : trials) {
    for (const auto& note : trial.notes) std::erase(result.report.notes, note);
  }
  if (result.ended == 0) json.refuse("ended", "is missing");
  if (trials.empty()) json.refuse("trials", "is empty");
  if (!json.has("series")) return result;
  const auto series = json.objects("series");
  if (series.size() != trials.size())
    json.refuse("series", "must have as many elements as 'trials'");
  for (std::size_t i = 0; i < std::min(series.size(), trials.size()); ++i) {
    read_series(series[i], trials[i]);
  }
  return result;
}

}  // namespace

std::string bench_json(const BenchResult& result, int exit) {
  auto text = document_of(result, exit).dump(2);
  text.resize(text.size() - 2);  // removes the final "\n}"
  text += kSeriesMark;
  for (std::size_t i = 0; i < result.report.trials.size(); ++i) {
    if (i > 0) text += ',';
    text += series_json(result.report.trials[i]);
  }
  return text + "]\n}\n";
}

Result<BenchResult> read_bench(std::string_view text, std::string_view name) {
  constexpr std::size_t kMaxBytes = kMaxMemory / 2;
  Budget budget("it", kMaxBytes);
  JsonDocument json(text, &budget);
  const auto cannot_read = [&] {
    return fail(Errc::invalid, fmt::format("cannot read '{}': {}", name, json.error()));
  };
  if (!json.is_json() && !json.error().empty()) return cannot_read();
  if (!json.is_json()) return fail(Errc::invalid, fmt::format("'{}' is not JSON", name));
  const auto root = json.root();
  const auto schema = root.text("schema");
  if (json.error().empty() && schema != kSchema && schema != kFirstSchema) {
    return fail(Errc::invalid,
                fmt::format("'{}' is a '{}', not a result of bench", name, printable(schema)));
  }
  auto result = result_of(root);
  if (json.error().empty()) return result;
  if (budget.is_exceeded()) return cannot_read();
  return fail(Errc::invalid, fmt::format("'{}' is not a result of bench: {}", name, json.error()));
}

Result<BenchResult> read_bench_without_series(std::string text, std::string_view name) {
  const auto series = text.rfind(kSeriesMark);
  if (series != std::string::npos) text.replace(series, std::string::npos, "\n}");
  return read_bench(text, name);
}

std::string start_event(const datapath::BenchPlan& plan, const datapath::BenchReport& report) {
  auto json = event_of("start");
  FieldWriter io(json);
  io.object("engine", [&](auto& engine) { engine_fields(engine, report); });
  io.list("ports", report.ports);
  io.object("plan", plan);
  return json.dump() + '\n';
}

std::string end_event(const BenchResult& result, int exit) {
  auto json = event_of("end");
  json["result"] = document_of(result, exit);
  return json.dump() + '\n';
}

std::string bench_ndjson(const BenchResult& result, int exit) {
  auto text = start_event(result.plan, result.report);
  for (std::size_t i = 0; i < result.report.trials.size(); ++i) {
    text += trial_events(i, result.report.trials[i]);
  }
  return text + end_event(result, exit);
}

}  // namespace manactl::report
