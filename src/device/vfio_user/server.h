// SPDX-License-Identifier: MIT
//
// Executes the requests of one QEMU.

#pragma once

#include "device/vfio_user/channel.h"
#include "device/vfio_user/pci_function.h"

namespace manactl::device::vfio_user {

class Server {
 public:
  Server(PciFunction& function, Device& device, Trace& trace)
      : function_(function), device_(device), trace_(trace) {}

  // Executes one request and replies, with an errno if the device refuses the request. Fails only
  // if the connection must end.
  Result<> handle(Channel& channel, Message message);

 private:
  Result<> negotiate(Channel& channel, const Message& message);
  int map(const Message& message);
  int unmap(const Message& message);
  int set_irqs(Message message);
  int write(const Message& message);
  Result<> read(Channel& channel, const Message& message);

  PciFunction& function_;
  Device& device_;
  Trace& trace_;
};

}  // namespace manactl::device::vfio_user
