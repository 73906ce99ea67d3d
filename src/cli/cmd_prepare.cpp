// SPDX-License-Identifier: MIT

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>
#include <optional>

#include "base/text.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/prepared.h"
#include "cli/question.h"
#include "cli/render_setup.h"
#include "host/gather.h"
#include "os/dry_run.h"
#include "setup/live.h"
#include "setup/persist.h"
#include "setup/signals.h"
#include "setup/watchdog.h"

namespace manactl::cli {
namespace {

struct Options {
  setup::Request request;
  std::optional<std::uint64_t> page_kib;
  std::optional<unsigned> node;
  std::optional<double> confirm;
  bool dry_run = false;
  bool persist = false;
};

// "512" pages, or "2G", "512M" of memory.
Result<setup::HugepageRequest> parse_hugepages(std::string_view text) {
  constexpr std::uint64_t kMost = 1ULL << 30;
  constexpr unsigned kMega = 20;
  constexpr unsigned kGiga = 30;
  setup::HugepageRequest request;
  const char unit = text.empty() ? '\0' : text.back();
  const bool size = unit == 'M' || unit == 'G';
  const auto number = parse_unsigned(size ? text.substr(0, text.size() - 1) : text, kMost);
  if (!number || *number == 0) {
    return fail(Errc::invalid,
                fmt::format("'{}' is no number of pages (512) and no size (2G, 512M)",
                            printable(text, 40)));
  }
  (size ? request.bytes : request.pages) =
      size ? *number << (unit == 'G' ? kGiga : kMega) : *number;
  return request;
}

Result<std::uint64_t> parse_page_size(std::string_view text) {
  if (text == "2M") return 2048U;
  if (text == "1G") return 1048576U;
  return fail(Errc::invalid, fmt::format("'{}' is neither 2M nor 1G", printable(text, 40)));
}

Result<setup::Method> parse_method(std::string_view text) {
  if (text == "auto") return setup::Method::automatic;
  if (text == "driver-override") return setup::Method::driver_override;
  if (text == "new-id") return setup::Method::new_id;
  return fail(Errc::invalid,
              fmt::format("'{}' is none of auto, driver-override, new-id", printable(text, 40)));
}

Result<setup::Request> complete_request(const Options& options) {
  auto request = options.request;
  if (request.hugepages) {
    request.hugepages->page_kib = options.page_kib.value_or(0);
    request.hugepages->node = options.node;
  } else if (options.page_kib || options.node) {
    return fail(Errc::invalid, "prepare: --hugepage-size and --node are for --hugepages");
  }
  if (!request.interface && (options.persist || request.mtu || request.vf_only)) {
    return fail(Errc::invalid, "prepare: an interface is missing");
  }
  return request;
}

Exit exit_of(const setup::Prepared& prepared) {
  if (prepared.outcome == setup::Outcome::roll_back_failed) return Exit::roll_back_failed;
  if (prepared.outcome != setup::Outcome::rolled_back) return Exit::ok;
  constexpr int kBySignal = 128;
  return prepared.signal != 0 ? static_cast<Exit>(kBySignal + prepared.signal) : Exit::rolled_back;
}

Exit finish(PrepareAnswer& answer, Context& context) {
  if (answer.exit == Exit::ok) answer.exit = exit_of(answer.prepared);
  if (context.json) {
    json(context.out, answer);
  } else {
    text(answer.exit == Exit::ok ? context.out : context.err, answer, context.verbosity);
  }
  return answer.exit;
}

Exit run_rehearsal(const setup::Request& request, const os::System& system, Context& context) {
  os::DryRun pretended(system);
  const auto clock = setup::counting_clock();
  setup::Machine machine{pretended.system(), *clock};
  auto prepared = setup::rehearse(request, machine, known_entries(system, context));
  if (!prepared) return report_error(context, prepared.error());
  PrepareAnswer answer;
  answer.rehearsed = true;
  answer.slots = slots_in(prepared->entry);
  answer.commands = pretended.commands();
  answer.prepared = std::move(*prepared);
  return finish(answer, context);
}

class Preparation {
 public:
  Preparation(const Options& options, const os::System& system, Context& context)
      : options_(options), system_(system), context_(context), live_(system) {}

