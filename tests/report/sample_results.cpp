// SPDX-License-Identifier: MIT

#include "report/sample_results.h"

#include <csignal>
#include <limits>

#include "report/bench_json.h"

namespace manactl::test {
namespace {

using datapath::Mode;
using datapath::Sample;

constexpr double kStartTime = 1'795'268'822;  // 2026-11-21T13:47:02Z

datapath::Count packets(std::uint64_t count) {
  datapath::Count counted;
  counted.packets = count;
  counted.bytes = count * 64;
  return counted;
}

Sample sample(Mode mode, std::uint64_t count) {
  Sample made;
  made.seconds = 1;
  if (datapath::sends(mode)) made.tx = packets(count);
  if (datapath::receives(mode)) made.rx = packets(count);
  made.effort.cycles = count * 20;
  made.effort.polls = count / 32 + 4;
  made.effort.empty_polls = 4;
  made.effort.full_bursts = count / 32;
  return made;
}

datapath::Interval interval(Mode mode, std::uint64_t count) {
  datapath::Interval made;
  made.queues = {sample(mode, count / 2), sample(mode, count - count / 2)};
  made.total = sample(mode, 0);
  made.total.effort = {};
  for (const auto& queue : made.queues) made.total += queue;
  return made;
}

datapath::Trial trial(Mode mode, double rate) {
  datapath::Trial made;
  made.plan.seconds = 10;
  made.queues.resize(2);
  for (const double factor : {0.1, 1.0, 1.004, 0.996, 1.002, 0.998, 1.001, 0.999, 1.003, 0.2}) {
    made.intervals.push_back(interval(mode, static_cast<std::uint64_t>(rate * factor)));
    for (std::size_t i = 0; i < 2; ++i) made.queues[i] += made.intervals.back().queues[i];
    made.total += made.intervals.back().total;
  }
  for (auto& queue : made.queues) queue.seconds = 10;
  made.total.seconds = 10;
  return made;
}

void finish(report::BenchResult& result) {
  result.tool_version = "0.1.0";
  result.ended = result.trial_starts.back() + 10;
  result.summary = report::summarize_trials(result.plan.mode, result.report.trials, {});
}

}  // namespace

report::BenchResult steady(Mode mode, double rate) {
  report::BenchResult result;
  result.plan.mode = mode;
  result.plan.vdevs = {"net_null0"};
  result.plan.queues = 2;
  result.report.engine = "dpdk";
  result.report.version = "22.11.11";
  result.report.template_mode = "shared";
  result.report.eal_arguments = {"--in-memory", "--vdev=net_null0"};
  result.report.ports = {{"net_null0", "net_null", "", {}, 0}};
  result.report.trials = {trial(mode, rate)};
  result.trial_starts = {kStartTime};
  finish(result);
  return result;
}

report::BenchResult connected(Mode mode, double rate) {
  auto result = steady(mode, rate);
  result.plan.vdevs = {"net_memif0"};
  result.report.eal_arguments = {"--in-memory", "--vdev=net_memif0"};
  result.report.ports = {{"net_memif0", "net_memif", "", {}, 0}};
  return result;
}

report::BenchResult repeated(Mode mode, const std::vector<double>& rates) {
  auto result = steady(mode, rates.front());
  result.report.trials.clear();
  result.trial_starts.clear();
  for (const double rate : rates) {
    result.report.trials.push_back(trial(mode, rate));
    result.trial_starts.push_back(kStartTime +
                                  11 * static_cast<double>(result.trial_starts.size()));
  }
  finish(result);
  return result;
}

report::BenchResult eventful() {
  auto result = steady(Mode::rtt, 1e6);
  auto& plan = result.plan;
  plan.vdevs = {};
  plan.nics = {{"eth1",
                *PciAddress::parse("7870:00:00.0"),
                *MacAddress::parse("00:22:48:01:02:03"),
                *VmbusId::parse("f8615163-df3e-46c5-913f-f2d2f965ed0e")},
               {"eth2",
                *PciAddress::parse("7870:00:00.0"),
                *MacAddress::parse("00:22:48:01:02:04"),
                std::nullopt}};
  plan.nics.front().ip = *Ipv4Address::parse("10.0.0.4");
  plan.nics.front().mtu = 1500;
  plan.traffic.sizes = {{64, 7}, {570, 4}, {1518, 1}};
  plan.traffic.flows = 8;
  plan.traffic.source_ip = *Ipv4Address::parse("10.0.0.4");
  plan.traffic.peer_ip = *Ipv4Address::parse("10.0.0.5");
  plan.trial.rate = datapath::Rate{datapath::Rate::Unit::percent, 12.5};
  plan.trial.warmup_seconds = 2;
  plan.trial.ramp_seconds = 0.5;
  plan.cpus = *CpuList::parse("0-2");
  auto& report = result.report;
  report.ports = {{"eth1", "net_netvsc", "net_mana", plan.nics[0].mac, 200'000}};
  report.notes = {"8 queues share 1 CPU"};
  auto& first = report.trials.front();
  first.plan.rate = plan.trial.rate;
  first.plan.warmup_seconds = 2;
  first.latency.emplace();
  for (std::uint64_t i = 1; i <= 1000; ++i) first.latency->add(i * 1000);
  first.events = {{2.5, "eth1", datapath::Event::Kind::removed},
                  {4.25, "eth1", datapath::Event::Kind::returned}};
  first.notes = {"the device was away for 1.8 s"};
  for (const auto away : {2U, 3U, 4U}) first.intervals[away].disturbed = true;
  first.intervals[3].absent = true;
  first.replies = {3, 4};
  first.total.rx.missed = 7;
  report.trials.push_back(first);
  report.trials.back().interrupted = true;
  report.trials.back().events.clear();
  result.trial_starts.push_back(kStartTime + 11);
  result.id = "20261121-134702-3f2a";
  result.label = "before the update";
  result.stop_signal = SIGINT;
  result.command = {"bench", "eth1", "--label", "before the update", "-"};
  result.machine.host = "vm-one";
  result.machine.kernel = "6.8.0-1062-azure";
  result.machine.cpu = "AMD EPYC 9V74 80-Core Processor";
  result.machine.cpus = 8;
  result.machine.hypervisor = "Microsoft Corporation Virtual Machine";
  result.interference = {0.25, 1.5, 0.02, 0.01, 19.5};
  result.path = {datapath::Path::vf, {"eth1: 12 packets went through the VF"}};
  result.search.emplace();
  result.search->reach = 2e6;
  result.search->found = {{0, 1e6, 1.005e6, true, 1e6, datapath::GoalResult::End::narrow},
                          {0.005, std::nullopt, 1000, false, 0, datapath::GoalResult::End::below}};
  result.search->probes = {{std::numeric_limits<double>::infinity(), 1, 2e6, 2'000'000, 1'900'000}};
  finish(result);
  result.summary.reasons = {"the hypervisor gave 2.0 % of the CPU time to others"};
  return result;
}

std::string document(const report::BenchResult& result) {
  return report::bench_json(result, result.stop_signal == 0 ? 0 : 128 + result.stop_signal);
}

}  // namespace manactl::test
