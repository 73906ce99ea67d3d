// SPDX-License-Identifier: MIT
//
// Out-of-band (OOB) data in a WQE: metadata for the device about the packet or message.
// Sources: Linux include/net/mana/mana.h and hw_channel.h.

#pragma once

#include "wire/codec.h"

namespace manactl::wire {

enum class PacketFormat : std::uint8_t { short_form = 0, long_form = 1 };

inline constexpr EnumWord<PacketFormat> kPacketFormats[] = {
    {PacketFormat::short_form, "short"},
    {PacketFormat::long_form, "long"},
};

constexpr std::span<const EnumWord<PacketFormat>> members(PacketFormat) {
  return kPacketFormats;
}

inline constexpr std::uint32_t kMaxShortVportOffset = 0xff;

// The short form, which is also the first part of the long form.
struct TxShortOob {
  static constexpr std::string_view kName = "transmit OOB";
  static constexpr std::size_t kSize = 8;

  PacketFormat format = PacketFormat::short_form;
  bool is_outer_ipv4 = false, is_outer_ipv6 = false;
  bool compute_ip_checksum = false, compute_tcp_checksum = false, compute_udp_checksum = false;
  bool suppress_cqe = false;
  std::uint32_t cq_id = 0;
  std::uint16_t transport_offset = 0;  // bytes from the start of the frame
  std::uint16_t sq_frame = 0;          // bits 10-23 of the SQ's id
  std::uint8_t short_vport_offset = 0;

  bool operator==(const TxShortOob&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.member("format", self.format, 2);
    codec.bits("is_outer_ipv4", self.is_outer_ipv4, 1);
    codec.bits("is_outer_ipv6", self.is_outer_ipv6, 1);
    codec.bits("compute_ip_checksum", self.compute_ip_checksum, 1);
    codec.bits("compute_tcp_checksum", self.compute_tcp_checksum, 1);
    codec.bits("compute_udp_checksum", self.compute_udp_checksum, 1);
    codec.bits("suppress_cqe", self.suppress_cqe, 1);
    codec.bits("cq_id", self.cq_id, 24);
    codec.bits("transport_offset", self.transport_offset, 10);
    codec.bits("sq_frame", self.sq_frame, 14);
    codec.bits("short_vport_offset", self.short_vport_offset, 8);
  }
};

// The long form, with VLAN and encapsulation.
struct TxLongOob {
  static constexpr std::string_view kName = "long transmit OOB";
  static constexpr std::size_t kSize = 24;

  TxShortOob base;
  bool is_encapsulated = false, inner_is_ipv6 = false, inner_tcp_options = false;
  bool inject_vlan_tag = false;
  std::uint8_t priority = 0;  // 802.1Q PCP
  bool drop_eligible = false;
  std::uint16_t vlan_id = 0;
  std::uint16_t inner_frame_offset = 0;
  std::uint8_t inner_ip_offset = 0;  // relative to the inner frame
  std::uint16_t long_vport_offset = 0;

  bool operator==(const TxLongOob&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.record(self.base);
    codec.bits("is_encapsulated", self.is_encapsulated, 1);
    codec.bits("inner_is_ipv6", self.inner_is_ipv6, 1);
    codec.bits("inner_tcp_options", self.inner_tcp_options, 1);
    codec.bits("inject_vlan_tag", self.inject_vlan_tag, 1);
    codec.zero("reserved bits 4-15 of dword 2", 12);
    codec.bits("priority", self.priority, 3);
    codec.bits("drop_eligible", self.drop_eligible, 1);
    codec.bits("vlan_id", self.vlan_id, 12);
    codec.bits("inner_frame_offset", self.inner_frame_offset, 10);
    codec.bits("inner_ip_offset", self.inner_ip_offset, 6);
    codec.bits("long_vport_offset", self.long_vport_offset, 12);
    codec.zero("reserved bits 28-31 of dword 3", 4);
    codec.zero("reserved dwords 4-5", 64);
  }

  // The vPort offset. In both forms, drivers write an offset of up to 255 only to the short field
  // (mana_start_xmit() of Linux).
  constexpr std::uint32_t vport_offset() const {
    return base.short_vport_offset != 0 ? base.short_vport_offset : long_vport_offset;
  }
};

// Decodes either form; the fields that the short form lacks are 0.
constexpr Checked<TxLongOob> decode_tx_oob(Bytes bytes) {
  const auto base = decode_front<TxShortOob>(bytes);
  if (!base) return tl::unexpected<Refusal>(base.error());
  if (base->format == PacketFormat::long_form) return decode<TxLongOob>(bytes);
  TxLongOob oob;
  oob.base = *base;
  return oob;
}

// The OOB of a message on the SQ of the hardware channel.
struct ChannelTxOob {
  static constexpr std::string_view kName = "hardware channel OOB";
  static constexpr std::size_t kSize = 24;

  std::uint32_t rq_id = 0;  // RQ of the destination; 0 if the sender is a VF
  std::uint8_t dest_vfid = 0;
  std::uint32_t rcq_id = 0;  // CQ of the destination; 0 if the sender is a VF
  std::uint32_t scq_id = 0;
  bool loopback = false, lso_override = false, dest_pf = false;
  std::uint32_t sq_id = 0;

  bool operator==(const ChannelTxOob&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.zero("reserved dwords 0-1", 64);
    codec.bits("rq_id", self.rq_id, 24);
    codec.bits("dest_vfid", self.dest_vfid, 8);
    codec.bits("rcq_id", self.rcq_id, 24);
    codec.zero("reserved bits 24-31 of dword 3", 8);
    codec.bits("scq_id", self.scq_id, 24);
    codec.bits("loopback", self.loopback, 1);
    codec.bits("lso_override", self.lso_override, 1);
    codec.bits("dest_pf", self.dest_pf, 1);
    codec.zero("reserved bits 27-31 of dword 4", 5);
    codec.bits("sq_id", self.sq_id, 24);
    codec.zero("reserved bits 24-31 of dword 5", 8);
  }
};

}  // namespace manactl::wire
