// SPDX-License-Identifier: MIT

#include "adapter/doorbell/store_decoder.h"

namespace manactl::adapter {
namespace {

class Cursor {
 public:
  explicit Cursor(std::span<const std::uint8_t> code) : code_(code) {}

  std::uint8_t peek() const { return at_ < code_.size() ? code_[at_] : 0; }

  std::uint8_t next() {
    const auto byte = peek();
    ++at_;
    return byte;
  }

  void skip(std::size_t bytes) { at_ += bytes; }

  bool past_end() const { return at_ > code_.size(); }

  std::uint8_t length() const { return static_cast<std::uint8_t>(at_); }

 private:
  std::span<const std::uint8_t> code_;
  std::size_t at_ = 0;
};

// The supported prefixes and opcodes.
constexpr std::uint8_t kOperand16 = 0x66;
// Compilers use XCHG for a sequentially consistent store and ignore the value that it loads.
constexpr std::uint8_t kExchange = 0x87;
constexpr std::uint8_t kMov = 0x89, kMovImmediate = 0xc7, kTwoByte = 0x0f;
constexpr std::uint8_t kMovNti = 0xc3, kMovq = 0xd6, kMovd = 0x7e, kMovlps = 0x13;
constexpr std::uint8_t kVex2 = 0xc5, kVex3 = 0xc4;
constexpr std::uint8_t kRexBase = 0x40, kRexMask = 0xf0, kRexW = 8, kRexR = 4;

// Skips the memory operand, whose address is known from siginfo. Returns the register field of
// ModRM, or no value if the operand is a register.
std::optional<std::uint8_t> operand(Cursor& code) {
  const auto modrm = code.next();
  const auto mode = modrm >> 6U;
  const auto base = modrm & 7U;
  if (mode == 3) return std::nullopt;
  bool wide = mode == 2 || (mode == 0 && base == 5);
  if (base == 4) {
    const auto sib = code.next();
    wide = wide || (mode == 0 && (sib & 7U) == 5);
  }
  code.skip(wide ? 4U : mode == 1 ? 1U : 0U);
  return static_cast<std::uint8_t>((modrm >> 3U) & 7U);
}

std::optional<StoreInstruction> finish(const Cursor& code, StoreInstruction store) {
  if (code.past_end()) return std::nullopt;
  store.length = code.length();
  return store;
}

std::optional<StoreInstruction> with_register(Cursor& code,
                                              StoreSource source,
                                              bool extended,
                                              std::uint8_t bytes) {
  const auto reg = operand(code);
  if (!reg) return std::nullopt;
  return finish(code, {source, static_cast<std::uint8_t>(*reg + (extended ? 8 : 0)), bytes, 0, 0});
}

std::optional<StoreInstruction> with_immediate(Cursor& code, std::uint8_t bytes) {
  const auto extension = operand(code);
  if (!extension || *extension != 0) return std::nullopt;
  std::uint32_t value = 0;
  for (unsigned i = 0; i < 4; ++i) value |= std::uint32_t{code.next()} << (8U * i);
  const auto wide = static_cast<std::uint64_t>(static_cast<std::int32_t>(value));
  return finish(code, {StoreSource::immediate, 0, bytes, 0, bytes == 8 ? wide : value});
}

// VEX-encoded stores of an xmm register: vmovd, vmovq and vmovlps.
std::optional<StoreInstruction> vex(Cursor& code, bool is_vex3) {
  const auto first = code.next();
  const bool extended = (first & 0x80U) == 0;
  std::uint8_t last = first;
  if (is_vex3) {
    if ((first & 0x1fU) != 1) return std::nullopt;  // not opcode map 0F
    last = code.next();
  }
  const auto prefix = last & 3U;
  const bool wide = is_vex3 && (last & 0x80U) != 0;
  if ((last & 4U) != 0) return std::nullopt;  // VEX.L is set: 256 bits
  const auto opcode = code.next();
  if (opcode == kMovlps && prefix <= 1)
    return with_register(code, StoreSource::vector, extended, 8);
  if (opcode == kMovq && prefix == 1) return with_register(code, StoreSource::vector, extended, 8);
  if (opcode == kMovd && prefix == 1) {
    return with_register(code, StoreSource::vector, extended, wide ? 8 : 4);
  }
  return std::nullopt;
}

// The stores of a general register in ARM64: of 4 bytes, or of 8 if kArm64Wide is set.
constexpr std::uint32_t kArm64Wide = 0x40000000;

constexpr struct {
  std::uint32_t mask, value;
} kArm64Stores[] = {
    {0xbfc00000, 0xb9000000},  // STR with an offset
    {0xbfe00c00, 0xb8000000},  // STUR
    {0xbfe00c00, 0xb8200800},  // STR with a register as offset
    {0xbffffc00, 0x889ffc00},  // STLR
    {0xbfe00c00, 0x99000000},  // STLUR
};

}  // namespace

std::optional<StoreInstruction> decode_arm64_store(std::uint32_t instruction) {
  constexpr std::uint8_t kZeroRegister = 31;
  for (const auto& store : kArm64Stores) {
    if ((instruction & store.mask) != store.value) continue;
    const std::uint8_t bytes = (instruction & kArm64Wide) != 0 ? 8 : 4;
    const auto reg = static_cast<std::uint8_t>(instruction & 31U);
    if (reg == kZeroRegister) return StoreInstruction{StoreSource::immediate, 0, bytes, 4, 0};
    return StoreInstruction{StoreSource::general, reg, bytes, 4, 0};
  }
  return std::nullopt;
}

std::optional<StoreInstruction> decode_store(std::span<const std::uint8_t> bytes) {
  Cursor code(bytes);
  if (code.peek() == kVex2 || code.peek() == kVex3) return vex(code, code.next() == kVex3);
  const bool operand16 = code.peek() == kOperand16;
  if (operand16) code.skip(1);
  std::uint8_t rex = 0;
  if ((code.peek() & kRexMask) == kRexBase) rex = code.next();
  const std::uint8_t size = (rex & kRexW) != 0 ? 8 : 4;
  const bool extended = (rex & kRexR) != 0;
  const auto opcode = code.next();
  const bool store = opcode == kMov || opcode == kExchange;
  if (store && !operand16) return with_register(code, StoreSource::general, extended, size);
  if (opcode == kMovImmediate && !operand16) return with_immediate(code, size);
  if (opcode != kTwoByte) return std::nullopt;
  const auto second = code.next();
  if (second == kMovNti && !operand16)
    return with_register(code, StoreSource::general, extended, size);
  if (second == kMovlps) return with_register(code, StoreSource::vector, extended, 8);
  if (second == kMovq && operand16) return with_register(code, StoreSource::vector, extended, 8);
  if (second == kMovd && operand16) return with_register(code, StoreSource::vector, extended, size);
  return std::nullopt;
}

}  // namespace manactl::adapter
