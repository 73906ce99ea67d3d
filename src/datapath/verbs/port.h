// SPDX-License-Identifier: MIT
//
// A port with its queues, its packets and a lane for each queue. The lanes outlive the device,
// which may be removed and return.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "datapath/bench.h"
#include "datapath/verbs/modes.h"

namespace manactl::datapath::verbs {

// Finds and opens the port of a NIC.
using OpenPort = std::function<Result<std::unique_ptr<Context>>(const Nic& nic)>;

class Port {
 public:
  static Result<std::unique_ptr<Port>> open(const OpenPort& open,
                                            const BenchPlan& plan,
                                            const Nic& nic);
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;
  ~Port() = default;

  // Null after close().
  Context* context() { return context_.get(); }

  // Closes the device. No worker may use the lanes; their rings are null afterwards.
  void close();

  // Opens the device of a closed port again. If this fails, the port stays closed. The lanes keep
  // their counts.
  Result<> reopen(const OpenPort& open, const BenchPlan& plan, const Nic& nic);

  std::vector<Lane>& lanes() { return lanes_; }

 private:
  Port() = default;

  Result<> open_device(const OpenPort& open, const BenchPlan& plan, const Nic& nic);
  Result<> make_queues(const BenchPlan& plan);
  void fill_send_patterns(const BenchPlan& plan, const Nic& nic);
  void add_forward_buffers(Lane& lane, std::size_t capacity);
  void post_buffers(const BenchPlan& plan);
  std::uint8_t* allocate(std::size_t bytes);

  // Destroyed in reverse order: queues before the context.
  std::unique_ptr<Context> context_;
  std::optional<Region> memory_;
  std::vector<SendQueue> senders_;
  std::optional<ReceiveQueues> receivers_;
  std::vector<Lane> lanes_;
  std::size_t used_ = 0;  // bytes of memory_ that are allocated
};

}  // namespace manactl::datapath::verbs
