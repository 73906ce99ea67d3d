// SPDX-License-Identifier: MIT
//
// Bodies of the commands that newer drivers (link, bandwidth, port counters), PF drivers and
// paravisors send.
// They follow the headers of messages.h. Sizes in bytes. Sources: Linux include/net/mana/mana.h;
// OpenVMM vm/devices/net/gdma_defs (VTL2 commands).

#pragma once

#include "wire/gdma_messages.h"

namespace manactl::wire {

struct LinkTag {
  static constexpr std::string_view kName = "QUERY_LINK_CONFIG request", kField = "vport";
};

struct PhysicalTag {
  static constexpr std::string_view kName = "QUERY_PHY_STAT request", kField = "wanted";
};

struct HardwarePortTag {
  static constexpr std::string_view kName = "hardware port", kField = "hardware_port";
};

struct FilterTag {
  static constexpr std::string_view kName = "filter", kField = "filter";
};

struct FilterStateTag {
  static constexpr std::string_view kName = "VTL2_QUERY_FILTER_STATE request", kField = "vport";
};

using QueryLinkRequest = SingleBody<LinkTag, std::uint64_t>;
using PhysicalStatisticsRequest = SingleBody<PhysicalTag, std::uint64_t>;
using RegisterHwPortResponse = SingleBody<HardwarePortTag, std::uint64_t>;
using DeregisterHwPortRequest = SingleBody<HardwarePortTag, std::uint64_t>;
using RegisterFilterResponse = SingleBody<FilterTag, std::uint64_t>;
using DeregisterFilterRequest = SingleBody<FilterTag, std::uint64_t>;
using QueryFilterStateRequest = SingleBody<FilterStateTag, std::uint64_t>;

struct QueryLinkResponse {
  static constexpr std::string_view kName = "QUERY_LINK_CONFIG response";
  static constexpr std::size_t kSize = 16;

  std::uint32_t qos_speed_mbps = 0;  // the limit for the vPort
  std::uint8_t qos_unconfigured = 0;
  std::uint32_t link_speed_mbps = 0;

  bool operator==(const QueryLinkResponse&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.bits("qos_speed_mbps", self.qos_speed_mbps, 32);
    codec.bits("qos_unconfigured", self.qos_unconfigured, 8);
    codec.zero("reserved bytes 5-7", 24);
    codec.bits("link_speed_mbps", self.link_speed_mbps, 32);
    codec.zero("reserved dword 3", 32);
  }
};

enum class TriState : std::uint32_t { no = 0, yes = 1, unchanged = 0xffffffff };

inline constexpr EnumWord<TriState> kTriStates[] = {
    {TriState::no, "no"},
    {TriState::yes, "yes"},
    {TriState::unchanged, "unchanged"},
};

constexpr std::span<const EnumWord<TriState>> members(TriState) {
  return kTriStates;
}

struct SetBandwidthRequest {
  static constexpr std::string_view kName = "SET_BW_CLAMP request";
  static constexpr std::size_t kSize = 16;

  std::uint64_t vport = 0;
  TriState enable = TriState::no;
  std::uint32_t speed_mbps = 0;

  bool operator==(const SetBandwidthRequest&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.bits("vport", self.vport, 64);
    codec.member("enable", self.enable, 32);
    codec.bits("speed_mbps", self.speed_mbps, 32);
  }
};

struct SetBandwidthResponse {
  static constexpr std::string_view kName = "SET_BW_CLAMP response";
  static constexpr std::size_t kSize = 8;

  std::uint8_t qos_unconfigured = 0;

  bool operator==(const SetBandwidthResponse&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.bits("qos_unconfigured", self.qos_unconfigured, 8);
    codec.zero("reserved bytes 1-7", 56);
  }
};

// A pair of counters, usually of one traffic class.
struct ReceivedAndSent {
  static constexpr std::string_view kName = "traffic class counters";
  static constexpr std::size_t kSize = 16;

  std::uint64_t received = 0, sent = 0;

  bool operator==(const ReceivedAndSent&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.bits("received", self.received, 64);
    codec.bits("sent", self.sent, 64);
  }
};

// Counters of the physical port; arrays have one element per traffic class 0 to 7.
struct PhysicalStatisticsResponse {
  static constexpr std::string_view kName = "QUERY_PHY_STAT response";
  static constexpr std::size_t kSize = 408;

  std::uint64_t reported = 0;
  ReceivedAndSent dropped;
  std::array<ReceivedAndSent, 8> packets, bytes, pauses;

  bool operator==(const PhysicalStatisticsResponse&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.bits("reported", self.reported, 64);
    codec.record("dropped", self.dropped);
    codec.records("packets", self.packets);
    codec.records("bytes", self.bytes);
    codec.records("pauses", self.pauses);
  }
};

struct RegisterHwPortRequest {
  static constexpr std::string_view kName = "REGISTER_HW_PORT request";
  static constexpr std::size_t kSize = 8;

  std::uint16_t attached_gf = 0;
  std::uint8_t is_default_vport = 0;
  std::uint8_t allow_all_ethertypes = 0;

  bool operator==(const RegisterHwPortRequest&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.bits("attached_gf", self.attached_gf, 16);
    codec.bits("is_default_vport", self.is_default_vport, 8);
    codec.zero("reserved byte 3", 8);
    codec.bits("allow_all_ethertypes", self.allow_all_ethertypes, 8);
    codec.zero("reserved bytes 5-7", 24);
  }
};

struct RegisterFilterRequest {
  static constexpr std::string_view kName = "REGISTER_FILTER request";
  static constexpr std::size_t kSize = 32;

  std::uint64_t vport = 0;
  std::array<std::uint8_t, 6> mac{};

  bool operator==(const RegisterFilterRequest&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.bits("vport", self.vport, 64);
    codec.array("mac", self.mac, 8);
    codec.zero("reserved bytes 14-31", 18 * 8);
  }
};

// Assigns a vPort the serial number of its synthetic NIC.
struct AssignSerialRequest {
  static constexpr std::string_view kName = "VTL2_ASSIGN_SERIAL_NUMBER request";
  static constexpr std::size_t kSize = 16;

  std::uint64_t vport = 0;
  std::uint32_t serial = 0;

  bool operator==(const AssignSerialRequest&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.bits("vport", self.vport, 64);
    codec.bits("serial", self.serial, 32);
    codec.zero("reserved dword 3", 32);
  }
};

struct MoveFilterRequest {
  static constexpr std::string_view kName = "VTL2_MOVE_FILTER request";
  static constexpr std::size_t kSize = 16;

  std::uint64_t vport = 0;
  std::uint8_t to_vtl0 = 0;  // 1: from the paravisor (VTL2) to the guest (VTL0)

  bool operator==(const MoveFilterRequest&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.bits("vport", self.vport, 64);
    codec.bits("to_vtl0", self.to_vtl0, 8);
    codec.zero("reserved bytes 9-15", 56);
  }
};

struct FilterStateResponse {
  static constexpr std::string_view kName = "VTL2_QUERY_FILTER_STATE response";
  static constexpr std::size_t kSize = 8;

  std::uint8_t to_vtl0 = 0;

  bool operator==(const FilterStateResponse&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.bits("to_vtl0", self.to_vtl0, 8);
    codec.zero("reserved bytes 1-7", 56);
  }
};

}  // namespace manactl::wire
