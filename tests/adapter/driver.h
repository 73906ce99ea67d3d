// SPDX-License-Identifier: MIT
//
// A driver for tests. Like a program with direct verbs, it keeps the queues in its own memory. It
// encodes the queue entries with the code of src/wire.

#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <numeric>

#include "adapter/adapter.h"
#include "wire/doorbell.h"

namespace manactl::adapter {

using Buffer = std::vector<std::uint8_t>;

template <class T>
void put(Buffer& ring, std::size_t at, const T& record) {
  const auto bytes = wire::encode(record);
  ASSERT_TRUE(bytes) << wire::describe(bytes.error());
  for (std::size_t i = 0; i < bytes->size(); ++i) ring[(at + i) % ring.size()] = (*bytes)[i];
}

template <class T>
std::uint64_t number(const T& doorbell) {
  return wire::load(*wire::encode(doorbell), 0, 8);
}

struct Completion {
  Buffer data;
  wire::CqeInfo info;

  wire::RxCompletion rx() const { return wire::decode<wire::RxCompletion>(data).value(); }

  wire::TxCompletion tx() const { return wire::decode<wire::TxCompletion>(data).value(); }
};

// One work queue and its CQ.
class Queue {
 public:
  Queue(Port& port, Direction direction, std::uint32_t entries = 64, std::size_t ring_bytes = 4096)
      : port_(port),
        direction_(direction),
        ring(ring_bytes),
        cq(std::size_t{entries} * wire::kCqeBytes),
        entries_(entries),
        head_(entries) {
    const auto created = port.create(direction, setup());
    EXPECT_TRUE(created) << created.error().message;
    if (created) ids = *created;
  }

  QueueSetup setup() {
    return {ring.data(), static_cast<std::uint32_t>(ring.size()), cq.data(), entries_, [this] {
              ++events;
            }};
  }

  wire::TxShortOob oob() const {
    wire::TxShortOob oob;
    oob.cq_id = ids.cq;
    oob.sq_frame = static_cast<std::uint16_t>(ids.wq >> 10U);
    oob.short_vport_offset = static_cast<std::uint8_t>(port_.vport_offset());
    return oob;
  }

  // Writes a WQE. The adapter does not process it before ring_doorbell().
  template <class Oob>
  void post(wire::WqeHeader header, const Oob& oob, const std::vector<wire::Sge>& sges) {
    header.num_sge = static_cast<std::uint8_t>(sges.size());
    put(ring, tail, header);
    put(ring, tail + wire::WqeHeader::kSize, oob);
    for (std::size_t i = 0; i < sges.size(); ++i) {
      put(ring, tail + header.sge_offset() + i * wire::Sge::kSize, sges[i]);
    }
    tail += header.wqe_bytes();
  }

  void post(const std::vector<wire::Sge>& sges) { post(wire::WqeHeader{}, oob(), sges); }

  void ring_doorbell() {
    if (direction_ == Direction::send) {
      port_.ring(0, number(wire::SqDoorbell{ids.wq, tail}));
    } else {
      port_.ring(0x400, number(wire::RqDoorbell{ids.wq, 0, tail}));
    }
  }

  void send(const std::vector<wire::Sge>& sges) {
    post(sges);
    ring_doorbell();
  }

  void arm() {
    port_.ring(0x800, number(wire::CqDoorbell{ids.cq, wire::doorbell_tail(head_, entries_), true}));
  }

  // Returns the next completion, if there is one.
  std::optional<Completion> poll() {
    auto* entry = cq.data() + std::size_t{head_ % entries_} * wire::kCqeBytes;
    auto& word = *reinterpret_cast<std::uint32_t*>(entry + wire::kCqeDataBytes);
    const auto value = std::atomic_ref(word).load(std::memory_order_acquire);
    std::array<std::uint8_t, 4> bytes{};
    wire::store(bytes, 0, 4, value);
    const auto info = wire::decode<wire::CqeInfo>(bytes).value();
    const auto phase = wire::phase_of(info.owner, head_, entries_);
    EXPECT_NE(phase, wire::Phase::overflow);
    if (phase != wire::Phase::fresh) return std::nullopt;
    ++head_;
    return Completion{Buffer(entry, entry + wire::kCqeDataBytes), info};
  }

