// SPDX-License-Identifier: MIT
//
// Memory keys: the guest memory that the SGEs of WQEs may name. A key belongs to a protection
// domain (PD) and covers either all of the guest's memory, by physical address, or one region, by
// the virtual address at which a process sees it. Source: Linux include/net/mana/gdma.h
// (GDMA_CREATE_MR) and drivers/infiniband/hw/mana/mr.c.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/enum_words.h"
#include "device/ring.h"
#include "wire/work_queue.h"

namespace manactl::device {

// Why an SGE cannot be used.
enum class SgeFault : std::uint8_t { unknown_key, other_pd, outside, read_only, not_ram, too_long };

inline constexpr EnumWord<SgeFault> kSgeFaults[] = {
    {SgeFault::unknown_key, "the memory key does not exist"},
    {SgeFault::other_pd, "the memory key belongs to another protection domain"},
    {SgeFault::outside, "the address is outside the memory of the key"},
    {SgeFault::read_only, "the memory of the key may not be written"},
    {SgeFault::not_ram, "the memory is not RAM"},
    {SgeFault::too_long, "the data is too long"},
};

constexpr std::span<const EnumWord<SgeFault>> members(SgeFault) {
  return kSgeFaults;
}

class MemoryKeys {
 public:
  struct Memory {
    std::uint32_t pd = 0;
    bool writable = true;
    std::uint64_t address = 0;     // virtual address of the first byte
    std::optional<Region> region;  // no value: all of the guest's memory, by physical address
  };

  explicit MemoryKeys(Guest& guest) : guest_(&guest) {}

  // The caller chooses unused keys.
  void add(std::uint32_t key, Memory memory) { keys_.insert_or_assign(key, std::move(memory)); }

  bool remove(std::uint32_t key) { return keys_.erase(key) > 0; }

  // Copy the bytes of an SGE; no value on success. Without `pd`, the PD of the key does not matter.
  std::optional<SgeFault> read(const wire::Sge& sge,
                               std::optional<std::uint32_t> pd,
                               std::span<std::uint8_t> into);
  std::optional<SgeFault> write(const wire::Sge& sge,
                                std::optional<std::uint32_t> pd,
                                std::span<const std::uint8_t> from);

 private:
  template <class Copy>
  std::optional<SgeFault> access(const wire::Sge& sge,
                                 std::optional<std::uint32_t> pd,
                                 std::size_t bytes,
                                 bool writes,
                                 const Copy& copy);

  Guest* guest_;
  std::map<std::uint32_t, Memory> keys_;
};

}  // namespace manactl::device
