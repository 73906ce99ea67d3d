// SPDX-License-Identifier: MIT
//
// Serves the device to the device x-pci-proxy-dev of QEMU, and raises interrupts through the socket
// of its option -qtest. The guest needs one virtual CPU: QEMU drops accesses of a second one to the
// BAR while it waits for the reply to an access.

#pragma once

#include "device/front_end.h"
#include "device/message_channel.h"
#include "device/pci_proxy/msix_function.h"
#include "device/pci_proxy/protocol.h"
#include "device/pci_proxy/qtest.h"

namespace manactl::device::pci_proxy {

class Server : public FrontEnd {
 public:
  // `qtest_path` is the socket of -qtest. The first message of QEMU proves that it exists.
  Server(std::string qtest_path, Trace& trace);

  MsixFunction& guest() override { return function_; }

  void attach(Descriptor socket) override;
  void detach() override;
  std::vector<pollfd> poll_entries() const override;

  bool has_lost_memory() const override { return function_.memory().is_lost(); }

  Result<bool> serve(Device& device) override;

 private:
  // Executes one command and replies. The protocol cannot report errors, so the connection must
  // end after an invalid command.
  Result<> handle(const RawMessage& message, Device& device);

  Result<> map(const RawMessage& message);
  Result<std::uint64_t> access_config(const RawMessage& message, bool is_write);
  Result<std::uint64_t> access_bar(const RawMessage& message, bool is_write, Device& device);
  Result<> reply(const Result<std::uint64_t>& value);

  std::string qtest_path_;
  Trace& trace_;
  Qtest qtest_;
  MsixFunction function_;
  std::optional<MessageChannel> channel_;
};

}  // namespace manactl::device::pci_proxy
