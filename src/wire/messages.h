// SPDX-License-Identifier: MIT
//
// Headers, commands and status codes of the messages on the hardware channel. For their bodies see
// gdma_messages.h, mana_messages.h, port_messages.h and rdma_messages.h. Sizes in bytes.
// Sources: Linux include/net/mana/gdma.h and mana.h, drivers/infiniband/hw/mana/mana_ib.h; OpenVMM
// vm/devices/net/gdma_defs (commands 11, 81 and 0x2780x).

#pragma once

#include "wire/codec.h"

namespace manactl::wire {

enum class Command : std::uint32_t {
  verify_version = 1,
  query_max_resources = 2,
  list_devices = 3,
  register_device = 4,
  deregister_device = 5,
  generate_test_eqe = 10,
  generate_reset_eqe = 11,
  create_queue = 12,
  disable_queue = 13,
  allocate_resource_range = 22,
  destroy_resource_range = 24,
  create_dma_region = 25,
  add_pages = 26,
  destroy_dma_region = 27,
  create_pd = 29,
  destroy_pd = 30,
  create_mr = 31,
  destroy_mr = 32,
  change_msix = 81,
  query_hwc_timeout = 84,
  alloc_dm = 96,
  destroy_dm = 97,
  query_dev_config = 0x20001,
  query_gf_stat = 0x20002,
  config_vport_tx = 0x20003,
  create_wq_obj = 0x20004,
  destroy_wq_obj = 0x20005,
  fence_rq = 0x20006,
  config_vport_rx = 0x20007,
  query_vport_config = 0x20008,
  query_link_config = 0x2000a,
  set_bw_clamp = 0x2000b,
  query_phy_stat = 0x2000c,
  assign_serial_number = 0x27801,
  move_filter = 0x27802,
  query_filter_state = 0x27803,
  register_filter = 0x28000,
  deregister_filter = 0x28001,
  register_hw_port = 0x28003,
  deregister_hw_port = 0x28004,
  rnic_get_adapter_cap = 0x30001,
  rnic_create_adapter = 0x30002,
  rnic_destroy_adapter = 0x30003,
  rnic_config_ip_addr = 0x30004,
  rnic_config_mac_addr = 0x30005,
  rnic_create_ud_qp = 0x30006,
  rnic_destroy_ud_qp = 0x30007,
  rnic_create_cq = 0x30008,
  rnic_destroy_cq = 0x30009,
  rnic_create_rc_qp = 0x3000a,
  rnic_destroy_qp = 0x3000b,
  rnic_set_qp_state = 0x3000d,
  rnic_create_uc_qp = 0x30020,
  rnic_query_vf_counters = 0x30022,
  rnic_query_device_counters = 0x30023,
};

std::span<const EnumWord<Command>> members(Command);  // the drivers' names without their prefix

// Fails for unknown codes. Headers have plain numbers, so that a device can reply to any code.
Checked<Command> command_of(std::uint32_t code);

// Status codes of responses. Every other status is a device-specific error.
inline constexpr std::uint32_t kStatusSuccess = 0;
inline constexpr std::uint32_t kStatusMoreEntries = 0x105;
inline constexpr std::uint32_t kStatusUnsupported = 0xffffffff;

// "success", "more entries" or "command unsupported"; empty for device-specific values.
constexpr std::string_view status_name(std::uint64_t status) {
  if (status == kStatusSuccess) return "success";
  if (status == kStatusMoreEntries) return "more entries";
  return status == kStatusUnsupported ? "command unsupported" : "";
}

enum class DeviceType : std::uint16_t { none = 0, hwc = 1, mana = 2, mana_ib = 3 };

inline constexpr EnumWord<DeviceType> kDeviceTypes[] = {
    {DeviceType::none, "none"},
    {DeviceType::hwc, "HWC"},
    {DeviceType::mana, "MANA"},
    {DeviceType::mana_ib, "MANA_IB"},
};

constexpr std::span<const EnumWord<DeviceType>> members(DeviceType) {
  return kDeviceTypes;
}

struct DeviceId {
  static constexpr std::string_view kName = "device id";
  static constexpr std::size_t kSize = 4;

  DeviceType type = DeviceType::none;
  std::uint16_t instance = 0;

  bool operator==(const DeviceId&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.member("device type", self.type, 16);
    codec.bits("device instance", self.instance, 16);
  }
};

struct MessageHeader {
  static constexpr std::string_view kName = "message header";
  static constexpr std::size_t kSize = 16;

  std::uint32_t code = 0;     // a Command
  std::uint16_t version = 1;  // version of the body's layout
  std::uint16_t hwc_msg_id = 0;
  std::uint32_t size = 0;  // bytes of the whole message including this header

  bool operator==(const MessageHeader&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.zero("header type", 32);  // 0 is the standard header; no other is known
    codec.bits("code", self.code, 32);
    codec.bits("version", self.version, 16);
    codec.bits("hwc_msg_id", self.hwc_msg_id, 16);
    codec.bits("size", self.size, 32);
  }
};

struct RequestHeader {
  static constexpr std::string_view kName = "request header";
  static constexpr std::size_t kSize = 40;

  MessageHeader request;
  MessageHeader response;  // the expected response; response.size is a maximum
  DeviceId device;
  std::uint32_t activity_id = 0;

  bool operator==(const RequestHeader&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.record("request", self.request);
    codec.record("response", self.response);
    codec.record(self.device);
    codec.bits("activity_id", self.activity_id, 32);
  }
};

struct ResponseHeader {
  static constexpr std::string_view kName = "response header";
  static constexpr std::size_t kSize = 32;

  MessageHeader response;
  DeviceId device;
  std::uint32_t activity_id = 0;
  std::uint32_t status = kStatusSuccess;

  bool operator==(const ResponseHeader&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.record(self.response);
    codec.record(self.device);
    codec.bits("activity_id", self.activity_id, 32);
    codec.bits("status", self.status, 32);
    codec.zero("reserved dword 7", 32);
  }
};

// The usual header, with version 1 for request and response. Both sizes include the header.
constexpr RequestHeader standard_request(Command command,
                                         std::uint32_t request_bytes,
                                         std::uint32_t response_bytes) {
  const auto code = static_cast<std::uint32_t>(command);
  return {{code, 1, 0, request_bytes}, {code, 1, 0, response_bytes}, {}, 0};
}

// Decodes the header of a received request and checks that the size in it is that of `message`.
Checked<RequestHeader> decode_request_header(Bytes message);

}  // namespace manactl::wire
