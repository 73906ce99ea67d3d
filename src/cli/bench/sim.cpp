// SPDX-License-Identifier: MIT

#include "cli/bench/sim.h"

#include <algorithm>
#include <optional>

#include "adapter/check/checker.h"
#include "adapter/launch/launch.h"
#include "base/text.h"
#include "cli/signals.h"
#include "cli/sim/render_sim.h"
#include "datapath/traffic/frame.h"

namespace manactl::cli {
namespace {

using datapath::Mode;

// Returns the backend that emulates the peer of the adapter. It generates packets for rx and fwd,
// and loops packets back for txrx and rtt.
std::string_view backend_of(Mode mode) {
  if (!datapath::receives(mode)) return "sink";
  return datapath::generates_packets(mode) ? "loopback" : "generator";
}

// The thread that rings a doorbell runs the device model, which therefore needs no CPU of its own.
std::string adapter_config(const datapath::BenchPlan& plan, const datapath::EngineRow& engine) {
  constexpr std::uint16_t kMinFrame = 60;
  const auto frame = static_cast<std::uint16_t>(plan.traffic.largest() - datapath::kFcsBytes);
  return fmt::format("queues={} engine=inline doorbell={} backend={} frame={}",
                     plan.queues,
                     engine.adapter_doorbell,
                     backend_of(plan.mode),
                     std::max(kMinFrame, frame));
}

// Returns the command line of this process, with the path of its executable as the first word.
Result<std::vector<std::string>> own_command(const os::System& system) {
  auto self = system.files.link_target("proc/self/exe");
  if (!self) return tl::unexpected<Error>(self.error());
  const auto words = system.files.read("proc/self/cmdline");
  if (!words) return tl::unexpected<Error>(words.error());
  std::vector<std::string> command;
  for (const auto word : split(*words, '\0')) command.emplace_back(word);
  if (words->ends_with('\0')) command.pop_back();
  if (command.empty()) return fail(Errc::io, "this program was started without a command line");
  command.front() = std::move(*self);
  return command;
}

// Returns the settings in the environment of a child; empty in a parent.
std::optional<std::string> adapter_settings(const os::Files& files) {
  const auto variables = files.read("proc/self/environ").value_or("");
  const auto prefix = fmt::format("{}=", adapter::kConfigVariable);
  for (const auto variable : split(variables, '\0')) {
    if (variable.starts_with(prefix)) return std::string(variable.substr(prefix.size()));
  }
  return std::nullopt;
}

// Returns the setup of the adapter that this process uses, if it is known.
std::optional<adapter::Config> adapter_setup(const os::Files& files) {
  const auto settings = adapter_settings(files);
  const auto config = adapter::Config::parse(settings.value_or(""));
  return settings && config ? std::optional(*config) : std::nullopt;
}

// Fails in a child that did not load the library. Otherwise, each child would start another child.
Result<> check_is_parent(const os::Files& files) {
  if (!adapter_settings(files)) return {};
  return fail(Errc::unsupported, "the library of the software adapter was not loaded");
}

Result<adapter::Outcome> start(const datapath::BenchPlan& plan,
                               const datapath::EngineRow& engine,
                               const os::System& system) {
  if (auto ok = check_is_parent(system.files); !ok) return tl::unexpected<Error>(ok.error());
  auto command = own_command(system);
  if (!command) return tl::unexpected<Error>(command.error());
  const auto library = adapter::find_library(command->front());
  if (!library) return tl::unexpected<Error>(library.error());
  adapter::LaunchOptions launch;
  launch.library = *library;
  launch.settings = adapter_config(plan, engine);
  launch.command = std::move(*command);
  return adapter::launch(launch);
}

}  // namespace

datapath::Nic simulated_nic() {
  constexpr PciAddress kSlot{0x7870, 0, 0, 0};
  return {"sim0", kSlot, adapter::Config{}.mac, std::nullopt};
}

std::string simulated_note(const datapath::BenchPlan& plan, const os::Files& files) {
  const auto setup = adapter_setup(files);
  const bool is_unlimited = !plan.trial.rate && setup && !setup->link.has_rate();
  const std::string note = "the software adapter was measured";
  return note + (is_unlimited ? ": the CPU limits the rate, not MANA" : ", not MANA");
}

std::string backend_note(Mode mode, const os::Files& files) {
  const auto setup = adapter_setup(files);
  const auto needed = adapter::Config::parse(fmt::format("backend={}", backend_of(mode)));
  if (!setup || !needed || setup->backend == needed->backend) return {};
  return fmt::format(
      "the backend of the software adapter sent nothing: mode {} requires 'manactl sim --backend "
      "{}'",
      name_of(mode),
      backend_of(mode));
}

Exit report_adapter(const adapter::Outcome& outcome, Context& context) {
  const bool has_violations = adapter::Checker(*outcome.counters).total() != 0;
  // A child that failed before the first packet has printed its error.
  const bool failed = outcome.status > 0 && outcome.status <= static_cast<int>(Exit::internal);
  if (has_violations || (!failed && context.verbosity > 0)) {
    print_text(context.err, SimResult{outcome, {}});
  }
  if (outcome.status == 0 && has_violations) return Exit::findings;
  return static_cast<Exit>(outcome.status);
}

Exit run_on_adapter(const datapath::BenchPlan& plan,
                    const datapath::EngineRow& engine,
                    Context& context) {
  const auto system = context.system();
  if (!system) return report_error(context, system.error());
  const ParentDeathSignal end(SIGTERM);  // the launcher forwards SIGTERM to the child
  const auto outcome = start(plan, engine, *system);
  if (!outcome) return report_error(context, because(outcome.error(), "bench --sim").value());
  return report_adapter(*outcome, context);
}

}  // namespace manactl::cli
