// SPDX-License-Identifier: MIT
//
// Completion queue entries, and the owner bits of completion and event queues. The owner bits are
// in the last dword of an entry, which the device writes last. Sources: Linux include/net/mana
// (gdma.h, mana.h); OpenVMM vm/devices/net/gdma_defs (tx_gdma_error).

#pragma once

#include "wire/codec.h"

namespace manactl::wire {

inline constexpr std::uint32_t kCqeBytes = 64;
inline constexpr std::uint32_t kCqeDataBytes = 60;
inline constexpr std::uint32_t kEqeBytes = 16;
inline constexpr std::uint32_t kEqeDataBytes = 12;
inline constexpr unsigned kOwnerBits = 3;

// The owner value of the entry at `head`. `head` counts entries without wrapping at the ring size;
// `entries` is the ring size and not 0. The ring is zeroed and `head` starts at `entries`, so the
// first owner value is 1.
constexpr std::uint8_t owner_at(std::uint32_t head, std::uint32_t entries) {
  return static_cast<std::uint8_t>((head / entries) & mask_of(kOwnerBits));
}

// The tail to write to the doorbell for this head.
constexpr std::uint32_t doorbell_tail(std::uint32_t head, std::uint32_t entries) {
  return static_cast<std::uint32_t>(head % (std::uint64_t{entries} << kOwnerBits));
}

// The state of the entry at `head`, for its consumer. `fresh` means that it is a new completion,
// `overflow` that the device has overwritten completions.
enum class Phase : std::uint8_t { fresh, empty, overflow };

constexpr Phase phase_of(std::uint8_t owner, std::uint32_t head, std::uint32_t entries) {
  if (owner == owner_at(head, entries)) return Phase::fresh;
  return owner == owner_at(head - entries, entries) ? Phase::empty : Phase::overflow;
}

struct CqeInfo {
  static constexpr std::string_view kName = "CQE info";
  static constexpr std::size_t kSize = 4;

  std::uint32_t wq_id = 0;
  bool is_sq = false;
  std::uint8_t owner = 0;

  bool operator==(const CqeInfo&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.bits("wq_id", self.wq_id, 24);
    codec.bits("is_sq", self.is_sq, 1);
    codec.zero("reserved bits 25-28", 4);
    codec.bits("owner", self.owner, kOwnerBits);
  }
};

enum class CqeType : std::uint8_t {
  invalid = 0,
  rx_okay = 1,
  rx_coalesced_4 = 2,
  rx_object_fence = 3,
  rx_truncated = 4,
  rx_coalesced_8 = 7,
  tx_okay = 32,
  tx_sa_drop = 33,
  tx_mtu_drop = 34,
  tx_invalid_oob = 35,
  tx_invalid_ethertype = 36,
  tx_header_error = 37,
  tx_vf_disabled = 38,
  tx_vport_out_of_range = 39,
  tx_vport_disabled = 40,
  tx_vlan_violation = 41,
  tx_gdma_error = 42,
};

inline constexpr EnumWord<CqeType> kCqeTypes[] = {
    {CqeType::invalid, "invalid"},
    {CqeType::rx_okay, "receive okay"},
    {CqeType::rx_coalesced_4, "receive, up to 4 packets"},
    {CqeType::rx_object_fence, "receive object fence"},
    {CqeType::rx_truncated, "receive truncated"},
    {CqeType::rx_coalesced_8, "receive, up to 8 packets"},
    {CqeType::tx_okay, "transmit okay"},
    {CqeType::tx_sa_drop, "transmit dropped: source address"},
    {CqeType::tx_mtu_drop, "transmit dropped: MTU"},
    {CqeType::tx_invalid_oob, "transmit: invalid OOB"},
    {CqeType::tx_invalid_ethertype, "transmit: invalid Ethertype"},
    {CqeType::tx_header_error, "transmit: header processing error"},
    {CqeType::tx_vf_disabled, "transmit: VF disabled"},
    {CqeType::tx_vport_out_of_range, "transmit: vPort index out of range"},
    {CqeType::tx_vport_disabled, "transmit: vPort disabled"},
    {CqeType::tx_vlan_violation, "transmit: VLAN tagging violation"},
    {CqeType::tx_gdma_error, "transmit: GDMA error"},
};

constexpr std::span<const EnumWord<CqeType>> members(CqeType) {
  return kCqeTypes;
}

inline constexpr std::uint8_t kCompletionClient = 1;  // client_type of Ethernet completions

struct CqeHeader {
  static constexpr std::string_view kName = "CQE header";
  static constexpr std::size_t kSize = 4;

