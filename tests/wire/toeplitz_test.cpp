// SPDX-License-Identifier: MIT
//
// Compares the hash with the test vectors of the NDIS documentation.

#include "wire/toeplitz.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "wire/golden.h"

namespace manactl::wire::toeplitz_test {
namespace {

using test::hex;

HashKey published_key() {
  const auto bytes =
      hex("6d5a56da255b0ec24167253d43a38fb0d0ca2bcbae7b30b477cb2da38030f20c6a42b73bbeac01fa");
  HashKey key{};
  std::ranges::copy(bytes, key.begin());
  return key;
}

// Hexadecimal input (source and destination address, source and destination port) and its hashes.
struct Vector {
  const char* addresses;
  const char* ports;
  std::uint32_t without_ports, with_ports;
};

constexpr Vector kVectors[] = {
    {"420995bb a18e6450", "0aea 06e6", 0x323e8fc2, 0x51ccc178},
    {"c75c6f02 41458c53", "3796 1283", 0xd718262a, 0xc626b0ea},
    {"1813c65f 0c16cfb8", "3262 9488", 0xd2d0a5de, 0x5c2b394a},
    {"261bcd1e d18ea306", "bc64 08a9", 0x82989176, 0xafc7327f},
    {"9927a3bf cabc7f02", "acdb 0517", 0x5d1809c5, 0x10e828a2},
    {"3ffe2501 02001fff 00000000 00000007 3ffe2501 02000003 00000000 00000001",
     "0aea 06e6",
     0x2cc18cd5,
     0x40207d3d},
};

TEST(Toeplitz, MatchesThePublishedVectors) {
  for (const auto& vector : kVectors) {
    const std::string addresses = vector.addresses;
    EXPECT_EQ(toeplitz(published_key(), hex(addresses)), vector.without_ports) << addresses;
    EXPECT_EQ(toeplitz(published_key(), hex(addresses + vector.ports)), vector.with_ports)
        << addresses;
  }
}

TEST(Toeplitz, IsEqualWithAndWithoutATable) {
  const ToeplitzTable table(published_key());
  std::mt19937 random(3);
  for (std::size_t length = 0; length <= kMaxHashInput + 4; ++length) {
    std::vector<std::uint8_t> input(length);
    std::ranges::generate(input, [&] { return static_cast<std::uint8_t>(random()); });
    EXPECT_EQ(table(input), toeplitz(published_key(), input)) << length;
  }
}

TEST(Toeplitz, OfAnEmptyInputIsZero) {
  static_assert(toeplitz(HashKey{}, {}) == 0);
  EXPECT_EQ(toeplitz(published_key(), {}), 0U);
}

}  // namespace
}  // namespace manactl::wire::toeplitz_test
