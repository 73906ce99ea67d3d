// SPDX-License-Identifier: MIT
//
// The checks. A check is one table row: a stable id, a title, what it requires, and a pure function
// of facts. The checks of each group are in <group>_checks.cpp; to add one, see CONTRIBUTING.md.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_words.h"
#include "diag/finding.h"
#include "host/facts.h"

namespace manactl::diag {

// The use of the NIC for which the check must pass.
enum class Use { kernel, dpdk, both };

// The words of --for and of JSON.
inline constexpr EnumWords<Use, 2> kUseWords = {{{Use::kernel, "kernel"}, {Use::dpdk, "dpdk"}}};

struct CheckOptions {
  std::optional<std::string> interface = {};  // check only the NIC of this name
  std::optional<Use> use = {};                // leave out the checks that this use does not need
  bool forecast = false;                      // judge an Azure VM without MANA for a move to MANA
  std::uint64_t bench_bytes = 0;              // hugepage memory for a planned benchmark; 0: none
  std::uint64_t testpmd_bytes = 0;            // hugepage memory for dpdk-testpmd; 0: not checked
};

// A check is skipped if the VM does not meet its requirement.
enum class Requirement {
  none,
  mana,      // a MANA function
  azure,     // a MANA function or, for a forecast, an Azure VM
  move,      // a forecast for an Azure VM without a MANA function
  nic,       // an Azure NIC
  metadata,  // the reply of the metadata service; the check does not decide whether the VM is ready
};

struct Check {
  std::string_view id;       // "memory.hugepages": used by --only, JSON and manactl help
  std::string_view title;    // true when the check passes
  std::string_view problem;  // names the fault; the title that `doctor` shows
  Requirement requirement;
  Use use;
  Finding (*run)(const host::Facts&, const CheckOptions&);

  // If one of these checks fails, this one fails as a consequence, and `doctor` reports it as such.
  std::span<const std::string_view> caused_by = {};

  std::string_view group() const { return id.substr(0, id.find('.')); }

  bool matters_for(Use other) const { return use == other || use == Use::both; }
};

std::span<const Check> hardware_checks();
std::span<const Check> interface_checks();
std::span<const Check> kernel_checks();
std::span<const Check> rdma_checks();
std::span<const Check> dpdk_checks();
std::span<const Check> memory_checks();
std::span<const Check> speed_checks();
std::span<const Check> move_checks();
std::span<const Check> traffic_checks();
std::span<const Check> cpu_checks();

// The checks of every group, in the order of the functions above.
const std::vector<Check>& all_checks();

// The groups of all_checks(), in their order.
std::vector<std::string_view> check_groups();

const Check* find_check(std::string_view id);

}  // namespace manactl::diag
