// SPDX-License-Identifier: MIT
//
// A port: its queues, its doorbells and what its cable leads to. Doorbells come from any thread;
// queues are made and removed beside them.

#pragma once

#include "adapter/cable.h"
#include "adapter/late_doorbells.h"
#include "adapter/receiver.h"
#include "base/ids.h"
#include "wire/doorbell.h"

namespace manactl::adapter {

// Who does the work of a doorbell.
enum class Engine : std::uint8_t {
  manual,   // nobody, until run() is called: tests, and time that is made up
  direct,   // whoever rings, before the store is over
  threaded  // a thread of the adapter, which calls run()
};

enum class Direction : std::uint8_t { send, receive };

class Port {
 public:
  Port(const PortContext& context,
       const LinkModel& link,
       Engine engine,
       std::atomic<std::uint32_t>& generations);

  // Before the first queue.
  void connect(std::unique_ptr<Backend> backend) { cable_.connect(std::move(backend)); }

  Receiver& receiver() { return receiver_; }

  std::uint32_t vport_offset() const { return context_.vport_offset; }

  // Refused: a ring that is no power of two of whole pages, a CQ without entries, too many queues.
  Result<QueueIds> create(Direction direction, const QueueSetup& setup);

  // By the id of the work queue. When it returns, the device never touches its memory again.
  bool remove(std::uint32_t id);

  void ring(std::uint32_t offset, std::uint64_t value);

  // The same of what was seen in the page, where only the last store is left. Short doorbells add
  // up, so they cannot be meant for that: it is noted, as nothing that comes later would be right.
  void ring_seen(std::uint32_t offset, std::uint64_t value);

  // Does what is waiting, and brings up to `budget` frames from outside. Any thread. Answers how
  // much there was to do.
  std::size_t run(std::size_t budget);

  // When there will be something to do, if nothing is now.
  std::optional<std::uint64_t> next();

  // The device is gone: the queues stay until they are removed, nothing of theirs is touched any
  // more, and their doorbells mean nothing. Queues that are made later work.
  void halt();

  // A program that ends gives memory back under its queues. Hardware holds the pages and does not
  // mind; here, the queues have to stop.
  void lose(const Extent& memory);

 private:
  // The id is 0 while the slot is free. A doorbell holds the id, too, so that one that comes late
  // is not taken for one of the slot's next queue.
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
  void reserved(std::string_view what, std::uint64_t value, std::uint64_t bits);
  void unknown(std::string_view what, std::uint64_t value);

  // Faults that were planned for an SQ's doorbell; true when it does not arrive now.
  bool held_back(wire::DoorbellTarget target, std::uint64_t value);
  std::size_t ring_late();
  void posted(std::size_t units);
  void work_on(std::size_t slot);
  SendQueue::Drained drain(SendSlot& slot, std::size_t most = SIZE_MAX);
  std::size_t send_paced();

  PortContext context_;
  Engine engine_;
  std::atomic<std::uint32_t>& generations_;
  Receiver receiver_;
  Cable cable_;
  LateDoorbells late_;
  std::array<SendSlot, kQueuesPerPort> senders_;
  std::atomic<std::uint64_t> rung_{0};  // a bit per sender with work that nobody does yet
  std::mutex pace_mutex_;
  std::uint64_t waiting_ = 0;  // a bit per sender with work that has to wait for the cable
  unsigned turn_ = 0;          // the sender that goes first
  std::mutex slots_mutex_;
  std::array<bool, kQueuesPerPort> receive_slots_{};
};

static_assert(kQueuesPerPort == 64, "one word holds a bit per sender");

}  // namespace manactl::adapter
