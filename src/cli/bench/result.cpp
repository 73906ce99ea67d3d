// SPDX-License-Identifier: MIT

#include "cli/bench/result.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "cli/bench/figures.h"
#include "datapath/plan.h"

namespace manactl::cli {

using datapath::BenchReport;
using datapath::Sample;

bool is_interrupted(const BenchResult& result) {
  const auto& search = result.search;
  return result.report.trials.back().interrupted ||
         (search && !search->probes.empty() && search->probes.back().stopped);
}

datapath::Summary summarize_trials(datapath::Mode mode,
                                   const std::vector<datapath::Trial>& trials,
                                   const datapath::Disturbance& disturbance) {
  if (trials.size() == 1) {
    const auto& trial = trials.front();
    return summarize(mode, trial.intervals, trial.plan.steady_after(), disturbance);
  }
  // Steal belongs to the whole; what varies inside a trial does not show in its median.
  auto all = summarize(mode, std::vector<datapath::Interval>{}, 0, disturbance);
  for (const auto& trial : trials) {
    const auto one = summarize(mode, trial.intervals, trial.plan.steady_after(), {});
    all.left_out += one.left_out;
    if (one.rate.count > 0) all.rates.push_back(one.rate.median);
  }
  all.rate = datapath::estimate(all.rates);
  if (all.rate.variation > datapath::kNoisy) {
    all.why.insert(
        all.why.begin(),
        fmt::format("the rate varies by {:.1f} % from trial to trial", all.rate.variation * 100));
  }
  return all;
}

double rate_of(const BenchResult& result) {
  const auto& rate = result.summary.rate;
  if (rate.count >= kRates) return rate.median;
  const auto total = total_of(result.report);
  return per_second(datapath::headline(result.plan.mode, total), total.seconds);
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
  if (!rate) return "as fast as it goes";
  constexpr std::array<const char*, 3> kUnits = {"packets/s", "bit/s", "%"};
  return fmt::format("{:g} {}", rate->value, kUnits[static_cast<std::size_t>(rate->unit)]);
}

std::optional<Ipv4Address> source_ip_of(const datapath::BenchPlan& plan) {
  if (!makes_packets(plan.mode) || plan.traffic.source_ip) return plan.traffic.source_ip;
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
  if (!makes_packets(plan.mode) || plan.traffic.peer_ip) return plan.traffic.peer_ip;
  return datapath::kDestinationIp;
}

Rows configuration_of(const BenchResult& result) {
  const auto& plan = result.plan;
  const auto& report = result.report;
  const auto number = [](auto value) { return fmt::format("{}", value); };
  return {{"engine.name", printable(report.engine, 80)},
          {"engine.driver", drivers_of(report)},
          {"engine.template_mode", printable(report.template_mode, 80)},
          {"mode", std::string(name_of(plan.mode))},
          {"ports", number(report.ports.size())},
          {"queues", number(plan.queues)},
          {"frame_bytes", sizes_of(plan.traffic)},
          {"flows", number(plan.traffic.flows)},
          {"rate", rate_text(plan.trial.rate)},
          {"burst", number(plan.burst)},
          {"descriptors", number(plan.descriptors)},
          {"hugepages", number(plan.hugepages)}};
}

}  // namespace manactl::cli
