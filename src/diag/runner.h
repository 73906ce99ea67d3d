// SPDX-License-Identifier: MIT
//
// Runs checks over facts. The finding of a check that throws is unknown; the others still run.

#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "diag/check.h"
#include "diag/story.h"

namespace manactl::diag {

struct CheckOutcome {
  Check check;
  Finding finding;
  std::optional<Quote> quote = {};  // the line of a log that shows the finding
};

struct Report {
  std::vector<CheckOutcome> outcomes;

  std::size_t count(Status status) const;

  bool healthy() const { return count(Status::fail) == 0; }

  const CheckOutcome* find(std::string_view id) const;
};

// `only` holds ids ("rdma.driver-id") or groups ("rdma"); if it is empty, every check runs.
// Errc::invalid names the first word that is neither, and the most similar known word.
Result<Report> run_checks(const host::Facts& facts,
                          const CheckOptions& options,
                          const std::vector<std::string>& only);

// Runs exactly `checks`. Tests pass checks that throw.
Report run_all(std::span<const Check> checks,
               const host::Facts& facts,
               const CheckOptions& options);

}  // namespace manactl::diag
