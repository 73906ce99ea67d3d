// SPDX-License-Identifier: MIT
//
// The row of the verbs engine, and its probe, in a build without the headers of libmana.

#include "datapath/engines.h"
#include "datapath/probe.h"

namespace manactl::datapath {

constinit const EngineRow kVerbsEngine = {
    .name = "verbs",
    .mana_driver = "libmana",
    .nic_state = NicState::link_down,
    .adapter_doorbell = kDoorbellCall,
    .info = [] { return EngineInfo{"", "off", {}}; },
    .make = []() -> Result<std::unique_ptr<Engine>> {
      return fail(Errc::unsupported, "this manactl was built without libmana");
    },
};

bool is_simulated() {
  return false;
}

Result<ProbeReport> probe(const ProbePlan& /*plan*/) {
  return fail(Errc::unsupported, "this manactl was built without libmana");
}

}  // namespace manactl::datapath
