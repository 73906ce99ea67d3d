// SPDX-License-Identifier: MIT

#include "device/guest_memory.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace manactl::device {

GuestMemory::Ranges::const_iterator GuestMemory::containing(std::uint64_t address) const {
  auto it = ranges_.upper_bound(address);
  if (it == ranges_.begin()) return ranges_.end();
  --it;
  return address - it->first < it->second.bytes ? it : ranges_.end();
}

Result<> GuestMemory::map(std::uint64_t address,
                          std::uint64_t bytes,
                          const Descriptor& file,
                          std::uint64_t offset,
                          bool writable) {
  const auto next = ranges_.lower_bound(address);
  if (bytes == 0 || bytes > UINT64_MAX - address || containing(address) != ranges_.end() ||
      (next != ranges_.end() && next->first - address < bytes)) {
    return fail(Errc::invalid,
                fmt::format("a range of {:#x} bytes at {:#x} is empty, overlaps another one or is "
                            "not in the address space",
                            bytes,
                            address));
  }
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) return fail_errno(errno, "cannot read the file's size");
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (offset > size || bytes > size - offset) {
    return fail(
        Errc::invalid,
        fmt::format(
            "{:#x} bytes at offset {:#x} exceed the file of {:#x} bytes", bytes, offset, size));
  }
  const int protection = PROT_READ | (writable ? PROT_WRITE : 0);
  auto* memory =
      ::mmap(nullptr, bytes, protection, MAP_SHARED, file.get(), static_cast<off_t>(offset));
  if (memory == MAP_FAILED) return fail_errno(errno, "cannot map guest RAM");
  ranges_.emplace(address, Range{bytes, static_cast<std::uint8_t*>(memory), writable});
  return {};
}

void GuestMemory::unmap(std::uint64_t address, std::uint64_t bytes) {
  auto it = ranges_.lower_bound(address);
  while (it != ranges_.end() && it->first - address < bytes &&
         it->second.bytes <= bytes - (it->first - address)) {
    ::munmap(it->second.memory, it->second.bytes);
    it = ranges_.erase(it);
  }
}

void GuestMemory::clear() {
  for (const auto& [address, range] : ranges_) ::munmap(range.memory, range.bytes);
  ranges_.clear();
}

bool GuestMemory::covers(std::uint64_t address, std::uint64_t bytes, bool for_writing) const {
  while (bytes > 0) {
    const auto it = containing(address);
    if (it == ranges_.end() || (for_writing && !it->second.writable)) return false;
    const auto run = std::min(it->second.bytes - (address - it->first), bytes);
    address += run;
    bytes -= run;
  }
  return true;
}

template <class Copy>
bool GuestMemory::copy(std::uint64_t address,
                       std::size_t bytes,
                       bool for_writing,
                       const Copy& copy) const {
  if (!covers(address, bytes, for_writing)) return false;
  for (std::size_t done = 0; done < bytes;) {
    const auto it = containing(address + done);
    const auto in_range = address + done - it->first;
    const auto run = std::min<std::uint64_t>(it->second.bytes - in_range, bytes - done);
    copy(it->second.memory + in_range, done, run);
    done += run;
  }
  return true;
}

bool GuestMemory::read(std::uint64_t address, std::span<std::uint8_t> into) const {
  return copy(address, into.size(), false, [&](const auto* memory, auto at, auto bytes) {
    std::memcpy(into.data() + at, memory, bytes);
  });
}

bool GuestMemory::write(std::uint64_t address, std::span<const std::uint8_t> from) const {
  return copy(address, from.size(), true, [&](auto* memory, auto at, auto bytes) {
    std::memcpy(memory, from.data() + at, bytes);
  });
}

std::uint8_t* GuestMemory::writable_at(std::uint64_t address, std::uint64_t bytes) const {
  const auto it = containing(address);
  if (it == ranges_.end() || !it->second.writable) return nullptr;
  const auto in_range = address - it->first;
  return bytes <= it->second.bytes - in_range ? it->second.memory + in_range : nullptr;
}

}  // namespace manactl::device
