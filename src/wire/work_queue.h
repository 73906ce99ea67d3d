// SPDX-License-Identifier: MIT
//
// Work queue entries (WQEs): header, inline OOB and scatter-gather list. A WQE occupies whole basic
// units of 32 bytes. Header and OOB never wrap at the end of the ring; SGEs may. Sizes in bytes.
// Sources: Linux include/net/mana/gdma.h; rdma-core providers/mana/gdma.h (flags of the header).

#pragma once

#include "wire/codec.h"

namespace manactl::wire {

inline constexpr std::uint32_t kBasicUnit = 32;
inline constexpr std::uint32_t kMaxSqWqe = 512;
inline constexpr std::uint32_t kMaxRqWqe = 256;
inline constexpr std::uint32_t kSmallOob = 8;
inline constexpr std::uint32_t kLargeOob = 24;
inline constexpr std::uint32_t kMaxSqSges = 30;
inline constexpr std::uint32_t kMaxRqSges = 15;

// The inline OOB size as encoded in the header, in units of 4 bytes.
enum class OobSize : std::uint8_t { small = 2, large = 6, largest = 7 };

inline constexpr EnumWord<OobSize> kOobSizes[] = {
    {OobSize::small, "8 bytes"},
    {OobSize::large, "24 bytes"},
    {OobSize::largest, "32 bytes"},
};

constexpr std::span<const EnumWord<OobSize>> members(OobSize) {
  return kOobSizes;
}

struct WqeHeader {
  static constexpr std::string_view kName = "WQE header";
  static constexpr std::size_t kSize = 8;

  std::uint8_t last_vbytes = 0;  // if client_oob_in_sgl is set: bytes of the first SGE
  std::uint8_t num_sge = 0;
  OobSize inline_oob = OobSize::small;
  bool client_oob_in_sgl = false;
  bool consume_credit = false;         // 0 in Ethernet WQEs
  bool fence = false;                  // 0 in Ethernet WQEs
  std::uint16_t client_data_unit = 0;  // the MSS with TSO, otherwise 0
  bool check_sn = false;
  bool sgl_direct = false;

  bool operator==(const WqeHeader&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.zero("reserved bits 0-23", 24);
    codec.bits("last_vbytes", self.last_vbytes, 8);
    codec.bits("num_sge", self.num_sge, 8);
    codec.at_most("num_sge", self.num_sge, kMaxSqSges);
    codec.member("inline_oob", self.inline_oob, 3);
    codec.bits("client_oob_in_sgl", self.client_oob_in_sgl, 1);
    codec.bits("consume_credit", self.consume_credit, 1);
    codec.bits("fence", self.fence, 1);
    codec.zero("reserved bits 46-47", 2);
    codec.bits("client_data_unit", self.client_data_unit, 14);
    codec.bits("check_sn", self.check_sn, 1);
    codec.bits("sgl_direct", self.sgl_direct, 1);
  }

  constexpr std::uint32_t oob_bytes() const {
    return inline_oob == OobSize::largest ? 32 : static_cast<std::uint32_t>(inline_oob) * 4;
  }

  constexpr std::uint32_t sge_offset() const {
    return static_cast<std::uint32_t>(kSize) + oob_bytes();
  }

  // The size of the whole WQE, a multiple of the basic unit.
  constexpr std::uint32_t wqe_bytes() const {
    return (sge_offset() + num_sge * 16U + kBasicUnit - 1) / kBasicUnit * kBasicUnit;
  }
};

struct Sge {
  static constexpr std::string_view kName = "SGE";
  static constexpr std::size_t kSize = 16;

  std::uint64_t address = 0;
  std::uint32_t mem_key = 0;
  std::uint32_t size = 0;

  bool operator==(const Sge&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.bits("address", self.address, 64);
    codec.bits("mem_key", self.mem_key, 32);
    codec.bits("size", self.size, 32);
  }
};

}  // namespace manactl::wire
