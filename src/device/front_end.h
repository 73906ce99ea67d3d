// SPDX-License-Identifier: MIT
//
// A protocol with which QEMU uses the device: vfio_user::Server or pci_proxy::Server.

#pragma once

#include <poll.h>

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

  // The descriptors and events that serve() handles; none before attach() and after detach().
  virtual std::vector<pollfd> poll_entries() const = 0;

  // True if QEMU has truncated a file with RAM of the guest. The connection must then end.
  virtual bool has_lost_memory() const = 0;

  // Handles at most one message of QEMU. Waits neither for the message nor until QEMU accepts the
  // reply: handles no further message before that. False if QEMU has closed the
  // connection. Fails if the connection must end for another reason.
  virtual Result<bool> serve(Device& device) = 0;
};

}  // namespace manactl::device
