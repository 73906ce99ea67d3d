// SPDX-License-Identifier: MIT
//
// RDMA netlink (rdma/rdma_netlink.h): the devices, their ports, and the driver id that the kernel
// gives to user space. No privilege is needed. Nothing else on a system prints the driver id.
//
// The kernel loads ib_core for whoever opens RDMA netlink, and ib_uverbs for whoever asks for a
// uverbs device. So devices() is for systems that have sys/class/infiniband, and it asks for the
// driver id only when ib_uverbs has made its class.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/files.h"

namespace manactl::os {

// What RDMA_NLDEV_CMD_GET_CHARDEV answers for "uverbs".
struct UverbsChardev {
  std::string name;  // "uverbs0"
  std::uint64_t abi = 0;
  std::optional<std::uint32_t> driver_id;  // absent when the driver opts out of binding by id
};

struct RdmaPort {
  unsigned port = 0;   // from 1; the kernel's dev_port + 1
  unsigned state = 0;  // 4 is active (enum ib_port_state)
  std::string netdev;  // as the kernel reports it: may be the synthetic NIC or empty on MANA
};

struct RdmaDevice {
  unsigned index = 0;
  std::string name;  // "mana_0", "manae_0"
  unsigned node_type = 0;
  std::string firmware;
  std::vector<RdmaPort> ports;
  Result<UverbsChardev> chardev;
};

class Rdma {
 public:
  virtual ~Rdma() = default;

  // Empty when there are none; Errc::unsupported when the kernel has no RDMA netlink.
  virtual Result<std::vector<RdmaDevice>> devices() const = 0;
};

std::unique_ptr<Rdma> open_rdma(const Files& files);  // of the live system

}  // namespace manactl::os
