// SPDX-License-Identifier: MIT
//
// A typed test suite with properties of all hardware records. records_test.cpp and
// rdma_messages_test.cpp instantiate it.

#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "wire/record_table.h"

namespace manactl::wire {

template <class T>
class EveryRecord : public testing::Test {};

TYPED_TEST_SUITE_P(EveryRecord);

using Image = std::vector<std::uint8_t>;

// The default_text() of the records with a default value that is not 0, by name.
inline const std::map<std::string_view, std::string> kDefaults = {
    {"ALLOCATE_RESOURCE_RANGE request", "0=27"},
    {"DESTROY_RESOURCE_RANGE request", "0=27"},
    {"CREATE_MR request", "8=2"},
    {"CONFIG_IP_ADDR request", "8=1 12=2"},
    {"CONFIG_MAC_ADDR request", "8=1"},
    {"WQE header", "5=2"},
    {"CQE header", "0=64"},
    {"receive completion", "0=64"},
    {"receive completion of up to 8 packets", "0=71"},
    {"transmit completion", "0=64"},
    {"EQE info", "0=3"},
    {"HWC init data event", "3=1"},
    {"reconfiguration event", "3=1"},
    {"service event", "3=1"},
    {"message header", "8=1"},
    {"request header", "8=1 24=1"},
    {"response header", "8=1"},
    {"VERIFY_VF_DRIVER_VERSION response", "0=1"},
    {"CREATE_QUEUE request", "0=4"},
    {"DISABLE_QUEUE request", "0=4"},
    {"CREATE_WQ_OBJ request", "8=1"},
    {"DESTROY_WQ_OBJ request", "0=1"},
};

inline void flip(Image& image, std::size_t bit) {
  image[bit / 8] = static_cast<std::uint8_t>(image[bit / 8] ^ (1U << (bit % 8)));
}

// The encoded default record.
template <class T>
Image default_image() {
  const auto bytes = encode(T{});
  EXPECT_TRUE(bytes.has_value()) << describe(bytes.error());
  return bytes ? Image(bytes->begin(), bytes->end()) : Image{};
}

// A valid record with random bits as far as its rules allow.
template <class T>
Image random_image(std::mt19937& random) {
  auto image = default_image<T>();
  for (std::size_t bit = 0; bit < image.size() * 8; ++bit) {
    if (random() % 2 == 0) continue;
    flip(image, bit);
    if (!decode<T>(image)) flip(image, bit);
  }
  return image;
}

TYPED_TEST_P(EveryRecord, CoversItsSizeWithFields) {
  const auto fields = fields_of(TypeParam{});
  ASSERT_FALSE(fields.empty());
  EXPECT_EQ(fields.back().bit + fields.back().width, TypeParam::kSize * 8);
}

// The bytes of the encoded default record that are not 0, as "<offset>=<value>".
template <class T>
std::string default_text() {
  std::string text;
  const auto image = default_image<T>();
  for (std::size_t i = 0; i < image.size(); ++i) {
    if (image[i] != 0) text += fmt::format("{}{}={}", text.empty() ? "" : " ", i, image[i]);
  }
  return text;
}

TYPED_TEST_P(EveryRecord, HasItsDefaultValues) {
  const auto expected = kDefaults.find(TypeParam::kName);
  EXPECT_EQ(default_text<TypeParam>(), expected == kDefaults.end() ? "" : expected->second)
      << TypeParam::kName;
}

TYPED_TEST_P(EveryRecord, SurvivesARoundTrip) {
  std::mt19937 random(1);
  for (int round = 0; round < 50; ++round) {
    const auto image = random_image<TypeParam>(random);
    const auto value = decode<TypeParam>(image);
    ASSERT_TRUE(value.has_value()) << describe(value.error());
    const auto again = encode(*value);
    ASSERT_TRUE(again.has_value()) << describe(again.error());
    EXPECT_TRUE(std::ranges::equal(*again, image));
    EXPECT_TRUE(*decode<TypeParam>(*again) == *value);
  }
}

template <class T>
void expect_reserved_bits_are_checked(const Image& good) {
  for (const auto& field : fields_of(T{})) {
    if (field.kind != RowKind::reserved) continue;
    for (std::size_t bit = field.bit; bit < field.bit + field.width; ++bit) {
      auto image = good;
      flip(image, bit);
      const auto value = decode<T>(image);
      ASSERT_FALSE(value.has_value()) << field.name << " bit " << bit;
      EXPECT_EQ(value.error().rule, Rule::zero);
      EXPECT_EQ(value.error().field, field.name);
      EXPECT_NE(value.error().value, 0U);
    }
  }
}

TYPED_TEST_P(EveryRecord, RejectsEveryFlippedBitOfAReservedField) {
  expect_reserved_bits_are_checked<TypeParam>(default_image<TypeParam>());
  std::mt19937 random(3);
  for (int round = 0; round < 4; ++round) {
    expect_reserved_bits_are_checked<TypeParam>(random_image<TypeParam>(random));
  }
}

TYPED_TEST_P(EveryRecord, ChangesWithEveryBitThatIsNotReserved) {
  const auto good = default_image<TypeParam>();
  const auto before = decode<TypeParam>(good);
  ASSERT_TRUE(before.has_value());
  for (const auto& field : fields_of(TypeParam{})) {
    if (field.kind == RowKind::reserved) continue;
    for (std::size_t bit = field.bit; bit < field.bit + field.width; ++bit) {
      auto image = good;
      flip(image, bit);
      const auto value = decode<TypeParam>(image);
      if (value) {
        EXPECT_FALSE(*value == *before) << field.name << " bit " << bit;
      } else {
        EXPECT_TRUE(value.error().rule != Rule::zero && value.error().rule != Rule::length);
      }
    }
  }
}

TYPED_TEST_P(EveryRecord, RejectsEveryOtherLength) {
  const Image image(TypeParam::kSize + 1);
  for (std::size_t length = 0; length <= image.size(); ++length) {
    if (length == TypeParam::kSize) continue;
    const auto value = decode<TypeParam>(Bytes(image).first(length));
    ASSERT_FALSE(value.has_value());
    EXPECT_EQ(value.error().rule, Rule::length);
    EXPECT_EQ(value.error().value, length);
    EXPECT_EQ(value.error().limit, TypeParam::kSize);
  }
}

// A valid record with three flipped bits, which may make it invalid.
template <class T>
Image damaged_image(std::mt19937& random) {
  auto image = random_image<T>(random);
  for (int i = 0; i < 3; ++i) flip(image, random() % (image.size() * 8));
  return image;
}

TYPED_TEST_P(EveryRecord, HasTheSameResultFromDecodeAndReadFields) {
  std::mt19937 random(2);
  for (int round = 0; round < 50; ++round) {
    const auto image =
        round % 2 == 0 ? random_image<TypeParam>(random) : damaged_image<TypeParam>(random);
    const auto value = decode<TypeParam>(image);
    const auto reading = read_fields(kTable<TypeParam>, image);
    ASSERT_EQ(value.has_value(), reading.refusals.empty());
    if (!value) {
      EXPECT_EQ(value.error(), reading.refusals.front()) << describe(value.error());
    }
    for (const auto& field : reading.fields) {
      if (field.kind != RowKind::number && field.kind != RowKind::member) continue;
      for (unsigned bit = 0; bit < field.width; ++bit) {
        const auto at = field.bit + bit;
        ASSERT_EQ(image[at / 8] >> (at % 8) & 1U, field.value >> bit & 1U) << field.name;
      }
    }
  }
}

REGISTER_TYPED_TEST_SUITE_P(EveryRecord,
                            CoversItsSizeWithFields,
                            HasItsDefaultValues,
                            SurvivesARoundTrip,
                            RejectsEveryFlippedBitOfAReservedField,
                            ChangesWithEveryBitThatIsNotReserved,
                            RejectsEveryOtherLength,
                            HasTheSameResultFromDecodeAndReadFields);

}  // namespace manactl::wire
