// SPDX-License-Identifier: MIT
//
// The MANA device. Its input is the driver's stores into the BAR; its output goes through Guest.
// It has no threads and no clock.

#pragma once

#include <map>
#include <set>

#include "device/packets.h"
#include "device/rdma.h"
#include "wire/shared_memory.h"

namespace manactl::device {

// Offsets and sizes in the BAR.
inline constexpr std::uint32_t kSharedMemoryAt = 0x1000;
inline constexpr std::uint32_t kDoorbellsAt = 0x4000;
inline constexpr std::uint32_t kDoorbellPageBytes = 0x1000;

class Device {
 public:
  Device(Guest& guest, const Options& options, Trace& trace);

  // Handles a store of the driver: the offset in the BAR, and the value after the store.
  void store(std::uint32_t offset, std::uint64_t value);

  // Discards everything that the driver created, as the removal of the function does.
  void reset();

  // True if a doorbell has left work: the caller must call work() soon. One doorbell makes the
  // device do only a limited amount of work, so that no guest can keep it from its other tasks.
  bool has_work() const { return !backlog_.empty(); }

  // Does a part of the remaining work, as much as for a doorbell.
  void work();

  // Retries masked interrupts. True if some are still masked, so that the caller must retry soon.
  bool retry_interrupts() { return queues_.retry_interrupts(); }

  // Sends an event on the hardware channel, for example a reset request. False without a channel.
  bool send_event(wire::EventType type);

  // Disconnects all ports, or connects them again, and notifies the driver if it has set up the
  // hardware channel.
  void set_link(bool up);

  // Ignores the queues of ports until a driver sets up the hardware channel again, as after the
  // host has taken the function away from the VM. Requests are still executed.
  void revoke() {
    revoked_ = true;
    backlog_.clear();
  }

  // The faults to inject from now on.
  FaultPlan& faults() { return faults_; }

  Hostile& hostile() { return hostile_; }

  Queues& queues() { return queues_; }

  Vports& vports() { return vports_; }

  Packets& packets() { return packets_; }

  Control& control() { return control_; }

  Rdma& rdma() { return rdma_; }

  MemoryKeys& memory_keys() { return keys_; }

  const Quota& memory() const { return memory_; }

  std::uint64_t messages() const { return messages_; }

  // How often each request was executed with success.
  const std::map<wire::Command, std::uint64_t>& executed() const { return executed_; }

 private:
  struct Channel {
    std::uint32_t eq_id = 0, cq_id = 0, rq_id = 0, sq_id = 0;  // 0 until the channel is set up
  };

  void handle_shared_memory();
  bool establish(const wire::SharedMemoryMessage& message);
  void send_channel_data();
  void respond_shared(wire::SharedMemoryType type, std::uint8_t status);

  void handle_doorbell(std::uint32_t page, std::uint32_t offset, std::uint64_t value);
  template <class Doorbell>
  void arm(const Doorbell& bell, std::uint32_t former_id);
  void handle_work_doorbell(std::uint32_t page, std::uint32_t id, std::uint32_t tail, bool is_sq);

  void transmit(std::uint32_t sq_id);
  void handle_requests();
  void handle_message(wire::Bytes bytes);
  Reply execute(const Request& request, const std::optional<Fault>& fault);
  void respond(const wire::RequestHeader& request, const Reply& reply);
  void send_response(wire::Bytes bytes, std::optional<Misbehavior> wrong);
  void complete_channel(std::uint32_t wq_id, bool is_sq, const Wqe& wqe, std::size_t bytes);
  void deregister(wire::DeviceType type);

  Guest& guest_;
  const Options& options_;
  Trace& trace_;
  Quota memory_{kGuestMemory};
  FaultPlan faults_;
  Hostile hostile_;
  Queues queues_;
  MemoryKeys keys_;
  Control control_;
  Vports vports_;
  Packets packets_;
  Rdma rdma_;
  Channel channel_;
  Channel former_channel_;  // the last channel that was torn down
  bool revoked_ = false;
  std::set<std::uint32_t> backlog_;  // SQs with WQEs that were posted and not sent yet
  std::uint32_t last_sent_ = 0;      // the SQ to which work() has attended last
  std::uint64_t messages_ = 0;
  std::map<wire::Command, std::uint64_t> executed_;
};

}  // namespace manactl::device
