// SPDX-License-Identifier: MIT
//
// Runs checks over facts. A check that throws becomes unknown; the others still run.

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "diag/check.h"

namespace manactl::diag {

struct Ran {
  Check check;
  Finding finding;
};

struct Report {
  std::vector<Ran> ran;

  std::size_t count(Status status) const;

  bool healthy() const { return count(Status::fail) == 0; }

  const Ran* find(std::string_view id) const;
};

// `only` holds ids ("rdma.driver-id") or groups ("rdma"); empty means all.
// Errc::invalid names the first word that is neither, with the nearest one that is.
Result<Report> run_checks(const host::Facts& facts,
                          const Question& question,
                          const std::vector<std::string>& only);

// The same over any table: how tests give it checks that throw.
Report run_table(std::span<const Check> checks, const host::Facts& facts, const Question& question);

}  // namespace manactl::diag
