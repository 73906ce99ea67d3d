// SPDX-License-Identifier: MIT
//
// The guest's RAM: files that QEMU shares, each mapped at a range of guest physical addresses. QEMU
// can truncate a file later. Access to it then fails if survive_lost_memory() was called.

#pragma once

#include <cstdint>
#include <map>
#include <span>

#include "base/descriptor.h"
#include "base/result.h"

namespace manactl::device {

// Installs a handler of SIGBUS for the whole process. The kernel raises it for access to a page
// that a file does not have any more, or that cannot be allocated, such as a hugepage. Other
// causes of SIGBUS still end the process. Call it before the first GuestMemory::map().
void survive_lost_memory();

class GuestMemory {
 public:
  static constexpr std::size_t kMaxRanges = 16384;  // each uses a mapping of the process

  GuestMemory() = default;

  ~GuestMemory() { (void)clear(); }

  GuestMemory(const GuestMemory&) = delete;
  GuestMemory& operator=(const GuestMemory&) = delete;

  // Maps `bytes` of `file` from `offset` at the guest's `address`. Fails if they are beyond the end
  // of the file or overlap a range, if there are kMaxRanges already, or if the file is not in
  // memory: access to other files can block, for example if a process serves them (FUSE).
  Result<> map(std::uint64_t address,
               std::uint64_t bytes,
               const Descriptor& file,
               std::uint64_t offset,
               bool writable);

  // Removes the ranges within these addresses. If the kernel refuses it, the connection must end.
  Result<> unmap(std::uint64_t address, std::uint64_t bytes);

  // Removes all ranges, also if the kernel refuses it for some. The connection must then end.
  Result<> clear();

  // Copy bytes, also across adjacent ranges. If any byte is not RAM, return false and copy nothing.
  // If a page is lost, return false, but may have copied a part.
  bool read(std::uint64_t address, std::span<std::uint8_t> into) const;
  bool write(std::uint64_t address, std::span<const std::uint8_t> from) const;

  // Writes a dword with release semantics. False if it is not aligned or not in one writable range.
  bool publish(std::uint64_t address, std::uint32_t value) const;

  // True if a page was lost since the last clear(). The guest cannot be served any more.
  bool is_lost() const { return is_lost_; }

 private:
  struct Range {
    std::uint64_t bytes = 0;
    std::uint8_t* memory = nullptr;
    std::span<std::uint8_t> mapping;  // whole pages of the file, which contain `memory`
    bool writable = false;
  };

  using Ranges = std::map<std::uint64_t, Range>;  // by address

  Ranges::const_iterator containing(std::uint64_t address) const;
  bool covers(std::uint64_t address, std::uint64_t bytes, bool for_writing) const;
  template <class Copy>
  bool copy(std::uint64_t address, std::size_t bytes, bool for_writing, const Copy& copy) const;

  // Calls access() and returns false if a page of the range was lost meanwhile.
  template <class Access>
  bool access(const Range& range, const Access& access) const;

  Ranges ranges_;
  mutable bool is_lost_ = false;
};

}  // namespace manactl::device
