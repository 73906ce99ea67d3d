// SPDX-License-Identifier: MIT
//
// One Ethernet port of DPDK, and the search for the ports of a plan (find_ports.cpp).

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "datapath/bench.h"
#include "datapath/measure/settle.h"

struct rte_eth_dev_info;
struct rte_mempool;

namespace manactl::datapath::dpdk {

class Port {
 public:
  // Takes over the port `id`; the destructor closes it. `device` is the name of its device in plans
  // and messages.
  static Result<Port> open(std::uint16_t id, const std::string& device, bool physical);

  Port(Port&& other) noexcept;
  Port& operator=(Port&& other) noexcept;
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;
  ~Port();

  // Sets up the queues of `plan`, which must outlive the port. Queue i receives into
  // receive_pools[i].
  Result<> start(const BenchPlan& plan, const std::vector<rte_mempool*>& receive_pools);

  std::uint16_t id() const { return id_; }

  int node() const { return node_; }

  const std::string& driver() const { return driver_; }

  // The device in the plan, such as a PCI address; several ports may have the same one.
  const std::string& device() const { return device_; }

  // DPDK's name of the port, such as "7870:00:00.0_port1".
  const std::string& name() const { return name_; }

  // Index of the kernel's interface below a virtual device; 0 without one.
  unsigned interface_index() const { return interface_; }

  // True if the device has returned after it was removed, so that reopen() may succeed: for
  // net_af_packet, an interface of the same name is up; for net_mana, the function has an RDMA
  // device. net_tap and net_tun create their interface themselves: true as soon as the old one is
  // gone. Always false for other drivers.
  bool has_returned() const;

  // Reopens a device and repeats start() for `ports`, which must be all of its ports. No other
  // thread may use them meanwhile. Their id() may change; count() keeps its totals. May be called
  // again after a failure.
  static Result<> reopen(const std::vector<Port*>& ports);

  PortReport report() const;

  bool is_physical() const { return physical_; }

  Result<MacAddress> mac() const;

  // Makes count() and path_counters() start at zero. start() also calls this function.
  void mark();

  // nullopt if the driver has no statistics.
  std::optional<PortCount> count() const;

  // Packets per path since mark(); nullopt if the driver does not count them.
  std::optional<PathCounters> path_counters() const;

  // Waits until the device has completed `posted` packets since mark(), or makes no more progress.
  void drain(std::uint16_t queues, std::uint64_t posted) const;

 private:
  Port(std::uint16_t id, std::string device, bool physical)
      : id_(id), open_(true), physical_(physical), device_(std::move(device)) {}

  std::optional<PortCount> read() const;
  std::optional<PortCount> since_mark() const;
  void release();
  Result<> resume();

  std::uint16_t id_ = 0;
  bool open_ = false;
  bool physical_ = false;
  int node_ = 0;
  unsigned interface_ = 0;
  std::uint16_t queues_ = 0;
  bool reports_missed_ = true;  // packets dropped for lack of descriptors, also by the VF
  std::string device_, name_, driver_, interface_name_;
  const BenchPlan* plan_ = nullptr;  // the plan passed to start()
  std::vector<rte_mempool*> receive_pools_;
  PortCount before_;   // counters at mark()
  PortCount earlier_;  // counts between mark() and the last reopen()
  std::optional<PathCounters> paths_before_;
};

// DPDK's name of a port; empty if it has none.
std::string name_of(std::uint16_t id);
Result<rte_eth_dev_info> device_info(std::uint16_t id);
Result<MacAddress> mac_of(std::uint16_t id);

// Opens the ports of the plan's devices, in the plan's order; their number is port_count().
Result<std::vector<Port>> find_ports(const BenchPlan& plan);

}  // namespace manactl::datapath::dpdk
