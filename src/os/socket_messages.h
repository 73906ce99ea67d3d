// SPDX-License-Identifier: MIT
//
// sock_diag requests and answers as bytes (linux/inet_diag.h), and the lines of /proc/net/tcp,
// without a socket.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "os/sockets.h"

namespace manactl::os {

// A whole request for the listening and established TCP sockets of AF_INET or AF_INET6.
std::string encode_tcp_dump(unsigned family);

// A message after struct nlmsghdr; nothing when it is too short or of another family or state.
std::optional<TcpSocket> decode_tcp(std::string_view body);

// A line of /proc/net/tcp or tcp6; absent for the heading and for other states.
std::optional<TcpSocket> decode_tcp_line(std::string_view line);

}  // namespace manactl::os
