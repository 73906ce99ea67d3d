// SPDX-License-Identifier: MIT
//
// The hardware channel (HWC): a pair of work queues that carries the messages of messages.h.
// Source: Linux include/net/mana/hw_channel.h. Sizes in bytes.

#pragma once

#include "wire/completion.h"

namespace manactl::wire {

inline constexpr std::uint32_t kChannelMaxMessage = 4096;
inline constexpr std::uint32_t kChannelQueueBytes = 4096;  // size of each queue: EQ, CQ, RQ, SQ
inline constexpr std::uint32_t kChannelBootstrapDepth = 1;
inline constexpr std::uint32_t kChannelTimeoutMs = 30'000;

// The 60 data bytes of a CQE on the CQ of the channel.
struct ChannelCompletion {
  static constexpr std::string_view kName = "hardware channel completion";
  static constexpr std::size_t kSize = kCqeDataBytes;

  std::uint8_t type = 0;
  bool end_of_message = false, start_of_message = false;
  std::uint8_t vendor_error = 0;
  std::uint32_t source_wq = 0;
  std::uint8_t source_vfid = 0;
  std::uint32_t wqe_offset = 0;  // bytes, from the start of the RQ
  std::uint32_t wqe_address_high = 0;
  std::uint16_t client_data_unit = 0;
  std::uint32_t data_bytes = 0;  // bytes of the received message
  std::uint32_t chunk_offset = 0;

  bool operator==(const ChannelCompletion&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.bits("type", self.type, 6);
    codec.bits("end_of_message", self.end_of_message, 1);
    codec.bits("start_of_message", self.start_of_message, 1);
    codec.bits("vendor_error", self.vendor_error, 8);
    codec.zero("reserved bits 16-31", 16);
    codec.bits("source_wq", self.source_wq, 24);
    codec.bits("source_vfid", self.source_vfid, 8);
    codec.zero("reserved dword 2", 32);
    codec.bits("wqe_offset", self.wqe_offset, 32);
    codec.bits("wqe_address_high", self.wqe_address_high, 32);
    codec.bits("client_data_unit", self.client_data_unit, 14);
    codec.zero("reserved bits 14-31 of dword 5", 18);
    codec.bits("data_bytes", self.data_bytes, 32);
    codec.bits("chunk_offset", self.chunk_offset, 21);
    codec.zero("reserved bits 21-31 of dword 7", 11);
    codec.zero("reserved dwords 8-14", 7 * 32);
  }
};

}  // namespace manactl::wire
