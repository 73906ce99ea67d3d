// SPDX-License-Identifier: MIT

#include "cli/question.h"

#include <algorithm>

#include "base/text.h"
#include "cli/arguments.h"
#include "datapath/plan.h"

namespace manactl::cli {

host::EmbeddedDpdk embedded_dpdk() {
  auto info = datapath::engine_info();
  return {std::move(info.version), std::move(info.drivers), std::move(info.linkage)};
}

diag::Question question_about(unsigned queues) {
  datapath::BenchPlan plan;
  plan.queues = static_cast<std::uint16_t>(queues);
  diag::Question question;
  question.queues = queues;
  question.bench_bytes = datapath::pool_size(plan).bytes;
  return question;
}

Result<const host::Nic*> find_nic(const host::Facts& facts, const std::string& interface) {
  if (const auto* nic = facts.find_nic(interface)) return nic;
  const auto& names = facts.interfaces;
  const std::string shown = printable(interface, 60);
  if (std::find(names.begin(), names.end(), interface) != names.end()) {
    return fail(Errc::not_found, fmt::format("interface '{}' is not an Azure NIC", shown));
  }
  return fail(Errc::not_found,
              fmt::format("no interface '{}' here{}", shown, suggestion(interface, names)));
}

}  // namespace manactl::cli
