// SPDX-License-Identifier: MIT

#include "cli/check/render_check.h"
#include "cli/table.h"
#include "diag/fact_lookups.h"
#include "host/nic_state.h"

namespace manactl::cli {
namespace {

std::string answer_of(const host::Nic& nic, const host::Facts& facts) {
  const auto availability = host::availability_of(nic, facts);
  if (!availability.is_free) return "unknown: " + availability.reason;
  if (!*availability.is_free) return "no: " + availability.reason;
  return host::owner_of(nic) == host::Owner::uio ? "prepared" : "yes";
}

}  // namespace

void print_nics(Screen& screen, const CheckResult& result) {
  std::vector<TableRow> rows{{"NIC", "owner", "VF", "path", "free for DPDK"}};
  for (const auto* nic : diag::selected_nics(result.facts, result.options)) {
    rows.push_back({nic->name(),
                    std::string(word_of(host::kOwnerWords, host::owner_of(*nic))),
                    nic->vf ? nic->vf->name : "none",
                    std::string(word_of(host::kTrafficPathWords, host::traffic_path_of(*nic))),
                    answer_of(*nic, result.facts)});
  }
  if (rows.size() == 1) return;
  print_table(screen, rows);
  screen.stream() << '\n';
}

}  // namespace manactl::cli
