// SPDX-License-Identifier: MIT
//
// A simulated kernel at the other end of netlink sockets.

#pragma once

#include <linux/netlink.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "os/attributes.h"
#include "os/kernel_calls.h"
#include "os/netlink.h"

namespace manactl::test {

class NetlinkKernel {
 public:
  struct Request {
    int protocol = 0;
    unsigned type = 0, flags = 0;
    std::string body;
  };

  // The result of one call of nl_recv().
  struct Datagram {
    std::string bytes;
    int code = 0;  // unless 0, the call returns it and sets errno to `error`
    int error = 0;
    unsigned sender = 0;
  };

  using Reply = std::vector<Datagram>;

  // Returns the datagrams that answer a request.
  std::function<Reply(const Request&)> answer;

  NetlinkKernel() {
    calls.nl_connect = [this](nl_sock*, int protocol) {
      protocol_ = protocol;
      return 0;
    };
    calls.nl_sendto = [this](nl_sock*, const void* bytes, std::size_t size) {
      const std::string whole(static_cast<const char*>(bytes), size);
      const auto header = *os::leading<nlmsghdr>(whole);
      sequence_ = header.nlmsg_seq;
      requests.push_back({protocol_,
                          header.nlmsg_type,
                          header.nlmsg_flags,
                          whole.substr(sizeof(header), header.nlmsg_len - sizeof(header))});
      const auto reply = answer(requests.back());
      pending_.assign(reply.begin(), reply.end());
      return static_cast<int>(size);
    };
    calls.nl_recv = [this](nl_sock*, sockaddr_nl* sender, unsigned char** bytes) {
      return receive(sender, bytes);
    };
  }

  Datagram message(unsigned type, std::string_view body, unsigned flags = 0) const {
    auto bytes = os::encode_request(type, flags, body);
    auto header = *os::leading<nlmsghdr>(bytes);
    header.nlmsg_seq = sequence_;
    bytes.replace(0, sizeof(header), os::bytes_of(header));
    bytes.resize(os::netlink_aligned(bytes.size()));
    return {bytes};
  }

  // The end of a reply: an acknowledgment, or an error.
  Datagram status(int error = 0) const {
    return message(NLMSG_ERROR, os::bytes_of(std::int32_t{-error}));
  }

  KernelCalls calls;
  std::vector<Request> requests;

 private:
  int receive(sockaddr_nl* sender, unsigned char** bytes) {
    if (pending_.empty()) {  // as after the timeout of the socket
      errno = EAGAIN;
      return -1;
    }
    const auto next = pending_.front();
    pending_.pop_front();
    if (next.error != 0) errno = next.error;
    if (next.code != 0) return next.code;
    sender->nl_pid = next.sender;
    *bytes = static_cast<unsigned char*>(std::malloc(next.bytes.size() + 1));
    std::memcpy(*bytes, next.bytes.data(), next.bytes.size());
    return static_cast<int>(next.bytes.size());
  }

  int protocol_ = -1;
  std::uint32_t sequence_ = 0;
  std::deque<Datagram> pending_;
};

}  // namespace manactl::test
