// SPDX-License-Identifier: MIT
//
// Bodies of the MANA (Ethernet) commands, which follow the 40-byte request header or the 32-byte
// response header. Later drivers append fields; decode_front() ignores them. Sizes in bytes.
// Sources: Linux include/net/mana/mana.h; OpenVMM vm/devices/net/gdma_defs (link_speed_mbps).

#pragma once

#include "wire/gdma_messages.h"
#include "wire/toeplitz.h"

namespace manactl::wire {

inline constexpr std::uint64_t kInvalidHandle = ~std::uint64_t{0};
inline constexpr std::uint32_t kNoEq = 0xffff;  // the eq_id of a CQ without an EQ

struct VportTag {
  static constexpr std::string_view kName = "QUERY_VPORT_CONFIG request", kField = "vport_index";
};

struct FenceTag {
  static constexpr std::string_view kName = "FENCE_RQ request", kField = "wq_object";
};

struct StatisticsTag {
  static constexpr std::string_view kName = "QUERY_GF_STAT request", kField = "wanted";
};

using QueryVportRequest = SingleBody<VportTag, std::uint32_t>;
using FenceRqRequest = SingleBody<FenceTag, std::uint64_t>;
using StatisticsRequest = SingleBody<StatisticsTag, std::uint64_t>;

struct QueryDeviceRequest {
  static constexpr std::string_view kName = "QUERY_DEV_CONFIG request";
  static constexpr std::size_t kSize = 48;

  std::array<std::uint64_t, 4> capabilities{};
  std::uint32_t major = 0, minor = 0, micro = 0;

  bool operator==(const QueryDeviceRequest&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.array("capabilities", self.capabilities, 64);
    codec.bits("major", self.major, 32);
    codec.bits("minor", self.minor, 32);
    codec.bits("micro", self.micro, 32);
    codec.zero("reserved dword 11", 32);
  }
};

// Version 4 of the response. Version 1 has only the first 40 bytes, before adapter_mtu. Version 3
// added bare_metal_host, and version 4 added link_speed_mbps.
struct QueryDeviceResponse {
  static constexpr std::string_view kName = "QUERY_DEV_CONFIG response";
  static constexpr std::size_t kSize = 48;

  std::array<std::uint64_t, 4> capabilities{};
  std::uint16_t max_vports = 0;
  std::uint8_t bare_metal_host = 0;
  std::uint32_t max_eqs = 0;
  std::uint16_t adapter_mtu = 0;      // frame size without FCS: 1514 for an MTU of 1500
  std::uint32_t link_speed_mbps = 0;  // 0: unknown

  bool operator==(const QueryDeviceResponse&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.array("capabilities", self.capabilities, 64);
    codec.bits("max_vports", self.max_vports, 16);
    codec.bits("bare_metal_host", self.bare_metal_host, 8);
    codec.zero("reserved byte 35", 8);
    codec.bits("max_eqs", self.max_eqs, 32);
    codec.bits("adapter_mtu", self.adapter_mtu, 16);
    codec.zero("reserved bytes 42-43", 16);
    codec.bits("link_speed_mbps", self.link_speed_mbps, 32);
  }
};

struct QueryVportResponse {
  static constexpr std::string_view kName = "QUERY_VPORT_CONFIG response";
  static constexpr std::size_t kSize = 32;

  std::uint32_t max_sq = 0, max_rq = 0, indirection_entries = 0;
  std::array<std::uint8_t, 6> mac{};
  std::uint64_t vport = 0;

  bool operator==(const QueryVportResponse&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.bits("max_sq", self.max_sq, 32);
    codec.bits("max_rq", self.max_rq, 32);
    codec.bits("indirection_entries", self.indirection_entries, 32);
    codec.zero("reserved dword 3", 32);
    codec.array("mac", self.mac, 8);
    codec.zero("reserved bytes 22-23", 16);
    codec.bits("vport", self.vport, 64);
  }
};

struct ConfigVportTxRequest {
  static constexpr std::string_view kName = "CONFIG_VPORT_TX request";
  static constexpr std::size_t kSize = 16;

  std::uint64_t vport = 0;
  std::uint32_t pd_id = 0, doorbell = 0;

  bool operator==(const ConfigVportTxRequest&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.bits("vport", self.vport, 64);
    codec.bits("pd_id", self.pd_id, 32);
    codec.bits("doorbell", self.doorbell, 32);
  }
};

struct ConfigVportTxResponse {
  static constexpr std::string_view kName = "CONFIG_VPORT_TX response";
  static constexpr std::size_t kSize = 4;

