// SPDX-License-Identifier: MIT

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <span>

#include "adapter/launch/launch.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/sim/render_sim.h"

namespace manactl::cli {
namespace {

struct SimOptions {
  std::vector<std::string> settings;  // adapter settings, "key=value"
  std::vector<std::string> command;
  adapter::LaunchPaths paths;
  bool strict = false;
};

// Returns the kinds of the planned faults that are counted: all except `missing` and `foreign`.
std::set<adapter::FaultKind> countable_kinds(const std::vector<std::string>& settings) {
  constexpr std::string_view kFault = "fault=";
  std::set<adapter::FaultKind> kinds;
  for (const auto& setting : settings) {
    if (!setting.starts_with(kFault)) continue;
    const auto fault = adapter::Fault::parse(std::string_view(setting).substr(kFault.size()));
    if (fault) kinds.insert(fault->kind);
  }
  kinds.erase(adapter::FaultKind::missing);
  kinds.erase(adapter::FaultKind::foreign);
  return kinds;
}

Exit run_sim(const SimOptions& options, Context& context) {
  if (!context.root.empty()) {
    return report_usage_error(context, "sim: --root is not supported");
  }
  if (options.command.empty()) {
    return report_usage_error(context, "sim: COMMAND is missing; use manactl sim -- COMMAND");
  }
  const auto system = context.system();
  if (!system) return report_error(context, system.error());
  const auto self = system->files.link_target("proc/self/exe");
  if (!self) return report_error(context, because(self.error(), "sim").value());
  const auto library = adapter::find_library(*self);
  if (!library) return report_error(context, because(library.error(), "sim").value());
  const auto outcome = adapter::launch(
      {*library, join(options.settings, " "), options.command, context.json, options.paths});
  if (!outcome) return report_error(context, because(outcome.error(), "sim").value());
  const SimResult result{*outcome, options.command, countable_kinds(options.settings)};
  const Exit exit = exit_of(*outcome, options.strict);
  if (context.json) print_json(context.out, result, exit);
  if (!context.json && !context.quiet) print_text(context.err, result);
  return exit;
}

// A unit of a number in the adapter's configuration, which has no units of its own.
struct SimUnit {
  std::string_view name;
  double factor;
};

constexpr SimUnit kPacketUnits[] = {{"pps", 1}, {"", 1}};
constexpr SimUnit kBitUnits[] = {{"bit/s", 1}, {"bps", 1}, {"bit", 1}, {"", 1}};
constexpr SimUnit kTimeUnits[] = {{"us", 1}, {"ms", 1e3}, {"s", 1e6}};

struct Setting {
  OptionSpec spec;
  std::span<const SimUnit> units = {};
};

// Returns the value without its unit, "10000000000" for "10G"; `text` itself if there is no unit.
std::string without_unit(const std::string& text, std::span<const SimUnit> units) {
  // The adapter checks plain numbers.
  if (text.find_first_not_of("0123456789.") == std::string::npos) return text;
  constexpr double kMax = 1e15;  // an exact integer, above all limits of the adapter
  for (const auto& [name, factor] : units) {
    const auto size = text.size() - std::min(text.size(), name.size());
    if (lower(text.substr(size)) != name) continue;
    const auto number = parse_scaled(text.substr(0, size));
    const auto value = number ? std::round(*number * factor) : kMax + 1;
    return value <= kMax ? fmt::format("{:.0f}", value) : text;
  }
  return text;
}

// Adds the option --KEY, which checks its value and sets KEY of the adapter's configuration.
void add_setting(CLI::App& app,
                 const std::shared_ptr<SimOptions>& options,
                 const Setting& setting) {
  const auto store = [options, key = setting.spec.name.substr(2), units = setting.units](
                         const std::string& text) -> Result<> {
    const auto value = without_unit(text, units);
    auto good = adapter::Config::check(key, value);
    if (!good) return good;
    options->settings.push_back(fmt::format("{}={}", key, value));
    return {};
  };
  add_value(app, setting.spec, store);
}

void add_path(CLI::App& app, const OptionSpec& spec, std::string& path) {
  add_value(app, spec, [&path](const std::string& text) -> Result<> {
    if (text.empty()) return fail(Errc::invalid, "the file name is empty");
    path = text;
    return {};
  });
}

}  // namespace

CommandAction add_sim(CLI::App& app) {
  auto options = std::make_shared<SimOptions>();
  const Setting settings[] = {
      {{"--ports", "N", "create N ports (default: 1)"}},
      {{"--queues", "N", "allow N queues per port (default: 64)"}},
      {{"--mac", "MAC", "set the MAC address of the first port"}},
      {{"--backend", type::kBackend, "connect the ports to this backend (default: sink)"}},
      {{"--frame", "BYTES", "generate frames of this size (default: 60)"}},
      {{"--frames", "N", "deliver N frames (default: no limit; pcap: all)"}},
      {{"--engine", type::kEngine, "run the device inline or in a thread (default: inline)"}},
      {{"--doorbell", type::kDoorbell, "detect doorbells with this method (default: auto)"}},
      {{"--coalesce", type::kPackets, "put N packets into a receive completion (default: 1)"}},
      {{"--pps", "RATE", "limit each port's link to this packet rate: 500k or 1Mpps"},
       kPacketUnits},
      {{"--bps", "RATE", "limit each port's link to this bit rate: 2.5G or 10Gbps"}, kBitUnits},
      {{"--latency",
        "TIME",
        "delay frames by this time: 50 (microseconds), 50us or 1ms (default: 0)"},
       kTimeUnits},
      {{"--jitter", "TIME", "add a random delay of up to this time (default: 0)"}, kTimeUnits},
      {{"--fault", type::kFault, "inject a fault (example: create_qp=errno:EBUSY)", true}},
  };
  for (const auto& setting : settings) add_setting(app, options, setting);
  add_path(app,
           {"--read", type::kFile, "receive the packets of this capture (backend pcap)"},
           options->paths.read);
  add_path(
      app, {"--write", type::kFile, "write sent packets to this capture"}, options->paths.write);
  add_flag(app, "--strict", options->strict, "exit with 1 for known defects of the driver too");
  add_value(app,
            {"COMMAND", type::kProgram, "run this program with its arguments", true},
            [options](const std::string& text) -> Result<> {
              options->command.push_back(text);
              return {};
            })
      ->allow_extra_args(true);
  return [options](Context& context) { return run_sim(*options, context); };
}

}  // namespace manactl::cli
