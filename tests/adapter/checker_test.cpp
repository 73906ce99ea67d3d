// SPDX-License-Identifier: MIT

#include "adapter/check/checker.h"

#include <gmock/gmock.h>

#include "adapter/driver.h"

namespace manactl::adapter::checker_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using wire::CqeType;

TEST(Rules, HaveUniqueIdsInTheOrderOfTheEnumeration) {
  for (std::size_t i = 0; i < rules().size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(rules()[i].violation), i);
    EXPECT_EQ(std::ranges::count(rules(), rules()[i].id, &Rule::id), 1);
    EXPECT_FALSE(rules()[i].meaning.empty());
  }
}

TEST(Checker, DescribesOnlyTheFirstTwoViolationsOfARule) {
  AdapterCounters counters{};
  Checker checker(counters);
  unsigned described = 0;
  for (int i = 0; i < 1000; ++i) {
    checker.note(Violation::sge_key, [&] { return fmt::format("number {}", ++described); });
  }
  checker.note(Violation::leak, [] { return std::string(1000, 'x'); });
  EXPECT_EQ(checker.count_of(Violation::sge_key), 1000U);
  EXPECT_EQ(checker.total(), 1001U);
  EXPECT_EQ(described, 2U);
  ASSERT_THAT(checker.reports(), SizeIs(3));
  EXPECT_EQ(checker.reports()[1], "sge.key: number 2");
  EXPECT_EQ(checker.reports()[2].size(), kReportBytes - 1);
}

// The program can write to the counters, also at the end of the texts.
TEST(Checker, ReadsNoTextBeyondItsEnd) {
  AdapterCounters counters{};
  counters.report.back().complete = true;
  counters.report.back().text.fill('x');
  counters.driver.fill('x');  // follows the reports
  EXPECT_THAT(Checker(counters).reports(), ElementsAre(std::string(kReportBytes, 'x')));
  EXPECT_EQ(driver_of(counters), std::string(kDriverBytes, 'x'));
}

class CheckerTest : public AdapterTest {
 protected:
  // Returns the completion type of the only posted WQE; no value if that WQE does not complete.
  std::optional<CqeType> completion_type() {
    sq.ring_doorbell();
    adapter.run();
    const auto done = sq.poll();
    return done ? std::optional(done->tx().header.type) : std::nullopt;
  }

  std::uint64_t noted(Violation violation) { return adapter.checker().count_of(violation); }

  Queue sq{adapter.port(0), Direction::send};
};

TEST_F(CheckerTest, NotesAKeyThatIsNotRegistered) {
  sq.post({{address(memory.data()), key + 1, 60}});
  EXPECT_EQ(completion_type(), CqeType::tx_invalid_oob);
  EXPECT_EQ(noted(Violation::sge_key), 1U);
  EXPECT_EQ(counters.port[0].tx_packets, 0U);
  EXPECT_EQ(counters.port[0].tx_errors, 1U);
  EXPECT_THAT(adapter.checker().reports(), ElementsAre(HasSubstr("60 bytes")));
}

TEST_F(CheckerTest, NotesAnSgeOutsideItsRegion) {
  sq.post({piece(memory.size() - 10, 60)});
  EXPECT_EQ(completion_type(), CqeType::tx_invalid_oob);
  EXPECT_EQ(noted(Violation::sge_range), 1U);
}

TEST_F(CheckerTest, NotesAnEmptySge) {
  sq.post({piece(0, 60), piece(0, 0)});
  EXPECT_EQ(completion_type(), CqeType::tx_invalid_oob);
  EXPECT_EQ(noted(Violation::sge_empty), 1U);
}

TEST_F(CheckerTest, NotesEachWrongFieldOfAnOob) {
  auto oob = sq.oob();
  oob.cq_id ^= 1U;
  sq.post({}, oob, {piece(0, 60)});
  EXPECT_EQ(completion_type(), CqeType::tx_invalid_oob);
  oob = sq.oob();
  oob.sq_frame ^= 1U;
  sq.post({}, oob, {piece(0, 60)});
  EXPECT_EQ(completion_type(), CqeType::tx_invalid_oob);
  oob = sq.oob();
  ++oob.short_vport_offset;
  sq.post({}, oob, {piece(0, 60)});
  EXPECT_EQ(completion_type(), CqeType::tx_vport_out_of_range);
  oob = sq.oob();
  oob.format = wire::PacketFormat::long_form;
  sq.post({}, oob, {piece(0, 60)});
  EXPECT_EQ(completion_type(), CqeType::tx_invalid_oob);
  EXPECT_EQ(noted(Violation::oob_cq), 1U);
  EXPECT_EQ(noted(Violation::oob_frame), 1U);
  EXPECT_EQ(noted(Violation::oob_vport), 1U);
  EXPECT_EQ(noted(Violation::oob_format), 1U);
  EXPECT_EQ(violations(), 4U);
}

