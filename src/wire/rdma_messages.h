// SPDX-License-Identifier: MIT
//
// Bodies of the commands of the RDMA driver: doorbell pages, protection domains, memory regions,
// and the RNIC adapter. They follow the 40-byte request header or the 32-byte response header.
// Sources: Linux include/net/mana/gdma.h; drivers/infiniband/hw/mana/mana_ib.h (commands 0x3000x).

#pragma once

#include "wire/gdma_messages.h"

namespace manactl::wire {

struct ResourceTag {
  static constexpr std::string_view kName = "ALLOCATE_RESOURCE_RANGE response", kField = "first";
};

struct PdHandleTag {
  static constexpr std::string_view kName = "DESTROY_PD request", kField = "pd";
};

struct MrHandleTag {
  static constexpr std::string_view kName = "DESTROY_MR request", kField = "mr";
};

struct AdapterTag {
  static constexpr std::string_view kName = "RNIC adapter", kField = "adapter";
};

using AllocateResourcesResponse = SingleBody<ResourceTag, std::uint32_t>;
using DestroyPdRequest = SingleBody<PdHandleTag, std::uint64_t>;
using DestroyMrRequest = SingleBody<MrHandleTag, std::uint64_t>;
using CreateAdapterResponse = SingleBody<AdapterTag, std::uint64_t>;
using DestroyAdapterRequest = SingleBody<AdapterTag, std::uint64_t>;

enum class ResourceType : std::uint32_t { doorbell_page = 27 };

inline constexpr EnumWord<ResourceType> kResourceTypes[] = {
    {ResourceType::doorbell_page, "doorbell page"},
};

constexpr std::span<const EnumWord<ResourceType>> members(ResourceType) {
  return kResourceTypes;
}

struct AllocateResourcesRequest {
  static constexpr std::string_view kName = "ALLOCATE_RESOURCE_RANGE request";
  static constexpr std::size_t kSize = 16;

  ResourceType type = ResourceType::doorbell_page;
  std::uint32_t count = 0, alignment = 0;
  std::uint32_t first = 0;  // 0: the device chooses

  bool operator==(const AllocateResourcesRequest&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.member("type", self.type, 32);
    codec.bits("count", self.count, 32);
    codec.bits("alignment", self.alignment, 32);
    codec.bits("first", self.first, 32);
  }
};

struct DestroyResourcesRequest {
  static constexpr std::string_view kName = "DESTROY_RESOURCE_RANGE request";
  static constexpr std::size_t kSize = 12;

  ResourceType type = ResourceType::doorbell_page;
  std::uint32_t count = 0, first = 0;

  bool operator==(const DestroyResourcesRequest&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.member("type", self.type, 32);
    codec.bits("count", self.count, 32);
    codec.bits("first", self.first, 32);
  }
};

struct CreatePdRequest {
  static constexpr std::string_view kName = "CREATE_PD request";
  static constexpr std::size_t kSize = 8;

  std::uint32_t flags = 0;

  bool operator==(const CreatePdRequest&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.bits("flags", self.flags, 32);
    codec.zero("reserved dword 1", 32);
  }
};

struct CreatePdResponse {
  static constexpr std::string_view kName = "CREATE_PD response";
  static constexpr std::size_t kSize = 16;

  std::uint64_t pd = 0;
  std::uint32_t pd_id = 0;  // used in commands for queues and vPorts

  bool operator==(const CreatePdResponse&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.bits("pd", self.pd, 64);
    codec.bits("pd_id", self.pd_id, 32);
    codec.zero("reserved dword 3", 32);
  }
};

// gpa: all memory of the guest, by physical address; gva: a DMA region, by virtual address.
enum class MrType : std::uint32_t { gpa = 1, gva = 2 };

inline constexpr EnumWord<MrType> kMrTypes[] = {{MrType::gpa, "GPA"}, {MrType::gva, "GVA"}};

constexpr std::span<const EnumWord<MrType>> members(MrType) {
  return kMrTypes;
}

// Creates a memory region. The type GVA maps a DMA region, which the memory region then owns, at
// virtual addresses that the application chooses. The type GPA has no DMA region and no address.
struct CreateMrRequest {
  static constexpr std::string_view kName = "CREATE_MR request";
  static constexpr std::size_t kSize = 48;
  static constexpr std::uint64_t kAllAccess =
      0x1f;  // local read and write; remote read, write and atomic

  std::uint64_t pd = 0;
  MrType type = MrType::gva;
  std::uint64_t region = 0, address = 0;
  std::uint32_t access = 0;

  bool operator==(const CreateMrRequest&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.bits("pd", self.pd, 64);
    codec.member("type", self.type, 32);
    codec.zero("reserved dword 3", 32);
    codec.bits("region", self.region, 64);
    codec.bits("address", self.address, 64);
    codec.bits("access", self.access, 32);
    codec.at_most("access", self.access, kAllAccess);
    codec.zero("reserved dwords 9-11", 96);
  }
};

struct CreateMrResponse {
  static constexpr std::string_view kName = "CREATE_MR response";
  static constexpr std::size_t kSize = 16;

