// SPDX-License-Identifier: MIT

#include "adapter/doorbell/store_decoder.h"

#include <gtest/gtest.h>

#include <vector>

namespace manactl::adapter::store_decoder_test {
namespace {

using Code = std::vector<std::uint8_t>;

struct Known {
  const char* text;
  Code code;
  StoreInstruction store;
};

// Machine code that the GNU assembler emits.
const Known kKnown[] = {
    {"mov %rbx,0x0(%rbp)", {0x48, 0x89, 0x5d, 0x00}, {StoreSource::general, 3, 8, 4, 0}},
    {"mov %rdx,(%rax)", {0x48, 0x89, 0x10}, {StoreSource::general, 2, 8, 3, 0}},
    {"mov %r13,0x800(%r12)",
     {0x4d, 0x89, 0xac, 0x24, 0x00, 0x08, 0x00, 0x00},
     {StoreSource::general, 13, 8, 8, 0}},
    {"mov %rax,(%rcx,%rdx,1)", {0x48, 0x89, 0x04, 0x11}, {StoreSource::general, 0, 8, 4, 0}},
    {"mov %rax,0x10(,%rdx,8)",
     {0x48, 0x89, 0x04, 0xd5, 0x10, 0, 0, 0},
     {StoreSource::general, 0, 8, 8, 0}},
    {"mov %rsi,0x1000(%rip)",
     {0x48, 0x89, 0x35, 0x00, 0x10, 0, 0},
     {StoreSource::general, 6, 8, 7, 0}},
    {"mov %ecx,0x10(%rdi)", {0x89, 0x4f, 0x10}, {StoreSource::general, 1, 4, 3, 0}},
    {"mov %r9d,(%rdi)", {0x44, 0x89, 0x0f}, {StoreSource::general, 9, 4, 3, 0}},
    {"xchg %rdx,(%rax)", {0x48, 0x87, 0x10}, {StoreSource::general, 2, 8, 3, 0}},
    {"movnti %rax,(%rdx)", {0x48, 0x0f, 0xc3, 0x02}, {StoreSource::general, 0, 8, 4, 0}},
    {"movq $-1,(%rax)",
     {0x48, 0xc7, 0x00, 0xff, 0xff, 0xff, 0xff},
     {StoreSource::immediate, 0, 8, 7, UINT64_MAX}},
    {"movl $5,0x8(%rax)", {0xc7, 0x40, 0x08, 5, 0, 0, 0}, {StoreSource::immediate, 0, 4, 7, 5}},
    {"movq %xmm1,(%rax)", {0x66, 0x0f, 0xd6, 0x08}, {StoreSource::vector, 1, 8, 4, 0}},
    {"movq %xmm9,(%rax)", {0x66, 0x44, 0x0f, 0xd6, 0x08}, {StoreSource::vector, 9, 8, 5, 0}},
    {"movd %xmm2,(%rax)", {0x66, 0x0f, 0x7e, 0x10}, {StoreSource::vector, 2, 4, 4, 0}},
    {"movlps %xmm0,(%rdi)", {0x0f, 0x13, 0x07}, {StoreSource::vector, 0, 8, 3, 0}},
    {"vmovq %xmm0,(%rax)", {0xc5, 0xf9, 0xd6, 0x00}, {StoreSource::vector, 0, 8, 4, 0}},
    {"vmovq %xmm12,(%r8)", {0xc4, 0x41, 0x79, 0xd6, 0x20}, {StoreSource::vector, 12, 8, 5, 0}},
    {"vmovlps %xmm3,(%rdi)", {0xc5, 0xf8, 0x13, 0x1f}, {StoreSource::vector, 3, 8, 4, 0}},
};

TEST(StoreDecoder, DecodesTheInstructionsOfDrivers) {
  for (const auto& known : kKnown) {
    auto code = known.code;
    code.resize(15, 0x90);
    const auto store = decode_store(code);
    ASSERT_TRUE(store) << known.text;
    EXPECT_EQ(*store, known.store) << known.text;
  }
}

TEST(StoreDecoder, RejectsATruncatedInstruction) {
  for (const auto& known : kKnown) {
    const auto code = known.code;
    EXPECT_TRUE(decode_store(code)) << known.text;
    for (std::size_t size = 0; size < code.size(); ++size) {
      EXPECT_FALSE(decode_store(std::span(code).first(size))) << known.text << " at " << size;
    }
  }
}

TEST(StoreDecoder, RejectsUnknownInstructions) {
  const Code unknown[] = {
      {0x48, 0x89, 0xd8},              // mov %rbx,%rax: the target is a register
      {0x66, 0x89, 0x10},              // mov %dx,(%rax)
      {0x88, 0x10},                    // mov %dl,(%rax)
      {0x48, 0x8b, 0x10},              // mov (%rax),%rdx: a load
      {0x48, 0xc7, 0x08, 1, 0, 0, 0},  // opcode c7 with extension 1 is not mov
      {0xf0, 0x48, 0x01, 0x10},        // lock add %rdx,(%rax)
      {0xc5, 0xfd, 0xd6, 0x00},        // VEX.L is set: 256 bits
      {0xc4, 0xe2, 0x79, 0xd6, 0x00},  // opcode map 0F38
      {0x0f, 0x29, 0x00},              // movaps %xmm0,(%rax)
  };
  for (auto code : unknown) {
    const auto first = code[0];
    code.resize(15, 0x90);
    EXPECT_FALSE(decode_store(code)) << std::hex << int{first};
  }
}

// Machine code that the GNU assembler emits for ARM64.
TEST(StoreDecoder, DecodesStoresOfArm64) {
  struct {
    const char* text;
    std::uint32_t code;
    StoreInstruction store;
  } const known[] = {
      {"str x3, [x0]", 0xf9000003, {StoreSource::general, 3, 8, 4, 0}},
      {"str w3, [x0]", 0xb9000003, {StoreSource::general, 3, 4, 4, 0}},
      {"str x30, [x1, #2048]", 0xf904003e, {StoreSource::general, 30, 8, 4, 0}},
      {"str xzr, [x1, #8]", 0xf900043f, {StoreSource::immediate, 0, 8, 4, 0}},
      {"stur x5, [x6, #-8]", 0xf81f80c5, {StoreSource::general, 5, 8, 4, 0}},
      {"stur w5, [x6, #3]", 0xb80030c5, {StoreSource::general, 5, 4, 4, 0}},
      {"str x7, [x8, x9]", 0xf8296907, {StoreSource::general, 7, 8, 4, 0}},
      {"str w7, [x8, w9, uxtw #2]", 0xb8295907, {StoreSource::general, 7, 4, 4, 0}},
      {"stlr x1, [x2]", 0xc89ffc41, {StoreSource::general, 1, 8, 4, 0}},
      {"stlr w1, [x2]", 0x889ffc41, {StoreSource::general, 1, 4, 4, 0}},
      {"stlur x4, [x5, #16]", 0xd90100a4, {StoreSource::general, 4, 8, 4, 0}},
      {"stlur w4, [x5, #-4]", 0x991fc0a4, {StoreSource::general, 4, 4, 4, 0}},
  };

  for (const auto& row : known) EXPECT_EQ(decode_arm64_store(row.code), row.store) << row.text;
}

TEST(StoreDecoder, RejectsOtherInstructionsOfArm64) {
  struct {
    const char* text;
    std::uint32_t code;
  } const unknown[] = {
      {"ldr x3, [x0]", 0xf9400003},
      {"str x3, [x0], #8", 0xf8008403},
      {"str x3, [x0, #8]!", 0xf8008c03},
      {"strb w3, [x0]", 0x39000003},
      {"strh w3, [x0]", 0x79000003},
      {"stp x1, x2, [x0]", 0xa9000801},
      {"str d0, [x0]", 0xfd000000},
      {"str q0, [x0]", 0x3d800000},
      {"stxr w1, x2, [x3]", 0xc8017c62},
      {"swp x1, x2, [x3]", 0xf8218062},
      {"ldar x1, [x2]", 0xc8dffc41},
      {"ldrsw x1, [x2]", 0xb9800041},
      {"sttr x1, [x2]", 0xf8000841},
  };

  for (const auto& row : unknown) EXPECT_FALSE(decode_arm64_store(row.code)) << row.text;
}

}  // namespace
}  // namespace manactl::adapter::store_decoder_test
