// SPDX-License-Identifier: MIT
//
// A driver for the unit tests: sets up the hardware channel, sends messages, creates queues, and
// sends and receives packets as the real driver does. Failures throw std::runtime_error.

#pragma once

#include <deque>
#include <map>
#include <optional>
#include <stdexcept>
#include <vector>

#include "device/memory_guest.h"

namespace manactl::device {

struct Entry {
  std::vector<std::uint8_t> data;
  std::uint32_t info = 0;
};

// A queue that the driver reads: EQ or CQ.
struct ReadQueue {
  std::uint32_t id = 0;
  std::uint64_t base = 0;
  std::uint32_t bytes = 0, entry = 0, head = 0;

  std::uint32_t entries() const { return bytes / entry; }
};

// A queue that the driver writes: SQ or RQ.
struct WriteQueue {
  std::uint32_t id = 0;
  std::uint64_t base = 0;
  std::uint32_t bytes = 0, head = 0;  // head in bytes
  bool is_sq = false;
};

struct DriverQueue {
  WriteQueue work;
  ReadQueue completions;
  std::uint64_t object = 0;
};

struct DriverPort {
  wire::QueryVportResponse config;
  std::uint16_t tx_offset = 0;
  DriverQueue tx, rx;
  std::vector<std::uint64_t> buffers;  // addresses of the posted buffers, oldest first
};

struct Response {
  wire::ResponseHeader header;
  std::vector<std::uint8_t> body;
};

class Driver {
 public:
  Driver(MemoryGuest& guest, Device& device) : guest_(guest), device_(device) {}

  // Requests on the shared-memory channel; true on success.
  bool establish();
  bool destroy();

  // Brings up the device and all links, as the real driver does.
  void bring_up();
  void link_up(std::size_t port);
  void link_down(std::size_t port);
  void tear_down();

  // Sends a message with this body. The response may have up to `max_body` bytes after its header.
  // No value if there is no response.
  std::optional<Response> request(wire::Command command,
                                  std::span<const std::uint8_t> body,
                                  std::uint32_t max_body,
                                  std::uint16_t response_version = 1);

  template <class Body>
    requires requires { Body::kSize; }

  std::optional<Response> request(wire::Command command,
                                  const Body& body,
                                  std::uint32_t max_body = 0) {
    return request(command, *wire::encode(body), max_body);
  }

  // Like request(), but throws unless the response is successful and its body valid.
  template <class Body>
  Body call(wire::Command command, std::span<const std::uint8_t> body, std::uint16_t version = 1) {
    const auto response = request(command, body, Body::kSize, version);
    if (!response || response->header.status != 0) throw std::runtime_error("request failed");
    const auto decoded = wire::decode<Body>(response->body);
    if (!decoded) throw std::runtime_error(wire::describe(decoded.error()));
    return *decoded;
  }

  void send(std::size_t port, std::span<const std::uint8_t> frame);
  void send(std::size_t port,
            const wire::WqeHeader& header,
            const wire::TxShortOob& oob,
            std::span<const wire::Sge> sges);
  wire::TxShortOob oob(std::size_t port) const;

  // Returns the frames received by a port since the last call; posts their buffers again.
  std::vector<std::vector<std::uint8_t>> receive(std::size_t port);

  // Returns the entries since the last call. Does not arm the queue.
  std::vector<Entry> poll(ReadQueue& queue);
  void arm(const ReadQueue& queue);

  void post(WriteQueue& queue, std::span<const std::uint8_t> wqe);
  static std::vector<std::uint8_t> wqe(wire::WqeHeader header,
                                       std::span<const std::uint8_t> oob,
                                       std::span<const wire::Sge> sges);
  std::uint64_t region(std::uint64_t address, std::uint32_t bytes);
  ReadQueue create_eq();

  std::vector<DriverPort> ports;
  ReadQueue eq;  // shared by all ports
  ReadQueue channel_eq, channel_cq;
  WriteQueue channel_rq, channel_sq;
  std::map<wire::ChannelDatum, std::uint32_t> channel_data;
  std::vector<wire::CqeType> tx_results;  // completion types of sent packets, of all ports
  unsigned fences = 0;
  wire::DeviceType device_type = wire::DeviceType::mana;  // device that requests address

 private:
  bool store_shared();
  void read_channel_data();
  void post_channel_buffer();
  DriverQueue create_queue(std::size_t port, bool is_sq);
  void post_buffer(DriverPort& port, std::uint64_t address);

  MemoryGuest& guest_;
  Device& device_;
  std::uint64_t request_buffer_ = 0, response_buffer_ = 0;
  std::uint32_t pd_id_ = 0, mem_key_ = 0;
};

}  // namespace manactl::device
