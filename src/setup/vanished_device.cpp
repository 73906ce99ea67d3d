// SPDX-License-Identifier: MIT

#include "setup/vanished_device.h"

#include <algorithm>

#include "base/text.h"
#include "setup/sysfs.h"

namespace manactl::setup {
namespace {

bool has_vf(const NicIdentity& nic, const std::string& interface, const os::System& system) {
  const auto links = system.links.links();
  if (!links) return true;
  // The synthetic interface has the same MAC address but is not the VF. udev may not have renamed
  // it yet, so it is found by its channel.
  const auto synthetic = interface_of(system.files, nic.channel_id());
  return std::any_of(links->begin(), links->end(), [&](const os::Link& link) {
    if (has_name(link, nic.vf)) return true;
    return link.mac == nic.mac && link.kind.empty() && link.name != interface &&
           link.name != synthetic;
  });
}

}  // namespace

std::string VanishedDevice::text(const Entry& entry) const {
  if (channel) return fmt::format("the VMBus channel {} was removed", entry.nic.channel_id());
  if (vf) return fmt::format("the VF {} was removed", printable(entry.nic.vf));
  return {};
}

bool VanishedDevice::caused(const Error& error, const StepRecord& step, const Entry& entry) const {
  const auto interface = step.interface();
  const bool changes_channel = !step.channel().empty();
  if (!changes_channel && !interface.empty() && interface == entry.nic.vf) return vf;
  // After rebinding, reverting waits until the VF has joined the synthetic NIC again.
  if (step.kind == StepKind::unbind_channel && vf && error.code == Errc::not_found) return true;
  return channel && (changes_channel || interface == entry.interface);
}

VanishedDevice find_vanished_device(const Entry& entry, const os::System& system) {
  VanishedDevice vanished;
  vanished.vf = !entry.nic.vf.empty() && !has_vf(entry.nic, entry.interface, system);
  if (!entry.nic.channel) return vanished;
  const auto driver = driver_of(system.files, entry.nic.channel_id());
  vanished.channel = !driver && driver.error().code == Errc::not_found;
  return vanished;
}

}  // namespace manactl::setup
