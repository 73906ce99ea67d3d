// SPDX-License-Identifier: MIT
//
// RDMA netlink requests and answers as bytes (rdma/rdma_netlink.h), without a socket.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "os/rdma.h"

namespace manactl::os {

// Whole requests, struct nlmsghdr included.
std::string encode_device_dump();
std::string encode_chardev_request(std::uint32_t device);  // its "uverbs"
std::string encode_port_request(std::uint32_t device, std::uint32_t port);

// A device and how many ports it has; their numbers are 1 to that.
struct RdmaDeviceAnswer {
  std::uint32_t index = 0;
  std::string name, firmware;
  unsigned node_type = 0;
  std::uint32_t port_count = 0;
};

// Each takes a message after struct nlmsghdr. Errc::invalid when what names the thing is missing.
Result<RdmaDeviceAnswer> decode_device(std::string_view body);
Result<UverbsChardev> decode_chardev(std::string_view body);
Result<RdmaPort> decode_port(std::string_view body);

}  // namespace manactl::os
