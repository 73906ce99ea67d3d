// SPDX-License-Identifier: MIT

#include <fcntl.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "base/text.h"
#include "base/trusted_directory.h"
#include "cli/command.h"
#include "cli/command_hints.h"
#include "cli/command_line.h"
#include "cli/facts.h"
#include "cli/nic_name.h"
#include "cli/options.h"
#include "cli/setup/programs.h"
#include "cli/setup/render_setup.h"
#include "os/dry_run.h"
#include "setup/persistent_files.h"
#include "setup/session.h"
#include "setup/watchdog_process.h"

namespace manactl::cli {
namespace {

// How many hugepages to reserve: the default of a NIC, none, or a request.
enum class HugepageChoice { by_default, none, requested };

struct PrepareOptions {
  setup::Request request;  // its interface and hugepages are set by complete_request()
  std::optional<NicName> nic;
  HugepageChoice hugepages = HugepageChoice::by_default;
  setup::HugepageRequest requested;
  const Program* program = nullptr;  // the program of --for; null for dpdk-testpmd
  std::optional<std::uint64_t> page_kib;
  std::optional<unsigned> node;
  std::optional<double> confirm;
  bool dry_run = false;
  bool persist = false;
};

// Accepts a number of pages, "512", or a memory size, "2G" or "512M".
Result<setup::HugepageRequest> parse_amount(std::string_view text) {
  constexpr std::uint64_t kMax = 1ULL << 30;
  constexpr unsigned kMiBShift = 20;
  constexpr unsigned kGiBShift = 30;
  setup::HugepageRequest request;
  const char unit = text.empty() ? '\0' : text.back();
  const bool is_size = unit == 'M' || unit == 'G';
  const auto number = parse_unsigned(is_size ? text.substr(0, text.size() - 1) : text, kMax);
  if (!number || *number == 0) {
    return fail(Errc::invalid,
                fmt::format("'{}' is neither a page count (512) nor a size (2G, 512M) nor 'none'",
                            printable(text)));
  }
  (is_size ? request.bytes : request.pages) =
      is_size ? *number << (unit == 'G' ? kGiBShift : kMiBShift) : *number;
  return request;
}

Result<const Program*> parse_program(const std::string& text) {
  const auto* program = find_program(text);
  if (program == nullptr) return tl::unexpected<Error>(not_one_of(text, program_names()));
  return program;
}

constexpr EnumWords<setup::Method, 3> kMethods = {
    {{setup::Method::automatic, "auto"},
     {setup::Method::driver_override, "driver-override"},
     {setup::Method::new_id, "new-id"}}};

Result<> parse_hugepages(PrepareOptions& options, std::string_view text) {
  options.hugepages = HugepageChoice::none;
  if (text == "none") return {};
  const auto amount = parse_amount(text);
  if (!amount) return tl::unexpected<Error>(amount.error());
  options.hugepages = HugepageChoice::requested;
  options.requested = *amount;
  return {};
}

// Returns the interface of the NIC, or of its journal entry if prepare has removed the interface.
Result<InterfaceName> interface_of(const NicName& name,
                                   const os::System& system,
                                   const Context& context) {
  if (name.is_interface()) return InterfaceName::parse(name.str());
  const auto facts = gather_facts(system);
  if (facts.find_nic(name.str()) == nullptr) {
    for (const auto& entry : journal_entries(system, context)) {
      if (entry.matches(name.str())) return InterfaceName::parse(entry.name());
    }
  }
  const auto nic = facts.azure_nic(name.str());
  if (!nic) return tl::unexpected<Error>(nic.error());
  return InterfaceName::parse((*nic)->name());
}

// Returns the memory that the program needs for the interface and the NICs that are prepared; 0 if
// it needs as much as testpmd.
std::uint64_t hugepage_bytes_for(const Program& program,
                                 const InterfaceName& interface,
                                 const os::System& system,
                                 const Context& context) {
  if (program.hugepage_bytes == nullptr) return 0;
  const auto facts = gather_facts(system);
  auto nics = nics_in_user_space(facts, journal_entries(system, context));
  const auto* nic = facts.find_nic(interface.str());
  if (nic != nullptr && std::ranges::find(nics, nic) == nics.end()) nics.push_back(nic);
  return program.hugepage_bytes({.slots = {}, .facts = &facts, .nics = std::move(nics)});
}

Result<setup::Request> complete_request(const PrepareOptions& options,
                                        const os::System& system,
                                        const Context& context) {
  auto request = options.request;
  if (options.nic) {
    auto interface = interface_of(*options.nic, system, context);
    if (!interface) return tl::unexpected<Error>(interface.error());
    request.interface = std::move(*interface);
  }
  const bool is_requested = options.hugepages == HugepageChoice::requested;
  if (is_requested || (options.hugepages == HugepageChoice::by_default && request.interface)) {
    request.hugepages = options.requested;
    request.hugepages->is_default = !is_requested;
    request.hugepages->page_kib = options.page_kib.value_or(0);
    request.hugepages->node = options.node;
    if (options.program != nullptr && request.interface) {
      request.hugepages->program = options.program->name;
      request.hugepages->bytes =
          hugepage_bytes_for(*options.program, *request.interface, system, context);
    }
  } else if (request.interface && (options.page_kib || options.node)) {
    return fail(Errc::invalid,
                "prepare: --hugepage-size and --node cannot be used with '--hugepages none'");
  }
  if (options.program != nullptr && options.hugepages != HugepageChoice::by_default) {
    return fail(Errc::invalid, "prepare: --for and --hugepages are mutually exclusive");
  }
  if ((request.vf_only || !request.interface) && is_typed(context.arguments, "--method")) {
    return fail(Errc::invalid,
                request.vf_only
                    ? "prepare: --method cannot be used with --vf-only, which binds no driver"
                    : "prepare: --method cannot be used without IFACE");
  }
  const bool needs_interface = options.persist || request.mtu || request.vf_only;
  if (!request.interface && (needs_interface || !is_requested)) {
    return fail(Errc::invalid,
                "prepare: IFACE is missing; only --hugepages can be used without it");
  }
  return request;
}

// Prints the result: a failure as text to stderr, everything else to stdout.
Exit print_result(const PrepareOutput& result, Context& context) {
  const Exit exit = exit_of(result.prepared);
  if (context.json) {
    print_json(context.out, result, exit);
    return exit;
  }
  print_warnings(context, warnings_of(result.prepared));
  print_text(exit == Exit::ok ? context.out : context.err, result, context.verbosity);
  return exit;
}

// Returns the slot of the NIC in `entry`; empty if the entry only reserves hugepages. The slot
// includes the VMBus channel if prepare binds the channel to uio_hv_generic.
std::vector<setup::Slot> planned_slots(const setup::Entry& entry) {
  if (!entry.nic.pci || !entry.nic.mac) return {};
  setup::Slot slot{*entry.nic.pci, {entry.nic.interface}, {*entry.nic.mac}, {}};
  const bool is_bound = entry.steps.empty() || entry.has_step(setup::StepKind::bind_channel);
  if (entry.nic.channel && is_bound) slot.channels.push_back(entry.nic.channel->str());
  return {slot};
}

// Returns the path of this program. Root will run it at every boot, so no other user may be able to
// replace it.
Result<std::string> program_for_boot(const os::System& system) {
  auto program = system.files.link_target("proc/self/exe");
  if (!program) return because(program.error(), "cannot find the manactl program");
  const auto trusted = open_trusted_file(*program, O_PATH);
  if (!trusted) return because(trusted.error(), fmt::format("--persist cannot use '{}'", *program));
  return program;
}

// Returns the paths of the files that --persist would write.
Result<std::vector<std::string>> planned_files(const setup::Request& request,
                                               const setup::Entry& entry,
                                               const os::System& system,
                                               const Context& context) {
  // In a captured system, the path of the program is unknown.
  const auto program = context.root.empty() ? program_for_boot(system) : "/usr/bin/manactl";
  if (!program) return tl::unexpected<Error>(program.error());
  auto with_program = request;
  with_program.boot_program = *program;
  const auto files = setup::persistent_files(with_program, entry, system.files);
  if (!files) return tl::unexpected<Error>(files.error());
  std::vector<std::string> paths;
  for (const auto& file : *files) paths.push_back(file.path());
  return paths;
}

// Adds a warning if a fault that prepare does not repair keeps DPDK from using the NIC. A request
// without an interface reserves only hugepages.
void add_dpdk_warning(PrepareOutput& result,
                      const setup::Request& request,
                      const host::Facts& facts,
                      const CommandHints& hints) {
  const auto obstacle = request.interface ? obstacle_to_dpdk(facts) : std::string();
  if (!obstacle.empty()) result.prepared.warnings.push_back(hints.complete(obstacle));
}

Exit run_dry(const PrepareOptions& options,
             const setup::Request& request,
             const os::System& system,
             Context& context) {
  os::DryRun dry_run(system);
  const auto clock = setup::make_counting_clock();
  setup::StepContext step_context{dry_run.system(), *clock, &dry_run.commands()};
  auto prepared = setup::dry_run_prepare(request, step_context, journal_entries(system, context));
  if (!prepared) return report_error(context, prepared.error());
  PrepareOutput result;
  result.is_dry_run = true;
  result.slots = planned_slots(prepared->entry);
  const auto facts = gather_facts(system);
  result.allow_channels = accepts_channels(facts);
  result.commands = dry_run.commands();
  result.prepared = std::move(*prepared);
  add_dpdk_warning(result, request, facts, CommandHints(context));
  if (result.prepared.outcome != setup::PrepareOutcome::already_prepared) {
    result.confirm_within = options.confirm;
  }
  if (options.persist) {
    auto files = planned_files(request, result.prepared.entry, system, context);
    if (!files) return report_error(context, files.error());
    result.persistent = std::move(*files);
  }
  return print_result(result, context);
}

class PrepareCommand {
 public:
  PrepareCommand(const PrepareOptions& options, const os::System& system, Context& context)
      : options_(options), system_(system), context_(context), setup_session_(system) {}

