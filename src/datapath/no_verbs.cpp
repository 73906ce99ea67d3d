// SPDX-License-Identifier: MIT
#include "datapath/engines.h"
#include "datapath/probe.h"

namespace manactl::datapath {

bool has_verbs_engine() {
  return false;
}

bool is_simulated() {
  return false;
}

Result<std::unique_ptr<Engine>> make_verbs_engine() {
  return fail(Errc::unsupported, "this manactl was built without libmana: no --engine verbs");
}

Result<ProbeReport> probe(const ProbePlan& /*plan*/) {
  return fail(Errc::unsupported, "this manactl was built without libmana");
}

}  // namespace manactl::datapath
