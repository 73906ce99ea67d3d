// SPDX-License-Identifier: MIT

#include "cli/complete_values.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/ids.h"
#include "base/text.h"
#include "cli/bench/saved_results.h"
#include "cli/facts.h"
#include "cli/options.h"
#include "datapath/analysis/search.h"
#include "datapath/engines.h"
#include "diag/check.h"
#include "host/facts.h"
#include "host/nic_state.h"
#include "host/tuning.h"
#include "report/figures.h"
#include "report/result_store.h"
#include "wire/dissect.h"

namespace manactl::cli {
namespace {

std::vector<host::Nic> nics_of(Context& context) {
  const auto system = context.system();
  if (!system) return {};
  return gather_facts(*system).nics.value_or(std::vector<host::Nic>{});
}

// Returns the interfaces of Azure's NICs. A captured directory may contain names that are not
// interfaces, such as "-rf" or ":files".
Candidates interfaces(Context& context) {
  Candidates found;
  for (const auto& nic : nics_of(context)) {
    for (const auto& netdev : {nic.synthetic, nic.vf}) {
      if (netdev && InterfaceName::parse(netdev->name))
        found.push_back({netdev->name, netdev->driver});
    }
  }
  return found;
}

Candidates wire_kinds() {
  Candidates found;
  for (const auto& kind : wire::kinds()) {
    found.push_back({std::string(kind.name), std::string(kind.summary)});
  }
  return found;
}

// Returns the synthetic NICs that are free for DPDK, as far as this user can see: completion after
// sudo runs without privileges. prepare checks it again.
Candidates preparable(Context& context) {
  Candidates found;
  const auto system = context.system();
  if (!system) return found;
  const auto facts = gather_facts(*system);
  for (const auto& nic : facts.nics.value_or(std::vector<host::Nic>{})) {
    const bool is_bound_to_netvsc = nic.synthetic && host::owner_of(nic) == host::Owner::kernel;
    const bool may_be_free = host::availability_of(nic, facts).is_free.value_or(true);
    if (is_bound_to_netvsc && may_be_free && InterfaceName::parse(nic.name())) {
      found.push_back({nic.name(), "VF " + nic.vf->name});
    }
  }
  return found;
}

// Returns the NICs in the journal, which only root can read.
Candidates restorable(Context& context) {
  Candidates found;
  const auto system = context.system();
  if (!system) return found;
  for (const auto& entry : journal_entries(*system, context)) {
    const auto* state = !entry.is_finished() ? "unfinished"
                        : entry.is_tuning()  ? "tuned"
                                             : "prepared";
    if (std::ranges::find(found, entry.name(), &Candidate::word) == found.end())
      found.push_back({entry.name(), state});
  }
  return found;
}

// Returns the settings of tune, without their values.
Candidates tunable_settings() {
  Candidates found;
  for (const auto& tunable : host::tunables()) {
    found.push_back({fmt::format("{}=", tunable.name), std::string(tunable.why)});
  }
  return found;
}

Candidates virtual_devices() {
  Candidates found;
  const auto info = datapath::kDpdkEngine.info();
  // net_memif0 alone has a socket that every user can connect to.
  for (const std::string_view driver : {"net_null", "net_ring", "net_tap", "net_af_packet"}) {
    if (info.has_driver(driver)) found.push_back({fmt::format("{}0", driver), ""});
  }
  return found;
}

// Examples of faults; a test checks that the adapter accepts them.
Candidates faults() {
  Candidates found;
  for (const auto* fault : {"create_qp=errno:EBUSY",
                            "create_cq=hang",
                            "alloc_pd=crash",
                            "alloc_parent_domain=missing",
                            "tx=33",
                            "rx=truncate",
                            "rx=drop",
                            "provider=foreign",
                            "cq=overrun",
                            "doorbell=lost",
                            "doorbell=delayed",
                            "doorbell=duplicated",
                            "device=fatal",
                            "device=reset"}) {
    found.push_back({fault, ""});
  }
  return found;
}

// Adds a result by its id and, if it has one, by its label. Describes nothing that cannot be read.
void add_described(const std::string& id, const Context& context, Candidates& found) {
  const auto result = load_without_series(context, {}, id);
  if (!result) return found.push_back({id, ""});
  auto text = fmt::format("{} on {}", name_of(result->plan.mode), report::device_of(result->plan));
  if (report::rate_of(*result)) text += ", " + report::median_text(result->summary.rate);
  const auto& label = result->label;
  found.push_back({id, label.empty() ? text : fmt::format("{}: {}", label, text)});
  // The newest result with a label is the one that the label names.
  const bool is_special = label.starts_with(':') || label.starts_with('-');
  if (!label.empty() && !is_special &&
      std::ranges::find(found, label, &Candidate::word) == found.end()) {
    found.push_back({label, text});
  }
}

// Returns the ids and labels of saved results, "latest", and ":files". Only the newest results get
// a description and a label, because reading all of them would take too long.
Candidates results(Context& context) {
  Candidates found;
  if (!context.results.empty()) {
    const auto ids = report::ResultStore(context.results).ids();
    constexpr std::size_t kMaxDescribed = 10;
    std::size_t described = 0;
    for (const auto& id : ids.value_or(std::vector<std::string>{})) {
      if (described++ < kMaxDescribed) {
        add_described(id, context, found);
      } else {
        found.push_back({id, ""});
      }
    }
    if (!found.empty()) found.push_back({std::string(report::kLatest), "the newest result"});
  }
  found.push_back({":files", ""});
  return found;
}

}  // namespace

Candidates check_values() {
  Candidates found;
  for (const auto group : diag::check_groups()) {
    found.push_back({std::string(group), "all checks of this group"});
  }
  for (const auto& check : diag::all_checks()) {
    found.push_back({std::string(check.id), std::string(check.title)});
  }
  return found;
}

Candidates values_of(const CLI::Option& option, std::string_view command, Context& context) {
  const std::string type = option.get_type_name();
  if (type == type::kInterface && command == "prepare") return preparable(context);
  if (type == type::kInterface && command == "restore") return restorable(context);
  if (type == type::kInterface) return interfaces(context);
  if (type == type::kCheck) return check_values();
  if (type == type::kSetting) return tunable_settings();
  if (type == type::kVdev) return virtual_devices();
  if (type == type::kFault) return faults();
  if (type == type::kGoals) {
    return {{"ndr", "no loss"},
            {"pdr", fmt::format("a loss of at most {:g} %", 100 * datapath::kDefaultPdr)},
            {"ndr,pdr", "both"}};
  }
  if (type == type::kWireKind) return wire_kinds();
  if (type == type::kResult) return results(context);
  if (type == type::kFile || type == type::kBytes) return {{":files", ""}};
  if (type == type::kDirectory) return {{":directories", ""}};
  Candidates found;
  if (type.find('|') != std::string::npos) {
    for (const auto word : split(type, '|')) {
      // Words in capitals stand for a value: N|SIZE|none.
      const bool is_placeholder = !word.empty() && word.front() >= 'A' && word.front() <= 'Z';
      if (!is_placeholder) found.push_back({std::string(word), ""});
    }
  }
  return found;
}

}  // namespace manactl::cli
