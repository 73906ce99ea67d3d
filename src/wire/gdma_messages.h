// SPDX-License-Identifier: MIT
//
// Bodies of the GDMA commands, which follow the 40-byte request header or the 32-byte response
// header. Later drivers append fields; decode_front() ignores them. Sizes in bytes; page addresses
// are physical. Sources: Linux include/net/mana/gdma.h; OpenVMM gdma_defs (CHANGE_MSIX).

#pragma once

#include "wire/messages.h"

namespace manactl::wire {

inline constexpr std::uint64_t kProtocolVersion = 1;
inline constexpr std::uint64_t kCapHwcTimeout = 1U << 3U;  // supports QUERY_HWC_TIMEOUT

enum class QueueType : std::uint32_t { sq = 1, rq = 2, cq = 3, eq = 4 };

inline constexpr EnumWord<QueueType> kQueueTypes[] = {
    {QueueType::sq, "SQ"},
    {QueueType::rq, "RQ"},
    {QueueType::cq, "CQ"},
    {QueueType::eq, "EQ"},
};

constexpr std::span<const EnumWord<QueueType>> members(QueueType) {
  return kQueueTypes;
}

// A body with a single number. `Tag` supplies the names of the record and the field.
template <class Tag, class Number>
struct SingleBody {
  static constexpr std::string_view kName = Tag::kName;
  static constexpr std::size_t kSize = sizeof(Number);

  Number value = 0;

  bool operator==(const SingleBody&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.bits(Tag::kField, self.value, static_cast<unsigned>(kSize * 8));
  }
};

struct TestEqeTag {
  static constexpr std::string_view kName = "GENERATE_TEST_EQE request", kField = "eq_id";
};

struct RegionTag {
  static constexpr std::string_view kName = "DMA region", kField = "region";
};

struct QueueIdTag {
  static constexpr std::string_view kName = "CREATE_QUEUE response", kField = "queue_id";
};

struct DeviceMemoryTag {
  static constexpr std::string_view kName = "device memory", kField = "memory";
};

using AllocateDeviceMemoryResponse = SingleBody<DeviceMemoryTag, std::uint64_t>;
using DestroyDeviceMemoryRequest = SingleBody<DeviceMemoryTag, std::uint64_t>;
using GenerateTestEqeRequest = SingleBody<TestEqeTag, std::uint32_t>;
using CreateDmaRegionResponse = SingleBody<RegionTag, std::uint64_t>;
using DestroyDmaRegionRequest = SingleBody<RegionTag, std::uint64_t>;
using CreateQueueResponse = SingleBody<QueueIdTag, std::uint32_t>;

struct VerifyVersionRequest {
  static constexpr std::string_view kName = "VERIFY_VF_DRIVER_VERSION request";
  static constexpr std::size_t kSize = 600;

  std::uint64_t protocol_min = 0, protocol_max = 0;
  std::array<std::uint64_t, 4> capabilities{};
  std::uint64_t driver_version = 0;
  std::uint32_t os_type = 0;                  // 0x10 Linux, 0x20 Windows, 0x30 other
  std::array<std::uint32_t, 4> os_version{};  // major, minor, build, platform
  std::array<std::uint8_t, 512> os_text{};    // four strings of 128 bytes

  bool operator==(const VerifyVersionRequest&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.bits("protocol_min", self.protocol_min, 64);
    codec.bits("protocol_max", self.protocol_max, 64);
    codec.at_most_field("protocol_min", self.protocol_min, "protocol_max", self.protocol_max);
    codec.array("capabilities", self.capabilities, 64);
    codec.bits("driver_version", self.driver_version, 64);
    codec.bits("os_type", self.os_type, 32);
    codec.zero("reserved after os_type", 32);
    codec.array("os_version", self.os_version, 32);
    codec.zero("reserved before os_text", 64);
    codec.array("os_text", self.os_text, 8);
  }
};

struct VerifyVersionResponse {
  static constexpr std::string_view kName = "VERIFY_VF_DRIVER_VERSION response";
  static constexpr std::size_t kSize = 40;

  std::uint64_t protocol = kProtocolVersion;
  std::array<std::uint64_t, 4> capabilities{};

