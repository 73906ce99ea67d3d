// SPDX-License-Identifier: MIT
//
// The instructions that drivers store doorbells with, on x86-64: which register goes out, how wide,
// and how long the instruction is. What is not one of them is refused: guessing would lose a
// doorbell.

#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace manactl::adapter {

enum class StoreSource : std::uint8_t { general, immediate, vector };

struct StoreInstruction {
  StoreSource source = StoreSource::general;
  std::uint8_t reg = 0;         // 0 to 15, as the instruction numbers them
  std::uint8_t bytes = 0;       // 4 or 8
  std::uint8_t length = 0;      // of the instruction
  std::uint64_t immediate = 0;  // sign-extended

  bool operator==(const StoreInstruction&) const = default;
};

// `bytes` start at the instruction; 15 bytes are enough, fewer may be given at a mapping's end.
std::optional<StoreInstruction> decode_store(std::span<const std::uint8_t> bytes);

}  // namespace manactl::adapter
