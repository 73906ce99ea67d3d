// SPDX-License-Identifier: MIT

#include "cli/facts.h"

#include <algorithm>

#include "base/text.h"
#include "cli/arguments.h"
#include "datapath/plan/plan.h"
#include "diag/evidence.h"
#include "diag/runner.h"
#include "host/gather.h"
#include "host/load.h"
#include "host/metadata.h"
#include "host/numa.h"
#include "host/testpmd.h"
#include "host/tuning.h"
#include "setup/guard.h"
#include "setup/session.h"

namespace manactl::cli {
namespace {

host::Facts gather(const os::System& system, host::MoveForecast forecast) {
  auto facts = host::gather(system, host::SshSearch::quick, forecast);
  setup::add_objections(facts, system);
  return facts;
}

}  // namespace

host::Facts gather_facts(const os::System& system) {
  return gather(system, host::MoveForecast::omit);
}

host::Facts gather_check_facts(const os::System& system,
                               const std::string& root,
                               const std::optional<std::string>& metadata_address) {
  auto facts = gather(system, host::MoveForecast::include);
  if (facts.nics) host::gather_settings(system.links, *facts.nics);
  facts.load = host::gather_load(system, facts);
  if (!root.empty()) {
    facts.metadata = host::recorded_metadata(system.files);
  } else if (metadata_address && facts.is_on_azure()) {
    facts.metadata = host::ask_metadata_service(*metadata_address);
  }
  return facts;
}

diag::CheckOptions check_options_for(const host::Facts& facts, unsigned queues) {
  datapath::BenchPlan plan;
  plan.queues = static_cast<std::uint16_t>(queues);
  diag::CheckOptions options;
  options.bench_bytes = datapath::pool_size(plan).bytes;
  options.testpmd_bytes = host::size_of_testpmd(facts, host::common_node(facts)).hugepage_bytes;
  return options;
}

std::string obstacle_to_dpdk(const host::Facts& facts) {
  const auto report = diag::run_checks(facts, {}, {"hardware", "kernel", "rdma", "dpdk"});
  const auto causes =
      report ? diag::first_causes(*report) : std::vector<const diag::CheckOutcome*>();
  if (causes.empty()) return {};
  const auto& cause = *causes.front();
  return fmt::format("DPDK cannot use the NIC yet: {} ({}); 'manactl check' prints the remedy",
                     cause.finding.detail,
                     cause.check.id);
}

std::string obstacle_in_libraries(const host::Facts& facts) {
  constexpr std::size_t kMaxCommands = 2;  // of one line
  constexpr const char* kCheck = "rdma.core";
  const auto report = diag::run_checks(facts, {}, {kCheck});
  const auto* outcome = report ? report->find(kCheck) : nullptr;
  if (outcome == nullptr || outcome->finding.status != diag::Status::fail) return {};
  const auto& commands = outcome->finding.remedy->commands;
  const auto& detail = outcome->finding.detail;
  if (commands.empty() || commands.size() > kMaxCommands) {
    return fmt::format("{}: 'manactl check --only {}' prints what to do", detail, kCheck);
  }
  return fmt::format("{}: run '{}' as root", detail, join(commands, " && "));
}

std::vector<setup::Entry> journal_entries(const os::System& system, const Context& context) {
  if (!context.root.empty()) return {};
  return setup::SetupSession(system).entries().value_or(std::vector<setup::Entry>{});
}

std::vector<const host::Nic*> nics_in_user_space(const host::Facts& facts,
                                                 const std::vector<setup::Entry>& entries) {
  std::vector<const host::Nic*> found;
  if (!facts.nics) return found;
  for (const auto& nic : *facts.nics) {
    const bool is_journaled = std::any_of(entries.begin(), entries.end(), [&](const auto& entry) {
      return entry.ready && !entry.is_tuning() && !entry.interface.empty() &&
             entry.interface == nic.name();
    });
    const bool has_function = nic.vf && nic.vf->pci;
    if (has_function && (nic.is_prepared() || is_journaled)) found.push_back(&nic);
  }
  return found;
}

}  // namespace manactl::cli
