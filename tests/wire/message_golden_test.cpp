// SPDX-License-Identifier: MIT
//
// Compares headers and bodies of the hardware channel with bytes that were computed by hand.

#include <gtest/gtest.h>

#include "wire/golden.h"
#include "wire/hardware_channel.h"
#include "wire/mana_messages.h"
#include "wire/oob.h"

namespace manactl::wire::message_golden_test {
namespace {

using test::expect_bytes;

std::string zeros(std::size_t bytes) {
  return std::string(bytes * 2, '0');
}

TEST(ResponseHeader, HasItsGoldenBytes) {
  ResponseHeader header;
  header.response = {3, 1, 7, 296};
  header.device = {DeviceType::mana, 1};
  header.activity_id = 0x0a0b0c0d;
  header.status = kStatusMoreEntries;
  expect_bytes(header, "00000000 03000000 0100 0700 28010000 0200 0100 0d0c0b0a 05010000 00000000");
}

TEST(HardwareChannel, HasItsGoldenBytes) {
  ChannelTxOob oob;
  oob.rq_id = 0x010203;
  oob.dest_vfid = 4;
  oob.rcq_id = 5;
  oob.scq_id = 6;
  oob.loopback = oob.dest_pf = true;
  oob.sq_id = 7;
  expect_bytes(oob, zeros(8) + "03020104 05000000 06000005 07000000");
  ChannelCompletion done;
  done.type = 1;
  done.end_of_message = done.start_of_message = true;
  done.vendor_error = 0x22;
  done.source_wq = 0x010203;
  done.source_vfid = 9;
  done.wqe_offset = 0x40;
  done.client_data_unit = 5;
  done.data_bytes = 296;
  done.chunk_offset = 1;
  expect_bytes(
      done, "c1220000 03020109 00000000 40000000 00000000 05000000 28010000 01000000" + zeros(28));
}

TEST(GdmaBodies, OfInitializationHaveTheirGoldenBytes) {
  VerifyVersionRequest verify;
  verify.protocol_min = verify.protocol_max = 1;
  verify.capabilities = {0x0d, 0, 0, 0};
  verify.driver_version = 0x0102030405060708;
  verify.os_type = 0x10;
  verify.os_version = {6, 12, 0x77, 0x102};
  verify.os_text[0] = 'L';
  verify.os_text[128] = 'D';
  expect_bytes(verify,
               "0100000000000000 0100000000000000 0d00000000000000" + zeros(24) +
                   "0807060504030201 10000000 00000000 06000000 0c000000 77000000 02010000" +
                   zeros(8) + "4c" + zeros(127) + "44" + zeros(383));
  expect_bytes(VerifyVersionResponse{1, {2, 3, 4, 5}},
               "0100000000000000 0200000000000000 0300000000000000 0400000000000000"
               "0500000000000000");
  expect_bytes(MaxResourcesResponse{0x105, 1, 2, 3, 4, 5, 6, 7, 8, 9},
               "05010000 01000000 02000000 03000000 04000000 05000000 06000000 07000000 08000000"
               "09000000");
  ListDevicesResponse list;
  list.count = 2;
  list.devices[0] = {DeviceType::hwc, 0};
  list.devices[2] = {DeviceType::mana, 1};
  expect_bytes(list, "02000000 00000000 01000000 00000000 02000100" + zeros(61 * 4));
  expect_bytes(RegisterDeviceResponse{1, 2, 3}, "01000000 02000000 03000000");
}

TEST(GdmaBodies, OfQueuesAndRegionsHaveTheirGoldenBytes) {
  CreateQueueRequest create;
  create.type = QueueType::eq;
  create.pd_id = 1;
  create.doorbell = 2;
  create.region = 0x33;
  create.queue_bytes = 0x8000;
  create.log2_throttle_limit = 3;
  create.eq_msix = 5;
  create.cq_moderation_context = 6;
  create.cq_parent_eq = 7;
  create.rq_drop_on_overrun = create.rq_chain_wqes = create.sq_hardware_doorbell = 1;
  expect_bytes(create,
               "04000000 00000000 01000000 02000000 3300000000000000 00000000 00800000"
               "03000000 05000000 06000000 07000000 01000101 00000000");
  expect_bytes(CreateQueueResponse{9}, "09000000");
  expect_bytes(GenerateTestEqeRequest{0x102}, "02010000");
  expect_bytes(DisableQueueRequest{QueueType::rq, 9, 10}, "02000000 09000000 0a000000");
  expect_bytes(CreateDmaRegionRequest{0x3000, 0x10, 9, 3, 2},
               "0030000000000000 10000000 09000000 03000000 02000000");
  expect_bytes(CreateDmaRegionResponse{0x102}, "0201000000000000");
  expect_bytes(AddPagesRequest{0x102, 3}, "0201000000000000 03000000 00000000");
  expect_bytes(HwcTimeoutBody{30'000}, "30750000 00000000");
}

TEST(GdmaBodies, RejectInvalidValues) {
  EXPECT_EQ(encode(CreateDmaRegionRequest{0x1000, 0, 10, 1, 1}).error().field, "page_type");
  EXPECT_EQ(encode(CreateDmaRegionRequest{0x1000, 0, 0, 1, 2}).error().field, "listed");
  EXPECT_EQ(encode(DisableQueueRequest{QueueType{5}, 0, 0}).error().rule, Rule::member);
  ListDevicesResponse list;
  list.count = 65;
  EXPECT_EQ(encode(list).error().limit, 64U);
}

TEST(ManaBodies, OfTheDeviceHaveTheirGoldenBytes) {
  expect_bytes(QueryDeviceRequest{{1, 2, 3, 4}, 0, 1, 2},
               "0100000000000000 0200000000000000 0300000000000000 0400000000000000"
               "00000000 01000000 02000000 00000000");
  expect_bytes(QueryDeviceResponse{{}, 2, 1, 64, 1514, 200'000},
               zeros(32) + "0200 01 00 40000000 ea05 0000 400d0300");
  expect_bytes(QueryVportRequest{2}, "02000000");
  expect_bytes(
      QueryVportResponse{64, 32, 128, {0, 0x0d, 0x3a, 0x76, 0x3b, 0xd0}, 0x0102030405060708},
      "40000000 20000000 80000000 00000000 000d3a763bd0 0000 0807060504030201");
  expect_bytes(ConfigVportTxRequest{7, 5, 9}, "0700000000000000 05000000 09000000");
  expect_bytes(ConfigVportTxResponse{0x102, 1}, "0201 01 00");
}

TEST(ManaBodies, OfQueuesHaveTheirGoldenBytes) {
  CreateWqObjectRequest create;
  create.vport = 1;
  create.type = QueueType::rq;
  create.wq_region = 0x11;
  create.cq_region = 0x22;
  create.wq_bytes = 0x1000;
  create.cq_bytes = 0x2000;
  create.cq_moderation_context = 3;
  create.eq_id = kNoEq;
  expect_bytes(create,
               "0100000000000000 02000000 00000000 1100000000000000 2200000000000000"
               "00100000 00200000 03000000 ffff0000");
  create.type = QueueType::cq;
  EXPECT_EQ(encode(create).error().field, "type");
  expect_bytes(CreateWqObjectResponse{3, 4, 5}, "03000000 04000000 0500000000000000");
  expect_bytes(DestroyWqObjectRequest{QueueType::sq, 0x99}, "01000000 00000000 9900000000000000");
  expect_bytes(FenceRqRequest{0x1234}, "3412000000000000");
}

TEST(ManaBodies, OfSteeringHaveTheirGoldenBytes) {
  ConfigVportRxRequest steer;
  steer.vport = 7;
  steer.entries = 64;
  steer.table_offset = 112;
  steer.rx_enable = 1;
  steer.rss_enable = ConfigVportRxRequest::kUnchanged;
  steer.update_key = steer.update_table = 1;
  steer.default_object = kInvalidHandle;
  steer.key[0] = 0x6d;
  steer.key[39] = 0xfa;
  expect_bytes(steer,
               "0700000000000000 4000 7000 01000000 ffffffff 00 01 01 00 ffffffffffffffff 6d" +
                   zeros(38) + "fa");
}

// Checks that the counters have the order of the Linux driver.
TEST(ManaBodies, OfStatisticsAreInOrder) {
  expect_bytes(StatisticsRequest{0x07ffffff}, "ffffff0700000000");
  StatisticsResponse statistics;
  statistics.rx_no_wqe = 1;
  statistics.rx_vport_disabled = 2;
  statistics.rx = {3, 4, 5, 6, 7, 8, 9};
  statistics.tx_errors = {10, 11, 12, 13, 14, 15, 16, 17, 18, 19};
  statistics.tx = {20, 21, 22, 23, 24, 25, 26};
  statistics.tx_gdma_errors = 27;
  const auto bytes = encode(statistics);
  ASSERT_TRUE(bytes.has_value());
  for (std::size_t i = 0; i < StatisticsResponse::kSize / 8; ++i) {
    EXPECT_EQ(load(*bytes, i * 8, 8), i);
  }
  EXPECT_EQ(statistics.rx.multicast_bytes, 9U);
  EXPECT_EQ(statistics.rx.broadcast_packets, 6U);
}

}  // namespace
}  // namespace manactl::wire::message_golden_test
