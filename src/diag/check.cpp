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
                             memory_checks()}) {
      checks.insert(checks.end(), group.begin(), group.end());
    }
    return checks;
  }();
  return all;
}

const Check* find_check(std::string_view id) {
  const auto found = std::ranges::find(all_checks(), id, &Check::id);
  return found == all_checks().end() ? nullptr : &*found;
}

}  // namespace manactl::diag
