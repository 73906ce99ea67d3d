// SPDX-License-Identifier: MIT

#include "diag/check.h"

#include <algorithm>

#include "diag/groups.h"

namespace manactl::diag {

namespace {

const std::vector<Check>& table() {
  static const std::vector<Check> every = [] {
    std::vector<Check> all;
    for (const auto group : {hardware_checks(),
                             interface_checks(),
                             kernel_checks(),
                             rdma_checks(),
                             dpdk_checks(),
                             memory_checks()}) {
      all.insert(all.end(), group.begin(), group.end());
    }
    return all;
  }();
  return every;
}

}  // namespace

std::vector<Check> all_checks() {
  return table();
}

const Check* find_check(std::string_view id) {
  const auto found =
      std::find_if(table().begin(), table().end(), [id](const Check& c) { return c.id == id; });
  return found == table().end() ? nullptr : &*found;
}

std::vector<const host::Nic*> nics_of(const host::Facts& facts, const Question& question) {
  std::vector<const host::Nic*> nics;
  if (!facts.nics) return nics;
  if (question.interface) {
    const host::Nic* named = facts.find_nic(*question.interface);
    if (named != nullptr) nics.push_back(named);
    return nics;
  }
  for (const host::Nic& nic : *facts.nics) nics.push_back(&nic);
  return nics;
}

}  // namespace manactl::diag
