// SPDX-License-Identifier: MIT
//
// Sockets of this network namespace. sock_diag(7) is used only for protocols whose module, such as
// tcp_diag, is loaded, because a request would make the kernel load it.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/files.h"

namespace manactl::os {

struct TcpSocket {
  bool listening = false;  // otherwise established
  std::string local_address, remote_address;
  std::uint16_t local_port = 0, remote_port = 0;
  std::uint64_t inode = 0;  // 0 if no process has accepted the connection yet
  std::uint32_t mark = 0;   // SO_MARK; 0 if unset, or if the sockets were read from /proc/net/tcp
  int bound_to = 0;         // SO_BINDTODEVICE: interface index; 0 likewise
};

class Sockets {
 public:
  virtual ~Sockets() = default;

  // Listening and established TCP sockets, IPv4-mapped addresses as IPv4. Without tcp_diag, reads
  // /proc/net/tcp, which is slower.
  virtual Result<std::vector<TcpSocket>> tcp() const = 0;

  // Inodes of the TCP, UDP and raw sockets that SO_BINDTODEVICE binds to the interface. Misses the
  // sockets of protocols whose module is not loaded.
  virtual Result<std::vector<std::uint64_t>> bound_to(int interface) const = 0;
};

// `files` is the live system and must outlive the result.
std::unique_ptr<Sockets> open_sockets(const Files& files);

}  // namespace manactl::os
