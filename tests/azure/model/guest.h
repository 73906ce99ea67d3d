// SPDX-License-Identifier: MIT
//
// Everything that the device reaches outside itself: the guest's memory, its own BAR, interrupts.
// In the virtual machine this is /dev/azgdma, in unit tests a few vectors.

#pragma once

#include <cstdint>
#include <span>

namespace manactl::azure {

class Guest {
 public:
  virtual ~Guest() = default;

  // Physical addresses. False, and nothing done, when a byte of it is not RAM.
  virtual bool read(std::uint64_t address, std::span<std::uint8_t> into) = 0;
  virtual bool write(std::uint64_t address, std::span<const std::uint8_t> from) = 0;

  // An aligned dword that the guest sees after everything written before.
  virtual bool publish(std::uint64_t address, std::uint32_t value) = 0;

  // The shared-memory channel: its 32 bytes, and the last dword.
  virtual void read_shared(std::span<std::uint8_t, 32> into) = 0;
  virtual void write_shared_header(std::uint32_t value) = 0;

  // False when the vector could not be raised now (masked, MSI-X off).
  virtual bool interrupt(std::uint32_t vector) = 0;
};

}  // namespace manactl::azure
