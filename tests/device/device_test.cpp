// SPDX-License-Identifier: MIT
//
// The device from bring-up to removal, with the test driver.

#include "device/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "device/fixture.h"
#include "wire/hardware_channel.h"

namespace manactl::device::device_test {
namespace {

TEST_F(DeviceTest, SendsElevenEventsWhenTheChannelIsEstablished) {
  ASSERT_TRUE(driver.establish());
  EXPECT_EQ(driver.channel_eq.head, 256U + 11U);
  EXPECT_EQ(driver.channel_data.size(), 9U);
  EXPECT_EQ(driver.channel_data.at(wire::ChannelDatum::queue_depth), 1U);
  EXPECT_EQ(driver.channel_data.at(wire::ChannelDatum::max_response), 4096U);
  EXPECT_EQ(trace.violations(), 0U);
}

TEST_F(DeviceTest, RaisesAnInterruptIfUnreadEventsRemainWhenArmed) {
  ASSERT_TRUE(driver.establish());
  guest.interrupts.clear();
  driver.channel_eq.head -= 6;  // a driver that reads only five events per interrupt
  driver.arm(driver.channel_eq);
  EXPECT_EQ(guest.interrupts.size(), 1U);
  driver.channel_eq.head += 6;
  driver.arm(driver.channel_eq);
  EXPECT_EQ(guest.interrupts.size(), 1U);
}

TEST_F(DeviceTest, BringsUpTwoPorts) {
  driver.bring_up();
  ASSERT_EQ(driver.ports.size(), 2U);
  EXPECT_EQ(driver.ports[0].config.mac, kFirstMac.bytes);
  EXPECT_EQ(driver.ports[1].config.mac[5], 0xd1);
  EXPECT_EQ(driver.ports[1].config.vport, 101U);
  EXPECT_EQ(driver.ports[1].config.indirection_entries, 64U);
  EXPECT_EQ(driver.ports[1].tx_offset, 1U);
  EXPECT_EQ(device.control().regions(), 0U);
  EXPECT_EQ(trace.violations(), 0U);
}

TEST_F(DeviceTest, CanBeSetUpAndTornDownRepeatedly) {
  for (int round = 0; round < 20; ++round) {
    guest.next = MemoryGuest::kFirst;
    std::ranges::fill(guest.ram, std::uint8_t{0});
    driver.bring_up();
    driver.link_down(1);
    driver.link_up(1);
    driver.send(0, frame_to(driver.ports[1].config.mac));
    EXPECT_EQ(driver.receive(1).size(), 1U);
    driver.tear_down();
    EXPECT_EQ(device.queues().eqs().size(), 0U);
    EXPECT_EQ(device.queues().cqs().size(), 0U);
    EXPECT_EQ(device.queues().wqs().size(), 0U);
  }
  EXPECT_EQ(driver.fences, 60U);
  EXPECT_EQ(trace.violations(), 0U);
}

TEST_F(DeviceTest, FreesTheQueuesOfALinkThatGoesDown) {
  driver.bring_up();
  const auto cqs = device.queues().cqs().size(), wqs = device.queues().wqs().size();
  driver.link_down(1);
  EXPECT_EQ(device.queues().cqs().size(), cqs - 2);
  EXPECT_EQ(device.queues().wqs().size(), wqs - 2);
  driver.link_up(1);
  EXPECT_EQ(device.queues().cqs().size(), cqs);
  EXPECT_EQ(device.control().regions(), 0U);
}

// Linux 7.3 requests this version for every queue.
TEST_F(DeviceTest, CreatesAQueueWithTheSecondVersionOfTheResponse) {
  driver.bring_up();
  const auto memory = guest.allocate(4096);
  wire::CreateWqObjectRequest3 create;
  create.base.vport = driver.ports[0].config.vport;
  create.base.wq_bytes = create.base.cq_bytes = 4096;
  create.base.eq_id = driver.eq.id;
  create.base.wq_region = driver.region(memory, 4096);
  create.base.cq_region = driver.region(memory, 4096);
  create.cq_moderation = 1;
  const auto created = driver.call<wire::CreateWqObjectResponse2>(
      wire::Command::create_wq_obj, *wire::encode(create), 2);
  EXPECT_NE(created.base.wq_id, 0U);
  EXPECT_EQ(created.cq_moderation_enabled, 0U);
}

class LargestDevice : public DeviceTest {
 protected:
  LargestDevice() : DeviceTest({"--ports=16", "--queues=64"}) {}
};

TEST_F(LargestDevice, HasAllQueuesOfAllPorts) {
  driver.bring_up();
  const auto memory = guest.allocate(4096);
  wire::CreateWqObjectRequest create;
  create.wq_bytes = create.cq_bytes = 4096;
  create.eq_id = driver.eq.id;
  const auto status = [&](const DriverPort& port, wire::QueueType type) {
    create.vport = port.config.vport;
    create.type = type;
    create.wq_region = driver.region(memory, 4096);
    create.cq_region = driver.region(memory, 4096);
    return driver.request(wire::Command::create_wq_obj, create, 32)->header.status;
  };
  for (const auto& port : driver.ports) {
    for (const auto type : {wire::QueueType::sq, wire::QueueType::rq}) {
      for (int i = 1; i < 64; ++i) ASSERT_EQ(status(port, type), wire::kStatusSuccess);
      EXPECT_EQ(status(port, type), kTooMany);
    }
  }
}

TEST_F(DeviceTest, DiscardsTheStateOfAnEarlierDriver) {
  driver.bring_up();
  const auto wqs = device.queues().wqs().size();
  guest.next = MemoryGuest::kFirst;
  std::ranges::fill(guest.ram, std::uint8_t{0});
  driver.bring_up();
  EXPECT_EQ(device.queues().wqs().size(), wqs);
  EXPECT_EQ(trace.violations(), 0U);
}

TEST_F(DeviceTest, IgnoresALateDoorbellOfTheChannelOnly) {
  driver.bring_up();
  driver.tear_down();
  driver.arm(driver.channel_eq);
  driver.arm(driver.channel_cq);
  EXPECT_EQ(trace.violations(), 0U);
  driver.arm(driver.eq);
  EXPECT_EQ(trace.violations(), 1U);
}

TEST_F(DeviceTest, DoesNotHandleItsOwnResponse) {
  driver.bring_up();
  device.store(kSharedMemoryAt + 28, 0);  // a read of the header, which the trap reports
  driver.request(wire::Command::generate_test_eqe, wire::GenerateTestEqeRequest{driver.eq.id});
  EXPECT_EQ(trace.violations(), 0U);
}

TEST_F(DeviceTest, RejectsUnknownCommands) {
  driver.bring_up();
  const auto response = driver.request(wire::Command(0x20009), wire::GenerateTestEqeRequest{1});
  ASSERT_TRUE(response.has_value());
  EXPECT_EQ(response->header.status, wire::kStatusUnsupported);
}

TEST_F(DeviceTest, TruncatesAResponseToTheExpectedSize) {
  driver.bring_up();
  const auto response = driver.request(
      wire::Command::query_dev_config, *wire::encode(wire::QueryDeviceRequest{{}, 0, 1, 1}), 40, 1);
  ASSERT_TRUE(response.has_value());
  EXPECT_EQ(response->header.status, 0U);
  EXPECT_EQ(response->body.size(), 40U);
  EXPECT_EQ(response->header.response.version, 1U);
}

TEST_F(DeviceTest, ReportsWhyItCannotWriteAResponse) {
  const auto bring_up_with_buffer = [&](const wire::Sge& sge) {
    guest.next = MemoryGuest::kFirst;
    std::ranges::fill(guest.ram, std::uint8_t{0});
    driver.bring_up();
    auto& rq = driver.channel_rq;
    ASSERT_TRUE(guest.write(rq.base + rq.head - 16, *wire::encode(sge)));
  };
  const wire::GenerateTestEqeRequest request{1};
  bring_up_with_buffer({guest.next, 8, 4096});
  EXPECT_FALSE(driver.request(wire::Command::generate_test_eqe, request).has_value());
  bring_up_with_buffer({guest.next, kMemKey, 31});
  EXPECT_FALSE(driver.request(wire::Command::generate_test_eqe, request).has_value());
  EXPECT_THAT(
      trace.kept(),
      testing::ElementsAre(
          testing::HasSubstr("the memory key does not exist"),
          testing::HasSubstr("the 32 bytes of a response do not fit into the buffer of 31")));
}

TEST_F(DeviceTest, RetriesAMaskedInterrupt) {
  driver.bring_up();
  guest.interrupts.clear();
  guest.masked = true;
  driver.request(wire::Command::generate_test_eqe, wire::GenerateTestEqeRequest{driver.eq.id});
  EXPECT_TRUE(device.retry_interrupts());
  EXPECT_TRUE(guest.interrupts.empty());
  guest.masked = false;
  EXPECT_FALSE(device.retry_interrupts());
  EXPECT_EQ(std::ranges::count(guest.interrupts, 1U), 1);
  EXPECT_EQ(driver.poll(driver.eq).size(), 1U);
}

TEST_F(DeviceTest, RespondsToAFenceBeforeItsCompletion) {
  driver.bring_up();
  const auto response =
      driver.request(wire::Command::fence_rq, wire::FenceRqRequest{driver.ports[0].rx.object});
  ASSERT_TRUE(response.has_value());
  EXPECT_TRUE(driver.receive(0).empty());
  EXPECT_EQ(driver.fences, 1U);
}

TEST_F(DeviceTest, RejectsARegionWithMoreBytesThanItsPages) {
  driver.bring_up();
  const auto status = [&](wire::CreateDmaRegionRequest request) {
    const auto page_type = std::exchange(request.page_type, 0U);
    const auto body = *wire::encode(request);
    std::vector<std::uint8_t> bytes(body.begin(), body.end());
    wire::store(bytes, 12, 4, page_type);  // encode() refuses an invalid type
    bytes.resize(bytes.size() + std::size_t{request.listed} * 8);
    return driver.request(wire::Command::create_dma_region, bytes, 1)->header.status;
  };
  EXPECT_EQ(status({8192, 0, 0, 2, 2}), wire::kStatusSuccess);
  EXPECT_EQ(status({8193, 0, 0, 2, 2}), kBadMemory);
  EXPECT_EQ(status({8192, 1, 0, 2, 2}), kBadMemory);
  EXPECT_EQ(status({1, 0, 0, 0, 0}), kBadMemory);
  EXPECT_EQ(status({0, 4096, 0, 2, 2}), kBadMemory);
  EXPECT_EQ(status({0, 0, 10, 2, 2}), kBadMessage);
  EXPECT_EQ(status({UINT64_MAX, 4095, 0, 2, 2}), kBadMemory);
}

TEST_F(DeviceTest, BuildsARegionFromSeveralMessages) {
  driver.bring_up();
  std::vector<std::uint8_t> first(24 + 8), second(16 + 8);
  const auto head = *wire::encode(wire::CreateDmaRegionRequest{8192, 0, 0, 2, 1});
  std::ranges::copy(head, first.begin());
  wire::store(first, 24, 8, 0x200000);
  auto response = driver.request(wire::Command::create_dma_region, first, 8);
  ASSERT_TRUE(response.has_value());
  EXPECT_EQ(response->header.status, wire::kStatusMoreEntries);
  const auto region = wire::decode<wire::CreateDmaRegionResponse>(response->body)->value;
  std::ranges::copy(*wire::encode(wire::AddPagesRequest{region, 1}), second.begin());
  wire::store(second, 16, 8, 0x300000);
  response = driver.request(wire::Command::add_pages, second, 0);
  EXPECT_EQ(response->header.status, 0U);
  response = driver.request(wire::Command::add_pages, second, 0);
  EXPECT_EQ(response->header.status, kBadMessage);
  response =
      driver.request(wire::Command::destroy_dma_region, wire::DestroyDmaRegionRequest{region});
  EXPECT_EQ(response->header.status, 0U);
  EXPECT_EQ(device.control().regions(), 0U);
}

TEST_F(DeviceTest, CountsTraffic) {
  driver.bring_up();
  driver.send(0, frame_to(driver.ports[1].config.mac, 100));
  const auto counters = driver.call<wire::StatisticsResponse>(
      wire::Command::query_gf_stat, *wire::encode(wire::StatisticsRequest{~0ULL}));
  EXPECT_EQ(counters.tx.unicast_packets, 1U);
  EXPECT_EQ(counters.tx.bytes, 100U);
  EXPECT_EQ(counters.rx.unicast_bytes, 100U);
}

}  // namespace
}  // namespace manactl::device::device_test
