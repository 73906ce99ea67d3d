// SPDX-License-Identifier: MIT
//
// One of the two interfaces of a NIC, identified by its device. Names change: udev and
// administrators rename interfaces, and the kernel gives a free name to the next interface that
// appears.

#pragma once

#include <string>

#include "host/facts.h"
#include "os/system.h"
#include "setup/step.h"

namespace manactl::setup {

struct NicInterface {
  std::string name;          // when the NIC was prepared; for messages
  std::string channel = {};  // VMBus id; empty for a VF
  std::string pci = {};      // PCI address of a VF
  std::string port = {};     // dev_port of a VF: the ports of one PCI function share its address

  // As the parameters of a step.
  Values parameters() const;
};

NicInterface interface_of(const host::Netdev& netdev);

// The interface that a step changes, and the VF in the record of an unbind_channel step.
NicInterface interface_of(const Values& parameters);
NicInterface vf_of(const Values& parameters);

// The interface that the device has now, with its current name. Errc::not_found if there is none.
// Without a device, as in the journal of an earlier version, finds the interface by its name.
Result<os::Link> find_link(const os::System& system, const NicInterface& interface);

// Sets the MTU, and fails if the interface does not have it afterwards.
Result<> set_and_verify_mtu(const os::System& system, const NicInterface& interface, unsigned mtu);

}  // namespace manactl::setup
