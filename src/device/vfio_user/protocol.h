// SPDX-License-Identifier: MIT
//
// The messages of vfio-user, version 0.0, with which QEMU (10.1 or later) uses a PCI device in
// another process. Both sides run on one machine, so the structs have its byte order. Source:
// docs/interop/vfio-user.rst of QEMU. That file defines each layout and constant.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/descriptor.h"

namespace manactl::device::vfio_user {

enum class Command : std::uint16_t {
  version = 1,
  dma_map = 2,
  dma_unmap = 3,
  get_device_info = 4,
  get_region_info = 5,
  get_region_io_fds = 6,
  get_irq_info = 7,
  set_irqs = 8,
  region_read = 9,
  region_write = 10,
  dma_read = 11,
  dma_write = 12,
  reset = 13,
};

struct Header {
  std::uint16_t id = 0;
  Command command{};
  std::uint32_t bytes = 0;  // of the whole message
  std::uint32_t flags = 0;
  std::uint32_t error = 0;  // errno
};

static_assert(sizeof(Header) == 16);

// Header::flags
inline constexpr std::uint32_t kReply = 1, kNoReply = 1U << 4U, kError = 1U << 5U;

struct Version {
  std::uint16_t major = 0, minor = 0;  // followed by JSON text that ends with a NUL byte
};

struct DmaMap {
  std::uint32_t argument_bytes = 0, flags = 0;
  std::uint64_t offset = 0, address = 0, bytes = 0;
};

inline constexpr std::uint32_t kDmaReadable = 1, kDmaWritable = 2;

struct DmaUnmap {
  std::uint32_t argument_bytes = 0, flags = 0;
  std::uint64_t address = 0, bytes = 0;
};

// VFIO_DMA_UNMAP_FLAG_ALL of Linux include/uapi/linux/vfio.h, which QEMU sends with a vIOMMU.
// Address and size are 0.
inline constexpr std::uint32_t kUnmapAll = 1U << 1U;

struct DeviceInfo {
  std::uint32_t argument_bytes = 0, flags = 0, regions = 0, irqs = 0;
};

inline constexpr std::uint32_t kDeviceResets = 1, kDeviceIsPci = 2;

struct RegionInfo {
  std::uint32_t argument_bytes = 0, flags = 0, index = 0, capability_offset = 0;
  std::uint64_t bytes = 0, offset = 0;
};

inline constexpr std::uint32_t kRegionReadable = 1, kRegionWritable = 2;
inline constexpr std::uint32_t kBar0Region = 0, kConfigRegion = 7, kRegions = 9;

struct IrqInfo {
  std::uint32_t argument_bytes = 0, flags = 0, index = 0, count = 0;
};

inline constexpr std::uint32_t kIrqUsesEventfd = 1;
inline constexpr std::uint32_t kMsixIrq = 2, kIrqKinds = 5;

struct SetIrqs {
  std::uint32_t argument_bytes = 0, flags = 0, index = 0, start = 0, count = 0;
};

inline constexpr std::uint32_t kSetIrqsNone = 1, kSetIrqsEventfd = 4;

struct RegionAccess {
  std::uint64_t offset = 0;
  std::uint32_t region = 0,
                count = 0;  // followed by `count` bytes in writes and in replies to reads
};

inline constexpr std::uint32_t kMaxTransfer = 1U << 20U;
inline constexpr std::uint32_t kMaxMessage = kMaxTransfer + sizeof(Header) + sizeof(RegionAccess);
inline constexpr std::size_t kMaxDescriptors = 16;  // per message

struct Message {
  Header header;
  std::vector<std::uint8_t> body;
  std::vector<Descriptor> descriptors;
};

}  // namespace manactl::device::vfio_user