  bool operator==(const VerifyVersionResponse&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.bits("protocol", self.protocol, 64);
    codec.array("capabilities", self.capabilities, 64);
  }
};

struct MaxResourcesResponse {
  static constexpr std::string_view kName = "QUERY_MAX_RESOURCES response";
  static constexpr std::size_t kSize = 40;

  std::uint32_t status = 0;
  std::uint32_t max_sq = 0, max_rq = 0, max_cq = 0, max_eq = 0, max_doorbells = 0, max_mst = 0;
  std::uint32_t max_cq_moderation_contexts = 0, max_moderated_cqs = 0, max_msix = 0;

  bool operator==(const MaxResourcesResponse&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.bits("status", self.status, 32);
    codec.bits("max_sq", self.max_sq, 32);
    codec.bits("max_rq", self.max_rq, 32);
    codec.bits("max_cq", self.max_cq, 32);
    codec.bits("max_eq", self.max_eq, 32);
    codec.bits("max_doorbells", self.max_doorbells, 32);
    codec.bits("max_mst", self.max_mst, 32);
    codec.bits("max_cq_moderation_contexts", self.max_cq_moderation_contexts, 32);
    codec.bits("max_moderated_cqs", self.max_moderated_cqs, 32);
    codec.bits("max_msix", self.max_msix, 32);
  }
};

struct ListDevicesResponse {
  static constexpr std::string_view kName = "LIST_DEVICES response";
  static constexpr std::size_t kSize = 264;

  std::uint32_t count = 0;
  std::array<DeviceId, 64> devices;  // elements that are zero are unused

  bool operator==(const ListDevicesResponse&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.bits("count", self.count, 32);
    codec.at_most("count", self.count, 64);
    codec.zero("reserved dword 1", 32);
    codec.records("devices", self.devices);
  }
};

struct RegisterDeviceResponse {
  static constexpr std::string_view kName = "REGISTER_DEVICE response";
  static constexpr std::size_t kSize = 12;

  std::uint32_t pd_id = 0, gpa_mkey = 0, doorbell = 0;

  bool operator==(const RegisterDeviceResponse&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.bits("pd_id", self.pd_id, 32);
    codec.bits("gpa_mkey", self.gpa_mkey, 32);
    codec.bits("doorbell", self.doorbell, 32);
  }
};

// The fixed part, followed by `listed` page addresses. DMA_REGION_ADD_PAGES adds further addresses.
struct CreateDmaRegionRequest {
  static constexpr std::string_view kName = "CREATE_DMA_REGION request";
  static constexpr std::size_t kSize = 24;

  std::uint64_t length = 0;
  std::uint32_t offset_in_page = 0;
  std::uint32_t page_type = 0;  // the page size is 4096 << page_type
  std::uint32_t pages = 0;
  std::uint32_t listed = 0;

  bool operator==(const CreateDmaRegionRequest&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.bits("length", self.length, 64);
    codec.bits("offset_in_page", self.offset_in_page, 32);
    codec.bits("page_type", self.page_type, 32);
    codec.at_most("page_type", self.page_type, 9);
    codec.bits("pages", self.pages, 32);
    codec.bits("listed", self.listed, 32);
    codec.at_most_field("listed", self.listed, "pages", self.pages);
  }
};

// The fixed part; `listed` page addresses follow.
struct AddPagesRequest {
  static constexpr std::string_view kName = "DMA_REGION_ADD_PAGES request";
  static constexpr std::size_t kSize = 16;

  std::uint64_t region = 0;
  std::uint32_t listed = 0;

  bool operator==(const AddPagesRequest&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.bits("region", self.region, 64);
    codec.bits("listed", self.listed, 32);
    codec.zero("reserved dword 3", 32);
  }
};

struct CreateQueueRequest {
  static constexpr std::string_view kName = "CREATE_QUEUE request";
  static constexpr std::size_t kSize = 56;

  QueueType type = QueueType::eq;
  std::uint32_t pd_id = 0, doorbell = 0;
  std::uint64_t region = 0;
  std::uint32_t queue_bytes = 0;
  std::uint32_t log2_throttle_limit = 0, eq_msix = 0;
  std::uint32_t cq_moderation_context = 0, cq_parent_eq = 0;
  std::uint8_t rq_drop_on_overrun = 0, rq_error_on_wqe_overflow = 0, rq_chain_wqes = 0;
  std::uint8_t sq_hardware_doorbell = 0;

