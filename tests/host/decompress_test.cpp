// SPDX-License-Identifier: MIT

#include "host/decompress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace manactl::host::decompress_test {
namespace {

using testing::HasSubstr;

constexpr const char* kText = "mana_dev_start(): failed to start tx queues -19\n";

// Hands out a few bytes at a time, as a pipe may do.
class SlowSource final : public ByteSource {
 public:
  explicit SlowSource(std::string text) : text_(std::move(text)) {}

  Result<std::size_t> read(std::span<char> into) override {
    const auto count = std::min({into.size(), text_.size(), std::size_t{5}});
    std::copy_n(text_.begin(), count, into.begin());
    text_.erase(0, count);
    return count;
  }

 private:
  std::string text_;
};

std::string from_hex(std::string_view hex) {
  std::string bytes;
  for (; hex.size() >= 2; hex.remove_prefix(2)) {
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(0, 2)), nullptr, 16));
  }
  return bytes;
}

Result<std::string> read_all(const std::string& bytes, std::uint64_t max = kMaxDecompressed) {
  const auto source = decompressed(std::make_unique<SlowSource>(bytes), max);
  std::string text;
  std::vector<char> block(4096);
  while (true) {
    const auto got = source->read(block);
    if (!got) return tl::unexpected<Error>(got.error());
    if (*got == 0) return text;
    text.append(block.data(), *got);
  }
}

// kText, compressed with gzip.
constexpr std::string_view kGzip =
    "1f8b0800000000000203cb4dcc4b8c4f492d8b2f2e492c2ad1d0b452484bcccc494d5128c957000b"
    "299454281496a696a6162be81a5a7201001a15ea0930000000";

// kText, compressed with bzip2.
constexpr std::string_view kBzip2 =
    "425a6839314159265359c739386100000edb800010406220300000a727bf402000314000d032640d"
    "51ea683f54c9a0f53ca7ea9a7bb27e24135b5aea3c8dc3bc21cdeb32c68c0b14246428b1d7f17724"
    "5385090c73938610";

// kText, compressed with xz.
constexpr std::string_view kXz =
    "fd377a585a000004e6d6b4460200210116000000742fe5a301002f6d616e615f6465765f73746172"
    "7428293a206661696c656420746f20737461727420747820717565756573202d31390a001087ea2f"
    "28413c60000148308a40ff3e1fb6f37d010000000004595a";

// kText, compressed with zstd.
constexpr std::string_view kZstd =
    "28b52ffd04588101006d616e615f6465765f737461727428293a206661696c656420746f20737461"
    "727420747820717565756573202d31390a3b96ebf3";

TEST(Decompress, LeavesOtherBytesAsTheyAre) {
  for (const auto* text : {"", "x", "\x1f", kText}) EXPECT_EQ(read_all(text).value(), text);
}

TEST(Decompress, ReadsARotatedLogWithoutALine) {
  EXPECT_EQ(read_all(from_hex("1f8b080000000000000303000000000000000000")).value(), "");
}

TEST(Decompress, ReadsEachKindOfCompression) {
  for (const auto compressed : {kGzip, kBzip2, kXz, kZstd}) {
    const auto text = read_all(from_hex(compressed));
    ASSERT_TRUE(text) << text.error().message;
    EXPECT_EQ(*text, kText);
  }
}

TEST(Decompress, RefusesMoreThanTheLimit) {
  const std::string text = kText;
  EXPECT_TRUE(read_all(from_hex(kXz), text.size()));
  const auto refused = read_all(from_hex(kXz), text.size() - 1);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::invalid);
  EXPECT_THAT(refused.error().message, HasSubstr("it contains more than"));
}

TEST(Decompress, RefusesDamagedData) {
  for (const auto compressed : {kGzip, kBzip2, kXz, kZstd}) {
    const auto bytes = from_hex(compressed);
    const auto cut = read_all(bytes.substr(0, bytes.size() / 2));
    ASSERT_FALSE(cut);
    EXPECT_EQ(cut.error().code, Errc::invalid);
    EXPECT_THAT(cut.error().message, HasSubstr("cannot decompress it: "));
  }
}

TEST(Decompress, StatesThatAFileIsTruncated) {
  for (const auto compressed : {kGzip, kBzip2, kXz, kZstd}) {
    const auto bytes = from_hex(compressed);
    const auto cut = read_all(bytes.substr(0, bytes.size() * 3 / 4));
    ASSERT_FALSE(cut);
    EXPECT_THAT(cut.error().message, HasSubstr("runcated "));
  }
}

}  // namespace
}  // namespace manactl::host::decompress_test
