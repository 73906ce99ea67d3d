// SPDX-License-Identifier: MIT

#include "cli/check/render_check.h"
#include "cli/table.h"
#include "diag/fact_lookups.h"
#include "diag/readiness.h"
#include "host/nic_state.h"

namespace manactl::cli {
namespace {

// A NIC may be free although DPDK is not ready; the verdict gives the reason.
std::string free_for_dpdk_text(const host::Nic& nic, const host::Facts& facts, bool dpdk_is_ready) {
  const auto availability = host::availability_of(nic, facts);
  if (!availability.is_free) return "unknown: " + availability.reason;
  if (!*availability.is_free) return "no: " + availability.reason;
  const std::string answer = host::owner_of(nic) == host::Owner::uio ? "prepared" : "yes";
  return dpdk_is_ready ? answer : answer + ", but DPDK is not ready";
}

}  // namespace

void print_nics(Screen& screen, const CheckResult& result) {
  std::vector<TableRow> rows{{"NIC", "owner", "VF", "path", "free for DPDK"}};
  const bool dpdk_is_ready =
      diag::readiness_for(diag::Use::dpdk, result.facts, result.report).ready != false;
  for (const auto* nic : diag::selected_nics(result.facts, result.options)) {
    rows.push_back({nic->name(),
                    std::string(word_of(host::kOwnerWords, host::owner_of(*nic))),
                    nic->vf ? nic->vf->name : "none",
                    std::string(word_of(host::kTrafficPathWords, host::traffic_path_of(*nic))),
                    free_for_dpdk_text(*nic, result.facts, dpdk_is_ready)});
  }
  if (rows.size() == 1) return;
  print_table(screen, rows);
  screen.stream() << '\n';
}

}  // namespace manactl::cli