  std::vector<Completion> poll_all() {
    std::vector<Completion> all;
    while (auto one = poll()) all.push_back(std::move(*one));
    return all;
  }

 private:
  Port& port_;
  Direction direction_;

 public:
  Buffer ring, cq;
  QueueIds ids;
  std::uint32_t tail = 0;
  std::atomic<unsigned> events{0};

 private:
  std::uint32_t entries_, head_;
};

inline Buffer udp_frame(std::uint16_t port = 1000, std::size_t bytes = 60) {
  Buffer frame(bytes);
  const Buffer head{0x02, 0, 0, 0, 0, 1, 0x02, 0, 0, 0, 0, 2, 0x08, 0x00, 0x45, 0};
  std::ranges::copy(head, frame.begin());
  const auto length = bytes - 14;
  frame[16] = static_cast<std::uint8_t>(length >> 8U);
  frame[17] = static_cast<std::uint8_t>(length & 0xffU);
  frame[23] = 17;
  frame[26] = 10;
  frame[30] = 10;
  frame[33] = 1;
  frame[34] = static_cast<std::uint8_t>(port >> 8U);
  frame[35] = static_cast<std::uint8_t>(port & 0xffU);
  frame[38] = static_cast<std::uint8_t>((length - 20) >> 8U);
  frame[39] = static_cast<std::uint8_t>((length - 20) & 0xffU);
  for (std::size_t i = 42; i < bytes; ++i) frame[i] = static_cast<std::uint8_t>(i);
  return frame;
}

// An adapter with its counters and a registered memory region.
class AdapterTest : public testing::Test {
 protected:
  explicit AdapterTest(Threading threading = Threading::manual, std::size_t ports = 2)
      : AdapterTest(setup(threading, ports)) {}

  explicit AdapterTest(const AdapterSetup& setup) : adapter(setup, counters) {
    key = adapter.memory().add(address(memory.data()), memory.size()).value();
  }

  static AdapterSetup setup(Threading threading, std::size_t ports) {
    AdapterSetup setup;
    setup.threading = threading;
    for (std::uint8_t i = 0; i < ports; ++i) {
      setup.ports.push_back({{{0, 0x0d, 0x3a, 0, 0, i}}, 5U + i});
    }
    return setup;
  }

  static std::uint64_t address(const void* at) { return reinterpret_cast<std::uint64_t>(at); }

  // An SGE for the `size` bytes that start at offset `at` of the registered memory.
  wire::Sge piece(std::size_t at, std::size_t size) {
    return {address(memory.data() + at), key, static_cast<std::uint32_t>(size)};
  }

  wire::Sge frame_at(std::size_t at, const Buffer& frame) {
    std::ranges::copy(frame, memory.begin() + static_cast<std::ptrdiff_t>(at));
    return piece(at, frame.size());
  }

  // Connects the port to itself, so that it receives what it sends.
  void loop(std::size_t port) {
    adapter.port(port).connect(make_peer_link(adapter.port(port).receiver()));
  }

  // Spreads received frames over the queues by RSS.
  void spread(std::size_t port, std::vector<std::uint32_t> queues) {
    HashKey hash_key;
    std::iota(hash_key.begin(), hash_key.end(), std::uint8_t{1});
    adapter.port(port).receiver().set_rss(Rss(hash_key, std::move(queues)));
  }

  std::uint64_t violations() { return adapter.checker().total(); }

  AdapterCounters counters{};
  Buffer memory = Buffer(1U << 16U);
  Adapter adapter;
  std::uint32_t key = 0;
};

}  // namespace manactl::adapter
