// SPDX-License-Identifier: MIT
//
// Decodes the instructions of x86-64 and ARM64 with which drivers store doorbells, into source
// register, width and length. Rejects all other instructions.

#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace manactl::adapter {

enum class StoreSource : std::uint8_t { general, immediate, vector };

struct StoreInstruction {
  StoreSource source = StoreSource::general;
  std::uint8_t reg = 0;         // register number in the instruction: 0 to 15, on ARM64 0 to 30
  std::uint8_t bytes = 0;       // width of the store, in bytes: 4 or 8
  std::uint8_t length = 0;      // of the instruction, in bytes
  std::uint64_t immediate = 0;  // sign-extended

  bool operator==(const StoreInstruction&) const = default;
};

// Decodes an instruction of x86-64. `bytes` starts at the instruction and has 15 bytes, or fewer at
// the end of a mapping.
std::optional<StoreInstruction> decode_store(std::span<const std::uint8_t> bytes);

// Decodes an instruction of ARM64. Encodings: Arm Architecture Reference Manual, C4.1 "A64
// instruction set encoding". Rejects stores that change their address register or store a vector
// register.
std::optional<StoreInstruction> decode_arm64_store(std::uint32_t instruction);

}  // namespace manactl::adapter
