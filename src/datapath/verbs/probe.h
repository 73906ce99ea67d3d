// SPDX-License-Identifier: MIT
//
// The probe without its way to the libraries, for tests that bring their own.

#pragma once

#include <functional>
#include <memory>

#include "datapath/probe.h"
#include "datapath/verbs/context.h"

namespace manactl::datapath::verbs {

// Both are called in the child.
struct Doors {
  std::function<Result<Library>()> load;
  std::function<Result<std::unique_ptr<Context>>(const Library&, const ProbePlan&)> open;
};

Result<ProbeReport> probe(const ProbePlan& plan, const Doors& doors);

}  // namespace manactl::datapath::verbs
