// SPDX-License-Identifier: MIT
//
// The messages of multi-process QEMU, with which the device x-pci-proxy-dev (QEMU 6.0 and later)
// uses a PCI device in another process. Both sides run on one machine, so the structs have its
// byte order. Source: include/hw/remote/mpqemu-link.h and hw/remote/proxy.c of QEMU 7.2.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace manactl::device::pci_proxy {

// QEMU waits for the reply to every command, except sync_memory and set_interrupts.
enum class Command : std::uint32_t {
  sync_memory = 0,  // the descriptors are files with the guest's RAM
  reply = 1,        // the body is one dword of 64 bits: the value of a read, else 0
  write_config = 2,
  read_config = 3,
  write_bar = 4,
  read_bar = 5,
  set_interrupts = 6,  // two eventfds of an INTx interrupt, which the device does not have
  reset = 7,
};

struct Header {
  Command command{};
  std::uint32_t padding = 0;
  std::uint64_t bytes = 0;  // of the body
};

static_assert(sizeof(Header) == 16);

inline constexpr std::size_t kMaxRanges = 8;  // and descriptors per message

// The guest's RAM: one range per descriptor. The other elements have no meaning.
struct SyncMemory {
  std::array<std::uint64_t, kMaxRanges> addresses{}, bytes{}, offsets{};  // offsets in the files
};

struct ConfigAccess {
  std::uint32_t offset = 0, value = 0, bytes = 0;
};

// The address is physical. `is_memory` is 0 for an I/O port. QEMU does not initialize the padding.
struct BarAccess {
  std::uint64_t address = 0, value = 0;
  std::uint32_t bytes = 0;
  std::uint8_t is_memory = 0;
  std::array<std::uint8_t, 3> padding{};
};

static_assert(sizeof(SyncMemory) == 192 && sizeof(ConfigAccess) == 12 && sizeof(BarAccess) == 24);

inline constexpr std::size_t kMaxBody = sizeof(SyncMemory);

}  // namespace manactl::device::pci_proxy
