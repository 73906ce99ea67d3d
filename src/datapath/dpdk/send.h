// SPDX-License-Identifier: MIT
//
// Sends one burst. The packets in a queue's pool are prebuilt. Before they are sent, at most their
// sizes, source ports and request payloads are rewritten.

#pragma once

#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>

#include <cstring>

#include "datapath/dpdk/cache.h"
#include "datapath/dpdk/lane.h"

namespace manactl::datapath::dpdk {

// Offset of a packet's first byte from its mbuf, as prebuild_packets() left it.
inline constexpr std::size_t kFrameAt = sizeof(rte_mbuf) + RTE_PKTMBUF_HEADROOM;

inline void put_field(char* at, std::uint16_t value) noexcept {
  std::memcpy(at, &value, sizeof value);
}

// Rewrites sizes and source ports; returns the total bytes without FCS.
template <bool Sizes>
std::uint64_t rewrite(const Rotation& rotation, rte_mbuf* const* packets, unsigned count) noexcept {
  const auto* size = rotation.pattern.data() + rotation.at;
  const auto* shapes = rotation.shapes.data();
  const auto* shape = shapes;
  const unsigned last = rotation.last_port;
  unsigned port = rotation.port;
  std::uint64_t bytes = 0;
  for (unsigned i = 0; i < count; ++i) {
    auto* packet = packets[i];
    auto* frame = reinterpret_cast<char*>(packet) + kFrameAt;
    if constexpr (Sizes) {
      shape = shapes + size[i];
      packet->data_len = shape->bytes;
      packet->pkt_len = shape->bytes;
      put_field(frame + kIpLengthAt, shape->ip_length);
      put_field(frame + kIpChecksumAt, shape->ip_checksum);
      put_field(frame + kUdpLengthAt, shape->udp_length);
      bytes += shape->bytes;
    }
    const auto big_endian = rte_cpu_to_be_16(static_cast<std::uint16_t>(port));
    put_field(frame + kSourcePortAt, big_endian);
    put_field(frame + kUdpChecksumAt, udp_checksum(shape->udp_sum, big_endian));
    port = port == last ? rotation.first_port : port + 1;
  }
  return Sizes ? bytes : std::uint64_t{count} * shape->bytes;
}

inline void advance(Rotation& rotation, unsigned packets) noexcept {
  rotation.at = (rotation.at + packets) % rotation.round;
  const unsigned flows = rotation.last_port - rotation.first_port + 1U;
  const unsigned flow = (rotation.port - rotation.first_port + packets) % flows;
  rotation.port = static_cast<std::uint16_t>(rotation.first_port + flow);
}

// Puts packets that the device rejected back into their pool; returns their bytes.
[[gnu::cold]] inline std::uint64_t return_rejected(Lane& lane,
                                                   unsigned sent,
                                                   unsigned wanted) noexcept {
  auto** packets = lane.packets.data();
  std::uint64_t bytes = 0;
  for (unsigned i = sent; i < wanted; ++i) bytes += packets[i]->pkt_len;
  rte_mempool_put_bulk(lane.pool, reinterpret_cast<void**>(packets + sent), wanted - sent);
  lane.counters.tx_missed.add(wanted - sent);
  return bytes;
}

// Sends at most `wanted` packets, after finish(packets, count), which may change them.
template <class Finish>
unsigned send_at_most(Lane& lane, std::uint64_t now, unsigned wanted, Finish finish) noexcept {
  auto** packets = lane.packets.data();
  const bool limited = lane.pace.limits();
  if (limited) {
    wanted = lane.pace.due(now, wanted);
    if (wanted == 0) return 0;
  }
  if (!take_packets(lane.pool, packets, wanted)) [[unlikely]] {
    lane.counters.pool_empty.add(1);
    lane.counters.count_poll(0, wanted);
    return rte_eth_tx_burst(
        lane.port, lane.queue, packets, 0);  // lets the driver free sent packets
  }
  auto bytes = std::uint64_t{wanted} * lane.frame_bytes;
  auto& rotation = lane.rotation;
  const bool rotates = rotation.changes_packets();
  if (rotates) {
    bytes = rotation.changes_sizes() ? rewrite<true>(rotation, packets, wanted)
                                     : rewrite<false>(rotation, packets, wanted);
  }
  finish(packets, wanted);
  const unsigned sent =
      rte_eth_tx_burst(lane.port, lane.queue, packets, static_cast<std::uint16_t>(wanted));
  if (sent < wanted) [[unlikely]]
    bytes -= return_rejected(lane, sent, wanted);
  if (rotates) advance(rotation, sent);
  if (limited) lane.pace.spend(sent);
  lane.count_sent(sent, bytes);
  lane.counters.count_poll(sent, wanted);
  return sent;
}

inline unsigned send(Lane& lane, std::uint64_t now) noexcept {
  return send_at_most(lane, now, lane.burst, [](rte_mbuf* const*, unsigned) {});
}

}  // namespace manactl::datapath::dpdk