TEST_F(CheckerTest, ChecksOnlyTheValidFieldsOfALongOob) {
  wire::TxLongOob oob;
  oob.base = sq.oob();
  oob.base.format = wire::PacketFormat::long_form;
  oob.long_vport_offset = 0xee;
  oob.inner_frame_offset = 0x3ff;
  sq.post({.inline_oob = wire::OobSize::large}, oob, {piece(0, 60)});
  EXPECT_EQ(completion_type(), CqeType::tx_okay);
  ++oob.base.short_vport_offset;
  sq.post({.inline_oob = wire::OobSize::large}, oob, {piece(0, 60)});
  EXPECT_EQ(completion_type(), CqeType::tx_vport_out_of_range);
  EXPECT_EQ(noted(Violation::oob_vport), 1U);
}

// DPDK's net_mana stops like this with eight segments per packet and 128 descriptors.
TEST_F(CheckerTest, NotesAFullQueueThatGetsNoCompletion) {
  auto silent = sq.oob();
  silent.suppress_cqe = true;
  const std::vector<wire::Sge> eight(8, piece(0, 60));
  for (int i = 0; i < 25; ++i) sq.post({}, silent, eight);  // 25 * 160 of 4096 bytes
  sq.ring_doorbell();
  adapter.run();
  EXPECT_EQ(noted(Violation::sq_stuck), 0U) << "the driver may send shorter WQEs";
  adapter.port(0).remove(sq.ids.wq);
  EXPECT_EQ(noted(Violation::sq_stuck), 1U);
  EXPECT_THAT(adapter.checker().reports(),
              ElementsAre(HasSubstr("4000 of 4096 bytes are WQEs without completions, and the "
                                    "last WQE had 160 bytes")));
}

TEST_F(CheckerTest, AcceptsAFullQueueThatGetsACompletion) {
  auto silent = sq.oob();
  silent.suppress_cqe = true;
  const std::vector<wire::Sge> eight(8, piece(0, 60));
  for (int i = 0; i < 24; ++i) sq.post({}, silent, eight);
  sq.post({}, sq.oob(), eight);
  sq.ring_doorbell();
  adapter.run();
  adapter.port(0).remove(sq.ids.wq);
  EXPECT_EQ(violations(), 0U);
}

TEST_F(CheckerTest, StopsAQueueAtAMalformedWqe) {
  sq.ring[0] = 1;  // reserved bits
  sq.tail += 32;
  EXPECT_EQ(completion_type(), std::nullopt);
  EXPECT_EQ(noted(Violation::wqe_header), 1U);
  sq.post({piece(0, 60)});
  EXPECT_EQ(completion_type(), std::nullopt);
  EXPECT_EQ(violations(), 1U);
}

TEST_F(CheckerTest, NotesOobsOfAWrongSize) {
  put(sq.ring, 0, wire::WqeHeader{.num_sge = 1, .inline_oob = wire::OobSize::largest});
  sq.tail += 64;
  EXPECT_EQ(completion_type(), std::nullopt);
  EXPECT_EQ(noted(Violation::wqe_oob_size), 1U);
}

TEST_F(CheckerTest, NotesFlagsThatEthernetDoesNotUse) {
  sq.post({.fence = true}, sq.oob(), {piece(0, 60)});
  EXPECT_EQ(completion_type(), CqeType::tx_okay);
  EXPECT_EQ(noted(Violation::wqe_flags), 1U);
}

TEST_F(CheckerTest, NotesAWqeWithoutSges) {
  sq.post(std::vector<wire::Sge>{});
  EXPECT_EQ(completion_type(), std::nullopt);
  EXPECT_EQ(noted(Violation::wqe_sges), 1U);
  sq.post({piece(0, 60)});
  EXPECT_EQ(completion_type(), std::nullopt) << "the start of the next WQE is unknown";
  EXPECT_EQ(violations(), 1U);
}

TEST_F(CheckerTest, NotesMoreSgesThanTheHardwareSupports) {
  sq.ring[4] = 31;
  sq.ring[5] = 2;
  sq.tail += 512;
  EXPECT_EQ(completion_type(), std::nullopt);
  EXPECT_EQ(noted(Violation::wqe_sges), 1U);
}

TEST_F(CheckerTest, NotesAWqeThatTheDoorbellCutsOff) {
  sq.post({piece(0, 20), piece(20, 20), piece(40, 20)});
  sq.tail -= 32;
  EXPECT_EQ(completion_type(), std::nullopt);
  EXPECT_EQ(noted(Violation::wqe_past_doorbell), 1U);
}

