// SPDX-License-Identifier: MIT
//
// Frames between ports, and invalid WQEs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "device/fixture.h"

namespace manactl::device::packets_test {
namespace {

using wire::CqeType;
using Frames = std::vector<std::vector<std::uint8_t>>;

class PacketsTest : public DeviceTest {
 protected:
  PacketsTest() : DeviceTest({"--ports=3"}) { driver.bring_up(); }

  wire::Sge buffer(std::uint32_t bytes) { return {guest.allocate(bytes), kMemKey, bytes}; }

  CqeType send(const wire::TxShortOob& oob, const wire::Sge& sge, wire::WqeHeader header = {}) {
    driver.send(0, header, oob, {&sge, 1});
    return driver.tx_results.empty() ? CqeType::invalid : driver.tx_results.back();
  }
};

TEST_F(PacketsTest, ReachThePortWithTheAddress) {
  const auto frame = frame_to(driver.ports[1].config.mac);
  driver.send(0, frame);
  EXPECT_EQ(driver.tx_results, std::vector{CqeType::tx_okay});
  ASSERT_EQ(driver.receive(1), Frames{frame});
  EXPECT_TRUE(driver.receive(2).empty());
  EXPECT_TRUE(driver.receive(0).empty());
  EXPECT_EQ(trace.violations(), 0U);
}

TEST_F(PacketsTest, ReachEveryOtherPortIfBroadcast) {
  const auto frame = frame_to({0xff, 0xff, 0xff, 0xff, 0xff, 0xff});
  driver.send(1, frame);
  EXPECT_EQ(driver.receive(0), Frames{frame});
  EXPECT_EQ(driver.receive(2), Frames{frame});
  EXPECT_TRUE(driver.receive(1).empty());
}

TEST_F(PacketsTest, WrapAroundTheRings) {
  for (int i = 0; i < 1000; ++i) {
    const auto there =
        frame_to(driver.ports[1].config.mac, 60 + static_cast<std::size_t>(i) % 1455);
    driver.send(0, there);
    ASSERT_EQ(driver.receive(1), Frames{there}) << i;
  }
  EXPECT_EQ(driver.tx_results.size(), 1000U);
  EXPECT_EQ(trace.violations(), 0U);
}

TEST_F(PacketsTest, RaiseOneEventPerArming) {
  guest.interrupts.clear();
  const auto frame = frame_to(driver.ports[1].config.mac);
  driver.send(0, frame);
  driver.send(0, frame);
  driver.poll(driver.eq);
  driver.arm(driver.eq);
  const auto raised = guest.interrupts.size();
  driver.send(0, frame);  // the CQ of the RQ is not armed again
  EXPECT_EQ(driver.receive(1).size(), 3U);
  driver.poll(driver.eq);
  driver.arm(driver.eq);
  driver.send(0, frame);
  EXPECT_GT(guest.interrupts.size(), raised);
  EXPECT_EQ(driver.receive(1).size(), 1U);
}

TEST_F(PacketsTest, AreDroppedAndCountedWithoutABuffer) {
  const auto frame = frame_to(driver.ports[1].config.mac);
  for (int i = 0; i < 10; ++i) driver.send(0, frame);
  EXPECT_EQ(driver.receive(1).size(), 8U);
  EXPECT_EQ(device.vports().all()[1].counters.rx_no_wqe, 2U);
}

TEST_F(PacketsTest, AreDroppedWhileReceiveIsOff) {
  driver.link_down(1);
  driver.send(0, frame_to(driver.ports[1].config.mac));
  EXPECT_EQ(driver.tx_results.back(), CqeType::tx_okay);
  EXPECT_EQ(device.vports().all()[1].counters.rx_vport_disabled, 1U);
  driver.link_up(1);
  driver.send(0, frame_to(driver.ports[1].config.mac));
  EXPECT_EQ(driver.receive(1).size(), 1U);
}

TEST_F(PacketsTest, AreTruncatedToTheBuffer) {
  auto& rq = driver.ports[1].rx.work;
  driver.link_down(2);
  driver.link_up(2);
  const auto address = guest.allocate(64);
  for (int i = 0; i < 8; ++i) driver.send(0, frame_to(driver.ports[1].config.mac));
  driver.poll(driver.ports[1].rx.completions);
  const wire::Sge sge{address, kMemKey, 64};
  driver.post(rq, Driver::wqe({}, std::array<std::uint8_t, 8>{}, {&sge, 1}));
  driver.send(0, frame_to(driver.ports[1].config.mac, 1000));
  const auto entries = driver.poll(driver.ports[1].rx.completions);
  ASSERT_EQ(entries.size(), 1U);
  const auto done = wire::decode<wire::RxCompletion>(entries[0].data);
  EXPECT_EQ(done->header.type, CqeType::rx_truncated);
  EXPECT_EQ(done->packets[0].length, 64U);
}

TEST_F(PacketsTest, WithAWrongOobAreRejected) {
  auto oob = driver.oob(0);
  oob.short_vport_offset = 1;
  EXPECT_EQ(send(oob, buffer(64)), CqeType::tx_vport_out_of_range);
  oob = driver.oob(0);
  oob.cq_id += 1;
  EXPECT_EQ(send(oob, buffer(64)), CqeType::tx_invalid_oob);
  EXPECT_EQ(send(driver.oob(0), buffer(13)), CqeType::tx_invalid_ethertype);
  EXPECT_EQ(send(driver.oob(0), buffer(1515)), CqeType::tx_mtu_drop);
  EXPECT_EQ(send(driver.oob(0), buffer(1514)), CqeType::tx_okay);
  EXPECT_EQ(trace.violations(), 4U);
}

TEST_F(PacketsTest, OutsideMemoryAreRejected) {
  auto sge = buffer(64);
  sge.mem_key = 8;
  EXPECT_EQ(send(driver.oob(0), sge), CqeType::tx_invalid_oob);
  EXPECT_THAT(trace.kept(),
              testing::ElementsAre(testing::HasSubstr("the memory key does not exist")));
  for (const std::uint64_t address :
       std::initializer_list<std::uint64_t>{0,
                                            ~0ULL,
                                            ~0ULL - 63,
                                            MemoryGuest::kFirst - 1,
                                            MemoryGuest::kFirst + MemoryGuest::kBytes - 63}) {
    EXPECT_EQ(send(driver.oob(0), {address, kMemKey, 64}), CqeType::tx_invalid_oob);
  }
  EXPECT_EQ(send(driver.oob(0), {MemoryGuest::kFirst, kMemKey, ~0U}), CqeType::tx_invalid_oob);
}

TEST_F(PacketsTest, WithSuppressedCompletionsCompleteOnlyOnErrors) {
  auto oob = driver.oob(0);
  oob.suppress_cqe = true;
  EXPECT_EQ(send(oob, buffer(64)), CqeType::invalid);
  EXPECT_EQ(send(oob, buffer(13)), CqeType::tx_invalid_ethertype);
}

TEST_F(PacketsTest, BehindAMalformedWqeAreNotSent) {
  auto& sq = driver.ports[0].tx.work;
  driver.post(sq, std::vector<std::uint8_t>(32, 0xff));
  driver.send(0, frame_to(driver.ports[1].config.mac));
  EXPECT_TRUE(driver.tx_results.empty());
  EXPECT_EQ(trace.violations(), 1U);
  driver.link_down(0);
  driver.link_up(0);
  driver.send(0, frame_to(driver.ports[1].config.mac));
  EXPECT_EQ(driver.tx_results, std::vector{CqeType::tx_okay});
}

TEST_F(PacketsTest, BeyondTheTailAreNotSent) {
  auto& sq = driver.ports[0].tx.work;
  const wire::Sge sges[] = {buffer(64), buffer(64)};
  auto wqe = Driver::wqe({}, *wire::encode(driver.oob(0)), sges);
  ASSERT_EQ(wqe.size(), 64U);
  wqe.resize(32);
  driver.post(sq, wqe);
  EXPECT_EQ(trace.violations(), 1U);
  EXPECT_TRUE(device.queues().wqs().find(sq.id)->broken);
  EXPECT_TRUE(driver.poll(driver.ports[0].tx.completions).empty());
}

TEST_F(PacketsTest, AreNotSentForATailBeyondTheRing) {
  auto& sq = driver.ports[0].tx.work;
  const auto ring = [&](std::uint32_t tail) {
    device.store(kDoorbellsAt + kDoorbellPageId * kDoorbellPageBytes,
                 wire::load(*wire::encode(wire::SqDoorbell{sq.id, tail}), 0, 8));
  };
  ring(sq.head + sq.bytes + 32);
  ring(sq.head + 1);
  ring(sq.head - 32);
  EXPECT_THAT(trace.kept(),
              testing::AllOf(testing::SizeIs(3), testing::Each(testing::HasSubstr("tail"))));
  driver.send(0, frame_to(driver.ports[1].config.mac));
  EXPECT_EQ(driver.tx_results, std::vector{CqeType::tx_okay});
}

// With random rings and messages, the device must not crash and must work for the next driver.
TEST_F(PacketsTest, SurviveRandomRings) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    for (auto* queue : {&driver.channel_sq,
                        &driver.channel_rq,
                        &driver.ports[0].tx.work,
                        &driver.ports[1].rx.work}) {
      for (std::uint32_t at = 0; at < queue->bytes;
           at += 1 + static_cast<std::uint32_t>(random() % 64)) {
        guest.ram[queue->base - MemoryGuest::kFirst + at] = static_cast<std::uint8_t>(random());
      }
      queue->head += 32 * static_cast<std::uint32_t>(random() % 8);
      const auto bell = *wire::encode(wire::SqDoorbell{queue->id, queue->head});
      device.store(kDoorbellsAt + kDoorbellPageId * kDoorbellPageBytes + (queue->is_sq ? 0 : 0x400),
                   wire::load(bell, 0, 8));
      device.store(kDoorbellsAt + static_cast<std::uint32_t>(random() % 0x4000),
                   (std::uint64_t{random()} << 32U) | random());
    }
    guest.next = MemoryGuest::kFirst;
    std::ranges::fill(guest.ram, std::uint8_t{0});
    driver.bring_up();
  }
  driver.tx_results.clear();
  driver.send(0, frame_to(driver.ports[1].config.mac));
  EXPECT_EQ(driver.tx_results, std::vector{CqeType::tx_okay});
}

TEST_F(PacketsTest, SurviveRandomMessages) {
  std::mt19937 random(8);
  std::vector<wire::Command> commands;
  for (const auto& member : wire::members(wire::Command{})) commands.push_back(member.value);
  for (int round = 0; round < 3000; ++round) {
    std::vector<std::uint8_t> body(random() % 700);
    for (auto& byte : body) byte = static_cast<std::uint8_t>(random() % 3 == 0 ? random() : 0);
    const auto response = driver.request(
        commands[random() % commands.size()], body, static_cast<std::uint32_t>(random() % 300));
    ASSERT_TRUE(response.has_value());
  }
}

}  // namespace
}  // namespace manactl::device::packets_test
