// SPDX-License-Identifier: MIT
//
// What a queue sends: finished packets with their WQEs, in the order of the pattern of sizes. With
// several flows every packet is given its source port when it is sent.

#pragma once

#include <cstdint>
#include <vector>

#include "datapath/frame.h"
#include "datapath/traffic.h"
#include "datapath/verbs/send_queue.h"

namespace manactl::datapath::verbs {

class Outbox {
 public:
  // Puts a packet of this flow at the end of the pattern. `frame` is registered memory of
  // `bytes`, and becomes the packet.
  void add(const SendRing& ring,
           const Flow& flow,
           std::span<std::uint8_t> frame,
           std::uint32_t key);

  // After the last add(). With more than one port no two packets of the ring may share a frame.
  void start(SendRing& ring, const PortRange& ports);

  // Makes the next `count` WQEs of the ring ready; at most its room. Answers the bytes of their
  // packets.
  std::uint64_t prepare(SendRing& ring, std::uint32_t count) noexcept {
    if (settled_) return std::uint64_t{same_bytes_} * count;
    const auto at = next_;
    if (ports_.first != ports_.last) stamp(at, count);
    if (!prefilled_) copy(ring, at, count);
    next_ = advanced(at, count);
    return same_bytes_ != 0 ? std::uint64_t{same_bytes_} * count : sum(at, count);
  }

 private:
  // One packet of the pattern.
  struct Packet {
    std::uint8_t* frame = nullptr;
    std::uint16_t sum = 0;  // of all that its checksum is over but the source port
    std::uint16_t bytes = 0;
  };

  std::uint32_t advanced(std::uint32_t at, std::uint32_t count) const noexcept {
    const auto round = static_cast<std::uint32_t>(packets_.size());
    for (at += count; at >= round; at -= round) {
    }
    return at;
  }

  void copy(SendRing& ring, std::uint32_t at, std::uint32_t count) noexcept {
    for (std::uint32_t i = 0; i < count; ++i) {
      ring.at(ring.head() + i) = wqes_[at];
      if (++at == wqes_.size()) at = 0;
    }
  }

  void stamp(std::uint32_t at, std::uint32_t count) noexcept {
    auto port = port_;
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto& packet = packets_[at];
      if (++at == packets_.size()) at = 0;
      const std::uint16_t source = __builtin_bswap16(port);
      const auto checksum = udp_checksum(packet.sum, source);
      __builtin_memcpy(packet.frame + kSourcePortAt, &source, sizeof source);
      __builtin_memcpy(packet.frame + kUdpChecksumAt, &checksum, sizeof checksum);
      port = port == ports_.last ? ports_.first : static_cast<std::uint16_t>(port + 1);
    }
    port_ = port;
  }

  std::uint64_t sum(std::uint32_t at, std::uint32_t count) const noexcept {
    std::uint64_t bytes = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      bytes += packets_[at].bytes;
      if (++at == packets_.size()) at = 0;
    }
    return bytes;
  }

  std::vector<Wqe> wqes_;
  std::vector<Packet> packets_;
  std::uint32_t next_ = 0;
  std::uint32_t same_bytes_ = 0;  // 0: packets differ
  PortRange ports_;
  std::uint16_t port_ = 0;
  bool prefilled_ = false;  // the ring holds the WQEs, slot by slot, for ever
  bool settled_ = false;    // and nothing of the packets ever changes
};

}  // namespace manactl::datapath::verbs
