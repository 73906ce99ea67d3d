// SPDX-License-Identifier: MIT

#include "os/sockets.h"

#include <linux/netlink.h>
#include <sys/socket.h>

#include <cerrno>

#include "base/text.h"
#include "os/netlink.h"
#include "os/netlink_messages.h"

namespace manactl::os {
namespace {

Result<std::vector<TcpSocket>> read_with_netlink() {
  std::vector<TcpSocket> sockets;
  for (const auto family : {unsigned{AF_INET}, unsigned{AF_INET6}}) {
    const auto messages = send_netlink_request(NETLINK_SOCK_DIAG, encode_tcp_dump(family));
    if (!messages) {
      const Error& cause = messages.error();
      // ENOENT: the kernel lacks IPv6 and thus has no handler for this family.
      if (cause.sys == ENOENT && family == AF_INET6) continue;
      return tl::unexpected<Error>(cause);
    }
    for (const auto& message : *messages) {
      if (auto socket = decode_tcp(message.body)) sockets.push_back(std::move(*socket));
    }
  }
  return sockets;
}

Result<std::vector<TcpSocket>> read_from_procfs(const Files& files) {
  constexpr std::size_t kMaxBytes = 64U << 20;  // enough for 400,000 sockets
  std::vector<TcpSocket> sockets;
  for (const std::string_view path : {"proc/net/tcp", "proc/net/tcp6"}) {
    const auto text = files.read(path, kMaxBytes);
    if (!text && text.error().code == Errc::not_found && path.ends_with('6')) continue;
    if (!text) return tl::unexpected<Error>(text.error());
    for (const auto line : split(*text, '\n')) {
      if (auto socket = decode_tcp_line(line)) sockets.push_back(std::move(*socket));
    }
  }
  return sockets;
}

class LiveSockets final : public Sockets {
 public:
  explicit LiveSockets(const Files& files) : files_(files) {}

  Result<std::vector<TcpSocket>> tcp() const override {
    auto sockets =
        exists(files_, "sys/module/tcp_diag") ? read_with_netlink() : read_from_procfs(files_);
    if (!sockets) return because(sockets.error(), "cannot list the TCP sockets");
    return sockets;
  }

 private:
  const Files& files_;
};

}  // namespace

std::unique_ptr<Sockets> open_sockets(const Files& files) {
  return std::make_unique<LiveSockets>(files);
}

}  // namespace manactl::os
