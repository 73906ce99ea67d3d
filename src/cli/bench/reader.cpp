// SPDX-License-Identifier: MIT

#include "cli/bench/reader.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/text.h"
#include "cli/bench/columns.h"
#include "cli/bench/figures.h"
#include "base/json_fields.h"

namespace manactl::cli {
namespace {

using datapath::Sample;

Sample sample_of(const JsonFields& fields) {
  Sample sample;
  sample.seconds = fields.real("seconds");
  for (const auto& column : columns()) {
    const auto group = fields.object(std::string(column.group).c_str());
    column.in(sample) = group.number(std::string(column.name).c_str());
  }
  return sample;
}

std::vector<Sample> samples_of(const JsonFields& fields, const char* key) {
  std::vector<Sample> samples;
  for (const auto& object : fields.objects(key)) samples.push_back(sample_of(object));
  return samples;
}

// Column by column into the samples that `sample` names by their interval.
template <class Target>
void read_columns(const JsonFields& fields, std::size_t count, Target sample) {
  for (const auto& column : columns()) {
    const auto name = column.str();
    if (!fields.has(name.c_str())) continue;  // nothing but zeros
    const auto values = fields.numbers(name.c_str());
    if (values.size() != count) return fields.refuse(name.c_str(), "is not as long as 'seconds'");
    for (std::size_t i = 0; i < count; ++i) column.in(sample(i)) = values[i];
  }
}

void read_series(const JsonFields& fields, datapath::Trial& trial) {
  const auto seconds = fields.reals("seconds");
  auto& intervals = trial.intervals;
  intervals.resize(seconds.size());
  for (const auto index : fields.numbers("disturbed")) {
    if (index >= intervals.size()) return fields.refuse("disturbed", "names no interval");
    intervals[index].disturbed = true;
  }
  const auto queues = fields.objects("queues");
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    intervals[i].total.seconds = seconds[i];
    intervals[i].queues.resize(queues.size());
    for (auto& queue : intervals[i].queues) queue.seconds = seconds[i];
  }
  const auto count = intervals.size();
  read_columns(
      fields.object("total"), count, [&](std::size_t i) -> Sample& { return intervals[i].total; });
  for (std::size_t queue = 0; queue < queues.size(); ++queue) {
    read_columns(
        queues[queue], count, [&](std::size_t i) -> Sample& { return intervals[i].queues[queue]; });
  }
}

std::optional<datapath::Rate> rate_of(const JsonFields& fields) {
  if (!fields.has("rate")) return std::nullopt;
  const auto json = fields.object("rate");
  datapath::Rate rate;
  rate.value = json.real("value");
  constexpr std::array<std::string_view, 3> kUnits = {"packets/s", "bit/s", "%"};
  const auto unit = std::find(kUnits.begin(), kUnits.end(), json.text("unit"));
  if (unit == kUnits.end()) {
    json.refuse("unit", "is unknown");
  } else {
    rate.unit = static_cast<datapath::Rate::Unit>(unit - kUnits.begin());
  }
  return rate;
}

std::optional<datapath::Histogram> latency_of(const JsonFields& fields) {
  if (!fields.has("latency")) return std::nullopt;
  const auto json = fields.object("latency");
  std::vector<datapath::Histogram::Bucket> buckets;
  for (const auto& bucket : json.lists("buckets")) {
    if (bucket.size() != 3) {
      json.refuse("buckets", "has one that is not low, high and count");
    } else {
      buckets.push_back({bucket[0], bucket[1], bucket[2]});
    }
  }
  return datapath::Histogram::of(buckets,
                                 json.number_or_none("least_ns"),
                                 json.number_or_none("most_ns"),
                                 json.real_or_none("mean_ns").value_or(0));
}

datapath::Summary summary_of(const JsonFields& fields) {
  datapath::Summary summary;
  summary.rates = fields.reals("rates");
  summary.rate = datapath::estimate(summary.rates);
  fields.number_into(summary.left_out, "left_out");
  summary.why = fields.texts("reasons");
  return summary;
}

datapath::Nic nic_of(const JsonFields& fields) {
  datapath::Nic nic;
  nic.interface = fields.text("interface");
  fields.parse_into(nic.pci, "pci", PciAddress::parse);
  fields.parse_into(nic.mac, "mac", MacAddress::parse);
  if (fields.has("vmbus")) fields.parse_into(nic.vmbus, "vmbus", VmbusId::parse);
  if (fields.has("ip")) fields.parse_into(nic.ip, "ip", Ipv4Address::parse);
  nic.mtu = static_cast<unsigned>(fields.number_or_none("mtu"));
  return nic;
}

void read_traffic(const JsonFields& fields, datapath::Traffic& traffic) {
  traffic.sizes.clear();
  for (const auto& json : fields.objects("sizes")) {
    datapath::SizeShare size;
    json.number_into(size.bytes, "bytes");
    json.number_into(size.share, "share");
    traffic.sizes.push_back(size);
  }
  if (traffic.sizes.empty()) fields.refuse("sizes", "is empty");
  fields.number_into(traffic.flows, "flows");
  fields.parse_into(traffic.destination, "destination", MacAddress::parse);
  if (fields.has("source_ip")) {
    fields.parse_into(traffic.source_ip, "source_ip", Ipv4Address::parse);
  }
  if (fields.has("peer_ip")) fields.parse_into(traffic.peer_ip, "peer_ip", Ipv4Address::parse);
}

std::optional<datapath::Mode> mode_named(std::string_view name) {
  using datapath::Mode;
  for (const auto mode : {Mode::tx, Mode::rx, Mode::txrx, Mode::fwd, Mode::rtt}) {
    if (name_of(mode) == name) return mode;
  }
  return std::nullopt;
}

datapath::BenchPlan plan_of(const JsonFields& fields) {
  datapath::BenchPlan plan;
  fields.parse_into(plan.mode, "mode", mode_named);
  plan.vdevs = fields.texts("vdevs");
  for (const auto& json : fields.objects("nics")) plan.nics.push_back(nic_of(json));
  fields.number_into(plan.queues, "queues");
  fields.number_into(plan.descriptors, "descriptors");
  fields.number_into(plan.burst, "burst");
  read_traffic(fields, plan.traffic);
  plan.trial.seconds = fields.real("seconds");
  plan.trial.interval_seconds = fields.real("interval_seconds");
  plan.trial.warmup_seconds = fields.real("warmup_seconds");
  plan.trial.ramp_seconds = fields.real("ramp_seconds");
  plan.trial.rate = rate_of(fields);
  if (!fields.text("cpus").empty()) fields.parse_into(plan.cpus, "cpus", CpuList::parse);
  plan.hugepages = fields.flag("hugepages");
  return plan;
}

datapath::Event event_of(const JsonFields& fields) {
  datapath::Event event;
  event.at_seconds = fields.real("at_seconds");
  event.device = fields.text("device");
  const auto kind = fields.text("kind");
  event.kind = kind == "removed" ? datapath::Event::Kind::removed : datapath::Event::Kind::returned;
  return event;
}

datapath::Trial trial_of(const JsonFields& fields, const datapath::TrialPlan& plan) {
  datapath::Trial trial;
  trial.plan = plan;
  trial.plan.seconds = fields.real("seconds");
  trial.plan.rate = rate_of(fields);
  trial.interrupted = fields.flag("interrupted");
  trial.total = sample_of(fields.object("total"));
  trial.queues = samples_of(fields, "queues");
  trial.latency = latency_of(fields);
  if (fields.has("answers")) {
    const auto answers = fields.object("answers");
    trial.answers = {answers.number("reordered"), answers.number("strangers")};
  }
  for (const auto& json : fields.objects("events")) trial.events.push_back(event_of(json));
  trial.notes = fields.texts("notes");
  return trial;
}

datapath::PortReport port_of(const JsonFields& fields) {
  datapath::PortReport port;
  port.device = fields.text("device");
  port.driver = fields.text("driver");
  port.lower = fields.text_or_none("lower");
  fields.parse_into(port.mac, "mac", MacAddress::parse);
  port.link_mbps = fields.number_or_none("link_mbps");
  return port;
}

void read_report(const JsonFields& fields, BenchResult& result) {
  auto& report = result.report;
  const auto engine = fields.object("engine");
  report.engine = engine.text("name");
  report.version = engine.text("version");
  report.template_mode = engine.text("template_mode");
  report.eal_arguments = fields.texts("eal_arguments");
  for (const auto& json : fields.objects("ports")) report.ports.push_back(port_of(json));
  report.notes = fields.texts("notes");
  for (const auto& json : fields.objects("trials")) {
    report.trials.push_back(trial_of(json, result.plan.trial));
    double began = 0;
    if (json.has("started")) json.parse_into(began, "started", utc_seconds);
    result.began.push_back(began);
  }
  if (report.trials.empty()) fields.refuse("trials", "is empty");
  if (!fields.has("series")) return;
  const auto series = fields.objects("series");
  if (series.size() != report.trials.size()) {
    return fields.refuse("series", "are not as many as 'trials'");
  }
  for (std::size_t i = 0; i < series.size(); ++i) read_series(series[i], report.trials[i]);
}

datapath::Found found_of(const JsonFields& fields) {
  using End = datapath::Found::End;
  datapath::Found found;
  found.loss = fields.real("loss");
  found.lower = fields.real_or_none("lower");
  found.upper = fields.real_or_none("upper");
  found.is_final = fields.flag("final");
  found.throughput = fields.real("throughput");
  const auto name = fields.text("end");
  for (const auto end :
       {End::narrow, End::above, End::below, End::stopped, End::useless, End::limit}) {
    if (name_of(end) == name) found.end = end;
  }
  if (name_of(found.end) != name) fields.refuse("end", "is unknown");
  return found;
}

datapath::Probe probe_of(const JsonFields& fields) {
  datapath::Probe probe;
  probe.asked = fields.real_or_none("asked").value_or(std::numeric_limits<double>::infinity());
  probe.seconds = fields.real("seconds");
  probe.rate = fields.real("rate");
  probe.sent = fields.number("sent");
  probe.received = fields.number("received");
  probe.valid = fields.flag("valid");
  probe.stopped = fields.flag("stopped");
  return probe;
}

std::optional<datapath::SearchResult> search_of(const JsonFields& fields) {
  if (!fields.has("search")) return std::nullopt;
  const auto json = fields.object("search");
  datapath::SearchResult search;
  search.reach = json.real("reach");
  for (const auto& found : json.objects("found")) search.found.push_back(found_of(found));
  for (const auto& probe : json.objects("probes")) search.probes.push_back(probe_of(probe));
  return search;
}

datapath::PathReport path_of(const JsonFields& fields) {
  using datapath::Path;
  datapath::PathReport report;
  const auto name = fields.text("verdict");
  for (const auto path : {Path::vf, Path::synthetic, Path::emulated, Path::unknown}) {
    if (name_of(path) == name) report.verdict = path;
  }
  if (name_of(report.verdict) != name) fields.refuse("verdict", "is unknown");
  report.evidence = fields.texts("evidence");
  return report;
}

void read_machine(const JsonFields& fields, BenchResult& result) {
  auto& machine = result.machine;
  machine.kernel = fields.text_or_none("kernel");
  machine.distribution = fields.text_or_none("distribution");
  machine.cpu = fields.text_or_none("cpu");
  machine.cpus = static_cast<unsigned>(fields.number_or_none("cpus"));
  machine.numa_nodes = static_cast<unsigned>(fields.number_or_none("numa_nodes"));
  machine.governor = fields.text_or_none("governor");
  machine.isolated_cpus = fields.text_or_none("isolated_cpus");
  machine.nohz_full_cpus = fields.text_or_none("nohz_full_cpus");
  machine.smt = fields.text_or_none("smt");
  machine.clocksource = fields.text_or_none("clocksource");
  machine.hypervisor = fields.text_or_none("hypervisor");
  machine.memory_kib = fields.number_or_none("memory_kib");
  result.circumstances = {fields.real_or_none("load_before"),
                          fields.real_or_none("load_after"),
                          fields.real_or_none("stolen"),
                          fields.real_or_none("waited")};
}

BenchResult result_of(const JsonFields& fields) {
  BenchResult result;
  result.tool = fields.text("manactl");
  result.exit = static_cast<Exit>(fields.number("exit", 255));
  result.id = fields.text_or_none("id");
  fields.parse_into(result.ended, "ended", utc_seconds);
  result.simulated = fields.has("simulated") && fields.flag("simulated");
  result.plan = plan_of(fields.object("plan"));
  read_report(fields, result);
  result.path = path_of(fields.object("path"));
  result.search = search_of(fields);
  result.summary = summary_of(fields.object("statistics"));
  read_machine(fields.object("machine"), result);
  return result;
}

}  // namespace

Result<BenchResult> read_bench(std::string_view text, std::string_view shown) {
  JsonDocument json(text);
  if (!json.is_json()) return fail(Errc::invalid, fmt::format("'{}' is not JSON", shown));
  const auto fields = json.root();
  const auto schema = fields.text("schema");
  if (json.wrong().empty() && schema != "manactl.bench/1") {
    return fail(Errc::invalid,
                fmt::format("'{}' is a '{}', not a result of bench", shown, printable(schema, 80)));
  }
  auto result = result_of(fields);
  if (json.wrong().empty()) return result;
  return fail(Errc::invalid, fmt::format("'{}' is no result of bench: {}", shown, json.wrong()));
}

}  // namespace manactl::cli
