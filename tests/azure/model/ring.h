// SPDX-License-Identifier: MIT
//
// Guest memory as the device sees it: a list of pages, and a queue's ring on top of it. Every
// access is checked against the ring's size and against the guest's RAM.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "azure/model/guest.h"

namespace manactl::azure {

// What CREATE_DMA_REGION describes. Addresses and lengths in bytes.
struct Region {
  std::vector<std::uint64_t> pages;
  std::uint64_t announced_pages = 0;  // the rest comes with DMA_REGION_ADD_PAGES
  std::uint64_t length = 0;
  std::uint32_t offset_in_page = 0;
  std::uint32_t page_bytes = 4096;

  bool complete() const { return pages.size() == announced_pages; }
};

class Ring {
 public:
  Ring(Guest& guest, Region region, std::uint32_t bytes);

  // A queue is a power of two of at least one page and lies in its region.
  static bool fits(const Region& region, std::uint32_t bytes);

  std::uint32_t bytes() const { return bytes_; }

  // `offset` counts for ever; it is taken modulo the ring. False when the memory is not there.
  bool read(std::uint64_t offset, std::span<std::uint8_t> into) const;
  bool write(std::uint64_t offset, std::span<const std::uint8_t> from) const;
  bool publish(std::uint64_t offset, std::uint32_t value) const;  // aligned to 4

 private:
  // Physical address of a byte, and how many follow it in the same page and before the ring's end.
  struct Place {
    std::uint64_t address = 0;
    std::size_t run = 0;
  };

  Place place(std::uint64_t offset) const;

  Guest* guest_;
  Region region_;
  std::uint32_t bytes_;
};

}  // namespace manactl::azure
