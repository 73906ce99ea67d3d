// SPDX-License-Identifier: MIT

#include <CLI/CLI.hpp>
#include <memory>

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
  const SimResult result{*outcome, options.command};
  const Exit exit = exit_of(*outcome, options.strict);
  if (context.json) print_json(context.out, result, exit);
  if (!context.json && !context.quiet) print_text(context.err, result);
  return exit;
}

// Adds the option --KEY, which checks its value and sets KEY of the adapter's configuration.
void add_setting(CLI::App& app,
                 const std::shared_ptr<SimOptions>& options,
                 const OptionSpec& spec) {
  add_value(app, spec, [options, key = spec.name.substr(2)](const std::string& text) -> Result<> {
    auto good = adapter::Config::check(key, text);
    if (!good) return good;
    options->settings.push_back(fmt::format("{}={}", key, text));
    return {};
  });
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
  const OptionSpec settings[] = {
      {"--ports", "N", "create N ports (default: 1)"},
      {"--queues", "N", "allow N queues per port (default: 64)"},
      {"--mac", "MAC", "set the MAC address of the first port"},
      {"--backend", type::kBackend, "connect the ports to this backend (default: sink)"},
      {"--frame", "BYTES", "generate frames of this size (default: 60)"},
      {"--frames", "N", "deliver N frames (default: no limit; pcap: all)"},
      {"--engine", type::kEngine, "run the device inline or in a thread (default: inline)"},
      {"--doorbell", type::kDoorbell, "detect doorbells with this method (default: auto)"},
      {"--coalesce", type::kPackets, "put N packets into a receive completion (default: 1)"},
      {"--pps", "N", "limit each port's link to N packets per second"},
      {"--bps", "N", "limit each port's link to N bits per second"},
      {"--latency", "USECS", "delay frames by this time (default: 0)"},
      {"--jitter", "USECS", "add a random delay of up to this time (default: 0)"},
      {"--fault", type::kFault, "inject a fault (example: create_qp=errno:EBUSY)", true},
  };
  for (const auto& spec : settings) add_setting(app, options, spec);
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
