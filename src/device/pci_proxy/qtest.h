// SPDX-License-Identifier: MIT
//
// The socket of QEMU's option -qtest, which accepts commands to access the guest. A write of an
// MSI-X message to the address of the interrupt controller raises the interrupt. Source:
// softmmu/qtest.c of QEMU 7.2.

#pragma once

#include <string>

#include "base/descriptor.h"
#include "base/result.h"

namespace manactl::device::pci_proxy {

class Qtest {
 public:
  // QEMU creates the socket at `path` before it creates its devices.
  Result<> connect(const std::string& path);
  void disconnect();

  // -1 without a connection.
  int fd() const { return socket_.get(); }

  // Writes a dword to guest memory. False if QEMU has not read earlier commands, so that the caller
  // must retry later.
  bool write(std::uint64_t address, std::uint32_t value);

  // Reads the responses that have arrived. False if QEMU has closed the connection. Fails if a
  // response is not that of success.
  Result<bool> read_responses();

 private:
  Descriptor socket_;
  std::string line_;  // the start of the next response
};

}  // namespace manactl::device::pci_proxy
