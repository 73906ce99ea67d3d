// SPDX-License-Identifier: MIT
//
// Serves the device to QEMU with the protocol vfio-user.

#pragma once

#include "device/front_end.h"
#include "device/vfio_user/channel.h"
#include "device/vfio_user/eventfd_function.h"

namespace manactl::device::vfio_user {

class Server : public FrontEnd {
 public:
  explicit Server(Trace& trace) : trace_(trace) {}

  EventfdFunction& guest() override { return function_; }

  void attach(Descriptor socket) override { channel_.emplace(std::move(socket)); }

  void detach() override;
  std::vector<pollfd> poll_entries() const override;

  bool has_lost_memory() const override { return function_.memory().is_lost(); }

  Result<bool> serve(Device& device) override;

 private:
  // Executes one request and replies, with an errno if the device refuses the request. Fails only
  // if the connection must end.
  Result<> handle(Message message, Device& device);

  Result<> negotiate(const Message& message);
  int map(const Message& message);
  Result<int> unmap(const Message& message);  // returns an errno for QEMU
  int set_irqs(Message message);
  int write(const Message& message, Device& device);
  Result<> read(const Message& message);

  Trace& trace_;
  EventfdFunction function_;
  std::optional<Channel> channel_;
};

}  // namespace manactl::device::vfio_user
