// SPDX-License-Identifier: MIT

#include "cli/doctor_probe.h"

#include <algorithm>

#include "base/text.h"
#include "cli/bench/target.h"
#include "datapath/engines.h"
#include "setup/guard.h"

namespace manactl::cli {
namespace {

// A QP on a port changes who gets its packets; what cannot be read speaks against it, too.
std::string reason_to_keep_off(const datapath::Nic& port,
                               const os::System& system,
                               const host::Facts& facts) {
  const auto nic = std::ranges::find_if(*facts.nics, [&](const host::Nic& one) {
    return one.vf && one.vf->mac == port.mac && one.vf->pci == port.pci;
  });
  if (nic == facts.nics->end()) return "it is not known what it carries";
  const auto found = setup::objections(*nic, facts, system);
  return found ? join(*found, "; ") : found.error().message;
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
  plan.keep_off = reason_to_keep_off(*port, system, facts);
  plan.nic = std::move(*port);
  return datapath::probe(plan);
}

Exit exit_of(const datapath::ProbeReport& report) {
  const auto end = report.end();
  if (!end) return Exit::ok;
  const auto& reason = report.at(*end).reason;
  if (reason && reason->code == Errc::busy) return Exit::busy;
  if (reason && reason->code == Errc::denied) return Exit::denied;
  const bool failed = report.at(*end).outcome == datapath::Outcome::failed;
  return failed && *end <= datapath::Stage::find ? Exit::unsupported : Exit::findings;
}

}  // namespace manactl::cli
