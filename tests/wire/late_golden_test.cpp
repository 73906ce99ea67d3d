// SPDX-License-Identifier: MIT
//
// Compares records of later drivers and of the PF with bytes that were computed by hand.

#include <gtest/gtest.h>

#include "wire/completion.h"
#include "wire/doorbell.h"
#include "wire/event.h"
#include "wire/golden.h"
#include "wire/mana_messages.h"
#include "wire/port_messages.h"
#include "wire/registers.h"

namespace manactl::wire::late_golden_test {
namespace {

using test::expect_bytes;
using test::hex;

constexpr std::string_view kNoBytes12 = "000000000000000000000000";

TEST(ModerationDoorbell, HasItsGoldenBytes) {
  expect_bytes(ModerationDoorbell{0x010203, 100, true, 0x20, true}, "03020100 64802080");
  expect_bytes(ModerationDoorbell{5, 0x3ff, false, 0, false}, "05000000 ff030000");
  EXPECT_EQ(encode(ModerationDoorbell{5, 0x400, true, 0, false}).error().field, "usecs");
}

TEST(CoalescedCompletion, OfFourPacketsHasItsGoldenBytes) {
  RxCompletion rx;
  rx.header.type = CqeType::rx_coalesced_4;
  rx.vlan_present = true;
  rx.vlan_id = 0x123;
  rx.hash_type = 0x49;
  rx.packets[0] = {60, 0x01020304};
  rx.packets[1] = {1514, 0x05060708};
  expect_bytes(rx,
               "42000000 23114900 3c000000 00000000 04030201 ea050000 00000000 08070605" +
                   std::string(kNoBytes12) + std::string(kNoBytes12) + "00000000");
  EXPECT_EQ(rx.packet_count(), 2U);
}

TEST(CoalescedCompletion, OfEightPacketsHasItsGoldenBytes) {
  RxCompletion8 rx;
  rx.ip_ok = rx.tcp_ok = true;
  rx.hash_type = 2;
  rx.pairs[0] = {0x11223344, 98, 1514, 0xdeadbeef};
  rx.pairs[1].length0 = 60;
  rx.wqe_offset = 0x40;
  expect_bytes(rx,
               "47000000 0000020a 44332211 6200ea05 efbeadde 00000000 3c000000 00000000" +
                   std::string(kNoBytes12) + std::string(kNoBytes12) + "40000000");
  EXPECT_EQ(rx.packet_count(), 3U);
  EXPECT_EQ(rx.packet(1).length, 1514U);
  EXPECT_EQ(rx.packet(1).hash, 0xdeadbeefU);
}

TEST(CoalescedCompletion, IsRejectedAsTheOtherType) {
  std::vector<std::uint8_t> bytes(kCqeDataBytes);
  bytes[0] = 7;
  EXPECT_TRUE(decode<RxCompletion8>(bytes).has_value());
  EXPECT_EQ(decode<RxCompletion>(bytes).error().rule, Rule::max);
  bytes[0] = 2;
  EXPECT_TRUE(decode<RxCompletion>(bytes).has_value());
  EXPECT_EQ(decode<RxCompletion8>(bytes).error().rule, Rule::min);
  EXPECT_EQ(describe(decode<RxCompletion8>(bytes).error()),
            "receive completion of up to 8 packets: type must be at least 0x7, not 0x2");
}

TEST(LateEvent, HasItsGoldenBytes) {
  const std::string rest = "00000000 00000000";
  expect_bytes(ReconfigurationEvent{30'000, ReconfigurationDatum::hwc_timeout}, "30750001" + rest);
  expect_bytes(ReconfigurationEvent{0, ReconfigurationDatum::link_down}, "00000003" + rest);
  expect_bytes(ServiceEvent{0, Service::rdma_resume}, "00000002" + rest);
  expect_bytes(QpFatalEvent{0x102, {}}, "02010000" + rest);
  EXPECT_EQ(decode<ServiceEvent>(hex("00000003" + rest)).error().rule, Rule::member);
}

TEST(Registers, HaveTheirGoldenBytes) {
  VfRegisters vf;
  vf.micro_version = 1;
  vf.minor_version = 2;
  vf.major_version = 3;
  vf.doorbell_page_offset = 0x4000;
  vf.doorbell_page_bytes = 0x1000;
  vf.shared_memory_offset = 0x800;
  expect_bytes(vf, "01000203 00000000 0040000000000000 0010 000000000000 0008000000000000");
  PfRegisters pf;
  pf.doorbell_page_offset = 0x10000;
  pf.doorbell_page_bytes = 0x2000;
  pf.sriov_config_offset = 0x123456;
  expect_bytes(pf, "0000010000000000 0020" + std::string(54 * 2, '0') + "5634120000000000");
  EXPECT_EQ(kPfDoorbellPageOffset + PfRegisters::kSize, 0x110U);
  EXPECT_EQ(kPfDoorbellPageSize - kPfDoorbellPageOffset, 8U);
}

TEST(LateMessage, HasItsGoldenBytes) {
  expect_bytes(QueryLinkResponse{25'000, 1, 200'000}, "a8610000 01000000 400d0300 00000000");
  expect_bytes(SetBandwidthRequest{1, TriState::unchanged, 1000},
               "0100000000000000 ffffffff e8030000");
  expect_bytes(SetBandwidthResponse{1}, "0100000000000000");
  expect_bytes(RegisterHwPortRequest{0x0102, 1, 1}, "0201 01 00 01 000000");
  expect_bytes(RegisterFilterRequest{7, {0, 0x0d, 0x3a, 0x76, 0x3b, 0xd0}},
               "0700000000000000 000d3a763bd0" + std::string(18 * 2, '0'));
  expect_bytes(ChangeMsixRequest{3, 0x107}, "03000000 07010000 00000000 00000000");
  expect_bytes(AllocateDeviceMemoryRequest{0x1000, 64, 1}, "0010000000000000 40000000 01000000");
  expect_bytes(AssignSerialRequest{1, 2}, "0100000000000000 02000000 00000000");
  expect_bytes(MoveFilterRequest{1, 1}, "0100000000000000 01 00000000000000");
}

TEST(LateMessage, PhysicalCountersHaveTheOffsetsOfTheDriver) {
  PhysicalStatisticsResponse counters;
  counters.dropped.sent = 1;
  counters.packets[7].received = 2;
  counters.pauses[0].received = 3;
  const auto bytes = encode(counters);
  ASSERT_TRUE(bytes.has_value());
  EXPECT_EQ((*bytes)[2 * 8], 1);                    // after `reported` and dropped.received
  EXPECT_EQ((*bytes)[(3 + 7 * 2) * 8], 2);          // `packets` starts at word 3
  EXPECT_EQ((*bytes)[(3 + 8 * 2 + 8 * 2) * 8], 3);  // after 8 pairs of packets and of bytes
}

TEST(LateMessage, ExtendsTheFirstVersionAtItsEnd) {
  CreateWqObjectRequest3 create;
  create.base.vport = 1;
  create.rq_chain_wqes = 1;
  create.cq_moderation = 1;
  create.cq_moderation_completions = 0x102;
  create.cq_moderation_usecs = 0x304;
  expect_bytes(
      create,
      "0100000000000000 01000000 00000000" + std::string(32 * 2, '0') + "01 01 0201 0403 0000");
  CreateWqObjectResponse2 created;
  created.cq_moderation_usecs = 0x102;
  created.cq_moderation_enabled = 1;
  expect_bytes(created, std::string(16 * 2, '0') + "0000 0201 01 000000");
  ConfigVportRxRequest2 steer;
  steer.coalescing = 1;
  steer.rss_hash_types = 0x149;
  steer.coalescing_8 = 1;
  expect_bytes(steer, std::string(72 * 2, '0') + "01 000000 4901 01 00");
  expect_bytes(ConfigVportRxResponse{2000}, "d0070000 00000000");
  EXPECT_EQ(40 + ConfigVportRxRequest2::kSize, 120U);
}

TEST(Status, AcceptsEveryValue) {
  EXPECT_EQ(status_name(0), "success");
  EXPECT_EQ(status_name(0x105), "more entries");
  EXPECT_EQ(status_name(0xffffffff), "command unsupported");
  EXPECT_EQ(status_name(0x106), "");
  ResponseHeader header;
  header.status = 0x12345678;
  const auto bytes = encode(header);
  ASSERT_TRUE(bytes.has_value());
  EXPECT_EQ(decode<ResponseHeader>(*bytes)->status, 0x12345678U);
}

// The command codes of the Linux driver and of the paravisor.
constexpr std::uint32_t kCodes[] = {
    1,       2,       3,       4,       5,       10,      11,      12,      13,      22,
    24,      25,      26,      27,      29,      30,      31,      32,      81,      84,
    96,      97,      0x20001, 0x20002, 0x20003, 0x20004, 0x20005, 0x20006, 0x20007, 0x20008,
    0x2000a, 0x2000b, 0x2000c, 0x27801, 0x27802, 0x27803, 0x28000, 0x28001, 0x28003, 0x28004,
    0x30001, 0x30002, 0x30003, 0x30004, 0x30005, 0x30006, 0x30007, 0x30008, 0x30009, 0x3000a,
    0x3000b, 0x3000d, 0x30020, 0x30022, 0x30023};

TEST(CommandCodes, EqualThoseOfTheDrivers) {
  std::vector<std::uint32_t> known;
  for (std::uint32_t code = 0; code < 0x40000; ++code) {
    if (command_of(code)) known.push_back(code);
  }
  EXPECT_TRUE(std::ranges::equal(known, kCodes));
}

template <class E>
std::vector<unsigned> numbers() {
  std::vector<unsigned> found;
  for (unsigned number = 0; number < 256; ++number) {
    if (!name_of(static_cast<E>(number)).empty()) found.push_back(number);
  }
  return found;
}

TEST(Enumerations, EqualThoseOfTheDrivers) {
  using Numbers = std::vector<unsigned>;
  EXPECT_EQ(numbers<CqeType>(),
            (Numbers{0, 1, 2, 3, 4, 7, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42}));
  EXPECT_EQ(numbers<EventType>(), (Numbers{3, 64, 129, 130, 131, 132, 133, 134, 135, 176}));
  EXPECT_EQ(numbers<ChannelDatum>(), (Numbers{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(numbers<QueueType>(), (Numbers{1, 2, 3, 4}));
  EXPECT_EQ(numbers<DeviceType>(), (Numbers{0, 1, 2, 3}));
  EXPECT_EQ(name_of(VendorError{0x201}), "corrupted WQE");
  EXPECT_EQ(name_of(VendorError{0x20c}), "");
}

}  // namespace
}  // namespace manactl::wire::late_golden_test
