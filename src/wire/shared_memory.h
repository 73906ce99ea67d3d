// SPDX-License-Identifier: MIT
//
// The shared-memory channel: a 256-bit aperture in BAR 0 through which a driver sets up and
// destroys the hardware channel. Writing the last dword passes the ownership to the device.
// Sources: Linux drivers/net/ethernet/microsoft/mana/shm_channel.c; OpenVMM gdma_defs.

#pragma once

#include "wire/codec.h"

namespace manactl::wire {

inline constexpr std::size_t kSharedMemoryBytes = 32;
inline constexpr std::size_t kSharedMemoryHeader = 28;  // offset of the header
inline constexpr std::uint32_t kSharedMemoryOwner = 1U << 31U;
inline constexpr std::uint32_t kSharedMemoryInReset =
    0xffffffff;  // the value of the header during a reset

enum class SharedMemoryType : std::uint8_t {
  none = 0,  // before the first use
  establish = 1,
  destroy = 2,
  report_timeout = 4,
};

inline constexpr EnumWord<SharedMemoryType> kSharedMemoryTypes[] = {
    {SharedMemoryType::none, "none"},
    {SharedMemoryType::establish, "establish HWC"},
    {SharedMemoryType::destroy, "destroy HWC"},
    {SharedMemoryType::report_timeout, "report HWC timeout"},
};

constexpr std::span<const EnumWord<SharedMemoryType>> members(SharedMemoryType) {
  return kSharedMemoryTypes;
}

struct SharedMemoryHeader {
  static constexpr std::string_view kName = "shared-memory header";
  static constexpr std::size_t kSize = 4;

  SharedMemoryType type = SharedMemoryType::none;
  std::uint8_t version = 0;  // 0 in all requests of Linux
  bool response = false;
  std::uint8_t status = 0;  // in a response; 0 is success
  bool reset_vf = false;
  bool device_owns = false;

  bool operator==(const SharedMemoryHeader&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.member("type", self.type, 3);
    codec.bits("version", self.version, 3);
    codec.at_most("version", self.version, 0);
    codec.zero("reserved bit 6", 1);
    codec.bits("response", self.response, 1);
    codec.bits("status", self.status, 8);
    codec.zero("reserved bits 16-23", 8);
    codec.bits("reset_vf", self.reset_vf, 1);
    codec.zero("reserved bits 25-30", 6);
    codec.bits("device_owns", self.device_owns, 1);
  }
};

// A frame is a physical address shifted right by 12 bits. All frames are 0 in a destroy request.
struct SharedMemoryMessage {
  static constexpr std::string_view kName = "shared-memory message";
  static constexpr std::size_t kSize = kSharedMemoryBytes;
  static constexpr std::uint64_t kMaxFrame = mask_of(52);

  std::uint64_t eq_frame = 0, cq_frame = 0, rq_frame = 0, sq_frame = 0;
  std::uint16_t eq_msix = 0;
  SharedMemoryHeader header;

  bool operator==(const SharedMemoryMessage&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.part("eq_frame", self.eq_frame, 0, 48);
    codec.part("cq_frame", self.cq_frame, 0, 48);
    codec.part("rq_frame", self.rq_frame, 0, 48);
    codec.part("sq_frame", self.sq_frame, 0, 48);
    codec.part("eq_frame", self.eq_frame, 48, 4);
    codec.part("cq_frame", self.cq_frame, 48, 4);
    codec.part("rq_frame", self.rq_frame, 48, 4);
    codec.part("sq_frame", self.sq_frame, 48, 4);
    codec.at_most("eq_frame", self.eq_frame, kMaxFrame);
    codec.at_most("cq_frame", self.cq_frame, kMaxFrame);
    codec.at_most("rq_frame", self.rq_frame, kMaxFrame);
    codec.at_most("sq_frame", self.sq_frame, kMaxFrame);
    codec.bits("eq_msix", self.eq_msix, 16);
    codec.record(self.header);
  }
};

}  // namespace manactl::wire
