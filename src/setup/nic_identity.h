// SPDX-License-Identifier: MIT
//
// The data that identify a NIC after its synthetic interface was removed: for the journal, and for
// DPDK.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "host/facts.h"
#include "setup/step.h"

namespace manactl::setup {

struct NicIdentity {
  std::string interface;           // name of the synthetic interface
  std::optional<VmbusId> channel;  // VMBus channel of that interface
  std::string vf;                  // interface name of the VF
  std::optional<MacAddress> mac;   // of the VF
  std::string driver;              // of the VF
  std::optional<PciAddress> pci;   // of the VF

  std::string channel_id() const { return channel ? channel->str() : std::string(); }

  // Fills each empty field with that of `other`.
  void complete_from(const NicIdentity& other);

  // The fields that are known, under the keys of the journal and of the "nic" object in JSON.
  Values fields() const;

  // Errc::invalid for an address that cannot be parsed.
  static Result<NicIdentity> from_fields(const Values& fields);
};

NicIdentity identity_of(const host::Nic& nic);

// A PCI slot, which may have several ports. net_mana takes one argument per slot, with the MAC
// addresses of all its ports.
struct Slot {
  PciAddress pci;
  std::vector<std::string> interfaces;
  std::vector<MacAddress> macs;       // at most 8
  std::vector<std::string> channels;  // VMBus ids of channels that DPDK uses
};

// Returns the slots of these NICs, sorted by address, with the channels that are bound to
// uio_hv_generic, and those of the NICs in `unprepared`, which prepare will bind to it.
// Errc::unsupported for NICs without a MANA VF, and for more ports in one slot than net_mana
// accepts.
Result<std::vector<Slot>> slots_of(const std::vector<const host::Nic*>& nics,
                                   const std::vector<const host::Nic*>& unprepared = {});

// Returns the devargs of net_mana: "mac=00:0d:3a:76:3b:d0,mac=...".
std::string mac_devargs_of(const Slot& slot);

// Returns the argument for DPDK: "7870:00:00.0,mac=00:0d:3a:76:3b:d0,mac=...".
std::string vdev_of(const Slot& slot);

}  // namespace manactl::setup
