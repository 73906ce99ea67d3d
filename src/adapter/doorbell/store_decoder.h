// SPDX-License-Identifier: MIT
//
// Decodes the x86-64 instructions with which drivers store doorbells, into source register, width
// and length. Rejects all other instructions.

#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace manactl::adapter {

enum class StoreSource : std::uint8_t { general, immediate, vector };

struct StoreInstruction {
  StoreSource source = StoreSource::general;
  std::uint8_t reg = 0;         // register number in the instruction: 0 to 15
  std::uint8_t bytes = 0;       // width of the store, in bytes: 4 or 8
  std::uint8_t length = 0;      // of the instruction, in bytes
  std::uint64_t immediate = 0;  // sign-extended

  bool operator==(const StoreInstruction&) const = default;
};

// `bytes` starts at the instruction and has 15 bytes, or fewer at the end of a mapping.
std::optional<StoreInstruction> decode_store(std::span<const std::uint8_t> bytes);

}  // namespace manactl::adapter
