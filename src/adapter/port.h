// SPDX-License-Identifier: MIT
//
// A port: its queues, its doorbells and its link. Any thread may ring doorbells while others create
// and remove queues. port.cpp holds the queues and their events, port_doorbells.cpp the doorbells.

#pragma once

#include "adapter/doorbell/delayed_doorbells.h"
#include "adapter/link/link.h"
#include "adapter/queues/receiver.h"
#include "adapter/queues/send_queue.h"
#include "base/ids.h"
#include "wire/doorbell.h"

namespace manactl::adapter {

// Which thread handles a doorbell.
enum class Threading : std::uint8_t {
  manual,   // the thread that calls run(), for tests with virtual time
  direct,   // the thread that rings the doorbell, before it continues
  threaded  // the thread of the adapter
};

enum class Direction : std::uint8_t { send, receive };

class Port {
 public:
  Port(const PortContext& context,
       const LinkModel& link,
       Threading threading,
       std::atomic<std::uint32_t>& generations);

  // To be called before the first queue is created.
  void connect(std::unique_ptr<Backend> backend) { link_.connect(std::move(backend)); }

  Receiver& receiver() { return receiver_; }

  std::uint32_t vport_offset() const { return context_.vport_offset; }

  // Fails if memory is missing, the ring size is not a power of two of at least 4096 bytes, the CQ
  // has no entries, or all queues are in use.
  Result<QueueIds> create(Direction direction, const QueueSetup& setup);

  // Removes a work queue and its CQ; their memory is no longer accessed. False if `id` is unknown.
  bool remove(std::uint32_t id);

  void ring(std::uint32_t offset, std::uint64_t value);

  // Like ring(), for a doorbell that polling found in the page. Polling sees only the last store,
  // but every short doorbell (an increment) counts, so short ones are reported as violations.
  void ring_polled(std::uint32_t offset, std::uint64_t value);

  // Handles pending work and delivers up to `budget` frames from the backend. Returns the number of
  // events handled. Thread-safe.
  std::size_t run(std::size_t budget);

  // The time of the next event; no value if none is scheduled.
  std::optional<std::uint64_t> next();

  // Stops all queues, as when the device fails: their memory is no longer accessed and their
  // doorbells are ignored. Queues that are created later work normally.
  void halt();

  // Stops the queues with rings in `memory`. To be called before `memory` is unmapped: real
  // hardware would keep the pages pinned, but the adapter would access unmapped memory.
  void halt_queues_in(const Extent& memory);

 private:
  // The ID is 0 while the slot is free. `doorbell` is the last value rung. It contains the ID of
  // its queue, so that a late doorbell does not affect the next queue in this slot.
  struct SendSlot {
    std::mutex mutex;
    std::unique_ptr<SendQueue> queue;
    std::atomic<std::uint32_t> id{0};
    std::atomic<std::uint64_t> doorbell{0};
  };

  Result<std::uint32_t> free_slot(Direction direction);
  void ring_sq(std::uint64_t value);
  void ring_sq_short(std::uint64_t value);
  void ring_rq(std::uint64_t value);
  void ring_rq_short(std::uint64_t value);
  void ring_cq(std::uint64_t value);
  void ring_cq_short(std::uint64_t value);
  void check_reserved(std::string_view what, std::uint64_t value, std::uint64_t bits);
  void note_unknown(std::string_view what, std::uint64_t value);

  // Applies the faults doorbell=lost and doorbell=delayed; true if the doorbell must not ring now.
  bool withhold(wire::DoorbellTarget target, std::uint64_t value);
  std::size_t ring_delayed();
  void receive_posted(std::size_t frames);
  void run_sender(std::size_t slot);
  SendQueue::Drained drain(SendSlot& slot, std::size_t max_wqes = SIZE_MAX);
  std::size_t send_paced();

  PortContext context_;
  Threading threading_;
  std::atomic<std::uint32_t>& generations_;
  Receiver receiver_;
  Link link_;
  DelayedDoorbells delayed_;
  std::array<SendSlot, kQueuesPerPort> senders_;
  std::atomic<std::uint64_t> rung_{0};  // one bit per sender with new work
  std::mutex pace_mutex_;
  std::uint64_t waiting_ = 0;  // one bit per sender that waits for the rate limit
  unsigned turn_ = 0;          // the sender whose turn is next
  std::mutex slots_mutex_;
  std::array<bool, kQueuesPerPort> receive_slots_{};
};

static_assert(kQueuesPerPort == 64, "one word holds a bit per sender");

}  // namespace manactl::adapter
