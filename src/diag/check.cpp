// SPDX-License-Identifier: MIT

#include "diag/check.h"

#include <algorithm>

namespace manactl::diag {

const std::vector<Check>& all_checks() {
  static const std::vector<Check> all = [] {
    std::vector<Check> checks;
    for (const auto group : {hardware_checks(),
                             interface_checks(),
                             kernel_checks(),
                             rdma_checks(),
                             dpdk_checks(),
                             memory_checks(),
                             speed_checks(),
                             traffic_checks(),
                             cpu_checks(),
                             move_checks()}) {
      checks.insert(checks.end(), group.begin(), group.end());
    }
    return checks;
  }();
  return all;
}

std::vector<std::string_view> check_groups() {
  std::vector<std::string_view> groups;
  for (const auto& check : all_checks()) {
    if (groups.empty() || groups.back() != check.group()) groups.push_back(check.group());
  }
  return groups;
}

const Check* find_check(std::string_view id) {
  const auto found = std::ranges::find(all_checks(), id, &Check::id);
  return found == all_checks().end() ? nullptr : &*found;
}

}  // namespace manactl::diag
