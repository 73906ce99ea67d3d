// SPDX-License-Identifier: MIT
//
// Sends a netlink request and collects the reply (netlink(7)). libnl provides the socket; messages
// are byte strings, so that their decoders can be tested without a kernel.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace manactl::os {

struct NetlinkMessage {
  unsigned type = 0;
  std::string body;  // without struct nlmsghdr
};

// Returns a request that includes struct nlmsghdr. send_netlink_request() sets the sequence number.
std::string encode_request(unsigned type, unsigned flags, std::string_view body);

// The reply to one request, collected from one or more datagrams.
struct NetlinkReply {
  std::vector<NetlinkMessage> messages;
  bool complete = false;     // NLMSG_DONE or NLMSG_ERROR (error or ACK) was received
  bool interrupted = false;  // NLM_F_DUMP_INTR: the table changed during the dump
  int error = 0;             // errno from the kernel; 0 is success
};

// Adds the messages of one datagram that belong to the request with this sequence number.
void decode_datagram(std::string_view datagram, std::uint32_t sequence, NetlinkReply& reply);

// Sends a request and returns the messages of the reply. `protocol` is NETLINK_ROUTE or another
// NETLINK_*. Repeats an incomplete dump; fails with Errc::busy after 8 attempts. Errc::unsupported
// if the kernel lacks the protocol. Waits at most 10 seconds for each datagram.
Result<std::vector<NetlinkMessage>> send_netlink_request(int protocol, std::string request);

// Sends a request of NETLINK_ROUTE that changes something, such as RTM_NEWLINK, with further flags
// NLM_F_*. `doing` begins the message of an error.
Result<> send_route_change(unsigned type,
                           const Result<std::string>& body,
                           std::string_view doing,
                           unsigned flags = 0);

}  // namespace manactl::os
