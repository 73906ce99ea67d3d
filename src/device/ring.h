// SPDX-License-Identifier: MIT
//
// A ring in guest memory, on a list of pages. Every access is checked against the size of the ring
// and against the guest's RAM.

#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "device/guest.h"

namespace manactl::device {

// A region of CREATE_DMA_REGION. Addresses and lengths are in bytes. Movable only.
struct Region {
  std::vector<std::uint64_t> pages;
  std::uint64_t announced_pages = 0;  // DMA_REGION_ADD_PAGES adds the missing ones
  std::uint64_t length = 0;
  std::uint32_t offset_in_page = 0;
  std::uint32_t page_bytes = 4096;
  Quota::Share memory = {};  // that the device needs for the region, until the region is destroyed

  bool complete() const { return pages.size() == announced_pages; }
};

class Ring {
 public:
  Ring(Guest& guest, Region region, std::uint32_t bytes);

  // Whether a ring of `bytes` is valid in the region; kRule describes the conditions.
  static bool fits(const Region& region, std::uint32_t bytes);
  static constexpr std::string_view kRule =
      "the size must be a power of two and at least 4096, and the ring must be inside a complete "
      "region, at a multiple of 64 bytes";

  std::uint32_t bytes() const { return bytes_; }

  // `offset` is taken modulo the size of the ring. False if the memory is not RAM.
  bool read(std::uint64_t offset, std::span<std::uint8_t> into) const;
  bool write(std::uint64_t offset, std::span<const std::uint8_t> from) const;
  bool publish(std::uint64_t offset, std::uint32_t value) const;  // aligned to 4

 private:
  // A physical address, and the contiguous bytes from there to the end of the page or ring.
  struct Run {
    std::uint64_t address = 0;
    std::size_t bytes = 0;
  };

  Run run_at(std::uint64_t offset) const;

  Guest* guest_;
  Region region_;
  std::uint32_t bytes_;
};

}  // namespace manactl::device