  CqeType type = CqeType::invalid;
  std::uint8_t client_type = kCompletionClient;
  std::uint32_t vendor_error = 0;

  bool operator==(const CqeHeader&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.member("type", self.type, 6);
    codec.bits("client_type", self.client_type, 2);
    codec.bits("vendor_error", self.vendor_error, 24);
  }
};

// Some values of vendor_error (rdma-core providers/mana/gdma.h, enum mana_error_code).
enum class VendorError : std::uint32_t {
  no_wqe = 0x111,
  rx_sge_rights = 0x183,
  rx_sge_range = 0x1c3,
  corrupted_wqe = 0x201,
  wqe_access = 0x202,
  wqe_range = 0x203,
  wqe_config = 0x204,
  wqe_pcie = 0x205,
  message_access = 0x206,
  message_range = 0x207,
  message_config = 0x208,
  data_pcie = 0x209,
  invalid_state = 0x20a,
  misbehaving_client = 0x20b,
};

inline constexpr EnumWord<VendorError> kVendorErrors[] = {
    {VendorError::no_wqe, "no WQE available"},
    {VendorError::rx_sge_rights, "receive SGE: access rights"},
    {VendorError::rx_sge_range, "receive SGE: out of range"},
    {VendorError::corrupted_wqe, "corrupted WQE"},
    {VendorError::wqe_access, "WQE memory: access violation"},
    {VendorError::wqe_range, "WQE memory: out of range"},
    {VendorError::wqe_config, "WQE memory: configuration"},
    {VendorError::wqe_pcie, "WQE memory: PCIe error"},
    {VendorError::message_access, "message memory: access violation"},
    {VendorError::message_range, "message memory: out of range"},
    {VendorError::message_config, "message memory: configuration"},
    {VendorError::data_pcie, "data: PCIe error"},
    {VendorError::invalid_state, "invalid state"},
    {VendorError::misbehaving_client, "misbehaving client"},
};

constexpr std::span<const EnumWord<VendorError>> members(VendorError) {
  return kVendorErrors;
}

// The first 8 bytes of a receive CQE, common to RxCompletion and RxCompletion8.
struct RxCommon {
  static constexpr std::string_view kName = "receive completion";

  CqeHeader header;
  std::uint16_t vlan_id = 0;
  bool vlan_present = false;
  bool outer_ip_ok = false, outer_ip_bad = false;
  std::uint16_t hash_type = 0;  // HashType bits
  bool ip_ok = false, ip_bad = false;
  bool tcp_ok = false, tcp_bad = false;
  bool udp_ok = false, udp_bad = false;

  bool operator==(const RxCommon&) const = default;

  template <class Self, class Codec>
  static constexpr void layout_common(Self& self, Codec& codec) {
    codec.bits("vlan_id", self.vlan_id, 12);
    codec.bits("vlan_present", self.vlan_present, 1);
    codec.bits("outer_ip_ok", self.outer_ip_ok, 1);
    codec.bits("outer_ip_bad", self.outer_ip_bad, 1);
    codec.zero("reserved bit 15 of dword 1", 1);
    codec.bits("hash_type", self.hash_type, 9);
    codec.bits("ip_ok", self.ip_ok, 1);
    codec.bits("ip_bad", self.ip_bad, 1);
    codec.bits("tcp_ok", self.tcp_ok, 1);
    codec.bits("tcp_bad", self.tcp_bad, 1);
    codec.bits("udp_ok", self.udp_ok, 1);
    codec.bits("udp_bad", self.udp_bad, 1);
    codec.zero("reserved bit 31 of dword 1", 1);
  }
};

// Bits of hash_type.
enum class HashType : std::uint16_t {
  ipv4 = 1U << 0U,
  tcp4 = 1U << 1U,
  udp4 = 1U << 2U,
  ipv6 = 1U << 3U,
  tcp6 = 1U << 4U,
  udp6 = 1U << 5U,
  ipv6_ex = 1U << 6U,
  tcp6_ex = 1U << 7U,
  udp6_ex = 1U << 8U,
};

inline constexpr EnumWord<HashType> kHashTypes[] = {
    {HashType::ipv4, "IPv4"},
    {HashType::tcp4, "TCP over IPv4"},
    {HashType::udp4, "UDP over IPv4"},
    {HashType::ipv6, "IPv6"},
    {HashType::tcp6, "TCP over IPv6"},
    {HashType::udp6, "UDP over IPv6"},
    {HashType::ipv6_ex, "IPv6 with extensions"},
    {HashType::tcp6_ex, "TCP over IPv6 with extensions"},
    {HashType::udp6_ex, "UDP over IPv6 with extensions"},
};

constexpr std::span<const EnumWord<HashType>> members(HashType) {
  return kHashTypes;
}

inline constexpr std::size_t kRxRecords = 4;

struct RxPacket {
  static constexpr std::string_view kName = "receive packet record";
  static constexpr std::size_t kSize = 12;

