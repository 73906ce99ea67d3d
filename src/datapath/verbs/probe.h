// SPDX-License-Identifier: MIT
//
// The probe with replaceable functions that load the libraries and open the port, for tests.

#pragma once

#include <functional>
#include <memory>

#include "datapath/probe.h"
#include "datapath/verbs/context.h"

namespace manactl::datapath::verbs {

// Both functions run in the child process.
struct ProbeCalls {
  std::function<Result<Library>()> load;
  std::function<Result<std::unique_ptr<Context>>(const Library&, const ProbePlan&)> open;
};

Result<ProbeReport> probe(const ProbePlan& plan, const ProbeCalls& calls);

}  // namespace manactl::datapath::verbs
