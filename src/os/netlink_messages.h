// SPDX-License-Identifier: MIT
//
// Encodes netlink requests and decodes the messages of replies: pure functions on byte strings.
// Sources: route_messages.cpp (rtnetlink, with libnl-route-3), route_requests.cpp (rtnetlink),
// rdma_messages.cpp (RDMA netlink, rdma/rdma_netlink.h), socket_messages.cpp (sock_diag(7), and the
// lines of /proc/net/tcp, proc(5)).

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "os/links.h"
#include "os/netlink.h"
#include "os/rdma.h"
#include "os/sockets.h"

namespace manactl::os {

// In this file, `body` is a message without struct nlmsghdr.

// Only for messages of the kernel: libnl-route-3 3.7 does not check the lengths of all attributes,
// so a forged message could be read beyond its end. Empty if the message is malformed or
// of another address family, or if the route is cached, or is neither unicast nor added by a
// program.
std::optional<Link> decode_link(std::string_view body);
std::optional<Address> decode_address(std::string_view body);
std::optional<Route> decode_route(std::string_view body);

// True if decode_address() or decode_route() returns the message's address or route unless the
// message is malformed.
bool is_ip_address(std::string_view body);
bool is_unicast_route(std::string_view body);

bool is_any(std::string_view body);  // true

// Decodes the messages of a dump. Fails if one that `is_wanted` accepts cannot be decoded: without
// its address or route, a NIC could seem to carry no traffic.
template <class T>
Result<std::vector<T>> decode_all(const std::vector<NetlinkMessage>& messages,
                                  std::optional<T> (*decode)(std::string_view),
                                  bool (*is_wanted)(std::string_view)) {
  std::vector<T> found;
  for (const auto& message : messages) {
    if (auto one = decode(message.body)) {
      found.push_back(std::move(*one));
    } else if (is_wanted(message.body)) {
      return fail(Errc::io,
                  fmt::format("message {} of {} from the kernel cannot be decoded",
                              &message - messages.data() + 1,
                              messages.size()));
    }
  }
  return found;
}

std::optional<NextHop> decode_next_hop(std::string_view body);  // empty if the id is missing

// Sets the outputs of routes that have a next-hop object but no interface. With the sysctl
// net.ipv4.nexthop_compat_mode=0, the kernel reports only the id of the object.
void resolve_next_hops(std::vector<Route>& routes, const std::vector<NextHop>& next_hops);

// True if the message is about a route to an address of this machine (RTN_LOCAL).
bool is_local_route(std::string_view body);

// The id that this network namespace has for another one (RTM_NEWNSID); -1 if it has none.
std::optional<std::int32_t> decode_nsid(std::string_view body);

// Route::request and NextHop::request for a message of the kernel. Flags, ages and other parts that
// describe only the present state are left out.
std::string request_of_route(std::string_view body);
std::string request_of_next_hop(std::string_view body);

// The message about a route without the types of its encapsulations. libnl-route-3 3.7 rejects a
// route with any other than MPLS (nh_encap_parse_msg).
std::string without_encapsulation(std::string_view body);

// The body of a request that adds or removes the object. Errc::invalid for malformed addresses;
// Errc::unsupported for a route without Route::request that does not have exactly one next hop.
Result<std::string> encode_address(const Address& address);
Result<std::string> encode_route(const Route& route);
Result<std::string> encode_next_hop(const NextHop& hop);

// Adds only this next hop of a route that has several.
Result<std::string> encode_one_hop(const Route& route, std::size_t hop);

Result<std::string> encode_route_query(const RouteQuery& query);  // Errc::invalid for no address

// These functions return requests that include struct nlmsghdr.
std::string encode_device_dump();
std::string encode_chardev_request(std::uint32_t device);  // asks for the "uverbs" device
std::string encode_port_request(std::uint32_t device, std::uint32_t port);
std::string encode_tcp_dump(unsigned family);  // listening and established sockets
std::string encode_socket_dump(unsigned family, unsigned protocol);  // sockets in all states

// A decoded device. Its ports have the numbers 1 to port_count.
struct RdmaDeviceReply {
  std::uint32_t index = 0;
  std::string name, firmware;
  unsigned node_type = 0;
  std::uint32_t port_count = 0;
};

// Errc::invalid if the name or number is missing.
Result<RdmaDeviceReply> decode_device(std::string_view body);
Result<UverbsChardev> decode_chardev(std::string_view body);
Result<RdmaPort> decode_port(std::string_view body);

// Empty if the message is truncated or of another family or state.
std::optional<TcpSocket> decode_tcp(std::string_view body);

// The inode of a socket that is bound to the interface.
std::optional<std::uint64_t> decode_bound(std::string_view body, int interface);

// A line of /proc/net/tcp or /proc/net/tcp6. Empty for the heading and for other states.
std::optional<TcpSocket> decode_tcp_line(std::string_view line);

}  // namespace manactl::os
