// SPDX-License-Identifier: MIT

#include "cli/bench/json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/bench/columns.h"
#include "cli/bench/figures.h"
#include "cli/bench/series.h"
#include "cli/json_text.h"
#include "datapath/lisa.h"
#include "datapath/servicing.h"

namespace manactl::cli {
namespace {

using datapath::Sample;
using Json = nlohmann::ordered_json;

Json or_null(const std::string& text) {
  return text.empty() ? Json() : Json(safe(text));
}

Json or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json();
}

Json or_null(const std::optional<Ipv4Address>& address) {
  return address ? Json(address->str()) : Json();
}

Json number_or_null(std::uint64_t value) {
  return value != 0 ? Json(value) : Json();
}

// Numbers by their names; "packets" and its like are those that the mode is about.
Json json_of(datapath::Mode mode, const Sample& sample) {
  const auto& headline = datapath::headline(mode, sample);
  Json json;
  json["seconds"] = sample.seconds;
  json["packets"] = headline.packets;
  json["bytes"] = headline.bytes;
  json["missed"] = headline.missed;
  json["errors"] = headline.errors;
  json["mpps"] = per_second(headline, sample.seconds) / kMillion;
  json["gbit_per_second"] = gbits(headline, sample.seconds);
  for (const auto& column : columns()) {
    json[std::string(column.group)][std::string(column.name)] = column.of(sample);
  }
  return json;
}

Json json_of(datapath::Mode mode, const std::vector<Sample>& samples) {
  Json array = Json::array();
  for (const auto& sample : samples) array.push_back(json_of(mode, sample));
  return array;
}

Json json_of(const datapath::Nic& nic) {
  Json json;
  json["interface"] = safe(nic.interface);
  json["pci"] = nic.pci.str();
  json["mac"] = nic.mac.str();
  json["vmbus"] = nic.vmbus ? Json(nic.vmbus->str()) : Json();
  json["ip"] = nic.ip ? Json(nic.ip->str()) : Json();
  json["mtu"] = number_or_null(nic.mtu);
  return json;
}

Json rate_of(const std::optional<datapath::Rate>& rate) {
  if (!rate) return {};
  constexpr std::array<const char*, 3> kUnits = {"packets/s", "bit/s", "%"};
  Json json;
  json["value"] = rate->value;
  json["unit"] = kUnits[static_cast<std::size_t>(rate->unit)];
  return json;
}

Json json_of(const datapath::BenchPlan& plan) {
  Json json;
  json["mode"] = name_of(plan.mode);
  json["interface"] = plan.nics.empty() ? Json() : Json(safe(plan.nics.front().interface));
  json["vdevs"] = strings(plan.vdevs);
  json["nics"] = Json::array();
  for (const auto& nic : plan.nics) json["nics"].push_back(json_of(nic));
  json["queues"] = plan.queues;
  json["descriptors"] = plan.descriptors;
  json["burst"] = plan.burst;
  json["frame_bytes"] = plan.traffic.mean_bytes();
  json["sizes"] = Json::array();
  for (const auto& size : plan.traffic.sizes) {
    Json row;
    row["bytes"] = size.bytes;
    row["share"] = size.share;
    json["sizes"].push_back(row);
  }
  json["flows"] = plan.traffic.flows;
  json["destination"] = plan.traffic.destination.str();
  json["source_ip"] = or_null(source_ip_of(plan));
  json["peer_ip"] = or_null(peer_ip_of(plan));
  json["seconds"] = plan.trial.seconds;
  json["interval_seconds"] = plan.trial.interval_seconds;
  json["warmup_seconds"] = plan.trial.warmup_seconds;
  json["ramp_seconds"] = plan.trial.ramp_seconds;
  json["rate"] = rate_of(plan.trial.rate);
  json["cpus"] = plan.cpus.str();
  json["hugepages"] = plan.hugepages;
  return json;
}

Json json_of(const datapath::Summary& summary) {
  const auto& rate = summary.rate;
  Json json;
  json["unit"] = "packets/s";
  json["intervals"] = rate.count;
  json["left_out"] = summary.left_out;
  json["median"] = rate.median;
  json["confidence_95"] = Json();
  if (rate.confidence) {
    json["confidence_95"] = std::vector<double>{rate.confidence->low, rate.confidence->high};
  }
  json["variation"] = rate.variation;
  json["noisy"] = summary.noisy();
  json["reasons"] = strings(summary.why);
  json["rates"] = summary.rates;
  return json;
}

Json engine_of(const datapath::BenchReport& report) {
  Json json;
  json["name"] = safe(report.engine);
  json["version"] = safe(report.version);
  json["driver"] = report.ports.empty() ? "" : safe(report.ports.front().driver);
  json["template_mode"] = safe(report.template_mode);
  return json;
}

Json ports_of(const datapath::BenchReport& report) {
  Json array = Json::array();
  for (const auto& port : report.ports) {
    Json json;
    json["device"] = safe(port.device);
    json["driver"] = safe(port.driver);
    json["lower"] = or_null(port.lower);
    json["mac"] = port.mac.str();
    json["link_mbps"] = number_or_null(port.link_mbps);
    array.push_back(json);
  }
  return array;
}

Json machine_of(const BenchResult& result) {
  const auto& machine = result.machine;
  Json json;
  json["kernel"] = or_null(machine.kernel);
  json["distribution"] = or_null(machine.distribution);
  json["cpu"] = or_null(machine.cpu);
  json["cpus"] = number_or_null(machine.cpus);
  json["numa_nodes"] = number_or_null(machine.numa_nodes);
  json["governor"] = or_null(machine.governor);
  json["isolated_cpus"] = or_null(machine.isolated_cpus);
  json["nohz_full_cpus"] = or_null(machine.nohz_full_cpus);
  json["smt"] = or_null(machine.smt);
  json["clocksource"] = or_null(machine.clocksource);
  json["hypervisor"] = or_null(machine.hypervisor);
  json["memory_kib"] = number_or_null(machine.memory_kib);
  json["load_before"] = or_null(result.circumstances.load_before);
  json["load_after"] = or_null(result.circumstances.load_after);
  json["stolen"] = or_null(result.circumstances.stolen);
  json["waited"] = or_null(result.circumstances.waited);
  return json;
}

Json json_of(const datapath::PathReport& path) {
  Json json;
  json["verdict"] = name_of(path.verdict);
  json["evidence"] = strings(path.evidence);
  return json;
}

Json json_of(const datapath::Answers& answers) {
  Json json;
  json["reordered"] = answers.reordered;
  json["strangers"] = answers.strangers;
  return json;
}

Json json_of(const std::optional<datapath::Servicing>& servicing) {
  if (!servicing) return {};
  Json json;
  json["before"] = or_null(servicing->before);
  json["during"] = or_null(servicing->during);
  json["after"] = or_null(servicing->after);
  json["seconds"] = servicing->seconds;
  return json;
}

Json latency_json(const std::optional<datapath::Histogram>& latency, bool with_buckets) {
  if (!latency) return {};
  // Without answers there is no time, not one of 0.
  const bool any = latency->count() != 0;
  const auto put = [any](Json& json, std::uint64_t time) {
    if (any) json = time;
  };
  const auto at = [&](double share) { return latency->percentile(share); };
  Json json;
  json["count"] = latency->count();
  put(json["least_ns"], latency->least());
  json["mean_ns"] = or_null(any ? std::optional(latency->mean()) : std::nullopt);
  put(json["p50_ns"], at(0.5));
  put(json["p90_ns"], at(0.9));
  put(json["p99_ns"], at(0.99));
  put(json["p99_9_ns"], at(0.999));
  put(json["p99_99_ns"], at(0.9999));
  put(json["most_ns"], latency->most());
  if (!with_buckets) return json;
  json["buckets"] = Json::array();
  for (const auto& bucket : latency->buckets()) {
    json["buckets"].push_back(std::vector<std::uint64_t>{bucket.low, bucket.high, bucket.count});
  }
  return json;
}

Json events_of(const datapath::Trial& trial) {
  Json array = Json::array();
  for (const auto& event : trial.events) {
    Json json;
    json["at_seconds"] = event.at_seconds;
    json["device"] = safe(event.device);
    json["kind"] = kind_of(event);
    array.push_back(json);
  }
  return array;
}

Json trials_of(const BenchResult& result) {
  Json array = Json::array();
  const auto mode = result.plan.mode;
  for (std::size_t i = 0; i < result.report.trials.size(); ++i) {
    const auto& trial = result.report.trials[i];
    Json json;
    json["started"] = i < result.began.size() ? Json(utc_text(result.began[i])) : Json();
    json["seconds"] = trial.plan.seconds;
    json["rate"] = rate_of(trial.plan.rate);
    json["interrupted"] = trial.interrupted;
    json["total"] = json_of(mode, trial.total);
    json["queues"] = json_of(mode, trial.queues);
    json["statistics"] =
        json_of(datapath::summarize(mode, trial.intervals, trial.plan.steady_after(), {}));
    json["latency"] = latency_json(trial.latency, true);
    json["answers"] = mode == datapath::Mode::rtt ? json_of(trial.answers) : Json();
    json["events"] = events_of(trial);
    json["servicing"] = json_of(servicing_of(mode, trial));
    json["notes"] = strings(trial.notes);
    array.push_back(json);
  }
  return array;
}

// JSON has no infinity: as many as the sender can.
Json finite(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

Json json_of(const datapath::SearchResult& search) {
  Json json;
  json["reach"] = search.reach;
  json["found"] = Json::array();
  for (const auto& found : search.found) {
    Json row;
    row["loss"] = found.loss;
    row["lower"] = or_null(found.lower);
    row["upper"] = or_null(found.upper);
    row["final"] = found.is_final;
    row["throughput"] = found.throughput;
    row["end"] = name_of(found.end);
    json["found"].push_back(row);
  }
  json["probes"] = Json::array();
  for (const auto& probe : search.probes) {
    Json row;
    row["asked"] = finite(probe.asked);
    row["seconds"] = probe.seconds;
    row["rate"] = probe.rate;
    row["sent"] = probe.sent;
    row["received"] = probe.received;
    row["valid"] = probe.valid;
    row["stopped"] = probe.stopped;
    json["probes"].push_back(row);
  }
  return json;
}

void put_lisa(Json& json, const std::string& name, const std::optional<datapath::LisaRate>& rate) {
  json[name + "_pps_maximum"] = rate ? Json(rate->maximum) : Json();
  json[name + "_pps_average"] = rate ? Json(rate->average) : Json();
  json[name + "_pps_minimum"] = rate ? Json(rate->minimum) : Json();
}

Json lisa_of(const datapath::BenchReport& report) {
  Json json;
  put_lisa(json, "tx", lisa_rate(report.trials, &Sample::tx));
  put_lisa(json, "rx", lisa_rate(report.trials, &Sample::rx));
  return json;
}

void put_costs(Json& json, const Costs& costs) {
  json["cycles_per_packet"] = or_null(costs.cycles);
  json["instructions_per_packet"] = or_null(costs.instructions);
  json["empty_poll_share"] = or_null(costs.empty_polls);
  json["full_burst_share"] = or_null(costs.full_bursts);
}

// Everything but the series.
Json document_of(const BenchResult& result) {
  const auto& report = result.report;
  const auto total = total_of(report);
  const auto mode = result.plan.mode;
  Json json;
  json["schema"] = "manactl.bench/1";
  json["manactl"] = safe(result.tool);
  json["exit"] = static_cast<int>(result.exit);
  json["id"] = or_null(result.id);
  json["started"] = result.began.empty() ? Json() : Json(utc_text(result.began.front()));
  json["ended"] = utc_text(result.ended);
  json["engine"] = engine_of(report);
  json["simulated"] = result.simulated;
  json["ports"] = ports_of(report);
  json["plan"] = json_of(result.plan);
  json["path"] = json_of(result.path);
  json["interrupted"] = is_interrupted(result);
  json["total"] = json_of(mode, total);
  json["statistics"] = json_of(result.summary);
  put_costs(json, costs_of(mode, total));
  json["latency"] = latency_json(latency_of(report), false);
  json["search"] = result.search ? json_of(*result.search) : Json();
  json["lisa"] = lisa_of(report);
  json["queues"] = json_of(mode, queues_of(report));
  json["trials"] = trials_of(result);
  json["machine"] = machine_of(result);
  json["eal_arguments"] = strings(report.eal_arguments);
  json["notes"] = strings(report.notes);
  return json;
}

Json event_of(const char* name) {
  Json json;
  json["schema"] = kEventSchema;
  json["event"] = name;
  return json;
}

}  // namespace

std::string bench_json(const BenchResult& result) {
  auto text = document_of(result).dump(2);
  text.resize(text.size() - 2);  // without "\n}"
  text += kSeriesMark;
  for (std::size_t i = 0; i < result.report.trials.size(); ++i) {
    if (i > 0) text += ',';
    text += series_json(result.report.trials[i]);
  }
  return text + "]\n}\n";
}

std::string start_event(const datapath::BenchPlan& plan, const datapath::BenchReport& about) {
  auto json = event_of("start");
  json["engine"] = engine_of(about);
  json["ports"] = ports_of(about);
  json["plan"] = json_of(plan);
  return json.dump() + '\n';
}

std::string end_event(const BenchResult& result) {
  auto json = event_of("end");
  json["result"] = document_of(result);
  return json.dump() + '\n';
}

std::string bench_ndjson(const BenchResult& result) {
  auto text = start_event(result.plan, result.report);
  for (std::size_t i = 0; i < result.report.trials.size(); ++i) {
    text += trial_events(i, result.report.trials[i]);
  }
  return text + end_event(result);
}

}  // namespace manactl::cli
