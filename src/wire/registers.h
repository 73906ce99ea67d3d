// SPDX-License-Identifier: MIT
//
// BAR 0 of a MANA function: registers of VF and PF, and where doorbell pages are.
// Sources: facts 4.1 and 4.2; <net/mana/gdma.h>. Offsets and sizes in bytes.

#pragma once

#include <cstdint>

namespace manactl::wire {

inline constexpr std::uint16_t kVendorId = 0x1414;
inline constexpr std::uint16_t kPfDeviceId = 0x00b9;
inline constexpr std::uint16_t kVfDeviceId = 0x00ba;
inline constexpr std::uint16_t kPf2DeviceId = 0x00c1;  // a PF with the registers of a VF

// Registers of a VF.
inline constexpr std::uint32_t kDoorbellPageOffset = 0x08;  // 64 bits
inline constexpr std::uint32_t kDoorbellPageSize = 0x10;    // 32 bits, the low 16 count
inline constexpr std::uint32_t kSharedMemoryOffset = 0x18;  // 64 bits

// Registers of a PF.
inline constexpr std::uint32_t kPfSharedMemoryOffset = 0x70;  // from the SR-IOV block
inline constexpr std::uint32_t kPfDoorbellPageOffset = 0xc8;
inline constexpr std::uint32_t kPfDoorbellPageSize = 0xd0;
inline constexpr std::uint32_t kSriovConfigOffset = 0x108;  // 64 bits

inline constexpr std::uint32_t kPageBytes = 4096;  // the unit of DMA, and the smallest queue
inline constexpr unsigned kPageShift = 12;

// Doorbell page `id`, from the start of BAR 0.
constexpr std::uint64_t doorbell_page(std::uint64_t page_offset,
                                      std::uint32_t page_size,
                                      std::uint32_t id) {
  return page_offset + std::uint64_t{page_size & 0xffffU} * id;
}

}  // namespace manactl::wire