  std::uint64_t mr = 0;
  std::uint32_t local_key = 0, remote_key = 0;

  bool operator==(const CreateMrResponse&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.bits("mr", self.mr, 64);
    codec.bits("local_key", self.local_key, 32);
    codec.bits("remote_key", self.remote_key, 32);
  }
};

// Queue sizes are in bytes; drivers divide them by their maximum WQE size.
struct AdapterCapabilities {
  static constexpr std::string_view kName = "GET_ADAPTER_CAP response";
  static constexpr std::size_t kSize = 72;

  std::uint32_t max_sq_id = 0, max_rq_id = 0, max_cq_id = 0;
  std::uint32_t max_qps = 0, max_cqs = 0, max_mrs = 0, max_pds = 0;
  std::uint32_t max_inbound_reads = 0, max_outbound_reads = 0;
  std::uint32_t max_memory_windows = 0, max_srqs = 0;
  std::uint32_t requester_sq_bytes = 0, responder_sq_bytes = 0;
  std::uint32_t requester_rq_bytes = 0, responder_rq_bytes = 0;
  std::uint32_t max_send_sges = 0, max_recv_sges = 0;
  std::uint32_t max_inline_bytes = 0;

  bool operator==(const AdapterCapabilities&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.bits("max_sq_id", self.max_sq_id, 32);
    codec.bits("max_rq_id", self.max_rq_id, 32);
    codec.bits("max_cq_id", self.max_cq_id, 32);
    codec.bits("max_qps", self.max_qps, 32);
    codec.bits("max_cqs", self.max_cqs, 32);
    codec.bits("max_mrs", self.max_mrs, 32);
    codec.bits("max_pds", self.max_pds, 32);
    codec.bits("max_inbound_reads", self.max_inbound_reads, 32);
    codec.bits("max_outbound_reads", self.max_outbound_reads, 32);
    codec.bits("max_memory_windows", self.max_memory_windows, 32);
    codec.bits("max_srqs", self.max_srqs, 32);
    codec.bits("requester_sq_bytes", self.requester_sq_bytes, 32);
    codec.bits("responder_sq_bytes", self.responder_sq_bytes, 32);
    codec.bits("requester_rq_bytes", self.requester_rq_bytes, 32);
    codec.bits("responder_rq_bytes", self.responder_rq_bytes, 32);
    codec.bits("max_send_sges", self.max_send_sges, 32);
    codec.bits("max_recv_sges", self.max_recv_sges, 32);
    codec.bits("max_inline_bytes", self.max_inline_bytes, 32);
  }
};

struct CreateAdapterRequest {
  static constexpr std::string_view kName = "CREATE_ADAPTER request";
  static constexpr std::size_t kSize = 16;

  std::uint32_t notify_eq_id = 0;  // the EQ for fatal events of queue pairs
  std::uint64_t features = 0;

  bool operator==(const CreateAdapterRequest&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.bits("notify_eq_id", self.notify_eq_id, 32);
    codec.zero("reserved dword 1", 32);
    codec.bits("features", self.features, 64);
  }
};

enum class AddressOperation : std::uint32_t { add = 1, remove = 2 };

inline constexpr EnumWord<AddressOperation> kAddressOperations[] = {
    {AddressOperation::add, "add"},
    {AddressOperation::remove, "remove"},
};

constexpr std::span<const EnumWord<AddressOperation>> members(AddressOperation) {
  return kAddressOperations;
}

enum class IpVersion : std::uint32_t { v4 = 1, v6 = 2 };

inline constexpr EnumWord<IpVersion> kIpVersions[] = {
    {IpVersion::v4, "IPv4"},
    {IpVersion::v6, "IPv6"},
};

constexpr std::span<const EnumWord<IpVersion>> members(IpVersion) {
  return kIpVersions;
}

struct ConfigIpRequest {
  static constexpr std::string_view kName = "CONFIG_IP_ADDR request";
  static constexpr std::size_t kSize = 32;

  std::uint64_t adapter = 0;
  AddressOperation operation = AddressOperation::add;
  IpVersion version = IpVersion::v6;
  std::array<std::uint8_t, 16> address{};

  bool operator==(const ConfigIpRequest&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.bits("adapter", self.adapter, 64);
    codec.member("operation", self.operation, 32);
    codec.member("version", self.version, 32);
    codec.array("address", self.address, 8);
  }
};

struct ConfigMacRequest {
  static constexpr std::string_view kName = "CONFIG_MAC_ADDR request";
  static constexpr std::size_t kSize = 24;

  std::uint64_t adapter = 0;
  AddressOperation operation = AddressOperation::add;
  std::array<std::uint8_t, 6> mac{};

  bool operator==(const ConfigMacRequest&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.bits("adapter", self.adapter, 64);
    codec.member("operation", self.operation, 32);
    codec.array("mac", self.mac, 8);
    codec.zero("reserved bytes 18-23", 48);
  }
};

}  // namespace manactl::wire
