// SPDX-License-Identifier: MIT
//
// The guest's RAM: files that QEMU shares, each mapped at a range of guest physical addresses.

#pragma once

#include <cstdint>
#include <map>
#include <span>

#include "base/descriptor.h"
#include "base/result.h"

namespace manactl::device {

class GuestMemory {
 public:
  GuestMemory() = default;

  ~GuestMemory() { clear(); }

  GuestMemory(const GuestMemory&) = delete;
  GuestMemory& operator=(const GuestMemory&) = delete;

  // Maps `bytes` of `file` from `offset` at the guest's `address`. Fails if they are beyond the end
  // of the file, because access to them would raise SIGBUS, or overlap a range.
  Result<> map(std::uint64_t address,
               std::uint64_t bytes,
               const Descriptor& file,
               std::uint64_t offset,
               bool writable);

  // Removes the ranges within these addresses.
  void unmap(std::uint64_t address, std::uint64_t bytes);

  void clear();

  // Copy bytes, also across adjacent ranges. If any byte is not RAM, return false and copy nothing.
  bool read(std::uint64_t address, std::span<std::uint8_t> into) const;
  bool write(std::uint64_t address, std::span<const std::uint8_t> from) const;

  // The memory at an address if all `bytes` are in one writable range; else null.
  std::uint8_t* writable_at(std::uint64_t address, std::uint64_t bytes) const;

 private:
  struct Range {
    std::uint64_t bytes = 0;
    std::uint8_t* memory = nullptr;
    bool writable = false;
  };

  using Ranges = std::map<std::uint64_t, Range>;  // by address

  Ranges::const_iterator containing(std::uint64_t address) const;
  bool covers(std::uint64_t address, std::uint64_t bytes, bool for_writing) const;
  template <class Copy>
  bool copy(std::uint64_t address, std::size_t bytes, bool for_writing, const Copy& copy) const;

  Ranges ranges_;
};

}  // namespace manactl::device