  std::uint16_t length = 0;  // bytes; 0: unused record
  std::uint32_t hash = 0;

  bool operator==(const RxPacket&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.bits("length", self.length, 16);
    codec.zero("reserved bits 16-31", 16);
    codec.zero("reserved dword 1", 32);
    codec.bits("hash", self.hash, 32);
  }
};

// The 60 data bytes of a receive CQE with up to 4 packets. For rx_coalesced_8 see RxCompletion8.
struct RxCompletion : RxCommon {
  static constexpr std::size_t kSize = kCqeDataBytes;

  std::array<RxPacket, kRxRecords> packets;
  std::uint32_t wqe_offset = 0;  // bytes, from the start of the RQ

  bool operator==(const RxCompletion&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.record(self.header);
    codec.at_most("type", self.header.type, static_cast<std::uint64_t>(CqeType::rx_truncated));
    layout_common(self, codec);
    codec.records("packet", self.packets);
    codec.bits("wqe_offset", self.wqe_offset, 32);
  }

  // The number of records before the first unused one.
  constexpr std::size_t packet_count() const {
    std::size_t count = 0;
    while (count < packets.size() && packets[count].length != 0) ++count;
    return count;
  }
};

struct RxPacketPair {
  static constexpr std::string_view kName = "receive packet pair";
  static constexpr std::size_t kSize = 12;

  std::uint32_t hash0 = 0;
  std::uint16_t length0 = 0, length1 = 0;  // bytes; 0: unused
  std::uint32_t hash1 = 0;

  bool operator==(const RxPacketPair&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.bits("hash0", self.hash0, 32);
    codec.bits("length0", self.length0, 16);
    codec.bits("length1", self.length1, 16);
    codec.bits("hash1", self.hash1, 32);
  }
};

// The 60 data bytes of a receive CQE of type rx_coalesced_8, with two packets per record.
struct RxCompletion8 : RxCommon {
  static constexpr std::string_view kName = "receive completion of up to 8 packets";
  static constexpr std::size_t kSize = kCqeDataBytes;

  std::array<RxPacketPair, kRxRecords> pairs;
  std::uint32_t wqe_offset = 0;  // bytes, from the start of the RQ

  constexpr RxCompletion8() { header.type = CqeType::rx_coalesced_8; }

  bool operator==(const RxCompletion8&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    constexpr auto kType = static_cast<std::uint64_t>(CqeType::rx_coalesced_8);
    codec.record(self.header);
    codec.at_least("type", self.header.type, kType);
    codec.at_most("type", self.header.type, kType);
    layout_common(self, codec);
    codec.records("pair", self.pairs);
    codec.bits("wqe_offset", self.wqe_offset, 32);
  }

  // `index` is 0 to 7, in order of arrival.
  constexpr RxPacket packet(std::size_t index) const {
    const auto& pair = pairs[index / 2];
    return index % 2 == 0 ? RxPacket{pair.length0, pair.hash0} : RxPacket{pair.length1, pair.hash1};
  }

  constexpr std::size_t packet_count() const {
    std::size_t count = 0;
    while (count < 2 * kRxRecords && packet(count).length != 0) ++count;
    return count;
  }
};

// The 60 data bytes of a transmit CQE.
struct TxCompletion {
  static constexpr std::string_view kName = "transmit completion";
  static constexpr std::size_t kSize = kCqeDataBytes;

  CqeHeader header;
  std::uint32_t data_offset = 0;
  std::uint8_t sgl_offset = 0;
  std::uint32_t wqe_offset = 0;  // in basic units of 32 bytes

  bool operator==(const TxCompletion&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.record(self.header);
    codec.bits("data_offset", self.data_offset, 32);
    codec.bits("sgl_offset", self.sgl_offset, 5);
    codec.bits("wqe_offset", self.wqe_offset, 27);
    codec.zero("reserved dwords 3-14", 12 * 32);
  }
};

}  // namespace manactl::wire
