// SPDX-License-Identifier: MIT

#include "cli/bench/sim.h"

#include <algorithm>

#include "adapter/checker.h"
#include "adapter/launch.h"
#include "base/text.h"
#include "cli/render_sim.h"
#include "cli/signals.h"
#include "datapath/frame.h"

namespace manactl::cli {
namespace {

using datapath::Mode;

// The adapter's end of the cable: what a receiver gets comes from there, and what both sends and
// receives gets its own packets back.
std::string_view backend_of(Mode mode) {
  if (!datapath::receives(mode)) return "sink";
  return mode == Mode::rx || mode == Mode::fwd ? "generator" : "loopback";
}

// Doorbells are calls and the device works inside them: nothing waits for a CPU.
std::string words_of(const datapath::BenchPlan& plan) {
  constexpr std::uint16_t kLeastFrame = 60;
  const auto frame = static_cast<std::uint16_t>(plan.traffic.largest() - datapath::kFcsBytes);
  return fmt::format("queues={} engine=inline doorbell=call backend={} frame={}",
                     plan.queues,
                     backend_of(plan.mode),
                     std::max(kLeastFrame, frame));
}

// The words that this process was started with, and its own file in place of the first.
Result<std::vector<std::string>> own_command(const os::System& system) {
  auto self = system.files.link_target("proc/self/exe");
  if (!self) return tl::unexpected<Error>(self.error());
  const auto words = system.files.read("proc/self/cmdline");
  if (!words) return tl::unexpected<Error>(words.error());
  std::vector<std::string> command;
  for (const auto word : split(*words, '\0')) command.emplace_back(word);
  if (words->ends_with('\0')) command.pop_back();
  if (command.empty()) return fail(Errc::io, "this program was started without words");
  command.front() = std::move(*self);
  return command;
}

// A child in which the library is missing would start a child.
Result<> is_no_child(const os::System& system) {
  const auto variables = system.files.read("proc/self/environ");
  if (!variables || variables->find(adapter::kConfigVariable) == std::string::npos) return {};
  return fail(Errc::unsupported, "the library of the software adapter was not loaded");
}

Result<adapter::Outcome> start(const datapath::BenchPlan& plan, const os::System& system) {
  if (auto ok = is_no_child(system); !ok) return tl::unexpected<Error>(ok.error());
  auto command = own_command(system);
  if (!command) return tl::unexpected<Error>(command.error());
  const auto library = adapter::find_library(command->front());
  if (!library) return tl::unexpected<Error>(library.error());
  adapter::Launch launch;
  launch.library = *library;
  launch.words = words_of(plan);
  launch.command = std::move(*command);
  return adapter::launch(launch);
}

}  // namespace

datapath::Nic simulated_nic() {
  constexpr PciAddress kSlot{0x7870, 0, 0, 0};
  return {"sim0", kSlot, adapter::Config{}.mac, std::nullopt};
}

Exit run_on_adapter(const datapath::BenchPlan& plan, Context& context) {
  const auto system = context.system();
  if (!system) return report_error(context, system.error());
  const EndWithParent end(SIGTERM);  // which is passed on to the child
  const auto outcome = start(plan, *system);
  if (!outcome) return report_error(context, because(outcome.error(), "bench --sim").value());
  const bool kept = adapter::Checker(*outcome->ledger).total() == 0;
  const auto exit =
      outcome->status == 0 && !kept ? Exit::findings : static_cast<Exit>(outcome->status);
  // A child that was refused has said why, and nothing was sent.
  const bool refused = outcome->status > 0 && outcome->status <= static_cast<int>(Exit::internal);
  if (!refused || !kept) {
    text(context.err, SimAnswer{*outcome, {}, exit});
  }
  return exit;
}

}  // namespace manactl::cli
