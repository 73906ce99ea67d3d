// SPDX-License-Identifier: MIT
//
// A protocol with which QEMU uses the device: vfio_user::Server or pci_proxy::Server.

#pragma once

#include <vector>

#include "base/descriptor.h"
#include "base/result.h"
#include "device/device.h"

namespace manactl::device {

class FrontEnd {
 public:
  virtual ~FrontEnd() = default;

  // The guest of every QEMU, one after the other.
  virtual Guest& guest() = 0;

  // Serves the QEMU at the other end of `socket` until detach().
  virtual void attach(Descriptor socket) = 0;

  // Closes the connection and forgets the guest.
  virtual void detach() = 0;

  // The descriptors whose input serve() handles; none before attach() and after detach().
  virtual std::vector<int> descriptors() const = 0;

  // Handles at most one message of QEMU, without waiting for it. False if QEMU has closed the
  // connection. Fails if the connection must end for another reason.
  virtual Result<bool> serve(Device& device) = 0;
};

}  // namespace manactl::device
