// SPDX-License-Identifier: MIT
//
// A port: its queues, its doorbells and what its cable leads to. Doorbells come from any thread;
// queues are made and removed beside them.

#pragma once

#include "adapter/receiver.h"
#include "base/ids.h"

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
  Port(const PortContext& context, Engine engine, std::atomic<std::uint32_t>& generations);

  // Before the first queue.
  void connect(std::unique_ptr<Backend> backend) { backend_ = std::move(backend); }

  Receiver& receiver() { return receiver_; }

  std::uint32_t vport_offset() const { return context_.vport_offset; }

  // Refused: a ring that is no power of two of whole pages, a CQ without entries, too many queues.
  Result<QueueIds> create(Direction direction, const QueueSetup& setup);

  // By the id of the work queue. When it returns, the device never touches its memory again.
  bool remove(std::uint32_t id);

  void ring(std::uint32_t offset, std::uint64_t value);

  // Does what is waiting, and brings up to `budget` frames from outside. Any thread. Answers how
  // much there was to do.
  std::size_t run(std::size_t budget);

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
  void ring_rq(std::uint64_t value);
  void ring_cq(std::uint64_t value);
  bool arm_sq(std::uint32_t cq_id, std::uint32_t head);
  void unknown(std::string_view what, std::uint64_t value);
  std::size_t drain(SendSlot& slot);

  PortContext context_;
  Engine engine_;
  std::atomic<std::uint32_t>& generations_;
  Receiver receiver_;
  std::unique_ptr<Backend> backend_;
  std::array<SendSlot, kQueuesPerPort> senders_;
  std::atomic<std::uint64_t> rung_{0};  // a bit per sender with work that nobody does yet
  std::mutex slots_mutex_;
  std::array<bool, kQueuesPerPort> receive_slots_{};
};

static_assert(kQueuesPerPort == 64, "one word holds a bit per sender");

}  // namespace manactl::adapter