  Exit run(setup::Request request) {
    const auto allowed = setup_session_.check_privileges();
    if (!allowed) return report_error(context_, allowed.error());
    auto program = options_.persist ? program_for_boot(system_) : Result<std::string>();
    if (!program) return report_error(context_, program.error());
    request.boot_program = std::move(*program);
    const std::string name = request.interface ? request.interface->str() : "--hugepages";
    const auto session =
        setup_session_.context("prepare " + name, [this] { return signals_.take(); });
    auto prepared = setup::prepare(request, session, [&](setup::Entry& entry, setup::Lock& lock) {
      return start_confirm_timeout(entry, session, lock);
    });
    if (!prepared) return report_error(context_, prepared.error());
    PrepareOutput result;
    result.prepared = std::move(*prepared);
    const bool good = exit_of(result.prepared) == Exit::ok;
    if (good && request.interface) add_nics(result, request);
    const auto deadline = result.prepared.entry.deadline;
    if (good && result.prepared.outcome == setup::PrepareOutcome::done && deadline) {
      result.confirm_within =
          std::chrono::duration<double>(*deadline - setup_session_.now()).count();
    }
    if (!result.prepared.persisted) {
      return report_error(context_,
                          result.prepared.persisted.error(),
                          "The NIC is prepared until the next reboot.");
    }
    result.persistent = result.prepared.persistent;
    return print_result(result, context_);
  }

