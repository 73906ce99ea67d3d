// SPDX-License-Identifier: MIT
//
// Limits for what a guest can make the device keep, and for the work of one doorbell.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapter/tcp_frame.h"
#include "device/fixture.h"

namespace manactl::device::limits_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using wire::Command;
using wire::CqeType;

constexpr std::uint32_t kMaxPages = 1U << 16U;

class LimitsTest : public DeviceTest {
 protected:
  LimitsTest() { driver.bring_up(); }

  // Announces a region with as many pages as possible. Returns its handle, or 0 if it is refused.
  std::uint64_t new_region() {
    const wire::CreateDmaRegionRequest create{4096, 0, 0, kMaxPages, 0};
    const auto response = driver.request(Command::create_dma_region, create, 8);
    if (response->header.status != wire::kStatusMoreEntries) {
      EXPECT_EQ(response->header.status, std::uint32_t{kTooMany});
      return 0;
    }
    return wire::load(response->body, 0, 8);
  }

  std::uint32_t destroy(std::uint64_t region) {
    const wire::DestroyDmaRegionRequest body{region};
    return driver.request(Command::destroy_dma_region, body)->header.status;
  }

  std::uint64_t new_pd() {
    return driver
        .call<wire::CreatePdResponse>(Command::create_pd, *wire::encode(wire::CreatePdRequest{}))
        .pd;
  }

  std::vector<std::string> warnings;
  Trace quiet{{}, [this](const std::string& text) { warnings.push_back(text); }};
};

TEST_F(LimitsTest, RefuseRegionsBeyondTheMemoryOfAGuest) {
  const auto before = device.memory().used();
  std::vector<std::uint64_t> regions;
  for (auto handle = new_region(); handle != 0; handle = new_region()) regions.push_back(handle);
  EXPECT_LE(device.memory().used(), kGuestMemory);
  EXPECT_LE(regions.size() * kMaxPages * sizeof(std::uint64_t), kGuestMemory);
  EXPECT_GT(regions.size(), 100U);
  EXPECT_EQ(new_region(), 0U);
  EXPECT_EQ(destroy(regions.back()), 0U);
  regions.back() = new_region();
  EXPECT_NE(regions.back(), 0U) << "the memory of the destroyed region can be used again";
  for (const auto handle : regions) EXPECT_EQ(destroy(handle), 0U);
  EXPECT_EQ(device.memory().used(), before);
  device.reset();
  EXPECT_EQ(device.memory().used(), 0U);
}

// A region is then no longer among those of CREATE_DMA_REGION.
TEST_F(LimitsTest, CountTheRegionsOfQueuesAndKeys) {
  const auto used = [&] { return device.memory().used(); };
  const auto before = used();
  driver.create_eq();
  EXPECT_GT(used(), before);
  const auto pd = new_pd();
  const auto with_eq = used();
  const auto region = driver.region(guest.allocate(8192), 8192);
  const auto with_region = used();
  EXPECT_GT(with_region, with_eq);
  const wire::CreateMrRequest create{pd, wire::MrType::gva, region, 0x7f0000000000, 3};
  const auto mr = driver.call<wire::CreateMrResponse>(Command::create_mr, *wire::encode(create));
  EXPECT_GT(used(), with_region);
  EXPECT_EQ(driver.request(Command::destroy_mr, wire::DestroyMrRequest{mr.mr})->header.status, 0U);
  EXPECT_EQ(used(), with_eq);
}

TEST_F(LimitsTest, RefuseAddressesBeyondTheMemoryOfAGuest) {
  const auto events = driver.create_eq();
  const auto adapter =
      driver
          .call<wire::CreateAdapterResponse>(
              Command::rnic_create_adapter, *wire::encode(wire::CreateAdapterRequest{events.id, 0}))
          .value;
  while (new_region() != 0) continue;
  wire::ConfigMacRequest add{adapter, wire::AddressOperation::add, kFirstMac.bytes};
  const auto status = [&] {
    return driver.request(Command::rnic_config_mac_addr, add)->header.status;
  };
  unsigned added = 0;
  while (status() == 0 && added <= kMaxPages * sizeof(std::uint64_t) / kObjectBytes) ++added;
  EXPECT_EQ(status(), std::uint32_t{kTooMany});
  EXPECT_GT(added, 0U);
  add.operation = wire::AddressOperation::remove;
  EXPECT_EQ(status(), 0U);
  add.operation = wire::AddressOperation::add;
  EXPECT_EQ(status(), 0U);
}

TEST_F(LimitsTest, AreReportedOncePerKind) {
  Device other(guest, options, quiet);
  Driver its_driver(guest, other);
  its_driver.bring_up();
  const wire::CreateDmaRegionRequest create{4096, 0, 0, kMaxPages, 0};
  for (int i = 0; i < 300; ++i) its_driver.request(Command::create_dma_region, create, 8);
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("no more memory regions")));
}

