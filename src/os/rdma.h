// SPDX-License-Identifier: MIT
//
// RDMA devices, their ports and their driver ids through RDMA netlink (rdma/rdma_netlink.h). RDMA
// netlink is the only interface that reports the driver id. No privilege is needed.
//
// Opening RDMA netlink makes the kernel load ib_core, and requesting a uverbs device makes it load
// ib_uverbs (ib_get_client_nl_info, drivers/infiniband/core/device.c). Therefore call devices()
// only if sys/class/infiniband exists; it requests driver ids only if ib_uverbs is loaded.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/files.h"

namespace manactl::os {

// The reply to RDMA_NLDEV_CMD_GET_CHARDEV for "uverbs".
struct UverbsChardev {
  std::string name;  // "uverbs0"
  std::uint64_t abi = 0;
  std::optional<std::uint32_t> driver_id;  // absent if the driver sets uverbs_no_driver_id_binding
};

struct RdmaPort {
  unsigned port = 0;   // counts from 1; dev_port of the netdev is one less
  unsigned state = 0;  // enum ib_port_state: 4 is active
  std::string netdev;  // as reported by the kernel; with MANA it may be empty or the synthetic NIC
};

struct RdmaDevice {
  unsigned index = 0;
  std::string name;        // "mana_0", "manae_0"
  unsigned node_type = 0;  // enum rdma_node_type (rdma/ib_verbs.h)
  std::string firmware;
  std::vector<RdmaPort> ports;
  Result<UverbsChardev> chardev;
};

class Rdma {
 public:
  virtual ~Rdma() = default;

  // All devices, ordered by index. Errc::unsupported if the kernel has no RDMA netlink.
  virtual Result<std::vector<RdmaDevice>> devices() const = 0;
};

// `files` is the live system and must outlive the result.
std::unique_ptr<Rdma> open_rdma(const Files& files);

}  // namespace manactl::os
