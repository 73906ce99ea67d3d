// SPDX-License-Identifier: MIT

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "cli/command.h"
#include "cli/facts.h"
#include "cli/options.h"
#include "cli/setup/render_setup.h"

namespace manactl::cli {
namespace {

struct Options {
  std::vector<InterfaceName> interfaces;
  ArgsFormat format = ArgsFormat::testpmd;
};

constexpr EnumWords<ArgsFormat, 5> kFormats = {{{ArgsFormat::testpmd, "testpmd"},
                                                {ArgsFormat::eal, "eal"},
                                                {ArgsFormat::vpp, "vpp"},
                                                {ArgsFormat::environment, "env"},
                                                {ArgsFormat::json, "json"}}};

// DPDK before 23.11 rejects a VMBus id after -a. Returns false if all installed releases are older.
bool accepts_channels(const host::Facts& facts) {
  static constexpr Release kFirst{23, 11, 0};
  const auto installed = facts.dpdk.value_or(std::vector<host::SystemDpdk>{});
  return installed.empty() ||
         std::any_of(installed.begin(), installed.end(), [](const host::SystemDpdk& dpdk) {
           const auto release = Release::parse(dpdk.version);
           return !release || *release >= kFirst;
         });
}

// Chooses one core for EAL's main lcore and one per queue. The number of queues is a power of two.
void choose_cores(ArgsOutput& result, const host::Facts& facts) {
  constexpr unsigned kMaxQueues = 64;
  const auto cpus = facts.cpus ? facts.cpus->cpus : std::vector<unsigned>{};
  while (result.queues * 2 <= kMaxQueues && result.queues * 2 + 1 <= cpus.size()) {
    result.queues *= 2;
  }
  result.cores.assign(cpus.begin(),
                      cpus.begin() + static_cast<std::ptrdiff_t>(
                                         std::min<std::size_t>(cpus.size(), result.queues + 1)));
}

Result<std::vector<const host::Nic*>> selected_nics(const Options& options,
                                                    const host::Facts& facts,
                                                    const std::vector<setup::Entry>& entries) {
  if (options.interfaces.empty()) {
    auto nics = nics_in_user_space(facts, entries);
    if (!nics.empty()) return nics;
    return fail(Errc::not_found, "no NIC is prepared: name an interface, or run 'manactl prepare'");
  }
  std::vector<const host::Nic*> nics;
  for (const auto& name : options.interfaces) {
    // The interface of a prepared NIC no longer exists; only the journal has its name.
    const auto entry = std::find_if(entries.begin(), entries.end(), [&](const auto& candidate) {
      return candidate.interface == name.str();
    });
    const auto uuid = entry == entries.end() ? std::string() : entry->nic.channel_id();
    const auto* by_id = uuid.empty() ? nullptr : facts.find_nic(uuid);
    const auto nic =
        by_id != nullptr ? Result<const host::Nic*>(by_id) : facts.azure_nic(name.str());
    if (!nic) return tl::unexpected<Error>(nic.error());
    if (std::find(nics.begin(), nics.end(), *nic) == nics.end()) nics.push_back(*nic);
  }
  return nics;
}

Exit run_args(const Options& options, Context& context) {
  const auto system = context.system();
  if (!system) return report_error(context, system.error());
  const auto entries = journal_entries(*system, context);
  const auto facts = gather_facts(*system);
  const auto nics = selected_nics(options, facts, entries);
  if (!nics) return report_error(context, nics.error());
  auto slots = setup::slots_of(*nics);
  if (!slots) return report_error(context, slots.error());
  ArgsOutput result;
  result.slots = std::move(*slots);
  result.allow_channels = accepts_channels(facts);
  choose_cores(result, facts);
  print_args(context.out, result, context.json ? ArgsFormat::json : options.format);
  return Exit::ok;
}

}  // namespace

CommandAction add_args(CLI::App& app) {
  auto options = std::make_shared<Options>();
  add_value(
      app,
      {"IFACE", type::kInterface, "print arguments of these NICs (default: all prepared)", true},
      [options](const std::string& text) -> Result<> {
        auto name = InterfaceName::parse(text);
        if (!name) return tl::unexpected<Error>(name.error());
        options->interfaces.push_back(std::move(*name));
        return {};
      })
      ->allow_extra_args(true);
  add_value(app,
            {"--for", type::kArgsFormat, "print for this program (default: testpmd)"},
            store_word_in(options->format, kFormats));
  return [options](Context& context) { return run_args(*options, context); };
}

}  // namespace manactl::cli
