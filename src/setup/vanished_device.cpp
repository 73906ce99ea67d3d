// SPDX-License-Identifier: MIT

#include "setup/vanished_device.h"

#include "base/text.h"
#include "setup/nic_interface.h"
#include "setup/sysfs.h"

namespace manactl::setup {
namespace {

// The VF as the steps of the entry know it; by its name if no step changes it.
NicInterface vf_of(const Entry& entry) {
  for (const auto& step : entry.steps) {
    if (step.interface() == entry.nic.vf) return interface_of(step.parameters);
  }
  return {entry.nic.vf};
}

bool has_vf(const Entry& entry, const os::System& system) {
  const auto link = find_link(system, vf_of(entry));
  return link || link.error().code != Errc::not_found;
}

}  // namespace

std::string VanishedDevice::text(const Entry& entry) const {
  if (channel) return fmt::format("the VMBus channel {} was removed", entry.nic.channel_id());
  if (vf) return fmt::format("the VF {} was removed", printable(entry.nic.vf));
  return {};
}

bool VanishedDevice::caused(const Error& error, const StepRecord& step, const Entry& entry) const {
  const auto interface = step.interface();
  if (!interface.empty() && interface == entry.nic.vf) return vf;
  // After rebinding, reverting waits until the VF has joined the synthetic NIC again.
  if (step.kind == StepKind::unbind_channel && vf && error.code == Errc::not_found) return true;
  return channel && (!step.channel().empty() || interface == entry.interface);
}

VanishedDevice find_vanished_device(const Entry& entry, const os::System& system) {
  VanishedDevice vanished;
  vanished.vf = !entry.nic.vf.empty() && !has_vf(entry, system);
  if (!entry.nic.channel) return vanished;
  const auto driver = driver_of(system.files, entry.nic.channel_id());
  vanished.channel = !driver && driver.error().code == Errc::not_found;
  return vanished;
}

}  // namespace manactl::setup
