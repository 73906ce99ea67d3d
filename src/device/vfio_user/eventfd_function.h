// SPDX-License-Identifier: MIT
//
// The PCI function of the MANA device in vfio-user. QEMU emulates the register of the BAR and the
// MSI-X table with its masks, and passes one eventfd per vector.

#pragma once

#include <vector>

#include "base/descriptor.h"
#include "device/pci_function.h"

namespace manactl::device::vfio_user {

class EventfdFunction : public PciFunction {
 public:
  EventfdFunction();

  // Connects vectors from `first` on to eventfds; a Descriptor without a number disconnects one.
  // False if there are not so many vectors, or if a descriptor is not an eventfd.
  bool connect_interrupts(std::size_t first, std::vector<Descriptor> eventfds);
  void disconnect_interrupts();

  void forget_guest() override;
  bool interrupt(std::uint32_t vector) override;

 private:
  std::vector<Descriptor> eventfds_;
};

}  // namespace manactl::device::vfio_user
