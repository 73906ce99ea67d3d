// SPDX-License-Identifier: MIT
//
// A check is one row: a stable id, a title that is true when it passes and one that is true when it
// fails, what it needs, and a pure function of facts. To add one, see CONTRIBUTING.md.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "diag/finding.h"
#include "host/facts.h"

namespace manactl::diag {

// What the user wants to know beyond "what is here".
struct Question {
  std::optional<std::string> interface;  // only the NIC of this name
  unsigned queues = 1;                   // of the bench that is planned
  std::uint64_t bench_bytes = 0;         // hugepage memory that such a bench takes
};

enum class Needs { nothing, mana, nic };  // not met -> skipped, and said so

struct Check {
  std::string_view id;       // "memory.hugepages": used by --only, JSON and docs/checks.md
  std::string_view title;    // true when the check passes
  std::string_view problem;  // true when it fails: how doctor names it
  Needs needs;
  Finding (*run)(const host::Facts&, const Question&);

  // Checks whose failure makes this one fail too: doctor shows the first cause, not its shadow.
  std::span<const std::string_view> caused_by = {};

  std::string_view group() const { return id.substr(0, id.find('.')); }
};

// Every check, by group: hardware, interfaces, kernel, rdma, dpdk, memory.
std::vector<Check> all_checks();

const Check* find_check(std::string_view id);

// The NICs that the question is about.
std::vector<const host::Nic*> nics_of(const host::Facts& facts, const Question& question);

}  // namespace manactl::diag
