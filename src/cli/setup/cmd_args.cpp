// SPDX-License-Identifier: MIT

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>

#include "base/text.h"
#include "cli/command.h"
#include "cli/command_hints.h"
#include "cli/command_line.h"
#include "cli/facts.h"
#include "cli/nic_name.h"
#include "cli/options.h"
#include "cli/setup/programs.h"
#include "cli/setup/render_setup.h"
#include "host/nic_state.h"
#include "host/numa.h"
#include "host/testpmd.h"
#include "setup/plan.h"
#include "setup/plan_hugepages.h"

namespace manactl::cli {
namespace {

struct ArgsOptions {
  std::vector<NicName> interfaces;
  Target target;       // the latest argument
  std::string format;  // of --for; empty if it is not given
  std::optional<std::uint16_t> threads;
};

constexpr std::string_view kJson = "json";

// Returns the format of --for and of -o. A typed --for overrides settings of -o and --json, and
// these override a setting of --for.
Result<std::string> format_of(const ArgsOptions& options, bool as_text, const Context& context) {
  const auto& format = options.format;
  const bool contradicts =
      !format.empty() && (context.json ? format != kJson : as_text && format == kJson);
  if (contradicts && is_typed(context.arguments, "--for")) {
    return fail(Errc::invalid,
                fmt::format("args: --for {} and -o {} are mutually exclusive",
                            format,
                            context.json ? "json" : "text"));
  }
  if (context.json) return std::string(kJson);
  return contradicts || format.empty() ? std::string(programs().front()->name) : format;
}

Result<std::string> parse_format(const std::string& text) {
  auto words = program_names();
  words.emplace_back(kJson);
  if (std::ranges::find(words, text) == words.end())
    return tl::unexpected<Error>(not_one_of(text, words));
  return text;
}

// Fails with Errc::denied if a NIC of the kernel carries the administrator's traffic.
Result<> refuse_nics_with_traffic(const std::vector<const host::Nic*>& kernel_nics) {
  for (const auto* nic : kernel_nics) {
    if (nic->carries.empty()) continue;
    const auto name = printable(nic->name());
    return fail(
        Errc::denied,
        fmt::format(
            "refusing to print arguments for '{}': it carries the {}; name another interface",
            name,
            printable(join(nic->carries, ", "))));
  }
  return {};
}

std::string hugepage_warning(const host::Memory& memory,
                             int node,
                             std::uint64_t bytes,
                             std::string_view program) {
  if (!memory.pools) return {};
  const auto kib = host::default_page_kib(memory);
  const auto missing = host::missing_pages(memory, node, bytes, kib);
  if (missing == 0) return {};
  return fmt::format(
      "{} needs {} hugepages of {}, and {} are free: run 'manactl prepare --hugepages "
      "{}{}' first",
      program,
      host::pages_for(bytes, kib),
      human_bytes(kib << 10U),
      host::freest_pool(memory, node, kib).free,
      missing,
      node > 0 ? fmt::format(" --node {}", node) : "");
}

struct ArgsInput {
  const os::System& system;
  const host::Facts& facts;
  const std::vector<setup::Entry>& entries;
};

// Returns why prepare refuses the NIC; empty if it accepts it. Only root can determine what
// prevents a change, so an objection that another user finds does not count.
std::string refusal_of_prepare(const host::Nic& nic, const ArgsInput& input) {
  auto interface = InterfaceName::parse(nic.name());
  if (!interface) return interface.error().message;
  setup::Request request;
  request.interface = std::move(*interface);
  request.vf_only = nic.is_direct();
  const auto plan = setup::make_plan(request, input.facts, input.system, input.entries);
  if (plan) return {};
  const bool is_root = input.facts.limits && input.facts.limits->net_admin;
  return plan.error().code == Errc::denied && !is_root ? std::string() : plan.error().message;
}

constexpr std::string_view kRefusal = "prepare refuses ";

// Returns what has to happen before DPDK can use a NIC of the kernel.
// `program` is that of --for, or null.
std::string preparation_warning(const host::Nic& nic,
                                const ArgsInput& input,
                                const Program* program) {
  const auto name = printable(nic.name());
  const auto refusal = refusal_of_prepare(nic, input);
  if (!refusal.empty()) return fmt::format("{}'{}': {}", kRefusal, name, refusal);
  const bool has_own_size = program != nullptr && program->hugepage_bytes != nullptr;
  return fmt::format("the kernel uses '{}': run '{}{}' before the program starts",
                     name,
                     printable(host::prepare_command(nic)),
                     has_own_size ? fmt::format(" --for {}", program->name) : "");
}

// Returns what else prevents DPDK from using the NICs, which prepare does not repair. If prepare
// refuses a NIC, a warning names the first cause.
std::string obstacle_to(const host::Facts& facts, const std::vector<std::string>& warnings) {
  auto libraries = obstacle_in_libraries(facts);
  const bool is_refused = std::ranges::any_of(
      warnings, [](const std::string& text) { return text.starts_with(kRefusal); });
  return !libraries.empty() || is_refused ? libraries : obstacle_to_dpdk(facts);
}

Result<std::vector<const host::Nic*>> selected_nics(const ArgsOptions& options,
                                                    const host::Facts& facts,
                                                    const std::vector<setup::Entry>& entries) {
  if (options.interfaces.empty()) {
    if (!facts.nics) return because(facts.nics.error(), "cannot list the NICs");
    auto nics = nics_in_user_space(facts, entries);
    if (!nics.empty()) return nics;
    const auto free = host::free_nics(facts);
    if (free.empty())
      return fail(Errc::not_found, "no NIC is prepared, and none is free: run 'manactl check'");
    return fail(Errc::not_found,
                fmt::format("no NIC is prepared: name an interface, or run '{}'",
                            printable(host::prepare_command(*free.front()))));
  }
  std::vector<const host::Nic*> nics;
  for (const auto& name : options.interfaces) {
    // The interface of a prepared NIC no longer exists; only the journal has its name.
    const auto entry = std::find_if(entries.begin(), entries.end(), [&](const auto& candidate) {
      return candidate.matches(name.str());
    });
    const auto uuid = entry == entries.end() ? std::string() : entry->nic.channel_id();
    const auto* by_id = uuid.empty() ? nullptr : facts.find_nic(uuid);
    const auto nic = by_id != nullptr ? Result<const host::Nic*>(by_id) : find_nic(facts, name);
    if (!nic) return tl::unexpected<Error>(nic.error());
    if (std::find(nics.begin(), nics.end(), *nic) == nics.end()) nics.push_back(*nic);
  }
  return nics;
}

// For NICs that are not prepared, `prepare --for` reserves the hugepages of one program, so no
// warning is needed. For all programs (--json), warns about those that need more than testpmd.
void add_hugepage_warnings(ArgsOutput& result,
                           bool will_prepare,
                           const std::vector<setup::Entry>& entries,
                           const os::Files& files) {
  if (will_prepare && result.programs.size() == 1) return;
  std::vector<std::string> names;
  for (const auto* nic : result.devices.nics) names.push_back(nic->name());
  const auto memory = setup::memory_usable_by(names, result.devices.facts->memory, entries, files);
  const auto reserved =
      host::size_of_testpmd(*result.devices.facts, result.devices.node).hugepage_bytes;
  for (auto& [program, args] : result.programs) {
    if (!args || (will_prepare && args->size.hugepage_bytes <= reserved)) continue;
    // A program without a size of its own is assumed to need as much as testpmd.
    const auto& testpmd = *programs().front();
    const bool has_size = program == &testpmd || program->hugepage_bytes != nullptr;
    const auto title =
        has_size ? std::string(program->title) : fmt::format("a program such as {}", testpmd.title);
    auto warning = hugepage_warning(memory, result.devices.node, args->size.hugepage_bytes, title);
    if (!warning.empty()) args->warnings.insert(args->warnings.begin(), std::move(warning));
  }
}

// Returns the arguments of each program, or only of `only`. Programs without threads ignore
// `threads`, unless --for names them.
std::vector<ArgsOutput::Row> rows_for(const Program* only,
                                      const ArgsDevices& devices,
                                      std::optional<unsigned> threads) {
  std::vector<ArgsOutput::Row> rows;
  for (const auto* program : programs()) {
    if (only != nullptr && only != program) continue;
    const bool applies = only != nullptr || !program->threads.empty();
    rows.push_back({program, args_of(*program, devices, applies ? threads : std::nullopt)});
  }
  return rows;
}

Exit print_args(Context& context, const ArgsOutput& result) {
  const auto& args = result.programs.front().args;
  if (!args) return report_error(context, because(args.error(), "args: --threads").value());
  auto warnings = result.warnings;
  warnings.insert(warnings.end(), args->warnings.begin(), args->warnings.end());
  print_warnings(context, warnings);
  for (const auto& line : args->lines) context.out.stream() << line << '\n';
  return Exit::ok;
}

Exit run_args(const ArgsOptions& options, std::string_view format, Context& context) {
  const auto system = context.system();
  if (!system) return report_error(context, system.error());
  const auto entries = journal_entries(*system, context);
  const auto facts = gather_facts(*system);
  const auto nics = selected_nics(options, facts, entries);
  if (!nics) return report_error(context, nics.error());
  auto kernel_nics = *nics;
  const auto prepared = nics_in_user_space(facts, entries);
  std::erase_if(kernel_nics, [&prepared](const host::Nic* nic) {
    return std::ranges::find(prepared, nic) != prepared.end();
  });
  auto slots = setup::slots_of(*nics, kernel_nics);
  if (!slots) return report_error(context, slots.error());
  const auto allowed = refuse_nics_with_traffic(kernel_nics);
  if (!allowed) return report_error(context, allowed.error());
  ArgsOutput result;
  result.devices = {std::move(*slots),
                    accepts_channels(facts),
                    &facts,
                    *nics,
                    host::numa_node_of(facts, *nics->front())};
  const auto* program = find_program(format);
  for (const auto* nic : kernel_nics)
    result.warnings.push_back(preparation_warning(*nic, {*system, facts, entries}, program));
  const auto obstacle = obstacle_to(facts, result.warnings);
  if (!obstacle.empty()) result.warnings.push_back(obstacle);
  result.programs = rows_for(program, result.devices, options.threads);
  add_hugepage_warnings(result, !kernel_nics.empty(), entries, system->files);
  const CommandHints hints(context);
  hints.complete(result.warnings);
  for (auto& row : result.programs) {
    if (row.args) hints.complete(row.args->warnings);
  }
  if (format != kJson) return print_args(context, result);
  print_json(context.out, result);
  return Exit::ok;
}

}  // namespace

CommandAction add_args(CLI::App& app) {
  auto options = std::make_shared<ArgsOptions>();
  add_value(app,
            {"IFACE",
             type::kInterface,
             "print arguments of these NICs (default: all prepared), or inspect this bundle",
             true},
            [options](const std::string& text) -> Result<> {
              options->target.nic.reset();
              auto good = options->target.parse(text);
              if (options->target.nic) options->interfaces.push_back(*options->target.nic);
              return good;
            })
      ->allow_extra_args(true);
  add_value(app,
            {"--for", type::kArgsFormat, "print for this program (default: testpmd)"},
            store_in(options->format, parse_format));
  add_value(app,
            {"--threads", "N", "use N polling threads (default: as many as fit)"},
            store_in(options->threads, [](const std::string& text) {
              return parse_count(text, 1, host::kMaxQueues);
            }));
  return [options, &app](Context& context) {
    const bool as_text = !context.json && app.get_option("--output")->count() > 0;
    const auto format = format_of(*options, as_text, context);
    if (!format) return report_error(context, format.error());
    const auto opened = inspect(options->target.machine, "args", context);
    return opened ? run_args(*options, *format, context) : report_error(context, opened.error());
  };
}

}  // namespace manactl::cli
