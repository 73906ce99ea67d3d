// SPDX-License-Identifier: MIT
//
// BAR 0 of a MANA function: the registers of VF and PF, and the location of doorbell pages.
// Sources: Linux include/net/mana/gdma.h; OpenVMM gdma_defs. Offsets and sizes in bytes.

#pragma once

#include "wire/codec.h"

namespace manactl::wire {

inline constexpr std::uint16_t kVendorId = 0x1414;
inline constexpr std::uint16_t kPfDeviceId = 0x00b9;
inline constexpr std::uint16_t kVfDeviceId = 0x00ba;
inline constexpr std::uint16_t kPf2DeviceId = 0x00c1;  // a PF with the register layout of a VF

// Registers of a VF.
inline constexpr std::uint32_t kDoorbellPageOffset = 0x08;  // 64 bits
inline constexpr std::uint32_t kDoorbellPageSize = 0x10;    // 32 bits; drivers use only the low 16
inline constexpr std::uint32_t kSharedMemoryOffset = 0x18;  // 64 bits

// Registers of a PF.
inline constexpr std::uint32_t kPfSharedMemoryOffset = 0x70;  // relative to sriov_config_offset
inline constexpr std::uint32_t kPfDoorbellPageOffset = 0xc8;
inline constexpr std::uint32_t kPfDoorbellPageSize = 0xd0;
inline constexpr std::uint32_t kSriovConfigOffset = 0x108;  // 64 bits

inline constexpr std::uint32_t kPageBytes =
    4096;  // the DMA page size and the minimum size of a queue
inline constexpr unsigned kPageShift = 12;

// The offset of doorbell page `id` in BAR 0.
constexpr std::uint64_t doorbell_page(std::uint64_t page_offset,
                                      std::uint32_t page_size,
                                      std::uint32_t id) {
  return page_offset + std::uint64_t{page_size & 0xffffU} * id;
}

// The registers of a VF at the start of BAR 0.
struct VfRegisters {
  static constexpr std::string_view kName = "VF registers";
  static constexpr std::size_t kSize = 0x20;

  std::uint16_t micro_version = 0;
  std::uint8_t minor_version = 0, major_version = 0;
  std::uint32_t after_version = 0;  // undocumented
  std::uint64_t doorbell_page_offset = 0;
  std::uint16_t doorbell_page_bytes = 0;
  std::array<std::uint16_t, 3> after_page_bytes{};  // masked out by drivers
  std::uint64_t shared_memory_offset = 0;

  bool operator==(const VfRegisters&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.bits("micro_version", self.micro_version, 16);
    codec.bits("minor_version", self.minor_version, 8);
    codec.bits("major_version", self.major_version, 8);
    codec.bits("after_version", self.after_version, 32);
    codec.bits("doorbell_page_offset", self.doorbell_page_offset, 64);
    codec.bits("doorbell_page_bytes", self.doorbell_page_bytes, 16);
    codec.array("after_page_bytes", self.after_page_bytes, 16);
    codec.bits("shared_memory_offset", self.shared_memory_offset, 64);
  }
};

// The registers of a PF from kPfDoorbellPageOffset to sriov_config_offset. The register with the
// offset of the shared memory is in the SR-IOV block, at kPfSharedMemoryOffset.
struct PfRegisters {
  static constexpr std::string_view kName = "PF registers";
  static constexpr std::size_t kSize = kSriovConfigOffset + 8 - kPfDoorbellPageOffset;

  std::uint64_t doorbell_page_offset = 0;
  std::uint16_t doorbell_page_bytes = 0;
  std::array<std::uint16_t, 27> after_page_bytes{};  // ignored by drivers
  std::uint64_t sriov_config_offset = 0;

  bool operator==(const PfRegisters&) const = default;

  template <class Self, class Codec>
  static constexpr void layout(Self& self, Codec& codec) {
    codec.bits("doorbell_page_offset", self.doorbell_page_offset, 64);
    codec.bits("doorbell_page_bytes", self.doorbell_page_bytes, 16);
    codec.array("after_page_bytes", self.after_page_bytes, 16);
    codec.bits("sriov_config_offset", self.sriov_config_offset, 64);
  }
};

}  // namespace manactl::wire
