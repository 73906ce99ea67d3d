// SPDX-License-Identifier: MIT

#include "os/sockets.h"

#include <linux/netlink.h>
#include <sys/socket.h>

#include <cerrno>

#include "os/netlink.h"
#include "os/socket_messages.h"

namespace manactl::os {
namespace {

class DiagSockets final : public Sockets {
 public:
  Result<std::vector<TcpSocket>> tcp() const override {
    std::vector<TcpSocket> sockets;
    for (const auto family : {unsigned{AF_INET}, unsigned{AF_INET6}}) {
      const auto messages = ask_netlink(NETLINK_SOCK_DIAG, encode_tcp_dump(family));
      if (!messages) {
        Error cause = messages.error();
        // ENOENT: no handler for this family, because IPv6 or the module tcp_diag is missing.
        if (cause.sys == ENOENT && family == AF_INET6) continue;
        if (cause.sys == ENOENT) cause.code = Errc::unsupported;
        return because(std::move(cause), "cannot list the TCP sockets");
      }
      for (const auto& message : *messages) {
        if (auto socket = decode_tcp(message.body)) sockets.push_back(std::move(*socket));
      }
    }
    return sockets;
  }
};

}  // namespace

std::unique_ptr<Sockets> open_sockets() {
  return std::make_unique<DiagSockets>();
}

}  // namespace manactl::os
