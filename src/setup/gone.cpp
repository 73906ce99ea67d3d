// SPDX-License-Identifier: MIT

#include "setup/gone.h"

#include <algorithm>

#include "base/text.h"
#include "setup/sysfs.h"

namespace manactl::setup {
namespace {

bool is_vf_there(const Entry& entry, const os::System& system) {
  const auto links = system.links.links();
  if (!links) return true;
  const auto name = value_of(entry.nic, "vf");
  const auto mac = value_of(entry.nic, "mac");
  // The synthetic interface has the same MAC address, and perhaps not yet its own name again.
  const auto synthetic = interface_of(system.files, value_of(entry.nic, "uuid"));
  return std::any_of(links->begin(), links->end(), [&](const os::Link& link) {
    const auto& others = link.alternative_names;
    if (link.name == name || std::find(others.begin(), others.end(), name) != others.end()) {
      return true;
    }
    return link.mac.str() == mac && link.kind.empty() && link.name != entry.interface &&
           link.name != synthetic;
  });
}

}  // namespace

std::string Gone::text(const Entry& entry) const {
  if (channel) return fmt::format("the VMBus channel {} went away", value_of(entry.nic, "uuid"));
  if (vf) return fmt::format("the VF {} went away", printable(value_of(entry.nic, "vf"), 60));
  return {};
}

Gone gone_of(const Entry& entry, const os::System& system) {
  Gone gone;
  gone.vf = !value_of(entry.nic, "vf").empty() && !is_vf_there(entry, system);
  const auto id = value_of(entry.nic, "uuid");
  if (id.empty()) return gone;
  const auto driver = driver_of(system.files, id);
  gone.channel = !driver && driver.error().code == Errc::not_found;
  return gone;
}

bool explains(const Gone& gone, const Entry& entry, const StepRecord& step, const Error& error) {
  const auto interface = value_of(step.parameters, "interface");
  const bool of_channel = !value_of(step.parameters, "channel").empty();
  const bool of_vf = !of_channel && !interface.empty() && interface == value_of(entry.nic, "vf");
  if (of_vf) return gone.vf;
  // A channel that went back is waited for its VF.
  if (step.kind == "release" && gone.vf && error.code == Errc::not_found) return true;
  return gone.channel && (of_channel || interface == entry.interface);
}

}  // namespace manactl::setup
