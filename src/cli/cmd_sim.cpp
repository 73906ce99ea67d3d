// SPDX-License-Identifier: MIT

#include <CLI/CLI.hpp>
#include <memory>

#include "adapter/checker.h"
#include "adapter/launch.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/render_sim.h"

namespace manactl::cli {
namespace {

struct Options {
  std::vector<std::string> words;  // of the adapter's settings
  std::vector<std::string> command;
  adapter::LaunchPaths paths;
};

Exit exit_of_run(const adapter::Outcome& outcome) {
  const bool kept = adapter::Checker(*outcome.ledger).total() == 0;
  if (outcome.status == 0 && !kept) return Exit::findings;
  return static_cast<Exit>(outcome.status);
}

Exit run_sim(const Options& options, Context& context) {
  if (!context.root.empty()) {
    return report_error(context, Error{Errc::invalid, 0, "sim: --root is for captured systems"});
  }
  if (options.command.empty()) {
    return report_error(
        context, Error{Errc::invalid, 0, "sim: a command is missing: manactl sim -- COMMAND"});
  }
  const auto system = context.system();
  if (!system) return report_error(context, system.error());
  const auto self = system->files.link_target("proc/self/exe");
  if (!self) return report_error(context, because(self.error(), "sim").value());
  const auto library = adapter::find_library(*self);
  if (!library) return report_error(context, because(library.error(), "sim").value());
  const auto outcome = adapter::launch(
      {*library, join(options.words, " "), options.command, context.json, options.paths});
  if (!outcome) return report_error(context, because(outcome.error(), "sim").value());
  const SimAnswer answer{*outcome, options.command, exit_of_run(*outcome)};
  context.json ? json(context.out, answer) : text(context.err, answer);
  return answer.exit;
}

// A setting that the adapter understands as "key=value"; what is wrong with it is said at once.
void add_setting(CLI::App& app,
                 const std::shared_ptr<Options>& options,
                 const Spec& spec,
                 const std::string& key) {
  add_value(app, spec, [options, key](const std::string& text) -> Result<> {
    auto good = adapter::Config::check(key, text);
    if (!good) return good;
    options->words.push_back(fmt::format("{}={}", key, text));
    return {};
  });
}

void add_path(CLI::App& app, const Spec& spec, std::string& path) {
  add_value(app, spec, [&path](const std::string& text) -> Result<> {
    if (text.empty()) return fail(Errc::invalid, "a file is needed");
    path = text;
    return {};
  });
}

}  // namespace

Run add_sim(CLI::App& app) {
  auto options = std::make_shared<Options>();
  add_setting(app, options, {"--ports", "N", "ports of the adapter (1)"}, "ports");
  add_setting(app, options, {"--queues", "N", "queues of a port (64)"}, "queues");
  add_setting(app, options, {"--mac", "MAC", "address of the first port"}, "mac");
  add_setting(
      app, options, {"--backend", type::kBackend, "what the ports lead to (sink)"}, "backend");
  add_path(app, {"--read", type::kFile, "capture that arrives: backend pcap"}, options->paths.read);
  add_path(app, {"--write", type::kFile, "capture of what is sent"}, options->paths.write);
  add_setting(app, options, {"--frame", "BYTES", "frames that are generated (60)"}, "frame");
  add_setting(
      app, options, {"--frames", "N", "how many arrive (generator: no end; pcap: all)"}, "frames");
  add_setting(
      app, options, {"--engine", type::kEngine, "who does the device's work (inline)"}, "engine");
  add_setting(app,
              options,
              {"--doorbell", type::kDoorbell, "how doorbells are noticed (auto)"},
              "doorbell");
  add_setting(app,
              options,
              {"--coalesce", type::kPackets, "packets that share a receive completion (1)"},
              "coalesce");
  add_setting(app, options, {"--pps", "N", "packets a second of a port's link"}, "pps");
  add_setting(app, options, {"--bps", "N", "bits a second of a port's link"}, "bps");
  add_setting(app, options, {"--latency", "USECS", "how long frames travel (0)"}, "latency");
  add_setting(app, options, {"--jitter", "USECS", "how much longer at most (0)"}, "jitter");
  add_setting(app,
              options,
              {"--fault", "FAULT", "a fault to inject: create_qp=errno:EBUSY", true},
              "fault");
  add_value(app,
            {"COMMAND", "COMMAND", "the program and its arguments", true},
            [options](const std::string& text) -> Result<> {
              options->command.push_back(text);
              return {};
            })
      ->allow_extra_args(true);
  return [options](Context& context) { return run_sim(*options, context); };
}

}  // namespace manactl::cli
