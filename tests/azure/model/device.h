// SPDX-License-Identifier: MIT
//
// The MANA device: what happens when a driver stores into the BAR. It is driven by store() alone
// and acts through Guest; there are no threads and no clocks in it.

#pragma once

#include <functional>

#include "azure/model/packets.h"
#include "azure/model/rdma.h"
#include "wire/shared_memory.h"

namespace manactl::azure {

// Where things are in the BAR.
inline constexpr std::uint32_t kSharedMemoryAt = 0x1000;
inline constexpr std::uint32_t kDoorbellsAt = 0x4000;
inline constexpr std::uint32_t kDoorbellPages = 4;
inline constexpr std::uint32_t kDoorbellPageBytes = 0x1000;

class Device {
 public:
  // `late_faults` is asked before each message for the text of the fault file.
  Device(Guest& guest,
         const Options& options,
         Trace& trace,
         std::function<std::string()> late_faults = {});

  // A store of the driver, as the trap reports it: offset in the BAR, and the value found there.
  void store(std::uint32_t offset, std::uint64_t value);

  // As after a removal of the function: nothing that the driver made is left.
  void reset();

  // Interrupts that could not be raised. True: call again soon.
  bool retry_interrupts() { return queues_.retry_interrupts(); }

  // An event of the device's own on the hardware channel: reset request, reconfiguration.
  void announce(wire::EventType type);

  Queues& queues() { return queues_; }

  Vports& vports() { return vports_; }

  Control& control() { return control_; }

  Rdma& rdma() { return rdma_; }

  std::uint64_t messages() const { return messages_; }

 private:
  struct Channel {
    std::uint32_t eq_id = 0, cq_id = 0, rq_id = 0, sq_id = 0;  // 0: not set up
  };

  void shared_memory();
  bool establish(const wire::SharedMemoryMessage& message);
  void greet();
  void answer_shared(wire::SharedMemoryType type, std::uint8_t status);

  void doorbell(std::uint32_t offset, std::uint64_t value);
  void work_doorbell(std::uint32_t id, std::uint32_t tail, bool is_sq);

  void channel_requests();
  void message(wire::Bytes bytes);
  Reply reply_to(const Request& request, const std::optional<Fault>& fault);
  void answer(const wire::RequestHeader& request, const Reply& reply);
  void send_answer(wire::Bytes bytes);
  void complete_channel(std::uint32_t wq_id, bool is_sq, const Wqe& wqe, std::size_t bytes);
  void deregister(wire::DeviceType type);
  std::optional<Fault> strike(std::uint32_t code);

  Guest& guest_;
  const Options& options_;
  Trace& trace_;
  std::function<std::string()> late_faults_;
  FaultPlan faults_;
  Queues queues_;
  Control control_;
  Vports vports_;
  Packets packets_;
  Rdma rdma_;
  Channel channel_;
  std::uint64_t messages_ = 0;
};

}  // namespace manactl::azure
