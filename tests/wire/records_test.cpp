// SPDX-License-Identifier: MIT
//
// What holds for every record on the wire, whatever its fields are.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "wire/describe.h"
#include "wire/doorbell.h"
#include "wire/event.h"
#include "wire/hardware_channel.h"
#include "wire/mana_messages.h"
#include "wire/oob.h"
#include "wire/shared_memory.h"
#include "wire/work_queue.h"

namespace manactl::wire {
namespace {

template <class T>
class EveryRecord : public testing::Test {};

using Records = testing::Types<SharedMemoryHeader,
                               SharedMemoryMessage,
                               SqDoorbell,
                               RqDoorbell,
                               CqDoorbell,
                               EqDoorbell,
                               ShortWorkDoorbell,
                               ShortEventDoorbell,
                               WqeHeader,
                               Sge,
                               TxShortOob,
                               TxLongOob,
                               ChannelTxOob,
                               CqeInfo,
                               CqeHeader,
                               RxPacket,
                               RxCompletion,
                               TxCompletion,
                               ChannelCompletion,
                               EqeInfo,
                               CompletionEvent,
                               ChannelEqEvent,
                               ChannelDataEvent,
                               DeviceId,
                               MessageHeader,
                               RequestHeader,
                               ResponseHeader,
                               GenerateTestEqeRequest,
                               VerifyVersionRequest,
                               VerifyVersionResponse,
                               MaxResourcesResponse,
                               ListDevicesResponse,
                               RegisterDeviceResponse,
                               CreateDmaRegionRequest,
                               CreateDmaRegionResponse,
                               AddPagesRequest,
                               CreateQueueRequest,
                               CreateQueueResponse,
                               DisableQueueRequest,
                               HwcTimeoutBody,
                               QueryDeviceRequest,
                               QueryDeviceResponse,
                               QueryVportRequest,
                               QueryVportResponse,
                               ConfigVportTxRequest,
                               ConfigVportTxResponse,
                               CreateWqObjectRequest,
                               CreateWqObjectResponse,
                               DestroyWqObjectRequest,
                               ConfigVportRxRequest,
                               StatisticsResponse>;
TYPED_TEST_SUITE(EveryRecord, Records);

using Image = std::vector<std::uint8_t>;

void flip(Image& image, std::size_t bit) {
  image[bit / 8] = static_cast<std::uint8_t>(image[bit / 8] ^ (1U << (bit % 8)));
}

// The bytes of the default record.
template <class T>
Image plain() {
  const auto bytes = encode(T{});
  EXPECT_TRUE(bytes.has_value()) << describe(bytes.error());
  return bytes ? Image(bytes->begin(), bytes->end()) : Image{};
}

// A sound image with as many random bits as its rules allow.
template <class T>
Image random_image(std::mt19937& random) {
  auto image = plain<T>();
  for (std::size_t bit = 0; bit < image.size() * 8; ++bit) {
    if (random() % 2 == 0) continue;
    flip(image, bit);
    if (!decode<T>(image)) flip(image, bit);
  }
  return image;
}

TYPED_TEST(EveryRecord, CoversItsSizeWithFields) {
  const auto fields = fields_of(TypeParam{});
  ASSERT_FALSE(fields.empty());
  EXPECT_EQ(fields.back().bit + fields.back().width, TypeParam::kSize * 8);
}

TYPED_TEST(EveryRecord, ComesBackFromItsBytes) {
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

TYPED_TEST(EveryRecord, RefusesEveryFlippedBitOfAReservedField) {
  const auto good = plain<TypeParam>();
  for (const auto& field : fields_of(TypeParam{})) {
    if (field.kind != FieldKind::reserved) continue;
    for (std::size_t bit = field.bit; bit < field.bit + field.width; ++bit) {
      auto image = good;
      flip(image, bit);
      const auto value = decode<TypeParam>(image);
      ASSERT_FALSE(value.has_value()) << field.name << " bit " << bit;
      EXPECT_EQ(value.error().rule, Rule::zero);
      EXPECT_EQ(value.error().field, field.name);
      EXPECT_NE(value.error().value, 0U);
    }
  }
}

TYPED_TEST(EveryRecord, ChangesWithEveryBitThatIsNotReserved) {
  const auto good = plain<TypeParam>();
  const auto before = decode<TypeParam>(good);
  ASSERT_TRUE(before.has_value());
  for (const auto& field : fields_of(TypeParam{})) {
    if (field.kind == FieldKind::reserved) continue;
    for (std::size_t bit = field.bit; bit < field.bit + field.width; ++bit) {
      auto image = good;
      flip(image, bit);
      const auto value = decode<TypeParam>(image);
      if (value) {
        EXPECT_FALSE(*value == *before) << field.name << " bit " << bit;
      } else {
        EXPECT_TRUE(value.error().rule == Rule::member || value.error().rule == Rule::range);
      }
    }
  }
}

TYPED_TEST(EveryRecord, RefusesEveryOtherLength) {
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

}  // namespace
}  // namespace manactl::wire
