// SPDX-License-Identifier: MIT
//
// Compares records with bytes that were computed by hand, and tests error messages.

#include "wire/golden.h"

#include <gtest/gtest.h>

#include "wire/doorbell.h"
#include "wire/event.h"
#include "wire/hardware_channel.h"
#include "wire/mana_messages.h"
#include "wire/oob.h"
#include "wire/registers.h"
#include "wire/shared_memory.h"
#include "wire/work_queue.h"

namespace manactl::wire::golden_test {
namespace {

using test::expect_bytes;
using test::hex;

// These lines compile only if codecs are constant expressions.
constexpr auto kConstant = encode(CqDoorbell{0x123456, 0x7fffffff, true});
static_assert(kConstant && (*kConstant)[7] == 0xff && (*kConstant)[3] == 0);
static_assert((*decode<CqDoorbell>(*kConstant)).tail == 0x7fffffff);
static_assert(!encode(CqDoorbell{0x1000000, 0, false}));
static_assert(owner_at(64, 64) == 1 && owner_at(64 * 8, 64) == 0);
static_assert(doorbell_page(0x4000, 0x1000, 3) == 0x7000);

TEST(Doorbell, HasItsGoldenBytes) {
  expect_bytes(SqDoorbell{0x010203, 0xa0b0c0d0}, "03020100 d0c0b0a0");
  expect_bytes(RqDoorbell{0x010203, 1, 0x20}, "03020101 20000000");
  expect_bytes(CqDoorbell{5, 0x40, true}, "05000000 40000080");
  expect_bytes(EqDoorbell{0xffff, 0x40, false}, "ffff0000 40000000");
  expect_bytes(ShortWorkDoorbell{0x40, 0xabc}, "4000bc0a");
  expect_bytes(ShortEventDoorbell{2, 0xabc, true}, "0200bc8a");
}

TEST(Doorbell, IsSelectedByItsOffset) {
  EXPECT_EQ(doorbell_target(0xff8), DoorbellTarget::eq);
  EXPECT_EQ(doorbell_target(0x400), DoorbellTarget::rq);
  EXPECT_EQ(doorbell_target(0x404).error().rule, Rule::member);
  EXPECT_FALSE(doorbell_target(0x10000).has_value());
}

TEST(SharedMemory, HasItsGoldenBytes) {
  SharedMemoryMessage message;
  message.eq_frame = 0xf000000000001;
  message.cq_frame = 2;
  message.rq_frame = 0x3000000000003;
  message.sq_frame = 4;
  message.eq_msix = 0x0102;
  message.header = {SharedMemoryType::establish, 0, false, 0, true, true};
  expect_bytes(message, "010000000000 020000000000 030000000000 040000000000 0f03 0201 01000081");
  expect_bytes(SharedMemoryHeader{SharedMemoryType::destroy, 0, true, 0x47, false, false},
               "82470000");
}

TEST(SharedMemory, RejectsAFrameOfMoreThan52Bits) {
  SharedMemoryMessage message;
  message.rq_frame = 1ULL << 52U;
  const auto bytes = encode(message);
  ASSERT_FALSE(bytes.has_value());
  EXPECT_EQ(bytes.error().field, "rq_frame");
  EXPECT_EQ(bytes.error().rule, Rule::max);
}

TEST(Wqe, HasItsGoldenBytes) {
  WqeHeader header;
  header.last_vbytes = 54;
  header.num_sge = 3;
  header.inline_oob = OobSize::large;
  header.client_oob_in_sgl = true;
  header.client_data_unit = 1448;
  expect_bytes(header, "00000036 030ea805");
  expect_bytes(Sge{0x1122334455667788, 7, 1514}, "8877665544332211 07000000 ea050000");
}

TEST(Wqe, OccupiesWholeBasicUnits) {
  WqeHeader header;
  header.num_sge = 1;
  EXPECT_EQ(header.wqe_bytes(), 32U);
  header.num_sge = 2;
  EXPECT_EQ(header.wqe_bytes(), 64U);
  header.inline_oob = OobSize::large;
  header.num_sge = 1;
  EXPECT_EQ(header.wqe_bytes(), 64U);
  header.inline_oob = OobSize::largest;
  EXPECT_EQ(header.oob_bytes(), 32U);
}

TEST(TransmitOob, HasItsGoldenBytes) {
  TxShortOob oob;
  oob.is_outer_ipv4 = true;
  oob.compute_ip_checksum = true;
  oob.compute_tcp_checksum = true;
  oob.cq_id = 0x0a0b0c;
  oob.transport_offset = 34;
  oob.sq_frame = 1;
  oob.short_vport_offset = 2;
  expect_bytes(oob, "340c0b0a 22040002");
  TxLongOob long_oob;
  long_oob.base.format = PacketFormat::long_form;
  long_oob.inject_vlan_tag = true;
  long_oob.priority = 5;
  long_oob.vlan_id = 100;
  long_oob.inner_frame_offset = 1;
  long_oob.long_vport_offset = 0x123;
  expect_bytes(long_oob, "01000000 00000000 08004506 01002301 00000000 00000000");
}

TEST(TransmitOob, IsDecodedInBothForms) {
  const auto from_short = decode_tx_oob(hex("00000000 00000007"));
  ASSERT_TRUE(from_short.has_value());
  EXPECT_EQ(from_short->vport_offset(), 7U);
  const auto from_long =
      decode_tx_oob(hex("01000000 00000000 00000000 00000900 00000000 00000000"));
  ASSERT_TRUE(from_long.has_value());
  EXPECT_EQ(from_long->vport_offset(), 9U);
  EXPECT_EQ(decode_tx_oob(hex("01000000 00000007")).error().rule, Rule::length);
  EXPECT_EQ(decode_tx_oob(hex("02000000 00000007")).error().rule, Rule::member);
}

TEST(Completion, HasItsGoldenBytes) {
  expect_bytes(CqeInfo{0x010203, true, 5}, "030201a1");
  RxCompletion rx;
  rx.header.type = CqeType::rx_okay;
  rx.ip_ok = rx.tcp_ok = rx.udp_ok = true;
  rx.hash_type = 2;
  rx.packets[0] = {98, 0xdeadbeef};
  rx.wqe_offset = 0x40;
  expect_bytes(rx,
               "41000000 0000022a 62000000 00000000 efbeadde"
               "000000000000000000000000 000000000000000000000000 000000000000000000000000"
               "40000000");
  TxCompletion tx;
  tx.header.type = CqeType::tx_invalid_oob;
  tx.header.vendor_error = 0x201;
  tx.wqe_offset = 3;
  expect_bytes(tx,
               "63010200 00000000 60000000 00000000 00000000 00000000 00000000 00000000"
               "00000000 00000000 00000000 00000000 00000000 00000000 00000000");
}

TEST(Completion, OfTheWrongDirectionIsRejected) {
  TxCompletion tx;
  tx.header.type = CqeType::tx_okay;
  const auto bytes = encode(tx);
  ASSERT_TRUE(bytes.has_value());
  const auto rx = decode<RxCompletion>(*bytes);
  ASSERT_FALSE(rx.has_value());
  EXPECT_EQ(rx.error().field, "type");
  EXPECT_EQ(rx.error().value, 32U);
}

TEST(Completion, PhaseDistinguishesFreshEmptyAndOverflow) {
  const std::uint32_t entries = 64;
  EXPECT_EQ(phase_of(0, 64, entries), Phase::empty);
  EXPECT_EQ(phase_of(1, 64, entries), Phase::fresh);
  EXPECT_EQ(phase_of(2, 64, entries), Phase::overflow);
  EXPECT_EQ(phase_of(7, 64 * 8, entries), Phase::empty);
  EXPECT_EQ(phase_of(0, 64 * 8, entries), Phase::fresh);
  EXPECT_EQ(doorbell_tail(64 * 8 + 3, entries), 3U);
}

TEST(Event, HasItsGoldenBytes) {
  expect_bytes(EqeInfo{EventType::channel_init_done, 2, 1}, "83000220");
  expect_bytes(CompletionEvent{0x010203}, "03020100 00000000 00000000");
  expect_bytes(ChannelEqEvent{3, 1}, "03000100 00000000 00000000");
  expect_bytes(ChannelDataEvent{4096, ChannelDatum::max_request}, "00100005 00000000 00000000");
}

TEST(Message, HeaderEqualsThatOfTheDrivers) {
  auto header = standard_request(Command::create_queue, 96, 36);
  header.request.hwc_msg_id = 3;
  header.device = {DeviceType::mana, 1};
  expect_bytes(header,
               "00000000 0c000000 0100 0300 60000000"
               "00000000 0c000000 0100 0000 24000000 0200 0100 00000000");
}

TEST(Message, SizeMustMatchTheReceivedBytes) {
  const auto bytes = encode(standard_request(Command::list_devices, 40, 296));
  ASSERT_TRUE(bytes.has_value());
  EXPECT_TRUE(decode_request_header(*bytes).has_value());
  std::vector<std::uint8_t> longer(bytes->begin(), bytes->end());
  longer.push_back(0);
  EXPECT_EQ(decode_request_header(longer).error().field, "size");
}

TEST(Message, UnknownCommandIsRejected) {
  EXPECT_EQ(command_of(0x20003), Command::config_vport_tx);
  EXPECT_EQ(name_of(Command::config_vport_tx), "CONFIG_VPORT_TX");
  EXPECT_EQ(command_of(0x20009).error().value, 0x20009U);
}

TEST(Message, ListMustFitIntoTheMessage) {
  const auto bytes = hex("0010000000000000 0020000000000000");
  const auto list = NumberList::at("test", bytes, 2);
  ASSERT_TRUE(list.has_value());
  EXPECT_EQ((*list)[1], 0x2000U);
  EXPECT_EQ(NumberList::at("test", bytes, 3).error().rule, Rule::length);
  EXPECT_FALSE(NumberList::at("test", bytes, ~0ULL).has_value());
}

TEST(Message, SizesEqualThoseOfTheDrivers) {
  EXPECT_EQ(40 + CreateQueueRequest::kSize, 96U);
  EXPECT_EQ(40 + VerifyVersionRequest::kSize, 640U);
  EXPECT_EQ(32 + ListDevicesResponse::kSize, 296U);
  EXPECT_EQ(40 + CreateWqObjectRequest::kSize, 88U);
  EXPECT_EQ(32 + StatisticsResponse::kSize, 256U);
}

TEST(Refusal, NamesFieldAndValue) {
  EXPECT_EQ(describe(decode<EqeInfo>(hex("02000000")).error()),
            "EQE info: type has the unknown value 0x2");
  EXPECT_EQ(describe(decode<CqeInfo>(hex("00000002")).error()),
            "CQE info: reserved bits 25-28 must be 0, not 0x1");
  EXPECT_EQ(describe(decode<Sge>(hex("00")).error()), "SGE: length must be 16 bytes, not 1");
  EXPECT_EQ(describe(encode(CqDoorbell{0x1000000, 0, false}).error()),
            "CQ doorbell: id must be at most 0xffffff, not 0x1000000");
  EXPECT_EQ(error_of(decode<Sge>(hex("00")).error()).code, Errc::invalid);
}

}  // namespace
}  // namespace manactl::wire::golden_test
