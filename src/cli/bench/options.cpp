// SPDX-License-Identifier: MIT

#include "cli/bench/options.h"

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "base/text.h"
#include "cli/arguments.h"
#include "cli/bench/traffic_text.h"
#include "cli/options.h"
#include "datapath/request.h"

namespace manactl::cli {
namespace {

constexpr std::string_view kModes = "tx|rx|txrx|fwd|rtt";  // in the order of datapath::Mode

Result<datapath::Mode> parse_mode(std::string_view text) {
  std::vector<std::string> names;
  for (const auto word : split(kModes, '|')) names.emplace_back(word);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == text) return static_cast<datapath::Mode>(i);
  }
  return fail(
      Errc::invalid,
      fmt::format(
          "'{}' is none of {}{}", printable(text, 40), join(names, ", "), suggestion(text, names)));
}

template <std::uint16_t kLeast, std::uint16_t kMost>
Take count_into(std::uint16_t& target) {
  return into(target, [](std::string_view text) { return parse_count(text, kLeast, kMost); });
}

void add_traffic_options(CLI::App& app, datapath::BenchPlan& plan) {
  auto& traffic = plan.traffic;
  add_value(app,
            {"--size",
             "SIZES",
             "bytes of a frame: 64, 64,512,1518, 64:7,570:4,1518:1, imix (64, with rtt 78)"},
            into(traffic.sizes, parse_sizes));
  add_value(app,
            {"--flows", "N", "flows of each queue, by UDP source port (1)"},
            into(traffic.flows, [](std::string_view text) { return parse_count(text, 1, 64512); }));
  add_value(app,
            {"--rate", "RATE", "of each port: 1Mpps, 10Gbps, 50% (as fast as it goes)"},
            into(plan.trial.rate, parse_rate));
  add_value(app,
            {"--ramp", "TIME", "from nothing to the rate (none)"},
            into(plan.trial.ramp_seconds, parse_duration));
  add_value(app,
            {"--peer", "ADDRESS", "IPv4 address that packets go to (198.18.0.2)"},
            into(traffic.peer_ip, Ipv4Address::parse));
  add_value(app,
            {"--src-ip", "ADDRESS", "IPv4 address that they come from (the NIC's)"},
            into(traffic.source_ip, Ipv4Address::parse));
  add_value(app,
            {"--dst-mac", "MAC", "destination address (12:34:56:78:9a:bc)"},
            into(traffic.destination, MacAddress::parse));
}

}  // namespace

void add_plan_options(CLI::App& app, datapath::BenchPlan& plan) {
  plan.traffic.sizes.clear();
  add_value(app,
            {"--mode", kModes, "send, receive, both, forward, or time requests (tx)"},
            into(plan.mode, parse_mode));
  add_value(app, {"--queues", "N", "queues, each with a CPU (1)"}, count_into<1, 64>(plan.queues));
  add_value(app,
            {"--duration", "TIME", "how long: 10, 1.5, 500ms, 2m (10)"},
            into(plan.trial.seconds, parse_duration));
  add_value(app,
            {"--warmup", "TIME", "of it at the start, left out of the rate (none)"},
            into(plan.trial.warmup_seconds, parse_duration));
  add_value(app, {"--burst", "N", "packets of one call (32)"}, count_into<1, 256>(plan.burst));
  add_value(app,
            {"--descriptors", "N", "descriptors of a queue (256)"},
            count_into<64, 8192>(plan.descriptors));
  add_value(app,
            {"--interval", "TIME", "time between two samples (1)"},
            into(plan.trial.interval_seconds, parse_duration));
  add_traffic_options(app, plan);
}

void choose_sizes(datapath::BenchPlan& plan) {
  auto& sizes = plan.traffic.sizes;
  if (!sizes.empty()) return;
  sizes.emplace_back();
  if (plan.mode == datapath::Mode::rtt) sizes.front().bytes = datapath::kLeastRequestFrame;
}

}  // namespace manactl::cli