  Exit run(const setup::Request& request) {
    const auto allowed = live_.may_change();
    if (!allowed) return report_error(context_, allowed.error());
    const std::string name = request.interface ? request.interface->str() : "--hugepages";
    const auto session = live_.session("prepare " + name, [this] { return signals_.take(); });
    auto prepared = setup::prepare(request, session, [&](setup::Entry& entry, setup::Lock& lock) {
      return start_clock(entry, session, lock);
    });
    if (!prepared) return report_error(context_, prepared.error());
    PrepareAnswer answer;
    answer.prepared = std::move(*prepared);
    const bool good = exit_of(answer.prepared) == Exit::ok;
    if (good && request.interface) answer.slots = slots_now(system_, *live_.entries());
    if (good && answer.prepared.outcome == setup::Outcome::done) {
      answer.confirm_within = options_.confirm;
    }
    if (good && options_.persist) {
      const auto kept = persist(request, answer);
      if (!kept)
        return report_error(context_, kept.error(), "The NIC is prepared until the reboot.");
    }
    return finish(answer, context_);
  }

 private:
  Result<> start_clock(setup::Entry& entry, const setup::Session& session, setup::Lock& lock) {
    if (!options_.confirm) return {};
    const auto time = std::chrono::milliseconds(std::llround(*options_.confirm * 1000));
    const auto deadline = session.machine.clock.now() + time;
    entry.confirmed = false;
    entry.deadline = std::to_string(deadline.count());
    auto watchdog = setup::start_watchdog(entry.id, deadline, session, lock);
    if (!watchdog) return tl::unexpected<Error>(watchdog.error());
    entry.watchdog = std::move(*watchdog);
    return {};
  }

  Result<> persist(const setup::Request& request, PrepareAnswer& answer) {
    const auto program = system_.files.link_target("proc/self/exe");
    if (!program) return because(program.error(), "cannot tell where manactl is");
    const auto files =
        setup::persistent_files(request, answer.prepared.entry, *program, system_.files);
    if (!files) return tl::unexpected<Error>(files.error());
    const auto written = setup::Persistence().write(*files);
    if (!written) return because(written.error(), "cannot make it persistent");
    for (const auto& file : *files) answer.persistent.push_back(file.path());
    return {};
  }

  const Options& options_;
  const os::System& system_;
  Context& context_;
  setup::Live live_;
  setup::HeldSignals signals_;
};

Exit run_prepare(const Options& options, Context& context) {
  const auto request = complete_request(options);
  if (!request) return report_error(context, request.error());
  const auto system = context.system();
  if (!system) return report_error(context, system.error());
  if (options.dry_run) return run_rehearsal(*request, *system, context);
  if (!context.root.empty()) {
    return report_error(context,
                        Error{Errc::invalid, 0, "prepare: with --root only --dry-run is possible"});
  }
  return Preparation(options, *system, context).run(*request);
}

void add_hugepages(CLI::App& app, Options& options) {
  add_value(app,
            {"--hugepages", "N|SIZE", "reserve this many more pages, or pages for 2G or 512M"},
            into(options.request.hugepages, parse_hugepages));
  add_value(app,
            {"--hugepage-size", type::kPageSize, "of these pages; the kernel's default size else"},
            into(options.page_kib, parse_page_size));
  add_value(app,
            {"--node", "N", "of these pages; the node of the NIC else"},
            into(options.node, [](std::string_view text) { return parse_count(text, 0, 1023); }));
}

}  // namespace

Run add_prepare(CLI::App& app) {
  auto options = std::make_shared<Options>();
  add_value(app,
            {"IFACE", type::kInterface, "the synthetic interface of the NIC"},
            into(options->request.interface, InterfaceName::parse));
  add_hugepages(app, *options);
  add_value(app,
            {"--method", type::kMethod, "how uio_hv_generic is made to fit"},
            into(options->request.method, parse_method));
  add_flag(app, "--vf-only", options->request.vf_only, "set the links down, rebind nothing");
  add_value(app,
            {"--mtu", "N", "of both interfaces while they are prepared"},
            into(options->request.mtu,
                 [](std::string_view text) { return parse_count(text, 68, 9000); }));
  add_flag(app, "--dry-run", options->dry_run, "show the steps and the writes, change nothing");
  add_flag(app, "--persist", options->persist, "prepare again at every boot");
  add_value(app,
            {"--confirm-timeout", "TIME", "take it back unless 'manactl confirm' comes in time"},
            into(options->confirm, parse_duration));
  add_value(app,
            {"--force-interface", "NAME", "touch this interface whatever it carries"},
            into(options->request.force_interface,
                 [](std::string_view text) { return parse_text(text, "an interface"); }));
  return [options](Context& context) { return run_prepare(*options, context); };
}

}  // namespace manactl::cli
