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
  // Takes over the port `id`; the destructor closes it. `device` is its name in plans and messages.
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

  const std::string& device() const { return device_; }

  // Index of the kernel's interface below a virtual device; 0 without one.
  unsigned interface_index() const { return interface_; }

  // True if the kernel's interface was replaced by one of the same name that is up, so that
  // reopen() may succeed. Always false for drivers other than net_af_packet.
  bool has_successor() const;

  // Reopens the device and repeats start(). No other thread may use the port meanwhile. id() may
  // change; count() keeps its totals. May be called again after a failure.
  Result<> reopen();

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

  std::uint16_t id_ = 0;
  bool open_ = false;
  bool physical_ = false;
  int node_ = 0;
  unsigned interface_ = 0;
  std::uint16_t queues_ = 0;
  std::string device_, driver_, interface_name_;
  const BenchPlan* plan_ = nullptr;  // the plan passed to start()
  std::vector<rte_mempool*> receive_pools_;
  PortCount before_;   // counters at mark()
  PortCount earlier_;  // counts between mark() and the last reopen()
  std::optional<PathCounters> paths_before_;
};

Result<rte_eth_dev_info> device_info(std::uint16_t id);
Result<MacAddress> mac_of(std::uint16_t id);

// Opens the ports of the plan's devices, in the plan's order; their number is port_count().
Result<std::vector<Port>> find_ports(const BenchPlan& plan);

}  // namespace manactl::datapath::dpdk