  bool operator==(const CreateQueueRequest&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.member("type", self.type, 32);
    codec.zero("reserved dword 1", 32);
    codec.bits("pd_id", self.pd_id, 32);
    codec.bits("doorbell", self.doorbell, 32);
    codec.bits("region", self.region, 64);
    codec.zero("reserved dword 6", 32);
    codec.bits("queue_bytes", self.queue_bytes, 32);
    codec.bits("log2_throttle_limit", self.log2_throttle_limit, 32);
    codec.bits("eq_msix", self.eq_msix, 32);
    codec.bits("cq_moderation_context", self.cq_moderation_context, 32);
    codec.bits("cq_parent_eq", self.cq_parent_eq, 32);
    codec.bits("rq_drop_on_overrun", self.rq_drop_on_overrun, 8);
    codec.bits("rq_error_on_wqe_overflow", self.rq_error_on_wqe_overflow, 8);
    codec.bits("rq_chain_wqes", self.rq_chain_wqes, 8);
    codec.bits("sq_hardware_doorbell", self.sq_hardware_doorbell, 8);
    codec.zero("reserved dword 13", 32);
  }
};

struct DisableQueueRequest {
  static constexpr std::string_view kName = "DISABLE_QUEUE request";
  static constexpr std::size_t kSize = 12;

  QueueType type = QueueType::eq;
  std::uint32_t queue_id = 0;
  std::uint32_t alloc_id_on_creation = 0;

  bool operator==(const DisableQueueRequest&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.member("type", self.type, 32);
    codec.bits("queue_id", self.queue_id, 32);
    codec.bits("alloc_id_on_creation", self.alloc_id_on_creation, 32);
  }
};

// Changes the MSI-X vector of an event queue.
struct ChangeMsixRequest {
  static constexpr std::string_view kName = "CHANGE_MSIX request";
  static constexpr std::size_t kSize = 16;

  std::uint32_t queue_id = 0, msix = 0;

  bool operator==(const ChangeMsixRequest&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.bits("queue_id", self.queue_id, 32);
    codec.bits("msix", self.msix, 32);
    codec.zero("reserved dwords 2-3", 64);
  }
};

// Allocates memory on the device.
struct AllocateDeviceMemoryRequest {
  static constexpr std::string_view kName = "ALLOC_DM request";
  static constexpr std::size_t kSize = 16;

  std::uint64_t length = 0;
  std::uint32_t alignment = 0, flags = 0;

  bool operator==(const AllocateDeviceMemoryRequest&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.bits("length", self.length, 64);
    codec.bits("alignment", self.alignment, 32);
    codec.bits("flags", self.flags, 32);
  }
};

// QUERY_HWC_TIMEOUT: the timeout that the driver uses (request) or should use (response).
struct HwcTimeoutBody {
  static constexpr std::string_view kName = "QUERY_HWC_TIMEOUT body";
  static constexpr std::size_t kSize = 8;

  std::uint32_t timeout_ms = 0;

  bool operator==(const HwcTimeoutBody&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.bits("timeout_ms", self.timeout_ms, 32);
    codec.zero("reserved dword 1", 32);
  }
};

// A list of 64-bit numbers at the end of a message: page addresses, RX object handles.
class NumberList {
 public:
  // `bytes` starts at the list; `count` is the number of elements according to the message.
  static constexpr Checked<NumberList> at(std::string_view record,
                                          Bytes bytes,
                                          std::uint64_t count) {
    if (count > bytes.size() / 8) {
      return tl::unexpected<Refusal>({record, "list", bytes.size(), Rule::length, count * 8});
    }
    return NumberList(bytes.first(static_cast<std::size_t>(count) * 8));
  }

  constexpr std::size_t size() const { return bytes_.size() / 8; }

  constexpr std::uint64_t operator[](std::size_t index) const { return load(bytes_, index * 8, 8); }

 private:
  constexpr explicit NumberList(Bytes bytes) : bytes_(bytes) {}

  Bytes bytes_;
};

}  // namespace manactl::wire