 private:
  Result<> start_confirm_timeout(setup::Entry& entry,
                                 const setup::SetupContext& session,
                                 setup::Lock& lock) {
    if (!options_.confirm) return {};
    const auto time = std::chrono::milliseconds(std::llround(*options_.confirm * 1000));
    return setup::await_confirmation(entry, time, session, lock);
  }

  // Adds the slots of all prepared NICs, none if they cannot be determined, and a warning if DPDK
  // cannot use them.
  void add_nics(PrepareOutput& result, const setup::Request& request) const {
    const auto facts = gather_facts(system_);
    add_dpdk_warning(result, request, facts, CommandHints(context_));
    result.slots = setup::slots_of(nics_in_user_space(facts, *setup_session_.entries()))
                       .value_or(std::vector<setup::Slot>{});
    result.allow_channels = accepts_channels(facts);
  }

  const PrepareOptions& options_;
  const os::System& system_;
  Context& context_;
  setup::SetupSession setup_session_;
  setup::DeferredSignals signals_;
};

Exit run_prepare(const PrepareOptions& options, Context& context) {
  const auto system = context.system();
  if (!system) return report_error(context, system.error());
  const auto request = complete_request(options, *system, context);
  if (!request) return report_error(context, request.error());
  if (options.dry_run) return run_dry(options, *request, *system, context);
  if (!context.root.empty()) {
    return report_usage_error(context, "prepare: --root requires --dry-run");
  }
  return PrepareCommand(options, *system, context).run(*request);
}

void add_hugepages(CLI::App& app, PrepareOptions& options) {
  add_value(app,
            {"--hugepages",
             "N|SIZE|none",
             "reserve N more pages, or a size (default: what the program lacks)"},
            [&options](const std::string& text) { return parse_hugepages(options, text); });
  add_value(app,
            {"--for", type::kDpdkProgram, "reserve what this program lacks (default: testpmd)"},
            store_in(options.program, parse_program));
  add_value(app,
            {"--hugepage-size", type::kPageSize, "use pages of this size (default: the kernel's)"},
            store_word_in(options.page_kib, setup::kHugepageSizes));
  add_value(
      app,
      {"--node", "N", "reserve on this NUMA node (default: the NIC's)"},
      store_in(options.node, [](std::string_view text) { return parse_count(text, 0, 1023); }));
}

}  // namespace

CommandAction add_prepare(CLI::App& app) {
  auto options = std::make_shared<PrepareOptions>();
  add_value(app,
            {"IFACE", type::kInterface, "prepare the NIC of this synthetic interface"},
            store_in(options->nic, NicName::parse));
  add_hugepages(app, *options);
  add_value(app,
            {"--method", type::kMethod, "bind uio_hv_generic with this method (default: auto)"},
            store_word_in(options->request.method, kMethods));
  add_flag(app, "--vf-only", options->request.vf_only, "only set the links down, for direct verbs");
  add_value(app,
            {"--mtu", "N", "set the MTU of both interfaces while prepared"},
            store_in(options->request.mtu,
                     [](std::string_view text) { return parse_count(text, 68, 9000); }));
  add_flag(
      app, "--dry-run", options->dry_run, "show each step (-v: each write), but change nothing");
  add_flag(app, "--persist", options->persist, "prepare the NIC at every boot");
  add_value(app,
            {"--confirm-timeout", "TIME", "roll back after TIME without 'manactl confirm'"},
            store_in(options->confirm, parse_duration));
  add_value(app,
            {"--force-interface", "NAME", "allow changing this interface even if it is in use"},
            store_in(options->request.force_interface,
                     [](std::string_view text) { return parse_text(text, "an interface"); }));
  return [options](Context& context) {
    context.is_dry_run = options->dry_run;
    return run_prepare(*options, context);
  };
}

}  // namespace manactl::cli
