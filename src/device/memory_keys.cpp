// SPDX-License-Identifier: MIT

#include "device/memory_keys.h"

#include <algorithm>

namespace manactl::device {

// Calls copy(address, at, bytes) for each run of physically contiguous memory; `at` counts from the
// first byte of the SGE. copy() returns false if the run is not RAM.
template <class Copy>
std::optional<SgeFault> MemoryKeys::access(const wire::Sge& sge,
                                           std::optional<std::uint32_t> pd,
                                           std::size_t bytes,
                                           bool writes,
                                           const Copy& copy) {
  const auto it = keys_.find(sge.mem_key);
  if (it == keys_.end()) return SgeFault::unknown_key;
  const auto& [memory_pd, writable, first, region] = it->second;
  if (pd && *pd != memory_pd) return SgeFault::other_pd;
  if (writes && !writable) return SgeFault::read_only;
  if (!region) {
    return copy(sge.address, 0, bytes) ? std::nullopt : std::optional(SgeFault::not_ram);
  }
  const auto from = sge.address - first;
  if (from > region->length || bytes > region->length - from) return SgeFault::outside;
  for (std::size_t done = 0; done < bytes;) {
    const auto byte = region->offset_in_page + from + done;
    const auto in_page = byte % region->page_bytes;
    const auto run = std::min<std::uint64_t>(region->page_bytes - in_page, bytes - done);
    if (!copy(region->pages[byte / region->page_bytes] + in_page, done, run))
      return SgeFault::not_ram;
    done += run;
  }
  return std::nullopt;
}

std::optional<SgeFault> MemoryKeys::read(const wire::Sge& sge,
                                         std::optional<std::uint32_t> pd,
                                         std::span<std::uint8_t> into) {
  return access(
      sge, pd, into.size(), false, [&](std::uint64_t address, std::size_t at, std::size_t bytes) {
        return guest_->read(address, into.subspan(at, bytes));
      });
}

std::optional<SgeFault> MemoryKeys::write(const wire::Sge& sge,
                                          std::optional<std::uint32_t> pd,
                                          std::span<const std::uint8_t> from) {
  return access(
      sge, pd, from.size(), true, [&](std::uint64_t address, std::size_t at, std::size_t bytes) {
        return guest_->write(address, from.subspan(at, bytes));
      });
}

}  // namespace manactl::device