class WorkTest : public LimitsTest {
 protected:
  // WQEs that send the frame in segments with `unit` bytes of payload, or in one piece if it is 0.
  std::vector<std::uint8_t> wqes(std::size_t count,
                                 std::span<const std::uint8_t> frame,
                                 std::uint16_t unit = 0,
                                 std::size_t port = 0) {
    const auto address = guest.allocate(frame.size());
    EXPECT_TRUE(guest.write(address, frame));
    const wire::Sge sge{address, kMemKey, static_cast<std::uint32_t>(frame.size())};
    wire::WqeHeader header;
    header.client_data_unit = unit;
    header.client_oob_in_sgl = unit != 0;
    header.last_vbytes = 54;
    const auto one = Driver::wqe(header, *wire::encode(driver.oob(port)), {&sge, 1});
    std::vector<std::uint8_t> all;
    while (count-- > 0) all.insert(all.end(), one.begin(), one.end());
    return all;
  }

  // The completions since the last call.
  std::vector<wire::TxCompletion> completions(std::size_t port = 0) {
    std::vector<wire::TxCompletion> found;
    for (const auto& entry : driver.poll(driver.ports[port].tx.completions))
      found.push_back(*wire::decode<wire::TxCompletion>(entry.data));
    return found;
  }

  wire::TxCompletion send(std::span<const std::uint8_t> frame, std::uint16_t unit) {
    driver.post(driver.ports[0].tx.work, wqes(1, frame, unit));
    EXPECT_FALSE(device.has_work());
    return completions().at(0);
  }

  const std::vector<std::uint8_t> longest = std::vector<std::uint8_t>(1U << 18U);
};

TEST_F(WorkTest, OfADoorbellIsLimited) {
  constexpr std::size_t kWqes = 60;
  driver.post(driver.ports[0].tx.work, wqes(kWqes, longest));
  auto done = completions();
  EXPECT_GT(done.size(), 0U);
  EXPECT_LE(done.size(), 16U);
  while (device.has_work()) {
    device.work();
    const auto more = completions();
    EXPECT_GT(more.size(), 0U);
    EXPECT_LE(more.size(), 16U);
    done.insert(done.end(), more.begin(), more.end());
  }
  ASSERT_EQ(done.size(), kWqes);
  for (std::size_t i = 0; i < kWqes; ++i) EXPECT_EQ(done[i].wqe_offset, i);
  device.work();
  EXPECT_TRUE(completions().empty());
}

TEST_F(WorkTest, IsSharedBetweenSendQueues) {
  driver.post(driver.ports[0].tx.work, wqes(60, longest, 0, 0));
  driver.post(driver.ports[1].tx.work, wqes(60, longest, 0, 1));
  completions(0);
  completions(1);
  for (int i = 0; i < 2; ++i) {
    device.work();
    device.work();
    EXPECT_FALSE(completions(0).empty());
    EXPECT_FALSE(completions(1).empty());
  }
}

TEST_F(WorkTest, AddsNothingToADoorbellWhileWorkRemains) {
  driver.post(driver.ports[0].tx.work, wqes(60, longest));
  completions();
  driver.post(driver.ports[0].tx.work, wqes(60, longest));
  EXPECT_TRUE(completions().empty());
  EXPECT_TRUE(device.has_work());
}

TEST_F(WorkTest, EndsWithTheQueue) {
  driver.post(driver.ports[0].tx.work, wqes(60, longest));
  driver.link_down(0);
  device.work();
  EXPECT_FALSE(device.has_work());
  driver.post(driver.ports[1].tx.work, wqes(60, longest, 0, 1));
  device.reset();
  EXPECT_FALSE(device.has_work());
}

TEST_F(WorkTest, EndsIfTheFunctionIsTakenAway) {
  driver.post(driver.ports[0].tx.work, wqes(60, longest));
  device.revoke();
  EXPECT_FALSE(device.has_work());
}

TEST_F(WorkTest, OfARequestIsLimited) {
  const auto frame = adapter::tcp_frame(false, Packets::kMaxSegments);
  EXPECT_EQ(send(frame, 1).header.type, CqeType::tx_header_error);
  const auto counters = [&] { return device.vports().all()[0].counters.tx.unicast_packets; };
  EXPECT_EQ(counters(), 0U);
  EXPECT_EQ(send(frame, 2).header.type, CqeType::tx_okay);
  EXPECT_EQ(counters(), (Packets::kMaxSegments + 1) / 2);
}

}  // namespace
}  // namespace manactl::device::limits_test
