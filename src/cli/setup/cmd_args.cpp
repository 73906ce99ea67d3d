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
  Target target;  // the latest argument
  std::optional<ArgsFormat> format;
};

constexpr EnumWords<ArgsFormat, 5> kFormats = {{{ArgsFormat::testpmd, "testpmd"},
                                                {ArgsFormat::eal, "eal"},
                                                {ArgsFormat::vpp, "vpp"},
                                                {ArgsFormat::environment, "env"},
                                                {ArgsFormat::json, "json"}}};

// Returns the format of --for and of -o. A typed --for overrides settings of -o and --json, and
// these override a setting of --for.
Result<ArgsFormat> format_of(const ArgsOptions& options, bool as_text, const Context& context) {
  const auto format = options.format.value_or(ArgsFormat::testpmd);
  const bool contradicts = options.format && (context.json ? format != ArgsFormat::json
                                                           : as_text && format == ArgsFormat::json);
  if (contradicts && is_typed(context.arguments, "--for")) {
    return fail(Errc::invalid,
                fmt::format("args: --for {} and -o {} are mutually exclusive",
                            word_of(kFormats, format),
                            context.json ? "json" : "text"));
  }
  if (context.json) return ArgsFormat::json;
  return contradicts ? ArgsFormat::testpmd : format;
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

std::string lcore_warning(const host::Facts& facts, const host::TestpmdSize& size) {
  if (size.cpus.empty()) {
    return "the CPUs of this process are unknown, so the arguments name CPUs 0 and 1" +
           (facts.cpus ? std::string() : ": " + facts.cpus.error().message);
  }
  if (size.cpus.size() > 1) return {};
  return fmt::format(
      "this process may use only CPU {}, which testpmd's two lcores share: allow it more CPUs",
      size.cpus.front());
}

std::string hugepage_warning(const host::Memory& memory, int node, std::uint64_t bytes) {
  if (!memory.pools) return {};
  const auto kib = host::default_page_kib(memory);
  const auto missing = host::missing_pages(memory, node, bytes, kib);
  if (missing == 0) return {};
  return fmt::format(
      "dpdk-testpmd needs {} hugepages of {}, and {} are free: run 'manactl prepare --hugepages "
      "{}{}' first",
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
std::string preparation_warning(const host::Nic& nic, const ArgsInput& input) {
  const auto name = printable(nic.name());
  const auto refusal = refusal_of_prepare(nic, input);
  if (!refusal.empty()) return fmt::format("{}'{}': {}", kRefusal, name, refusal);
  return fmt::format("the kernel uses '{}': run '{}' before the program starts",
                     name,
                     printable(host::prepare_command(nic)));
}

// Returns what prevents DPDK from using the NICs now.
std::vector<std::string> warnings_for(const host::Memory& memory,
                                      int node,
                                      const host::TestpmdSize& size,
                                      const std::vector<const host::Nic*>& kernel_nics,
                                      const ArgsInput& input) {
  std::vector<std::string> warnings;
  for (const auto* nic : kernel_nics) warnings.push_back(preparation_warning(*nic, input));
  if (!kernel_nics.empty()) return warnings;  // prepare also reserves hugepages
  const auto hugepages = hugepage_warning(memory, node, size.hugepage_bytes);
  if (!hugepages.empty()) warnings.push_back(hugepages);
  return warnings;
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

Exit run_args(const ArgsOptions& options, ArgsFormat format, Context& context) {
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
  const int node = host::numa_node_of(facts, *nics->front());
  const auto size = host::size_of_testpmd(facts, node);
  std::vector<std::string> names;
  for (const auto* nic : *nics) names.push_back(nic->name());
  const auto memory = setup::memory_usable_by(names, facts.memory, entries, system->files);
  ArgsOutput result;
  result.slots = std::move(*slots);
  result.allow_channels = accepts_channels(facts);
  result.cores = size.cpus;
  result.queues = size.queues;
  result.facts = &facts;
  result.nics = *nics;
  result.warnings = warnings_for(memory, node, size, kernel_nics, {*system, facts, entries});
  const bool has_lcores = format == ArgsFormat::testpmd || format == ArgsFormat::json;
  const auto obstacle = obstacle_to(facts, result.warnings);
  if (!obstacle.empty()) result.warnings.push_back(obstacle);
  const auto lcores = has_lcores ? lcore_warning(facts, size) : std::string();
  if (!lcores.empty()) result.warnings.push_back(lcores);
  CommandHints(context).complete(result.warnings);
  if (format != ArgsFormat::json) print_warnings(context, result.warnings);
  print_args(context.out, result, format);
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
            store_word_in(options->format, kFormats));
  return [options, &app](Context& context) {
    const bool as_text = !context.json && app.get_option("--output")->count() > 0;
    const auto format = format_of(*options, as_text, context);
    if (!format) return report_error(context, format.error());
    const auto opened = inspect(options->target.machine, "args", context);
    return opened ? run_args(*options, *format, context) : report_error(context, opened.error());
  };
}

}  // namespace manactl::cli
