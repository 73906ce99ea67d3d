// SPDX-License-Identifier: MIT

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "base/text.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/prepared.h"
#include "cli/question.h"
#include "cli/render_setup.h"
#include "host/gather.h"

namespace manactl::cli {
namespace {

struct Options {
  std::vector<InterfaceName> interfaces;
  Reader reader = Reader::testpmd;
};

Result<Reader> parse_reader(std::string_view text) {
  if (text == "testpmd") return Reader::testpmd;
  if (text == "eal") return Reader::eal;
  if (text == "vpp") return Reader::vpp;
  if (text == "env") return Reader::environment;
  if (text == "json") return Reader::json;
  return fail(Errc::invalid,
              fmt::format("'{}' is none of testpmd, eal, vpp, env, json", printable(text, 40)));
}

// An installed DPDK that is known to be older does not take a VMBus id with -a.
bool takes_channels(const host::Facts& facts) {
  static constexpr Release kFirst{23, 11, 0};
  const auto installed = facts.dpdk.value_or(std::vector<host::SystemDpdk>{});
  return installed.empty() ||
         std::any_of(installed.begin(), installed.end(), [](const host::SystemDpdk& dpdk) {
           const auto release = Release::parse(dpdk.version);
           return !release || *release >= kFirst;
         });
}

// One core for EAL itself, and of the rest as many as a power of two.
void choose_cores(ArgsAnswer& answer, const host::Facts& facts) {
  constexpr unsigned kMostQueues = 64;
  const auto cpus = facts.cpus ? facts.cpus->cpus : std::vector<unsigned>{};
  while (answer.queues * 2 <= kMostQueues && answer.queues * 2 + 1 <= cpus.size()) {
    answer.queues *= 2;
  }
  answer.cores.assign(cpus.begin(),
                      cpus.begin() + static_cast<std::ptrdiff_t>(
                                         std::min<std::size_t>(cpus.size(), answer.queues + 1)));
}

Result<std::vector<const host::Nic*>> chosen(const Options& options,
                                             const host::Facts& facts,
                                             const std::vector<setup::Entry>& entries) {
  auto prepared = prepared_nics(facts, entries);
  if (options.interfaces.empty()) {
    if (!prepared.empty()) return prepared;
    return fail(Errc::not_found,
                "nothing is prepared: name an interface, or see 'manactl prepare'");
  }
  std::vector<const host::Nic*> nics;
  for (const auto& name : options.interfaces) {
    // The name of a prepared NIC lives on in the journal alone.
    const auto known = std::find_if(entries.begin(), entries.end(), [&](const auto& entry) {
      return entry.interface == name.str();
    });
    const auto uuid = known == entries.end() ? "" : setup::value_of(known->nic, "uuid");
    const auto* by_id = uuid.empty() ? nullptr : facts.find_nic(uuid);
    const auto nic =
        by_id != nullptr ? Result<const host::Nic*>(by_id) : find_nic(facts, name.str());
    if (!nic) return tl::unexpected<Error>(nic.error());
    if (std::find(nics.begin(), nics.end(), *nic) == nics.end()) nics.push_back(*nic);
  }
  return nics;
}

Exit run_args(const Options& options, Context& context) {
  const auto system = context.system();
  if (!system) return report_error(context, system.error());
  const auto entries = known_entries(*system, context);
  const auto facts = host::gather(*system, embedded_dpdk());
  const auto nics = chosen(options, facts, entries);
  if (!nics) return report_error(context, nics.error());
  auto slots = setup::slots_of(*nics);
  if (!slots) return report_error(context, slots.error());
  ArgsAnswer answer;
  answer.slots = std::move(*slots);
  answer.allow_channels = takes_channels(facts);
  choose_cores(answer, facts);
  text(context.out, answer, context.json ? Reader::json : options.reader);
  return Exit::ok;
}

}  // namespace

Run add_args(CLI::App& app) {
  auto options = std::make_shared<Options>();
  add_value(app,
            {"IFACE", type::kInterface, "these NICs; all that are prepared else", true},
            [options](const std::string& text) -> Result<> {
              auto name = InterfaceName::parse(text);
              if (!name) return tl::unexpected<Error>(name.error());
              options->interfaces.push_back(std::move(*name));
              return {};
            })
      ->allow_extra_args(true);
  add_value(app, {"--for", type::kReader, "who reads them"}, into(options->reader, parse_reader));
  return [options](Context& context) { return run_args(*options, context); };
}

}  // namespace manactl::cli