TEST_F(CheckerTest, NotesInvalidTails) {
  sq.tail = 16;
  EXPECT_EQ(completion_type(), std::nullopt);
  sq.tail = 4096 + 32;
  EXPECT_EQ(completion_type(), std::nullopt);
  sq.tail = 0U - 32U;
  EXPECT_EQ(completion_type(), std::nullopt);
  EXPECT_EQ(noted(Violation::doorbell_tail), 3U);
}

TEST_F(CheckerTest, NotesFramesOfInvalidLength) {
  sq.post({piece(0, 13)});
  EXPECT_EQ(completion_type(), CqeType::tx_invalid_ethertype);
  sq.post({piece(0, 9015)});
  EXPECT_EQ(completion_type(), CqeType::tx_mtu_drop);
  sq.post({piece(0, 9014)});
  EXPECT_EQ(completion_type(), CqeType::tx_okay);
  EXPECT_EQ(noted(Violation::frame_short), 1U);
  EXPECT_EQ(noted(Violation::frame_long), 1U);
}

TEST_F(CheckerTest, DoesNotCountAVlanTagAsPartOfTheMtu) {
  memory[12] = 0x81;  // an 802.1Q tag
  sq.post({piece(0, 13), piece(13, 9019 - 13)});
  EXPECT_EQ(completion_type(), CqeType::tx_mtu_drop);
  sq.post({piece(0, 13), piece(13, 9018 - 13)});
  EXPECT_EQ(completion_type(), CqeType::tx_okay);
  EXPECT_EQ(noted(Violation::frame_long), 1U);
}

TEST_F(CheckerTest, NotesDoorbellsOfUnknownQueues) {
  auto& port = adapter.port(0);
  port.ring(0, number(wire::SqDoorbell{sq.ids.wq ^ 0x400U, 32}));
  port.ring(0, number(wire::SqDoorbell{sq.ids.cq, 32}));
  port.ring(0x400, number(wire::RqDoorbell{sq.ids.wq, 0, 32}));
  port.ring(0x800, number(wire::CqDoorbell{sq.ids.wq, 0, true}));
  adapter.port(1).ring(0, number(wire::SqDoorbell{sq.ids.wq, 32}));
  port.ring(0, 0);
  EXPECT_EQ(noted(Violation::doorbell_id), 6U);
  port.ring(0x18, 1);
  port.ring(0x1c, 1);
  EXPECT_EQ(noted(Violation::doorbell_offset), 2U);
  port.ring(0, number(wire::SqDoorbell{sq.ids.wq, 0}) | (1U << 24U));
  EXPECT_EQ(noted(Violation::doorbell_reserved), 1U);
}

TEST_F(CheckerTest, NotesADoorbellOfARemovedQueue) {
  sq.post({piece(0, 60)});
  EXPECT_TRUE(adapter.port(0).remove(sq.ids.wq));
  sq.ring_doorbell();
  adapter.run();
  EXPECT_EQ(noted(Violation::doorbell_id), 1U);
  EXPECT_EQ(counters.port[0].tx_packets, 0U);
}

TEST_F(CheckerTest, NotesCompletionMemoryThatIsNotZero) {
  Buffer ring(4096), cq(64 * 64);
  cq[100] = 1;
  EXPECT_TRUE(adapter.port(0).create(Direction::send, {ring.data(), 4096, cq.data(), 64, {}}));
  EXPECT_EQ(noted(Violation::cq_not_zero), 1U);
}

TEST_F(CheckerTest, NotesReceiveBuffersThatAreNotRegistered) {
  loop(0);
  Queue rq(adapter.port(0), Direction::receive);
  spread(0, {rq.ids.wq});
  rq.post({}, wire::TxShortOob{}, {{address(memory.data()), key ^ 1U, 2048}});
  rq.ring_doorbell();
  sq.post({frame_at(0, udp_frame())});
  EXPECT_EQ(completion_type(), CqeType::tx_okay);
  EXPECT_FALSE(rq.poll());
  EXPECT_EQ(noted(Violation::sge_key), 1U);
}

TEST_F(CheckerTest, NotesALongOobInAReceiveWqe) {
  loop(0);
  Queue rq(adapter.port(0), Direction::receive);
  spread(0, {rq.ids.wq});
  rq.post({.inline_oob = wire::OobSize::large}, wire::TxLongOob{}, {piece(4096, 2048)});
  rq.ring_doorbell();
  sq.post({frame_at(0, udp_frame())});
  completion_type();
  EXPECT_EQ(noted(Violation::wqe_oob_size), 1U);
}

}  // namespace
}  // namespace manactl::adapter::checker_test
