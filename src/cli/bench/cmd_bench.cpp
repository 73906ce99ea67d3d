// SPDX-License-Identifier: MIT

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "base/text.h"
#include "cli/arguments.h"
#include "cli/bench/options.h"
#include "cli/bench/render_bench.h"
#include "cli/bench/run.h"
#include "cli/bench/sim.h"
#include "cli/bench/target.h"
#include "cli/bench/virtual_device.h"
#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/facts.h"
#include "cli/nic_name.h"
#include "cli/options.h"
#include "datapath/engines.h"
#include "datapath/plan/plan.h"
#include "host/gather.h"

namespace manactl::cli {
namespace {

struct BenchOptions {
  datapath::BenchPlan plan;
  std::optional<double> interval;  // seconds; empty: a share of the duration
  std::vector<NicName> interfaces;
  const datapath::EngineRow* engine = nullptr;  // null: automatic
  bool sim = false;
  bool no_huge = false;
  bool list_drivers = false;
  RunOptions run;
};

Exit refuse(Context& context, Errc code, std::string message) {
  return report_error(context, Error{code, 0, std::move(message)});
}

Exit say(Context& context, const Obstacle& obstacle) {
  std::string commands;
  if (!obstacle.commands.empty()) {
    commands = "Run as root:\n    " + join(obstacle.commands, "\n    ");
  }
  return report_error(context, obstacle.error, commands);
}

// Returns the first argument that --list-drivers would ignore; empty if there is none.
std::string ignored_by_list(const CLI::App& app,
                            const std::optional<Output>& output,
                            const Context& context) {
  constexpr std::array<std::string_view, 7> kUsed = {
      "--list-drivers", "--output", "--json", "--quiet", "--verbose", "--color", "--config"};
  if (app.get_option("IFACE")->count() > 0) return "IFACE";
  for (const auto& name : option_names(app)) {
    const bool is_used = std::ranges::find(kUsed, name) != kUsed.end();
    if (!is_used && is_typed(context.arguments, name)) return name;
  }
  const bool is_printable = !output || *output == Output::text || *output == Output::json;
  return is_printable ? std::string() : "this format of --output";
}

Exit list_drivers(const CLI::App& app, const BenchOptions& options, Context& context) {
  const auto ignored = ignored_by_list(app, options.run.output, context);
  if (!ignored.empty()) {
    return refuse(context,
                  Errc::invalid,
                  fmt::format("bench: {} cannot be used with --list-drivers", ignored));
  }
  const auto engine = datapath::kDpdkEngine.info();
  context.json ? print_drivers_json(context.out, engine) : print_drivers_text(context.out, engine);
  return Exit::ok;
}

// True if --size has no effect: a receiver uses it only for larger buffers.
bool ignores_size(const BenchOptions& options) {
  const auto& plan = options.plan;
  const bool uses_size =
      generates_packets(plan.mode) || options.sim || datapath::device_creates_packets(plan);
  return !uses_size && plan.traffic.largest() <= datapath::kMaxStandardFrame;
}

// Returns the error message for contradictory options; empty if there is no contradiction.
std::string usage_error(const BenchOptions& options, const Context& context) {
  const bool device = !options.plan.vdevs.empty();
  if (!context.root.empty())
    return "bench: --root is for captured systems, which cannot be measured";
  const bool interface = !options.interfaces.empty();
  if (device && interface) return "bench: an interface and --vdev are mutually exclusive";
  if (options.sim && (device || interface))
    return "bench: --sim has its own device: omit the interface or --vdev";
  const auto* engine = options.engine;
  if (device && engine != nullptr && !engine->takes_vdevs)
    return fmt::format("bench: --engine {} measures MANA only; --vdev requires DPDK", engine->name);
  if (engine != nullptr && !engine->uses_hugepages && is_typed(context.arguments, "--no-huge"))
    return fmt::format("bench: --no-huge has no effect: with --engine {}, no hugepages are used",
                       engine->name);
  const auto& run = options.run;
  if (options.sim && is_typed(context.arguments, "--allow-synthetic"))
    return "bench: --allow-synthetic has no effect: with --sim, there is no synthetic path";
  if (!run.until_deleted.empty() && (!run.losses.empty() || run.repeat > 1))
    return "bench: --until-deleted measures a single trial: omit --find and --repeat";
  if (run.no_save && is_typed(context.arguments, "--results"))
    return "bench: --results cannot be used with --no-save";
  if (!run.losses.empty() && is_typed(context.arguments, "--warmup"))
    return "bench: --warmup cannot be used with --find, whose trials have a ramp instead";
  if (is_typed(context.arguments, "--size") && ignores_size(options))
    return fmt::format(
        "bench: --size has no effect: with --mode {}, the other end chooses the sizes (above {}, "
        "--size enlarges the receive buffers)",
        name_of(options.plan.mode),
        datapath::kMaxStandardFrame);
  return {};
}

// Measures the software adapter: for --sim, or below 'manactl sim'.
Exit simulate(const BenchOptions& options, Context& context, const host::Facts& facts) {
  auto plan = options.plan;
  plan.nics.push_back(simulated_nic());
  plan.hugepages = false;
  if (facts.cpus) plan.cpus = *facts.cpus;
  const auto valid = check_run(plan, options.run);
  if (!valid) return report_error(context, because(valid.error(), "bench").value());
  const auto& engine = options.engine != nullptr ? *options.engine : datapath::adapter_engine();
  if (datapath::is_simulated()) {
    return run_plan(
        context, plan, options.run, {&engine, true, simulated_note(plan, context.system()->files)});
  }
  return run_on_adapter(plan, engine, context);
}

// True if the only named device is the port of the adapter below 'manactl sim', by the name in
// results or by its PCI address.
bool names_adapter(const BenchOptions& options) {
  if (!datapath::is_simulated() || options.interfaces.size() != 1) return false;
  const auto nic = simulated_nic();
  const auto& name = options.interfaces.front().str();
  return options.plan.vdevs.empty() && (name == nic.interface || name == nic.pci.str());
}

// Whether DPDK would create a device of this name.
bool is_vdev(const std::string& name) {
  const auto drivers = datapath::vdev_engine().info().drivers;
  return std::ranges::any_of(drivers, [&](const std::string& driver) {
    return driver.starts_with("net_") && name.starts_with(driver);
  });
}

// Adds the ports of the named interfaces to the plan, and the CPUs on their NUMA nodes.
Possible<void> find_nics(const BenchOptions& options,
                         const Context& context,
                         const host::Facts& facts,
                         datapath::BenchPlan& plan,
                         const datapath::EngineRow& engine) {
  const auto system = context.system();
  if (options.interfaces.empty() || !system) return {};
  const auto entries = journal_entries(*system, context);
  for (const auto& interface : options.interfaces) {
    auto port = engine.nic_state == datapath::NicState::link_down
                    ? find_unbound_port(facts, interface.str(), entries)
                    : find_prepared_port(facts, interface.str(), entries);
    if (!port && is_vdev(interface.str())) {
      return tl::unexpected<Obstacle>(
          Obstacle{Error{Errc::invalid,
                         0,
                         fmt::format("bench: '{0}' is a virtual device of DPDK: use --vdev {0}",
                                     interface.str())},
                   {}});
    }
    if (!port) return tl::unexpected<Obstacle>(port.error());
    plan.nics.push_back(std::move(*port));
  }
  plan.near_cpus = cpus_near(system->files, facts, plan.nics);
  return {};
}

Result<> check_devices(const datapath::BenchPlan& plan,
                       const host::Facts& facts,
                       const os::System& system) {
  for (const auto& device : plan.vdevs) {
    auto safe = refuse_busy_interface(device, plan.mode, facts, system.links);
    if (safe && geteuid() == 0) safe = refuse_shared_memif(device);
    if (!safe) return safe;
  }
  return {};
}

// The synthetic path needs neither libibverbs nor libmana.
Result<> check_libraries(const datapath::EngineRow& engine,
                         const BenchOptions& options,
                         const datapath::BenchPlan& plan,
                         const host::Facts& facts) {
  const bool has_fallback = options.run.allow_synthetic && engine.takes_vdevs;
  if (plan.nics.empty() || has_fallback) return {};
  auto loaded = datapath::load_mana_libraries();
  if (loaded) return loaded;
  auto why = obstacle_in_libraries(facts);
  return why.empty() ? loaded : fail(loaded.error().code, std::move(why));
}

// True if a named interface exists, but is not one of a NIC of Azure.
bool names_other_interface(const BenchOptions& options, const host::Facts& facts) {
  return std::ranges::any_of(options.interfaces, [&](const NicName& name) {
    return std::ranges::find(facts.interfaces, name.str()) != facts.interfaces.end() &&
           facts.find_nic(name.str()) == nullptr;
  });
}

// Reports an error about the choice of the device, and the possible choices.
Exit explain_devices(Context& context, const host::Facts& facts, const Error& error) {
  return report_error(
      context, error, "Choose what to measure:\n    " + join(devices_to_measure(facts), "\n    "));
}

Error missing_device(const host::Facts& facts) {
  if (facts.has_mana()) return {Errc::invalid, 0, "bench: a device is missing"};
  return {Errc::unsupported, 0, "bench: this machine has no MANA NIC"};
}

Exit run_on(const datapath::EngineRow& engine,
            const BenchOptions& options,
            Context& context,
            datapath::BenchPlan plan,
            const host::Facts& facts) {
  if (auto ok = find_nics(options, context, facts, plan, engine); !ok) {
    const auto& error = ok.error().error;
    return names_other_interface(options, facts) ? explain_devices(context, facts, error)
                                                 : say(context, ok.error());
  }
  if (!engine.uses_hugepages) plan.hugepages = false;
  auto valid = check_run(plan, options.run);
  if (valid) valid = check_devices(plan, facts, *context.system());
  if (valid) valid = check_libraries(engine, options, plan, facts);
  if (!valid) return report_error(context, because(valid.error(), "bench").value());
  const auto note = choose_memory(facts, plan);
  if (!note) return say(context, note.error());
  const bool simulated = datapath::is_simulated() && measures_mana(plan);
  return run_plan(context, plan, options.run, {&engine, simulated, *note});
}

Exit run_bench(const BenchOptions& options, Context& context) {
  const auto wrong = usage_error(options, context);
  if (!wrong.empty()) return refuse(context, Errc::invalid, wrong);
  const auto system = context.system();
  if (!system) return report_error(context, system.error());
  const auto facts = gather_facts(*system);
  const bool named = !options.plan.vdevs.empty() || !options.interfaces.empty();
  if (options.sim || names_adapter(options) || (!named && datapath::is_simulated())) {
    return simulate(options, context, facts);
  }
  if (!named) return explain_devices(context, facts, missing_device(facts));
  datapath::BenchPlan plan = options.plan;
  plan.hugepages = !options.no_huge;
  if (facts.cpus) plan.cpus = *facts.cpus;
  const auto* chosen = options.engine != nullptr ? options.engine : datapath::kEngines.front();
  const auto& engine = options.interfaces.empty() ? datapath::vdev_engine() : *chosen;
  return run_on(engine, options, context, std::move(plan), facts);
}

void add_device_options(CLI::App& app, const std::shared_ptr<BenchOptions>& options) {
  const auto take = [options](const std::string& text) -> Result<> {
    auto name = NicName::parse(text);
    if (!name) return tl::unexpected<Error>(name.error());
    options->interfaces.push_back(std::move(*name));
    return {};
  };
  add_value(app, {"IFACE", type::kInterface, "measure this MANA NIC"}, take);
  add_value(
      app, {"--iface", type::kInterface, "same as IFACE, also for names such as 'compare'"}, take);
  add_value(app, {"--port", type::kInterface, "measure this NIC as well", true}, take);
  add_value(app,
            {"--vdev", type::kVdev, "measure a virtual DPDK device: net_null0 or net_ring0", true},
            [options](const std::string& text) -> Result<> {
              auto device = parse_text(text, "a virtual device");
              if (!device) return tl::unexpected<Error>(device.error());
              options->plan.vdevs.push_back(std::move(*device));
              return {};
            });
}

}  // namespace

CommandAction add_bench(CLI::App& app) {
  auto options = std::make_shared<BenchOptions>();
  add_device_options(app, options);
  add_plan_options(app, options->plan, options->interval);
  add_value(app,
            {"--engine", engine_choice(), "drive MANA NICs with this engine (default: auto)"},
            store_in(options->engine, parse_engine));
  add_flag(app, "--sim", options->sim, "measure the software adapter, on any machine");
  add_flag(app, "--no-huge", options->no_huge, "use ordinary memory instead of hugepages");
  add_run_options(app, options->run);
  add_flag(app, "--list-drivers", options->list_drivers, "print the built-in drivers and exit");
  return [options, &app](Context& context) {
    if (options->list_drivers) return list_drivers(app, *options, context);
    choose_defaults(options->plan, options->interval);
    return run_bench(*options, context);
  };
}

}  // namespace manactl::cli
