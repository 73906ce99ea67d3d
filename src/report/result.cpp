// SPDX-License-Identifier: MIT

#include "report/result.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "datapath/analysis/summary.h"
#include "datapath/plan/plan.h"
#include "report/figures.h"
#include "report/search_text.h"

namespace manactl::report {

using datapath::BenchReport;
using datapath::Sample;

namespace {

void append(std::vector<std::string>& lines, const std::vector<std::string>& more) {
  lines.insert(lines.end(), more.begin(), more.end());
}

// Adds the notes that `all` does not contain yet.
void add_missing(const std::vector<std::string>& notes, std::vector<std::string>& all) {
  for (const auto& note : notes) {
    if (std::ranges::find(all, note) == all.end()) all.push_back(note);
  }
}

// "was removed after 2.50 s"
std::string text_of(const datapath::Event& event) {
  const bool removed = event.kind == datapath::Event::Kind::removed;
  return fmt::format("{} after {:.2f} s", removed ? "was removed" : "returned", event.at_seconds);
}

std::vector<std::string> event_lines(const datapath::Trial& trial, EventLines lines) {
  std::vector<std::pair<std::string, std::string>> found;  // devices and their events
  for (const auto& event : trial.events) {
    const auto device = printable(event.device);
    const auto known = std::ranges::find(found, device, [](auto& line) { return line.first; });
    if (lines == EventLines::all || known == found.end()) {
      found.emplace_back(device, text_of(event));
    } else {
      known->second += ", " + text_of(event);
    }
  }
  std::vector<std::string> texts;
  for (const auto& [device, events] : found) texts.push_back(device + ' ' + events);
  return texts;
}

std::vector<std::string> absences_on(const BenchResult& result, EventLines events) {
  std::vector<std::string> lines;
  for (const auto& trial : result.report.trials) {
    if (const auto servicing = datapath::servicing_of(result.plan.mode, trial)) {
      lines.push_back("Device absent for " + servicing_text(*servicing));
    }
    append(lines, event_lines(trial, events));
  }
  return lines;
}

std::vector<std::string> trial_notes(const BenchResult& result) {
  std::vector<std::string> notes;
  for (const auto& trial : result.report.trials) add_missing(trial.notes, notes);
  return notes;
}

std::vector<std::string> noise_on(const BenchResult& result) {
  std::vector<std::string> lines;
  for (const auto& reason : result.summary.reasons) lines.push_back("Noisy: " + printable(reason));
  return lines;
}

}  // namespace

bool is_interrupted(const BenchResult& result) {
  const auto& search = result.search;
  return result.report.trials.back().interrupted ||
         (search && !search->probes.empty() && search->probes.back().stopped);
}

bool took_rejected_path(const BenchResult& result) {
  return result.path.verdict == datapath::Path::synthetic && !result.synthetic_allowed;
}

namespace {

// A median of 0 is not the rate of a trial in which packets flowed in less than half of the
// intervals. The intervals of a trial in which every packet failed contain those in flight.
void drop_false_rate(datapath::Mode mode,
                     const std::vector<datapath::Trial>& trials,
                     datapath::Summary& summary) {
  std::uint64_t packets = 0, errors = 0;
  std::size_t intervals = 0;
  for (const auto& trial : trials) {
    intervals += trial.intervals.size();
    const auto& count = headline(mode, trial.total);
    packets += count.packets;
    errors += count.errors.value_or(0);
  }
  const bool is_zero = summary.rate.median == 0;
  if (is_zero ? packets + errors == 0 : packets > 0) return;
  summary.left_out = intervals;
  summary.rates.clear();
  summary.rate = {};
}

}  // namespace

datapath::Summary summarize_trials(datapath::Mode mode,
                                   const std::vector<datapath::Trial>& trials,
                                   const datapath::Disturbance& disturbance) {
  if (trials.size() == 1) {
    const auto& trial = trials.front();
    auto summary = summarize(mode, trial.intervals, trial.plan.steady_after(), disturbance);
    drop_false_rate(mode, trials, summary);
    return summary;
  }
  // `disturbance` describes the whole run, so the summaries of the trials do not get it. Variation
  // within a trial does not count as noise, because it hardly changes the median of the trial.
  auto all = summarize(mode, std::vector<datapath::Interval>{}, 0, disturbance);
  for (const auto& trial : trials) {
    const auto one = summarize(mode, trial.intervals, trial.plan.steady_after(), {});
    all.left_out += one.left_out;
    if (one.rate.count > 0) all.rates.push_back(one.rate.median);
  }
  all.rate = datapath::estimate(all.rates);
  drop_false_rate(mode, trials, all);
  if (const auto variation = all.rate.variation.value_or(0); variation > datapath::kNoisy) {
    all.reasons.insert(
        all.reasons.begin(),
        fmt::format("the rate varies by {:.1f} % from trial to trial", variation * 100));
  }
  return all;
}

std::optional<double> rate_of(const BenchResult& result) {
  const auto& rate = result.summary.rate;
  if (rate.count > 0) return rate.median;
  const auto total = datapath::headline(result.plan.mode, total_of(result.report));
  const bool has_failed = total.errors.value_or(0) != 0;
  return moved_nothing(result) && !has_failed ? std::optional(0.0) : std::nullopt;
}

bool moved_nothing(const BenchResult& result) {
  return datapath::headline(result.plan.mode, total_of(result.report)).packets == 0;
}

bool includes_start(const BenchResult& result) {
  // A trial with several intervals leaves out at least one of them.
  return !result.search && result.summary.rate.count > 0 && result.summary.left_out == 0;
}

std::string basis_of(const BenchResult& result) {
  const auto count = result.summary.rate.count;
  const bool is_repeated = result.report.trials.size() > 1;
  if (count == 0) return {};
  if (includes_start(result) && !is_repeated) return std::string(kIncludingStart);
  auto text = counted(count, is_repeated ? "trial" : "interval");
  if (count > 1) text = (count < kMinRates ? "the mean of " : "the median of ") + text;
  return includes_start(result) ? fmt::format("{}, {}", text, kIncludingStart) : text;
}

std::optional<double> figure_of(const BenchResult& result) {
  if (!result.search || result.search->found.empty()) return rate_of(result);
  const auto& goal = result.search->found.front();
  return is_found(goal) ? goal.lower : std::nullopt;
}

std::vector<double> queue_rates_of(const BenchResult& result) {
  std::vector<double> packets;
  double seconds = 0;
  for (const auto& trial : result.report.trials) {
    for (const auto* interval :
         datapath::steady_intervals(result.plan.mode, trial.intervals, trial.plan.steady_after())) {
      packets.resize(std::max(packets.size(), interval->queues.size()));
      seconds += interval->total.seconds;
      for (std::size_t i = 0; i < interval->queues.size(); ++i) {
        const auto& count = datapath::headline(result.plan.mode, interval->queues[i]);
        packets[i] += static_cast<double>(count.packets);
      }
    }
  }
  for (auto& sum : packets) sum /= seconds;
  return packets;
}

bool was_paced(const BenchResult& result) {
  return result.search.has_value() ||
         (result.plan.trial.rate && generates_packets(result.plan.mode));
}

Costs costs_of(const BenchResult& result) {
  auto costs = costs_of(result.plan.mode, total_of(result.report));
  if (was_paced(result)) costs.instructions.reset();
  return costs;
}

std::optional<double> cpu_time_of(const BenchResult& result) {
  constexpr double kNanoseconds = 1e9;
  const auto packets = datapath::headline(result.plan.mode, total_of(result.report)).packets;
  const auto& seconds = result.interference.cpu_seconds;
  if (!seconds || *seconds <= 0 || was_paced(result) || packets == 0) return std::nullopt;
  return *seconds * kNanoseconds / static_cast<double>(packets);
}

datapath::Sample total_of(const BenchReport& report) {
  Sample sum;
  for (const auto& trial : report.trials) {
    sum += trial.total;
    sum.seconds += trial.total.seconds;
  }
  return sum;
}

std::vector<Sample> queues_of(const BenchReport& report) {
  std::vector<Sample> sums;
  for (const auto& trial : report.trials) {
    if (sums.size() < trial.queues.size()) sums.resize(trial.queues.size());
    for (std::size_t i = 0; i < trial.queues.size(); ++i) {
      sums[i] += trial.queues[i];
      sums[i].seconds += trial.queues[i].seconds;
    }
  }
  return sums;
}

std::optional<datapath::Histogram> latency_of(const BenchReport& report) {
  std::optional<datapath::Histogram> sum;
  for (const auto& trial : report.trials) {
    if (!trial.latency) continue;
    if (sum) {
      *sum += *trial.latency;
    } else {
      sum = trial.latency;
    }
  }
  return sum;
}

std::string headline_of(const BenchResult& result) {
  const auto mode = name_of(result.plan.mode);
  if (result.simulated) return fmt::format("simulated: {} on the software adapter", mode);
  return fmt::format("{} on {}", mode, device_of(result.plan));
}

std::string device_of(const datapath::BenchPlan& plan) {
  std::vector<std::string> names;
  for (const auto& nic : plan.nics) names.push_back(printable(nic.interface));
  for (const auto& vdev : plan.vdevs) names.push_back(printable(vdev));
  return join(names, " ");
}

std::string drivers_of(const BenchReport& report) {
  std::vector<std::string> names;
  for (const auto& port : report.ports) {
    auto name = printable(port.driver);
    if (!port.lower.empty()) name += " over " + printable(port.lower);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return join(names, ", ");
}

std::string sizes_of(const datapath::Traffic& traffic) {
  if (traffic.sizes.size() == 1) return fmt::format("{}", traffic.sizes.front().bytes);
  std::vector<std::string> sizes;
  std::vector<std::string> shares;
  for (const auto& size : traffic.sizes) {
    sizes.push_back(fmt::format("{}", size.bytes));
    shares.push_back(fmt::format("{}", size.share));
  }
  return fmt::format("{} ({})", join(sizes, "/"), join(shares, ":"));
}

std::string rate_text(const std::optional<datapath::Rate>& rate) {
  if (!rate) return "unlimited";
  return fmt::format("{:g} {}", rate->value, word_of(datapath::kRateUnits, rate->unit));
}

std::optional<Ipv4Address> source_ip_of(const datapath::BenchPlan& plan) {
  if (!generates_packets(plan.mode) || plan.traffic.source_ip) return plan.traffic.source_ip;
  std::optional<Ipv4Address> source;
  if (plan.nics.empty() || !plan.vdevs.empty()) source = datapath::kSourceIp;
  for (const auto& nic : plan.nics) {
    const auto own = nic.ip.value_or(datapath::kSourceIp);
    if (own != source.value_or(own)) return std::nullopt;
    source = own;
  }
  return source;
}

std::optional<Ipv4Address> peer_ip_of(const datapath::BenchPlan& plan) {
  if (!generates_packets(plan.mode) || plan.traffic.peer_ip) return plan.traffic.peer_ip;
  return datapath::kDestinationIp;
}

std::string_view label_of(std::string_view field) {
  constexpr std::array<std::array<std::string_view, 2>, 12> kLabels = {
      {{"engine.name", "engine"},
       {"engine.driver", "driver"},
       {"engine.template_mode", "packet template"},
       {"engine.version", "engine version"},
       {"frame_bytes", "frame size in bytes"},
       {"cpu", "CPU"},
       {"cpus", "CPUs"},
       {"numa_nodes", "NUMA nodes"},
       {"smt", "SMT"},
       {"isolated_cpus", "isolated CPUs"},
       {"nohz_full_cpus", "nohz_full CPUs"},
       {"clocksource", "clock source"}}};
  for (const auto& [name, label] : kLabels) {
    if (name == field) return label;
  }
  return field;
}

Rows configuration_of(const BenchResult& result) {
  const auto& plan = result.plan;
  const auto& report = result.report;
  const auto number = [](auto value) { return fmt::format("{}", value); };
  return {{"engine.name", printable(report.engine)},
          {"engine.driver", drivers_of(report)},
          {"engine.template_mode", printable(report.template_mode)},
          {"mode", std::string(name_of(plan.mode))},
          {"ports", number(report.ports.size())},
          {"queues", number(plan.queues)},
          {"frame_bytes", sizes_of(plan.traffic)},
          {"flows", number(plan.traffic.flows)},
          {"rate", rate_text(plan.trial.rate)},
          {"burst", number(plan.burst)},
          {"descriptors", number(plan.descriptors)},
          {"hugepages", number(plan.hugepages)},
          {"goals", result.search ? goals_text(*result.search) : "none"}};
}

Rows machine_of(const BenchResult& result) {
  const auto& machine = result.machine;
  constexpr double kKibPerGib = 1U << 20U;
  const auto text = [](const std::string& value) {
    return value.empty() ? std::string("-") : printable(value);
  };
  // Show whole GiB, because each kernel release reserves a different part of the memory.
  const auto gib = static_cast<double>(machine.memory_kib) / kKibPerGib;
  const auto number = [](unsigned value) {
    return value == 0 ? std::string("-") : fmt::format("{}", value);
  };
  Rows rows;
  const auto add = [&](const char* name, std::string value) {
    rows.emplace_back(name, std::move(value));
  };
  add("host", text(machine.host));
  add("cpu", text(machine.cpu));
  add("cpus", number(machine.cpus));
  add("numa_nodes", number(machine.numa_nodes));
  add("smt", text(machine.smt));
  add("governor", text(machine.governor));
  add("isolated_cpus", text(machine.isolated_cpus));
  add("nohz_full_cpus", text(machine.nohz_full_cpus));
  add("clocksource", text(machine.clocksource));
  add("memory", machine.memory_kib == 0 ? "-" : fmt::format("{:.0f} GiB", gib));
  add("hypervisor", text(machine.hypervisor));
  add("distribution", text(machine.distribution));
  add("kernel", text(machine.kernel));
  add("engine.version", text(result.report.version));
  add("manactl", text(result.tool_version));
  return rows;
}

std::vector<std::string> warnings_on(const BenchResult& result) {
  auto lines = absences_on(result, EventLines::one_per_device);
  append(lines, noise_on(result));
  return lines;
}

std::vector<std::string> notes_on(const BenchResult& result) {
  auto notes = trial_notes(result);
  add_missing(result.report.notes, notes);
  return notes;
}

std::vector<std::string> remarks_on(const BenchResult& result, EventLines events) {
  auto lines = absences_on(result, events);
  for (const auto& note : notes_on(result)) lines.push_back("Note: " + note);
  const auto noise = noise_on(result);
  const auto engine_notes = notes_on(result).size() - trial_notes(result).size();
  lines.insert(lines.end() - static_cast<std::ptrdiff_t>(engine_notes), noise.begin(), noise.end());
  return lines;
}

}  // namespace manactl::report
