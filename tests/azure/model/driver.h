// SPDX-License-Identifier: MIT
//
// A driver for the unit tests: it sets up the hardware channel, sends messages, makes queues and
// moves packets as the real driver does. Everything that goes wrong is an std::runtime_error.

#pragma once

#include <deque>
#include <map>
#include <optional>
#include <stdexcept>
#include <vector>

#include "azure/model/memory_guest.h"

namespace manactl::azure {

struct Entry {
  std::vector<std::uint8_t> data;
  std::uint32_t info = 0;
};

// A queue that the driver reads: EQ or CQ.
struct Inbox {
  std::uint32_t id = 0;
  std::uint64_t base = 0;
  std::uint32_t bytes = 0, entry = 0, head = 0;

  std::uint32_t entries() const { return bytes / entry; }
};

// A queue that the driver writes: SQ or RQ.
struct Outbox {
  std::uint32_t id = 0;
  std::uint64_t base = 0;
  std::uint32_t bytes = 0, head = 0;  // head in bytes
  bool is_sq = false;
};

struct DriverQueue {
  Outbox work;
  Inbox completions;
  std::uint64_t object = 0;
};

struct DriverPort {
  wire::QueryVportResponse config;
  std::uint16_t tx_offset = 0;
  DriverQueue tx, rx;
  std::vector<std::uint64_t> buffers;  // of the RQ, in the order they were posted
};

struct Answer {
  wire::ResponseHeader header;
  std::vector<std::uint8_t> body;
};

class Driver {
 public:
  Driver(MemoryGuest& guest, Device& device) : guest_(guest), device_(device) {}

  // The shared-memory channel. True: answered with success.
  bool establish();
  bool destroy();

  // The bring-up of the real driver, up to links that are up.
  void bring_up();
  void link_up(std::size_t port);
  void link_down(std::size_t port);
  void tear_down();

  // A message with its body; the answer may have up to `room` bytes after its header. No value:
  // no answer came.
  std::optional<Answer> request(wire::Command command,
                                std::span<const std::uint8_t> body,
                                std::uint32_t room,
                                std::uint16_t response_version = 1);

  template <class Body>
  requires requires { Body::kSize; }

  std::optional<Answer> request(wire::Command command, const Body& body, std::uint32_t room = 0) {
    return request(command, *wire::encode(body), room);
  }

  // As above, but success and a sound body are required.
  template <class Response>
  Response ask(wire::Command command,
               std::span<const std::uint8_t> body,
               std::uint16_t version = 1) {
    const auto answer = request(command, body, Response::kSize, version);
    if (!answer || answer->header.status != 0) throw std::runtime_error("refused");
    const auto response = wire::decode<Response>(answer->body);
    if (!response) throw std::runtime_error(wire::describe(response.error()));
    return *response;
  }

  void send(std::size_t port, std::span<const std::uint8_t> frame);
  void send(std::size_t port,
            const wire::WqeHeader& header,
            const wire::TxShortOob& oob,
            std::span<const wire::Sge> sges);
  wire::TxShortOob oob(std::size_t port) const;

  // Frames that arrived at a port; their buffers are posted again.
  std::vector<std::vector<std::uint8_t>> receive(std::size_t port);

  // Entries that came since the last call. The queue is armed again.
  std::vector<Entry> poll(Inbox& inbox);
  void arm(const Inbox& inbox);

  void post(Outbox& outbox, std::span<const std::uint8_t> wqe);
  static std::vector<std::uint8_t> wqe(wire::WqeHeader header,
                                       std::span<const std::uint8_t> oob,
                                       std::span<const wire::Sge> sges);
  std::uint64_t region(std::uint64_t address, std::uint32_t bytes);
  Inbox create_eq();

  std::vector<DriverPort> ports;
  Inbox eq;  // of the ports
  Inbox channel_eq, channel_cq;
  Outbox channel_rq, channel_sq;
  std::map<wire::ChannelDatum, std::uint32_t> channel_data;
  std::vector<wire::CqeType> tx_results;  // of all ports
  unsigned fences = 0;
  wire::DeviceType device_type = wire::DeviceType::mana;  // that requests are for

 private:
  bool store_shared();
  void greet();
  void post_channel_buffer();
  DriverQueue create_queue(std::size_t port, bool is_sq);
  void post_buffer(DriverPort& port, std::uint64_t address);

  MemoryGuest& guest_;
  Device& device_;
  std::uint64_t request_buffer_ = 0, answer_buffer_ = 0;
  std::uint32_t pd_id_ = 0, mem_key_ = 0;
};

}  // namespace manactl::azure
