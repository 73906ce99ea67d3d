// SPDX-License-Identifier: MIT

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/tcp.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/text.h"
#include "os/attributes.h"
#include "os/netlink.h"
#include "os/netlink_messages.h"

namespace manactl::os {
namespace {

// Returns a.b.c.d for ::ffff:a.b.c.d, the address of an IPv4 client at an IPv6 socket.
std::string address_text(unsigned family, const __be32 (&words)[4]) {
  std::array<std::uint8_t, sizeof(words)> bytes{};
  std::memcpy(bytes.data(), words, bytes.size());
  constexpr std::array<std::uint8_t, 12> kMapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  const bool mapped =
      family == AF_INET6 && std::equal(kMapped.begin(), kMapped.end(), bytes.begin());
  const bool v4 = family == AF_INET || mapped;
  std::array<char, INET6_ADDRSTRLEN> text{};
  inet_ntop(v4 ? AF_INET : AF_INET6, bytes.data() + (mapped ? 12 : 0), text.data(), text.size());
  return text.data();
}

struct Endpoint {
  std::string address;
  std::uint16_t port = 0;
};

// Parses "0100007F:0016": each 32-bit word of the address is in host byte order (hexadecimal).
std::optional<Endpoint> endpoint_of(std::string_view text) {
  constexpr std::size_t kWord = 8, kPort = 4;
  const auto colon = text.find(':');
  const bool v4 = colon == kWord, v6 = colon == 4 * kWord;
  if ((!v4 && !v6) || text.size() != colon + 1 + kPort) return std::nullopt;
  __be32 words[4] = {};
  for (std::size_t i = 0; i * kWord < colon; ++i) {
    const auto word = parse_hex(text.substr(i * kWord, kWord), UINT32_MAX);
    if (!word) return std::nullopt;
    words[i] = static_cast<std::uint32_t>(*word);
  }
  const auto port = parse_hex(text.substr(colon + 1), UINT16_MAX);
  if (!port) return std::nullopt;
  return Endpoint{address_text(v4 ? AF_INET : AF_INET6, words), static_cast<std::uint16_t>(*port)};
}

std::string encode_dump(unsigned family, unsigned protocol, std::uint32_t states) {
  inet_diag_req_v2 request{};
  request.sdiag_family = static_cast<std::uint8_t>(family);
  request.sdiag_protocol = static_cast<std::uint8_t>(protocol);
  request.idiag_states = states;
  return encode_request(SOCK_DIAG_BY_FAMILY, NLM_F_REQUEST | NLM_F_DUMP, bytes_of(request));
}

}  // namespace

std::string encode_tcp_dump(unsigned family) {
  return encode_dump(family, IPPROTO_TCP, (1U << TCP_LISTEN) | (1U << TCP_ESTABLISHED));
}

std::string encode_socket_dump(unsigned family, unsigned protocol) {
  return encode_dump(family, protocol, UINT32_MAX);
}

std::optional<TcpSocket> decode_tcp(std::string_view body) {
  const auto message = leading<inet_diag_msg>(body);
  if (!message) return std::nullopt;
  const unsigned family = message->idiag_family;
  const unsigned state = message->idiag_state;
  const bool wanted = (family == AF_INET || family == AF_INET6) &&
                      (state == TCP_LISTEN || state == TCP_ESTABLISHED);
  if (!wanted) return std::nullopt;
  TcpSocket socket;
  socket.listening = state == TCP_LISTEN;
  socket.local_address = address_text(family, message->id.idiag_src);
  socket.remote_address = address_text(family, message->id.idiag_dst);
  socket.local_port = ntohs(message->id.idiag_sport);
  socket.remote_port = ntohs(message->id.idiag_dport);
  socket.inode = message->idiag_inode;
  socket.bound_to = static_cast<int>(message->id.idiag_if);
  auto attributes = after(body, sizeof(inet_diag_msg));
  while (const auto attribute = next_attribute(attributes)) {
    if (attribute->type == INET_DIAG_MARK) socket.mark = attribute->u32().value_or(0);
  }
  return socket;
}

std::optional<std::uint64_t> decode_bound(std::string_view body, int interface) {
  const auto message = leading<inet_diag_msg>(body);
  const bool is_bound = message && message->id.idiag_if == static_cast<unsigned>(interface);
  return is_bound ? std::optional<std::uint64_t>(message->idiag_inode) : std::nullopt;
}

std::optional<TcpSocket> decode_tcp_line(std::string_view line) {
  // Fields: sl local remote state queues timer retransmits uid timeout inode
  constexpr std::size_t kLocal = 1, kRemote = 2, kState = 3, kInode = 9;
  const auto fields = words(line);
  if (fields.size() <= kInode) return std::nullopt;
  const auto state = parse_hex(fields[kState]);
  if (!state || (*state != TCP_LISTEN && *state != TCP_ESTABLISHED)) return std::nullopt;
  auto local = endpoint_of(fields[kLocal]);
  auto remote = endpoint_of(fields[kRemote]);
  const auto inode = parse_unsigned(fields[kInode]);
  if (!local || !remote || !inode) return std::nullopt;
  return TcpSocket{*state == TCP_LISTEN,
                   std::move(local->address),
                   std::move(remote->address),
                   local->port,
                   remote->port,
                   *inode};
}

}  // namespace manactl::os
