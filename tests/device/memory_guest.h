// SPDX-License-Identifier: MIT
//
// A guest in ordinary memory: RAM that does not start at address 0, the shared-memory channel, and
// a list of interrupts.

#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "device/device.h"

namespace manactl::device {

class MemoryGuest : public Guest {
 public:
  static constexpr std::uint64_t kFirst = 0x100000, kBytes = 8U << 20U;

  bool read(std::uint64_t address, std::span<std::uint8_t> into) override {
    if (!is_ram(address, into.size())) return false;
    std::copy_n(ram.begin() + at(address), into.size(), into.begin());
    return true;
  }

  bool write(std::uint64_t address, std::span<const std::uint8_t> from) override {
    if (!is_ram(address, from.size())) return false;
    std::ranges::copy(from, ram.begin() + at(address));
    return true;
  }

  bool publish(std::uint64_t address, std::uint32_t value) override {
    std::array<std::uint8_t, 4> bytes{};
    wire::store(bytes, 0, 4, value);
    return address % 4 == 0 && write(address, bytes);
  }

  void read_shared(std::span<std::uint8_t, 32> into) override {
    std::ranges::copy(shared, into.begin());
  }

  void write_shared_header(std::uint32_t value) override { wire::store(shared, 28, 4, value); }

  bool interrupt(std::uint32_t vector) override {
    if (masked) return false;
    interrupts.push_back(vector);
    return true;
  }

  // Returns zeroed pages, which are never freed.
  std::uint64_t allocate(std::uint64_t bytes) {
    const auto address = next;
    next += (bytes + 4095) / 4096 * 4096;
    return address;
  }

  std::vector<std::uint8_t> ram = std::vector<std::uint8_t>(kBytes);
  std::array<std::uint8_t, 32> shared{};
  std::vector<std::uint32_t> interrupts;
  bool masked = false;
  std::uint64_t next = kFirst;

 private:
  static bool is_ram(std::uint64_t address, std::uint64_t bytes) {
    return address >= kFirst && address - kFirst <= kBytes && bytes <= kBytes - (address - kFirst);
  }

  static std::ptrdiff_t at(std::uint64_t address) {
    return static_cast<std::ptrdiff_t>(address - kFirst);
  }
};

}  // namespace manactl::device
