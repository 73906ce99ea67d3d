// SPDX-License-Identifier: MIT
//
// One netlink question and all of its answers. The socket is libnl's; the messages are bytes, so
// that what decodes them can be tested and fuzzed without a kernel.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace manactl::os {

struct NetlinkMessage {
  unsigned type = 0;
  std::string body;  // after struct nlmsghdr
};

// A whole request; the sequence number is filled in when it is sent.
std::string encode_request(unsigned type, unsigned flags, std::string_view body);

// What the datagrams read so far amount to.
struct Answers {
  std::vector<NetlinkMessage> messages;
  bool complete = false;     // NLMSG_DONE, or NLMSG_ERROR as acknowledgement
  bool interrupted = false;  // NLM_F_DUMP_INTR: the tables changed while they were dumped
  int error = 0;             // errno
};

// Adds the messages of one datagram that belong to the request with this sequence number.
void decode_datagram(std::string_view datagram, std::uint32_t sequence, Answers& answers);

// `protocol` is NETLINK_ROUTE and so on. A dump that was interrupted is asked again, a few times.
// Errc::unsupported when the kernel does not have the protocol.
Result<std::vector<NetlinkMessage>> ask_netlink(int protocol, std::string request);

}  // namespace manactl::os
