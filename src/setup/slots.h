// SPDX-License-Identifier: MIT
//
// Prepared NICs as DPDK wants them: one PCI slot may have several ports, and net_mana takes one
// argument per slot with all MAC addresses in it.

#pragma once

#include <string>
#include <vector>

#include "host/facts.h"

namespace manactl::setup {

struct Slot {
  PciAddress pci;
  std::vector<std::string> interfaces;
  std::vector<MacAddress> macs;       // at most 8
  std::vector<std::string> channels;  // VMBus ids on uio_hv_generic
};

// Of these NICs, by address. Errc::unsupported for NICs without a MANA VF, and for more ports in
// one slot than net_mana takes.
Result<std::vector<Slot>> slots_of(const std::vector<const host::Nic*>& nics);

// "7870:00:00.0,mac=00:0d:3a:76:3b:d0,mac=..."
std::string vdev_of(const Slot& slot);

}  // namespace manactl::setup
