// SPDX-License-Identifier: MIT

#include "cli/doctor/probe.h"

#include <algorithm>

#include "base/text.h"
#include "cli/bench/target.h"
#include "datapath/engines.h"
#include "setup/guard.h"

namespace manactl::cli {
namespace {

// Returns why creating a QP on the port is refused; empty if it is allowed. A QP redirects the
// packets of the port, so the port must be known to be unused.
std::string reason_against_qp(const datapath::Nic& port,
                              const os::System& system,
                              const host::Facts& facts) {
  const auto nic = std::ranges::find_if(*facts.nics, [&](const host::Nic& one) {
    return one.vf && one.vf->mac == port.mac && one.vf->pci == port.pci;
  });
  if (nic == facts.nics->end()) {
    return "no NIC matches this port, so it is unknown whether the port is in use";
  }
  constexpr bool kVfOnly = true;  // the probe removes no interface
  return join(setup::find_objections(*nic, facts, system, kVfOnly), "; ");
}

}  // namespace

Result<datapath::ProbeReport> probe_interface(const std::string& interface,
                                              const os::System& system,
                                              const host::Facts& facts,
                                              const std::vector<setup::Entry>& entries) {
  datapath::ProbePlan plan;
  plan.interface = interface;
  if (datapath::is_simulated()) return datapath::probe(plan);
  auto port = find_mana_port(facts, interface, entries);
  if (!port) return tl::unexpected<Error>(port.error().error);
  plan.no_qp_reason = reason_against_qp(*port, system, facts);
  plan.nic = std::move(*port);
  return datapath::probe(plan);
}

}  // namespace manactl::cli
