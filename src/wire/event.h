// SPDX-License-Identifier: MIT
//
// Event queue entries: 12 data bytes and an info dword with the owner bits (see completion.h).
// Sources: Linux include/net/mana/gdma.h and hw_channel.h.

#pragma once

#include "wire/codec.h"

namespace manactl::wire {

enum class EventType : std::uint8_t {
  completion = 3,
  test = 64,
  channel_init_eq = 129,
  channel_init_data = 130,
  channel_init_done = 131,
  fpga_reconfiguration = 132,
  soc_reconfiguration = 133,
  soc_service = 134,
  reset_request = 135,
  rnic_qp_fatal = 176,
};

inline constexpr EnumWord<EventType> kEventTypes[] = {
    {EventType::completion, "completion"},
    {EventType::test, "test"},
    {EventType::channel_init_eq, "HWC init EQ id and doorbell"},
    {EventType::channel_init_data, "HWC init data"},
    {EventType::channel_init_done, "HWC init done"},
    {EventType::fpga_reconfiguration, "FPGA reconfiguration"},
    {EventType::soc_reconfiguration, "SoC reconfiguration data"},
    {EventType::soc_service, "SoC service"},
    {EventType::reset_request, "reset request"},
    {EventType::rnic_qp_fatal, "RNIC QP fatal"},
};

constexpr std::span<const EnumWord<EventType>> members(EventType) {
  return kEventTypes;
}

struct EqeInfo {
  static constexpr std::string_view kName = "EQE info";
  static constexpr std::size_t kSize = 4;

  EventType type = EventType::completion;
  std::uint8_t client_id = 0;
  std::uint8_t owner = 0;

  bool operator==(const EqeInfo&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.member("type", self.type, 8);
    codec.zero("reserved bits 8-15", 8);
    codec.bits("client_id", self.client_id, 2);
    codec.zero("reserved bits 18-28", 11);
    codec.bits("owner", self.owner, 3);
  }
};

// The data of EventType::completion.
struct CompletionEvent {
  static constexpr std::string_view kName = "completion event";
  static constexpr std::size_t kSize = 12;

  std::uint32_t cq_id = 0;

  bool operator==(const CompletionEvent&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.bits("cq_id", self.cq_id, 24);
    codec.zero("reserved bits 24-31", 8);
    codec.zero("reserved dwords 1-2", 64);
  }
};

// The data of EventType::channel_init_eq.
struct ChannelEqEvent {
  static constexpr std::string_view kName = "HWC init EQ event";
  static constexpr std::size_t kSize = 12;

  std::uint16_t eq_id = 0;
  std::uint16_t doorbell = 0;  // number of the doorbell page

  bool operator==(const ChannelEqEvent&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.bits("eq_id", self.eq_id, 16);
    codec.bits("doorbell", self.doorbell, 16);
    codec.zero("reserved dwords 1-2", 64);
  }
};

enum class ChannelDatum : std::uint8_t {
  cq_id = 1,
  rq_id = 2,
  sq_id = 3,
  queue_depth = 4,
  max_request = 5,   // bytes
  max_response = 6,  // bytes
  max_cqs = 7,
  pd_id = 8,
  gpa_mkey = 9,
  pf_dest_rq_id = 10,
  pf_dest_cq_id = 11,
};

inline constexpr EnumWord<ChannelDatum> kChannelData[] = {
    {ChannelDatum::cq_id, "CQ id"},
    {ChannelDatum::rq_id, "RQ id"},
    {ChannelDatum::sq_id, "SQ id"},
    {ChannelDatum::queue_depth, "queue depth"},
    {ChannelDatum::max_request, "max request"},
    {ChannelDatum::max_response, "max response"},
    {ChannelDatum::max_cqs, "max CQs"},
    {ChannelDatum::pd_id, "PD id"},
    {ChannelDatum::gpa_mkey, "GPA mkey"},
    {ChannelDatum::pf_dest_rq_id, "PF destination RQ id"},
    {ChannelDatum::pf_dest_cq_id, "PF destination CQ id"},
};

constexpr std::span<const EnumWord<ChannelDatum>> members(ChannelDatum) {
  return kChannelData;
}

// The data of EventType::channel_init_data.
struct ChannelDataEvent {
  static constexpr std::string_view kName = "HWC init data event";
  static constexpr std::size_t kSize = 12;

  std::uint32_t value = 0;
  ChannelDatum datum = ChannelDatum::cq_id;

  bool operator==(const ChannelDataEvent&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.bits("value", self.value, 24);
    codec.member("datum", self.datum, 8);
    codec.zero("reserved dwords 1-2", 64);
  }
};

enum class ReconfigurationDatum : std::uint8_t {
  hwc_timeout = 1,  // milliseconds
  link_up = 2,
  link_down = 3,
};

inline constexpr EnumWord<ReconfigurationDatum> kReconfigurationData[] = {
    {ReconfigurationDatum::hwc_timeout, "HWC timeout"},
    {ReconfigurationDatum::link_up, "link up"},
    {ReconfigurationDatum::link_down, "link down"},
};

constexpr std::span<const EnumWord<ReconfigurationDatum>> members(ReconfigurationDatum) {
  return kReconfigurationData;
}

enum class Service : std::uint8_t { rdma_suspend = 1, rdma_resume = 2 };

inline constexpr EnumWord<Service> kServices[] = {
    {Service::rdma_suspend, "RDMA suspend"},
    {Service::rdma_resume, "RDMA resume"},
};

constexpr std::span<const EnumWord<Service>> members(Service) {
  return kServices;
}

// The data of EventType::soc_reconfiguration and EventType::soc_service.
template <class Datum, const std::string_view& Name>
struct DatumEvent {
  static constexpr std::string_view kName = Name;
  static constexpr std::size_t kSize = 12;

  std::uint32_t value = 0;
  Datum datum = Datum{1};

  bool operator==(const DatumEvent&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.bits("value", self.value, 24);
    codec.member("datum", self.datum, 8);
    codec.zero("reserved dwords 1-2", 64);
  }
};

inline constexpr std::string_view kReconfigurationName = "reconfiguration event";
inline constexpr std::string_view kServiceName = "service event";
using ReconfigurationEvent = DatumEvent<ReconfigurationDatum, kReconfigurationName>;
using ServiceEvent = DatumEvent<Service, kServiceName>;

// The data of EventType::rnic_qp_fatal.
struct QpFatalEvent {
  static constexpr std::string_view kName = "QP fatal event";
  static constexpr std::size_t kSize = 12;

  std::uint32_t qp_id = 0;
  std::array<std::uint32_t, 2> details{};  // device-specific

  bool operator==(const QpFatalEvent&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.bits("qp_id", self.qp_id, 32);
    codec.array("details", self.details, 32);
  }
};

}  // namespace manactl::wire
