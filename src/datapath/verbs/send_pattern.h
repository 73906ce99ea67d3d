// SPDX-License-Identifier: MIT
//
// The packets that a queue sends: prebuilt frames with their WQEs, in the order of the size
// pattern. If there are several flows, source ports are written just before a packet is sent.

#pragma once

#include <cstdint>
#include <vector>

#include "datapath/traffic/frame.h"
#include "datapath/traffic/traffic.h"
#include "datapath/verbs/send_queue.h"

namespace manactl::datapath::verbs {

class SendPattern {
 public:
  // Appends a packet of this flow to the pattern. Writes the packet to `frame`, which is in the
  // memory that is registered as `key`.
  void add(const SendRing& ring,
           const Flow& flow,
           std::span<std::uint8_t> frame,
           std::uint32_t key);

  // Must follow the last add(). If `ports` has several ports, ring slots must not share a frame.
  void start(SendRing& ring, const PortRange& ports);

  // Prepares the next `count` (at most free_entries()) WQEs; returns the bytes of their packets.
  std::uint64_t prepare(SendRing& ring, std::uint32_t count) noexcept {
    if (constant_) return std::uint64_t{equal_bytes_} * count;
    const auto at = next_;
    if (ports_.first != ports_.last) write_ports(at, count);
    if (!prefilled_) copy(ring, at, count);
    next_ = advanced(at, count);
    return equal_bytes_ != 0 ? std::uint64_t{equal_bytes_} * count : sum(at, count);
  }

 private:
  struct Packet {
    std::uint8_t* frame = nullptr;
    std::uint16_t sum = 0;  // sum of all checksummed words except the source port
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

  void write_ports(std::uint32_t at, std::uint32_t count) noexcept {
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
  std::uint32_t equal_bytes_ = 0;  // 0 if sizes differ
  PortRange ports_;
  std::uint16_t port_ = 0;
  bool prefilled_ = false;  // start() wrote all WQEs of the ring, so prepare() need not
  bool constant_ = false;   // prefilled_ is set and packets never change
};

}  // namespace manactl::datapath::verbs
