// SPDX-License-Identifier: MIT

#include "os/netlink.h"

#include <linux/netlink.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <cerrno>
#include <cstdlib>
#include <memory>

#include "os/attributes.h"
#include "os/owned.h"

namespace manactl::os {
namespace {

using Socket = Owned<nl_sock, nl_socket_free>;
using Buffer = Owned<unsigned char, std::free>;

// Uses errno if it is set, because the codes of libnl are less precise.
tl::unexpected<Error> libnl_error(int code, std::string_view doing) {
  if (errno != 0) return fail_errno(errno, doing);
  return fail(Errc::io, fmt::format("{}: {}", doing, nl_geterror(code)));
}

Result<Socket> connect(int protocol) {
  Socket socket(nl_socket_alloc());
  if (!socket) return fail(Errc::io, "cannot allocate a netlink socket");
  errno = 0;
  const int code = nl_connect(socket.get(), protocol);
  if (code < 0) return libnl_error(code, "cannot open a netlink socket");
  // The kernel replies immediately; the timeout only prevents a hang after a kernel fault.
  const timeval timeout{10, 0};
  setsockopt(nl_socket_get_fd(socket.get()), SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
  return socket;
}

Result<> receive(nl_sock* socket, std::uint32_t sequence, NetlinkReply& reply) {
  while (!reply.complete) {
    sockaddr_nl from{};
    unsigned char* bytes = nullptr;
    errno = 0;
    const int length = nl_recv(socket, &from, &bytes, nullptr);
    const Buffer owner(bytes);
    if (length == -NLE_INTR) continue;
    if (length < 0) return libnl_error(length, "cannot read from netlink");
    if (length == 0) return fail(Errc::io, "cannot read from netlink: empty datagram");
    if (from.nl_pid != 0) continue;  // the sender is not the kernel
    decode_datagram(
        {reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(length)}, sequence, reply);
  }
  return {};
}

Result<NetlinkReply> send_once(int protocol, std::string& request) {
  auto socket = connect(protocol);
  if (!socket) return tl::unexpected<Error>(socket.error());
  auto header = *leading<nlmsghdr>(request);
  header.nlmsg_seq = nl_socket_use_seq(socket->get());
  request.replace(0, sizeof(header), bytes_of(header));
  errno = 0;
  const int sent = nl_sendto(socket->get(), request.data(), request.size());
  if (sent < 0) return libnl_error(sent, "cannot send a netlink request");
  NetlinkReply reply;
  const auto received = receive(socket->get(), header.nlmsg_seq, reply);
  if (!received) return tl::unexpected<Error>(received.error());
  return reply;
}

}  // namespace

std::string encode_request(unsigned type, unsigned flags, std::string_view body) {
  nlmsghdr header{};
  header.nlmsg_len = static_cast<std::uint32_t>(sizeof(header) + body.size());
  header.nlmsg_type = static_cast<std::uint16_t>(type);
  header.nlmsg_flags = static_cast<std::uint16_t>(flags);
  std::string request(bytes_of(header));
  request += body;
  return request;
}

void decode_datagram(std::string_view datagram, std::uint32_t sequence, NetlinkReply& reply) {
  while (!reply.complete) {
    const auto header = leading<nlmsghdr>(datagram);
    if (!header || header->nlmsg_len < sizeof(nlmsghdr) || header->nlmsg_len > datagram.size()) {
      return;
    }
    const auto body = datagram.substr(sizeof(nlmsghdr), header->nlmsg_len - sizeof(nlmsghdr));
    datagram = after(datagram, header->nlmsg_len);
    if (header->nlmsg_seq != sequence) continue;
    if ((header->nlmsg_flags & NLM_F_DUMP_INTR) != 0) reply.interrupted = true;
    if (header->nlmsg_type == NLMSG_ERROR || header->nlmsg_type == NLMSG_DONE) {
      // Both messages start with a negative errno or 0; NLMSG_DONE of old kernels may be empty.
      reply.error = static_cast<int>(-std::int64_t{leading<std::int32_t>(body).value_or(0)});
      reply.complete = true;
    } else if (header->nlmsg_type >= NLMSG_MIN_TYPE) {
      reply.messages.push_back({header->nlmsg_type, std::string(body)});
    }
  }
}

Result<std::vector<NetlinkMessage>> send_netlink_request(int protocol, std::string request) {
  constexpr int kAttempts = 8;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    auto reply = send_once(protocol, request);
    // ENOBUFS: the receive buffer overflowed and messages are missing, so repeat the request.
    if (!reply && reply.error().sys == ENOBUFS) continue;
    if (!reply) return tl::unexpected<Error>(reply.error());
    if (reply->error != 0) return fail_errno(reply->error, "the kernel rejected the request");
    if (!reply->interrupted) return std::move(reply->messages);
  }
  return fail(Errc::busy,
              fmt::format("{} netlink dumps were incomplete: tables changed or buffers overflowed",
                          kAttempts));
}

Result<> send_route_change(unsigned type,
                           const Result<std::string>& body,
                           std::string_view doing,
                           unsigned flags) {
  if (!body) return because(body.error(), doing);
  // Without NLM_F_ACK, the kernel replies only to requests that fail.
  const auto reply = send_netlink_request(
      NETLINK_ROUTE, encode_request(type, NLM_F_REQUEST | NLM_F_ACK | flags, *body));
  if (!reply) return because(reply.error(), doing);
  return {};
}

}  // namespace manactl::os
