// SPDX-License-Identifier: MIT
//
// One Ethernet device of DPDK, from its configuration to its closing.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "datapath/bench.h"
#include "datapath/settle.h"

struct rte_mempool;

namespace manactl::datapath::dpdk {

class Port {
 public:
  // The ports of the plan's devices, in the plan's order; their number is port_count().
  static Result<std::vector<Port>> find(const BenchPlan& plan);

  Port(Port&& other) noexcept;
  Port& operator=(Port&& other) noexcept;
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;
  ~Port();

  // Queues as the plan says; queue i receives into receive_pools[i]. The plan outlives the port.
  Result<> start(const BenchPlan& plan, const std::vector<rte_mempool*>& receive_pools);

  std::uint16_t id() const { return id_; }

  int node() const { return node_; }

  const std::string& driver() const { return driver_; }

  const std::string& device() const { return device_; }

  // Of the kernel, below a virtual device; 0 without.
  unsigned interface_index() const { return interface_; }

  // The interface below has gone, and another one of its name is there and up: reopen() may help.
  // Of af_packet alone; what the other drivers lose they have to be opened for by a new run.
  bool has_successor() const;

  // Opens the device once more, as start() left it; no thread may use it. Its number may be another
  // one then, and what it counted stays. May be tried again.
  Result<> reopen();

  PortReport report() const;

  bool is_physical() const { return physical_; }

  Result<MacAddress> mac() const;

  // From here on count() counts. start() does it too.
  void mark();

  // Nothing when the driver does not count.
  std::optional<PortCount> count() const;

  // The ways of the packets since mark(), where a driver with two of them tells.
  std::optional<PathCount> ways() const;

  // Waits until the device has completed `handed` packets since mark(), or makes no progress.
  void drain(std::uint16_t queues, std::uint64_t handed) const;

 private:
  Port(std::uint16_t id, std::string device, bool physical)
      : id_(id), open_(true), physical_(physical), device_(std::move(device)) {}

  static Result<Port> open(std::uint16_t id, const std::string& device, bool physical);

  std::optional<PortCount> read() const;
  std::optional<PortCount> since_mark() const;

  std::uint16_t id_ = 0;
  bool open_ = false;
  bool physical_ = false;
  int node_ = 0;
  unsigned interface_ = 0;
  std::uint16_t queues_ = 0;
  std::string device_, driver_, interface_name_;
  const BenchPlan* plan_ = nullptr;  // that it was started with
  std::vector<rte_mempool*> receive_pools_;
  PortCount before_, earlier_;  // at mark(); since mark(), before it was opened once more
  std::optional<PathCount> ways_before_;
};

}  // namespace manactl::datapath::dpdk