  std::uint16_t tx_vport_offset = 0;
  std::uint8_t short_form_allowed = 0;

  bool operator==(const ConfigVportTxResponse&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.bits("tx_vport_offset", self.tx_vport_offset, 16);
    codec.bits("short_form_allowed", self.short_form_allowed, 8);
    codec.zero("reserved byte 3", 8);
  }
};

struct CreateWqObjectRequest {
  static constexpr std::string_view kName = "CREATE_WQ_OBJ request";
  static constexpr std::size_t kSize = 48;

  std::uint64_t vport = 0;
  QueueType type = QueueType::sq;  // SQ or RQ
  std::uint64_t wq_region = 0, cq_region = 0;
  std::uint32_t wq_bytes = 0, cq_bytes = 0;
  std::uint32_t cq_moderation_context = 0;
  std::uint32_t eq_id = 0;  // the EQ of the CQ, or kNoEq

  bool operator==(const CreateWqObjectRequest&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.bits("vport", self.vport, 64);
    codec.member("type", self.type, 32);
    codec.at_most("type", self.type, static_cast<std::uint64_t>(QueueType::rq));
    codec.zero("reserved dword 3", 32);
    codec.bits("wq_region", self.wq_region, 64);
    codec.bits("cq_region", self.cq_region, 64);
    codec.bits("wq_bytes", self.wq_bytes, 32);
    codec.bits("cq_bytes", self.cq_bytes, 32);
    codec.bits("cq_moderation_context", self.cq_moderation_context, 32);
    codec.bits("eq_id", self.eq_id, 32);
  }
};

struct CreateWqObjectResponse {
  static constexpr std::string_view kName = "CREATE_WQ_OBJ response";
  static constexpr std::size_t kSize = 16;

  std::uint32_t wq_id = 0, cq_id = 0;
  std::uint64_t wq_object = 0;

  bool operator==(const CreateWqObjectResponse&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.bits("wq_id", self.wq_id, 32);
    codec.bits("cq_id", self.cq_id, 32);
    codec.bits("wq_object", self.wq_object, 64);
  }
};

// Version 3 of the request. Version 2 has only `base` and rq_chain_wqes.
struct CreateWqObjectRequest3 {
  static constexpr std::string_view kName = CreateWqObjectRequest::kName;
  static constexpr std::size_t kSize = 56;

  CreateWqObjectRequest base;
  std::uint8_t rq_chain_wqes = 0;
  std::uint8_t cq_moderation = 0;  // 1: requested
  std::uint16_t cq_moderation_completions = 0, cq_moderation_usecs = 0;

  bool operator==(const CreateWqObjectRequest3&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.record(self.base);
    codec.bits("rq_chain_wqes", self.rq_chain_wqes, 8);
    codec.bits("cq_moderation", self.cq_moderation, 8);
    codec.bits("cq_moderation_completions", self.cq_moderation_completions, 16);
    codec.bits("cq_moderation_usecs", self.cq_moderation_usecs, 16);
    codec.zero("reserved bytes 54-55", 16);
  }
};

// Version 2 of the response, which adds the result of the moderation request.
struct CreateWqObjectResponse2 {
  static constexpr std::string_view kName = CreateWqObjectResponse::kName;
  static constexpr std::size_t kSize = 24;

  CreateWqObjectResponse base;
  std::uint16_t cq_moderation_completions = 0, cq_moderation_usecs = 0;
  std::uint8_t cq_moderation_enabled = 0;

  bool operator==(const CreateWqObjectResponse2&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.record(self.base);
    codec.bits("cq_moderation_completions", self.cq_moderation_completions, 16);
    codec.bits("cq_moderation_usecs", self.cq_moderation_usecs, 16);
    codec.bits("cq_moderation_enabled", self.cq_moderation_enabled, 8);
    codec.zero("reserved bytes 21-23", 24);
  }
};

struct DestroyWqObjectRequest {
  static constexpr std::string_view kName = "DESTROY_WQ_OBJ request";
  static constexpr std::size_t kSize = 16;

  QueueType type = QueueType::sq;
  std::uint64_t wq_object = 0;

  bool operator==(const DestroyWqObjectRequest&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.member("type", self.type, 32);
    codec.at_most("type", self.type, static_cast<std::uint64_t>(QueueType::rq));
    codec.zero("reserved dword 1", 32);
    codec.bits("wq_object", self.wq_object, 64);
  }
};

// The part common to all versions. `table_offset` is relative to the start of the message.
struct ConfigVportRxRequest {
  static constexpr std::string_view kName = "CONFIG_VPORT_RX request";
  static constexpr std::size_t kSize = 72;
  static constexpr std::uint32_t kUnchanged = 0xffffffff;  // value of rx_enable and rss_enable

