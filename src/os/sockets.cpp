// SPDX-License-Identifier: MIT

#include "os/sockets.h"

#include <linux/netlink.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>

#include "base/text.h"
#include "os/netlink.h"
#include "os/netlink_messages.h"

namespace manactl::os {
namespace {

struct Protocol {
  unsigned number;
  const char* module;  // in sys/module
};

constexpr Protocol kTcp{IPPROTO_TCP, "sys/module/tcp_diag"};
constexpr Protocol kProtocols[] = {
    kTcp, {IPPROTO_UDP, "sys/module/udp_diag"}, {IPPROTO_RAW, "sys/module/raw_diag"}};

// Appends decode(body) of each message, of both families. `encode` makes the request of a family.
template <class T, class Encode, class Decode>
Result<> read_with_netlink(std::vector<T>& sockets, Encode encode, Decode decode) {
  for (const auto family : {unsigned{AF_INET}, unsigned{AF_INET6}}) {
    const auto messages = send_netlink_request(NETLINK_SOCK_DIAG, encode(family));
    if (!messages) {
      const Error& cause = messages.error();
      // ENOENT: the kernel lacks IPv6 and thus has no handler for this family.
      if (cause.sys == ENOENT && family == AF_INET6) continue;
      return tl::unexpected<Error>(cause);
    }
    for (const auto& message : *messages) {
      if (auto socket = decode(message.body)) sockets.push_back(std::move(*socket));
    }
  }
  return {};
}

Result<> read_from_procfs(std::vector<TcpSocket>& sockets, const Files& files) {
  constexpr std::size_t kMaxBytes = 64U << 20;  // enough for 400,000 sockets
  for (const std::string_view path : {"proc/net/tcp", "proc/net/tcp6"}) {
    const auto text = files.read(path, kMaxBytes);
    if (!text && text.error().code == Errc::not_found && path.ends_with('6')) continue;
    if (!text) return tl::unexpected<Error>(text.error());
    for (const auto line : split(*text, '\n')) {
      if (auto socket = decode_tcp_line(line)) sockets.push_back(std::move(*socket));
    }
  }
  return {};
}

class LiveSockets final : public Sockets {
 public:
  explicit LiveSockets(const Files& files) : files_(files) {}

  Result<std::vector<TcpSocket>> tcp() const override {
    std::vector<TcpSocket> sockets;
    const auto read = exists(files_, kTcp.module)
                          ? read_with_netlink(sockets, encode_tcp_dump, decode_tcp)
                          : read_from_procfs(sockets, files_);
    if (!read) return because(read.error(), "cannot list the TCP sockets");
    return sockets;
  }

  Result<std::vector<std::uint64_t>> bound_to(int interface) const override {
    std::vector<std::uint64_t> inodes;
    for (const auto& protocol : kProtocols) {
      if (!exists(files_, protocol.module)) continue;
      const auto read = read_with_netlink(
          inodes,
          [&](unsigned family) { return encode_socket_dump(family, protocol.number); },
          [&](const std::string& body) { return decode_bound(body, interface); });
      if (!read) return because(read.error(), "cannot list the sockets of an interface");
    }
    return inodes;
  }

 private:
  const Files& files_;
};

}  // namespace

std::unique_ptr<Sockets> open_sockets(const Files& files) {
  return std::make_unique<LiveSockets>(files);
}

}  // namespace manactl::os
