// SPDX-License-Identifier: MIT

#include "cli/bench_options.h"

#include <CLI/CLI.hpp>

#include "base/text.h"
#include "cli/arguments.h"
#include "cli/options.h"

namespace manactl::cli {
namespace {

Result<datapath::Mode> parse_mode(std::string_view text) {
  if (text == "tx") return datapath::Mode::tx;
  if (text == "rx") return datapath::Mode::rx;
  return fail(
      Errc::invalid,
      fmt::format(
          "'{}' is neither tx nor rx{}", printable(text, 40), suggestion(text, {"tx", "rx"})));
}

template <std::uint16_t kLeast, std::uint16_t kMost>
Take count_into(std::uint16_t& target) {
  return into(target, [](std::string_view text) { return parse_count(text, kLeast, kMost); });
}

}  // namespace

void add_plan_options(CLI::App& app, datapath::BenchPlan& plan) {
  add_value(app, {"--mode", type::kMode, "send or receive (tx)"}, into(plan.mode, parse_mode));
  add_value(app, {"--queues", "N", "queues, each with a CPU (1)"}, count_into<1, 64>(plan.queues));
  add_value(app,
            {"--size", "BYTES", "bytes of a frame with its checksum (64)"},
            count_into<64, 9018>(plan.traffic.sizes.front().bytes));
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
}

}  // namespace manactl::cli
