// SPDX-License-Identifier: MIT

#include "cli/bench/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"
#include "cli/bench/traffic_text.h"
#include "cli/options.h"
#include "datapath/plan/fields.h"

namespace manactl::cli {
namespace {

using datapath::PlanField;

// The option that sets each field of the plan.
constexpr EnumWords<PlanField, datapath::kPlanFields.size()> kOptions = {{
    {PlanField::mode, "--mode"},
    {PlanField::vdevs, "--vdev"},
    {PlanField::queues, "--queues"},
    {PlanField::descriptors, "--descriptors"},
    {PlanField::burst, "--burst"},
    {PlanField::sizes, "--size"},
    {PlanField::flows, "--flows"},
    {PlanField::destination, "--dst-mac"},
    {PlanField::source_ip, "--src-ip"},
    {PlanField::peer_ip, "--peer"},
    {PlanField::seconds, "--duration"},
    {PlanField::interval, "--interval"},
    {PlanField::warmup, "--warmup"},
    {PlanField::rate, "--rate"},
    {PlanField::ramp, "--ramp"},
    {PlanField::cpus, "--cpus"},
    {PlanField::losses, "--find"},
}};

std::vector<std::string> mode_names() {
  std::vector<std::string> names;
  names.reserve(std::size(datapath::kModes));
  for (const auto& row : datapath::kModes) names.emplace_back(row.name);
  return names;
}

// Returns "tx|rx|...". The string is static because OptionSpec::type is a view of it.
const std::string& mode_choice() {
  static const std::string choice = join(mode_names(), "|");
  return choice;
}

const std::string& mode_help() {
  static const std::string help = [] {
    std::string text;
    for (const auto& row : datapath::kModes) {
      if (!text.empty()) text += &row == &datapath::kModes.back() ? ", or " : ", ";
      text += row.summary;
    }
    return text + " (default: tx)";
  }();
  return help;
}

// Also accepts "tx-only" for "txonly".
Result<datapath::Mode> parse_mode(std::string_view text) {
  std::string word(text);
  std::erase(word, '-');
  if (const auto mode = datapath::find_mode(word)) return *mode;
  const auto names = mode_names();
  return tl::unexpected<Error>(not_one_of(text, names));
}

template <std::uint16_t kMin, std::uint16_t kMax>
ValueHandler count_into(std::uint16_t& target) {
  return store_in(target, [](std::string_view text) { return parse_count(text, kMin, kMax); });
}

void add_traffic_options(CLI::App& app, datapath::BenchPlan& plan) {
  auto& traffic = plan.traffic;
  add_value(app,
            {"--size",
             "SIZES",
             "frame sizes in bytes, as in '64,512', '64:7,570:4' or 'imix' (default: 64; rtt: 78)"},
            store_in(traffic.sizes, parse_sizes));
  add_value(
      app,
      {"--flows", "N", "flows per queue, by UDP source port (default: 1)"},
      store_in(traffic.flows, [](std::string_view text) { return parse_count(text, 1, 64512); }));
  add_value(app,
            {"--rate", "RATE", "rate of each port: 1Mpps, 10Gbps or 50% (default: unlimited)"},
            store_in(plan.trial.rate, parse_rate));
  add_value(app,
            {"--ramp", "TIME", "raise the rate from 0 over this time (default: none)"},
            store_in(plan.trial.ramp_seconds, parse_duration));
  add_value(app,
            {"--peer", "ADDRESS", "destination IPv4 address (default: 198.18.0.2)"},
            store_in(traffic.peer_ip, Ipv4Address::parse));
  add_value(app,
            {"--src-ip", "ADDRESS", "source IPv4 address (default: that of the NIC)"},
            store_in(traffic.source_ip, Ipv4Address::parse));
  add_value(app,
            {"--dst-mac", "MAC", "destination MAC address (default: 12:34:56:78:9a:bc)"},
            store_in(traffic.destination, MacAddress::parse));
}

}  // namespace

void add_plan_options(CLI::App& app, datapath::BenchPlan& plan, std::optional<double>& interval) {
  plan.traffic.sizes.clear();
  add_value(app, {"--mode", mode_choice(), mode_help()}, store_in(plan.mode, parse_mode));
  add_value(
      app, {"--queues", "N", "queues, one CPU each (default: 1)"}, count_into<1, 64>(plan.queues));
  add_value(
      app,
      {"--duration", "TIME", "duration of a trial: 10 (seconds), 500ms, 2m or 1h (default: 10)"},
      store_in(plan.trial.seconds, parse_duration));
  add_value(app,
            {"--warmup", "TIME", "exclude the first TIME of a trial from the rate (default: none)"},
            store_in(plan.trial.warmup_seconds, parse_duration));
  add_value(
      app, {"--burst", "N", "packets per burst (default: 32)"}, count_into<1, 256>(plan.burst));
  add_value(app,
            {"--descriptors", "N", "descriptors per queue (default: 256)"},
            count_into<64, 8192>(plan.descriptors));
  add_value(app,
            {"--interval",
             "TIME",
             "time between two samples (default: a tenth of --duration, 50ms to 1s)"},
            store_in(interval, parse_duration));
  add_traffic_options(app, plan);
}

std::string with_options(std::string text) {
  for (const auto& [field, option] : kOptions) {
    const auto name = name_of(field);
    for (auto at = text.find(name); at != std::string::npos;
         at = text.find(name, at + option.size())) {
      text.replace(at, name.size(), option);
    }
  }
  return text;
}

Error with_options(Error error) {
  error.message = with_options(std::move(error.message));
  return error;
}

void choose_defaults(datapath::BenchPlan& plan, const std::optional<double>& interval) {
  // A short trial also has enough intervals for the median of the steady ones.
  constexpr double kShare = 0.1, kShortest = 0.05, kLongest = 1;
  plan.trial.interval_seconds =
      interval.value_or(std::clamp(plan.trial.seconds * kShare, kShortest, kLongest));
  auto& sizes = plan.traffic.sizes;
  if (!sizes.empty()) return;
  sizes.emplace_back();
  sizes.front().bytes = datapath::row_of(plan.mode).min_frame;
}

}  // namespace manactl::cli
