// SPDX-License-Identifier: MIT
//
// The messages of the RDMA driver: their bytes and the values that are rejected.

#include "wire/rdma_messages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "wire/every_record.h"
#include "wire/golden.h"
#include "wire/record_table.h"

namespace manactl::wire::rdma_messages_test {
namespace {

using test::expect_bytes;
using test::hex;

using Records = testing::Types<AllocateResourcesRequest,
                               AllocateResourcesResponse,
                               DestroyResourcesRequest,
                               CreatePdRequest,
                               CreatePdResponse,
                               DestroyPdRequest,
                               CreateMrRequest,
                               CreateMrResponse,
                               DestroyMrRequest,
                               AdapterCapabilities,
                               CreateAdapterRequest,
                               CreateAdapterResponse,
                               ConfigIpRequest,
                               ConfigMacRequest>;
INSTANTIATE_TYPED_TEST_SUITE_P(Rdma, EveryRecord, Records);

TEST(RdmaMessage, SizesEqualThoseOfTheDriver) {
  EXPECT_EQ(40 + AllocateResourcesRequest::kSize, 56U);
  EXPECT_EQ(40 + DestroyResourcesRequest::kSize, 52U);
  EXPECT_EQ(32 + CreatePdResponse::kSize, 48U);
  EXPECT_EQ(40 + CreateMrRequest::kSize, 88U);
  EXPECT_EQ(32 + AdapterCapabilities::kSize, 104U);
  EXPECT_EQ(40 + CreateAdapterRequest::kSize, 56U);
  EXPECT_EQ(40 + ConfigIpRequest::kSize, 72U);
  EXPECT_EQ(40 + ConfigMacRequest::kSize, 64U);
}

TEST(RdmaMessage, ResourcesHaveTheirGoldenBytes) {
  expect_bytes(AllocateResourcesRequest{ResourceType::doorbell_page, 1, 2, 3},
               "1b000000 01000000 02000000 03000000");
  expect_bytes(AllocateResourcesResponse{4}, "04000000");
  expect_bytes(DestroyResourcesRequest{ResourceType::doorbell_page, 1, 4},
               "1b000000 01000000 04000000");
}

TEST(RdmaMessage, MemoryHasItsGoldenBytes) {
  expect_bytes(CreatePdRequest{5}, "05000000 00000000");
  expect_bytes(CreatePdResponse{0x3000, 9}, "00300000 00000000 09000000 00000000");
  expect_bytes(CreateMrRequest{0x3000, MrType::gva, 0x1001, 0x7f0000001000, 3},
               "00300000 00000000 02000000 00000000 01100000 00000000"
               "00100000 007f0000 03000000 00000000 00000000 00000000");
  expect_bytes(CreateMrResponse{0x4000, 0x11, 0x12}, "00400000 00000000 11000000 12000000");
}

TEST(RdmaMessage, AdapterHasItsGoldenBytes) {
  AdapterCapabilities caps;
  caps.max_sq_id = 1;
  caps.max_pds = 0x20;
  caps.requester_sq_bytes = 0x100000;
  caps.max_inline_bytes = 0x40;
  expect_bytes(caps,
               "01000000 00000000 00000000 00000000 00000000 00000000 20000000 00000000 00000000"
               "00000000 00000000 00001000 00000000 00000000 00000000 00000000 00000000 40000000");
  expect_bytes(CreateAdapterRequest{6, 1}, "06000000 00000000 01000000 00000000");
  expect_bytes(ConfigIpRequest{7,
                               AddressOperation::remove,
                               IpVersion::v4,
                               {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 9, 0, 5}},
               "07000000 00000000 02000000 01000000 00000000 00000000 0000ffff 0a090005");
  expect_bytes(ConfigMacRequest{7, AddressOperation::add, {0, 0x0d, 0x3a, 0x76, 0x3b, 0xd0}},
               "07000000 00000000 01000000 000d3a76 3bd00000 00000000");
}

TEST(RdmaMessage, RejectsInvalidValues) {
  EXPECT_EQ(
      decode<AllocateResourcesRequest>(hex("1c000000 01000000 00000000 00000000")).error().rule,
      Rule::member);
  auto access = *encode(CreateMrRequest{});
  access[32] = 0x20;
  EXPECT_EQ(decode<CreateMrRequest>(access).error().rule, Rule::max);
  auto operation = *encode(ConfigMacRequest{});
  operation[8] = 3;
  EXPECT_EQ(decode<ConfigMacRequest>(operation).error().field, "operation");
}

}  // namespace
}  // namespace manactl::wire::rdma_messages_test