  std::uint64_t vport = 0;
  std::uint16_t entries = 0, table_offset = 0;
  std::uint32_t rx_enable = 0, rss_enable = 0;
  std::uint8_t update_default = 0, update_key = 0, update_table = 0;
  std::uint64_t default_object = 0;
  HashKey key{};

  bool operator==(const ConfigVportRxRequest&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.bits("vport", self.vport, 64);
    codec.bits("entries", self.entries, 16);
    codec.bits("table_offset", self.table_offset, 16);
    codec.bits("rx_enable", self.rx_enable, 32);
    codec.bits("rss_enable", self.rss_enable, 32);
    codec.bits("update_default", self.update_default, 8);
    codec.bits("update_key", self.update_key, 8);
    codec.bits("update_table", self.update_table, 8);
    codec.zero("reserved byte 23", 8);
    codec.bits("default_object", self.default_object, 64);
    codec.array("key", self.key, 8);
  }
};

// Version 2 and later of the request; the table follows. Version 5 added coalescing_8.
struct ConfigVportRxRequest2 {
  static constexpr std::string_view kName = ConfigVportRxRequest::kName;
  static constexpr std::size_t kSize = 80;

  ConfigVportRxRequest base;
  std::uint8_t coalescing = 0;       // up to 4 packets per CQE
  std::uint16_t rss_hash_types = 0;  // HashType bits; 0: the device's default
  std::uint8_t coalescing_8 = 0;     // up to 8 packets per CQE

  bool operator==(const ConfigVportRxRequest2&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.record(self.base);
    codec.bits("coalescing", self.coalescing, 8);
    codec.zero("reserved bytes 73-75", 24);
    codec.bits("rss_hash_types", self.rss_hash_types, 16);
    codec.bits("coalescing_8", self.coalescing_8, 8);
    codec.zero("reserved byte 79", 8);
  }
};

// Version 2 of the response; version 1 has no body.
struct ConfigVportRxResponse {
  static constexpr std::string_view kName = "CONFIG_VPORT_RX response";
  static constexpr std::size_t kSize = 8;

  std::uint32_t coalescing_timeout_ns = 0;

  bool operator==(const ConfigVportRxResponse&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.bits("coalescing_timeout_ns", self.coalescing_timeout_ns, 32);
    codec.zero("reserved dword 1", 32);
  }
};

// Packets and bytes by type of address (unicast, multicast, broadcast), for one direction.
struct TrafficCounters {
  static constexpr std::string_view kName = "traffic counters";
  static constexpr std::size_t kSize = 56;

  std::uint64_t bytes = 0;
  std::uint64_t unicast_packets = 0, unicast_bytes = 0;
  std::uint64_t broadcast_packets = 0, broadcast_bytes = 0;
  std::uint64_t multicast_packets = 0, multicast_bytes = 0;

  bool operator==(const TrafficCounters&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.bits("bytes", self.bytes, 64);
    codec.bits("unicast_packets", self.unicast_packets, 64);
    codec.bits("unicast_bytes", self.unicast_bytes, 64);
    codec.bits("broadcast_packets", self.broadcast_packets, 64);
    codec.bits("broadcast_bytes", self.broadcast_bytes, 64);
    codec.bits("multicast_packets", self.multicast_packets, 64);
    codec.bits("multicast_bytes", self.multicast_bytes, 64);
  }
};

struct StatisticsResponse {
  static constexpr std::string_view kName = "QUERY_GF_STAT response";
  static constexpr std::size_t kSize = 224;

  std::uint64_t reported = 0;  // mask of counters, as `wanted` in the request
  std::uint64_t rx_no_wqe = 0, rx_vport_disabled = 0;
  TrafficCounters rx;
  // Errors by cause: GF disabled, vPort disabled, vPort offset, VLAN, Ethertype, source address, SQ
  // PD, CQ PD, MTU, OOB.
  std::array<std::uint64_t, 10> tx_errors{};
  TrafficCounters tx;
  std::uint64_t tx_gdma_errors = 0;

  bool operator==(const StatisticsResponse&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.bits("reported", self.reported, 64);
    codec.bits("rx_no_wqe", self.rx_no_wqe, 64);
    codec.bits("rx_vport_disabled", self.rx_vport_disabled, 64);
    codec.record(self.rx);
    codec.array("tx_errors", self.tx_errors, 64);
    codec.record(self.tx);
    codec.bits("tx_gdma_errors", self.tx_gdma_errors, 64);
  }
};

}  // namespace manactl::wire
