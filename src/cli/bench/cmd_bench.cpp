// SPDX-License-Identifier: MIT

#include <CLI/CLI.hpp>
#include <memory>
#include <vector>

#include "base/text.h"
#include "cli/arguments.h"
#include "cli/bench/options.h"
#include "cli/bench/render_bench.h"
#include "cli/bench/run.h"
#include "cli/bench/sim.h"
#include "cli/bench/target.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/prepared.h"
#include "cli/question.h"
#include "datapath/engines.h"
#include "host/gather.h"

namespace manactl::cli {
namespace {

struct Options {
  datapath::BenchPlan plan;
  std::vector<InterfaceName> interfaces;
  EngineChoice engine = EngineChoice::automatic;
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

Exit list_drivers(Context& context) {
  const auto engine = datapath::engine_info();
  context.json ? drivers_json(context.out, engine) : drivers_text(context.out, engine);
  return Exit::ok;
}

// The first thing that is wrong with the words themselves.
std::string wrong_words(const Options& options, const Context& context) {
  const bool device = !options.plan.vdevs.empty();
  if (!context.root.empty())
    return "bench: --root is for captured systems, which cannot be measured";
  const bool interface = !options.interfaces.empty();
  if (device && interface) return "bench: an interface and --vdev exclude each other";
  if (options.sim && (device || interface))
    return "bench: --sim brings its own device, an interface or --vdev excludes it";
  if (device && options.engine == EngineChoice::verbs)
    return "bench: --engine verbs measures MANA only, --vdev is for DPDK";
  if (options.sim && options.engine == EngineChoice::dpdk)
    return "bench: --sim runs the engine of direct verbs, not --engine dpdk";
  return {};
}

// The adapter in place of a NIC: asked for, or because there is no NIC and nothing else was named.
Exit simulate(const Options& options, Context& context, const host::Facts& facts) {
  auto plan = options.plan;
  plan.nics.push_back(simulated_nic());
  plan.hugepages = false;
  if (facts.cpus) plan.cpus = *facts.cpus;
  const auto valid = check_run(plan, options.run);
  if (!valid) return report_error(context, because(valid.error(), "bench").value());
  if (!datapath::has_verbs_engine()) {
    return refuse(context, Errc::unsupported, "bench: this manactl was built without libmana");
  }
  if (datapath::is_simulated()) {
    return run_plan(context, plan, options.run, {true, true, std::string(kSimulatedNote)});
  }
  if (!options.sim) {
    context.err.stream() << "manactl: no MANA here: measuring the software adapter, which says "
                            "nothing of the hardware\n";
  }
  return run_on_adapter(plan, context);
}

// The NICs that were named, and the CPUs near to them.
Possible<void> find_nics(const Options& options,
                         const Context& context,
                         const host::Facts& facts,
                         datapath::BenchPlan& plan,
                         bool verbs) {
  const auto system = context.system();
  if (options.interfaces.empty() || !system) return {};
  const auto entries = known_entries(*system, context);
  for (const auto& interface : options.interfaces) {
    auto port = verbs ? find_verbs_port(facts, interface.str(), entries)
                      : find_port(facts, interface.str(), datapath::engine_info(), entries);
    if (!port) return tl::unexpected<Obstacle>(port.error());
    plan.nics.push_back(std::move(*port));
  }
  plan.near_cpus = cpus_near(system->files, facts, plan.nics);
  return {};
}

Exit run_on_verbs(const Options& options,
                  Context& context,
                  datapath::BenchPlan plan,
                  const host::Facts& facts) {
  if (auto ok = find_nics(options, context, facts, plan, true); !ok) {
    return say(context, ok.error());
  }
  plan.hugepages = false;
  const auto valid = check_run(plan, options.run);
  if (!valid) return report_error(context, because(valid.error(), "bench").value());
  return run_plan(context, plan, options.run, {true, datapath::is_simulated(), {}});
}

Exit run_on_dpdk(const Options& options,
                 Context& context,
                 datapath::BenchPlan plan,
                 const host::Facts& facts) {
  const auto info = datapath::engine_info();
  if (info.version.empty()) {
    return refuse(context, Errc::unsupported, "bench: this manactl was built without DPDK");
  }
  if (auto ok = find_nics(options, context, facts, plan, false); !ok) {
    return say(context, ok.error());
  }
  const auto valid = check_run(plan, options.run);
  if (!valid) return report_error(context, because(valid.error(), "bench").value());
  const auto note = choose_memory(facts, plan);
  if (!note) return say(context, note.error());
  return run_plan(context, plan, options.run, {false, false, *note});
}

Exit run_bench(const Options& options, Context& context) {
  if (options.list_drivers) return list_drivers(context);
  const auto wrong = wrong_words(options, context);
  if (!wrong.empty()) return refuse(context, Errc::invalid, wrong);
  const auto system = context.system();
  if (!system) return report_error(context, system.error());
  const auto facts = host::gather(*system, embedded_dpdk());
  const bool named = !options.plan.vdevs.empty() || !options.interfaces.empty();
  const bool nothing_else = !named && !facts.has_mana() && datapath::has_verbs_engine() &&
                            options.engine != EngineChoice::dpdk;
  if (options.sim || nothing_else) return simulate(options, context, facts);
  if (!named) {
    return refuse(context,
                  Errc::invalid,
                  datapath::has_verbs_engine()
                      ? "bench: a device is missing: an interface, --vdev net_null0 or --sim"
                      : "bench: a device is missing: an interface or --vdev net_null0");
  }
  datapath::BenchPlan plan = options.plan;
  plan.hugepages = !options.no_huge;
  if (facts.cpus) plan.cpus = *facts.cpus;
  const bool verbs =
      !options.interfaces.empty() &&
      takes_verbs(options.engine, datapath::engine_info(), datapath::has_verbs_engine());
  return verbs ? run_on_verbs(options, context, std::move(plan), facts)
               : run_on_dpdk(options, context, std::move(plan), facts);
}

void add_device_options(CLI::App& app, const std::shared_ptr<Options>& options) {
  const auto take = [options](const std::string& text) -> Result<> {
    auto name = InterfaceName::parse(text);
    if (!name) return tl::unexpected<Error>(name.error());
    options->interfaces.push_back(std::move(*name));
    return {};
  };
  add_value(app, {"IFACE", type::kInterface, "measure this MANA NIC"}, take);
  add_value(
      app, {"--iface", type::kInterface, "the same, for names that are also words: compare"}, take);
  add_value(app, {"--port", type::kInterface, "measure this NIC, too", true}, take);
  add_value(app,
            {"--vdev", "DEVICE", "measure a virtual device of DPDK: net_null0, net_ring0", true},
            [options](const std::string& text) -> Result<> {
              auto device = parse_text(text, "a virtual device");
              if (!device) return tl::unexpected<Error>(device.error());
              options->plan.vdevs.push_back(std::move(*device));
              return {};
            });
}

}  // namespace

Run add_bench(CLI::App& app) {
  auto options = std::make_shared<Options>();
  add_device_options(app, options);
  add_plan_options(app, options->plan);
  add_value(app,
            {"--engine", type::kBenchEngine, "what drives a MANA NIC (auto)"},
            into(options->engine, parse_engine));
  add_flag(app, "--sim", options->sim, "measure the software adapter, on any machine");
  add_flag(app, "--no-huge", options->no_huge, "use ordinary memory, not hugepages");
  add_run_options(app, options->run);
  add_flag(app, "--list-drivers", options->list_drivers, "print the drivers inside and end");
  return [options](Context& context) {
    choose_sizes(options->plan);
    return run_bench(*options, context);
  };
}

}  // namespace manactl::cli
