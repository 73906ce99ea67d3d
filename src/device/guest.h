// SPDX-License-Identifier: MIT
//
// The guest resources that the device accesses: memory, the shared memory in the BAR, and
// interrupts. The implementations are those of PciFunction, and MemoryGuest in unit tests.

#pragma once

#include <cstdint>
#include <span>

namespace manactl::device {

class Guest {
 public:
  virtual ~Guest() = default;

  // `address` is physical. If any of the bytes is not RAM, returns false and accesses none of them.
  virtual bool read(std::uint64_t address, std::span<std::uint8_t> into) = 0;
  virtual bool write(std::uint64_t address, std::span<const std::uint8_t> from) = 0;

  // Writes an aligned dword with release semantics.
  virtual bool publish(std::uint64_t address, std::uint32_t value) = 0;

  // Read all 32 bytes of the shared-memory channel, and write its last dword.
  virtual void read_shared(std::span<std::uint8_t, 32> into) = 0;
  virtual void write_shared_header(std::uint32_t value) = 0;

  // False if the vector is masked or MSI-X is off.
  virtual bool interrupt(std::uint32_t vector) = 0;
};

}  // namespace manactl::device
