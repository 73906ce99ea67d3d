// SPDX-License-Identifier: MIT
//
// TCP sockets of this network namespace: who is connected to us. Asking sock_diag
// (linux/inet_diag.h) makes the kernel load the modules inet_diag and tcp_diag, so it is asked only
// where tcp_diag is loaded. Everywhere else /proc/net/tcp says the same, more slowly.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/files.h"

namespace manactl::os {

struct TcpSocket {
  bool listening = false;  // else established
  std::string local_address, remote_address;
  std::uint16_t local_port = 0, remote_port = 0;
  std::uint64_t inode = 0;
};

class Sockets {
 public:
  virtual ~Sockets() = default;
  virtual Result<std::vector<TcpSocket>> tcp() const = 0;  // IPv4 and IPv6; mapped ones as IPv4
};

std::unique_ptr<Sockets> open_sockets(const Files& files);  // of the live system

}  // namespace manactl::os
