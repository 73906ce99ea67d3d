// SPDX-License-Identifier: MIT
//
// The requests of the RDMA driver, from probe to removal.

#include "device/rdma.h"

#include <gtest/gtest.h>

#include "device/fixture.h"

namespace manactl::device::rdma_test {
namespace {

using wire::Command;

class RdmaTest : public DeviceTest {
 protected:
  void SetUp() override {
    driver.bring_up();
    driver.device_type = wire::DeviceType::mana_ib;
    const auto registered = driver.call<wire::RegisterDeviceResponse>(Command::register_device, {});
    EXPECT_EQ(registered.pd_id, kPdId);
    events = driver.create_eq();
    adapter = driver
                  .call<wire::CreateAdapterResponse>(
                      Command::rnic_create_adapter,
                      *wire::encode(wire::CreateAdapterRequest{events.id, 0}))
                  .value;
  }

  template <class Body>
  std::uint32_t status(Command command, const Body& body) {
    const auto response = driver.request(command, body);
    return response ? response->header.status : ~0U;
  }

  wire::CreatePdResponse new_pd() {
    return driver.call<wire::CreatePdResponse>(Command::create_pd,
                                               *wire::encode(wire::CreatePdRequest{}));
  }

  ReadQueue events;
  std::uint64_t adapter = 0;
};

TEST_F(RdmaTest, ReportsNonzeroLimits) {
  const auto caps = driver.call<wire::AdapterCapabilities>(Command::rnic_get_adapter_cap, {});
  EXPECT_GE(caps.requester_sq_bytes, 512U * 256U);
  EXPECT_GE(caps.requester_rq_bytes, 256U * 256U);
  EXPECT_EQ(caps.max_recv_sges, 15U);
  EXPECT_GT(caps.max_pds, 0U);
}

TEST_F(RdmaTest, AllocatesADoorbellPageForEachProcess) {
  const wire::AllocateResourcesRequest one{wire::ResourceType::doorbell_page, 1, 0, 0};
  const auto ask = [&] {
    return driver
        .call<wire::AllocateResourcesResponse>(Command::allocate_resource_range, *wire::encode(one))
        .value;
  };
  for (auto page = Rdma::kFirstPage; page < kDoorbellPages; ++page) EXPECT_EQ(ask(), page);
  EXPECT_EQ(status(Command::allocate_resource_range, one), kTooMany);
  const wire::DestroyResourcesRequest back{wire::ResourceType::doorbell_page, 1, 2};
  EXPECT_EQ(status(Command::destroy_resource_range, back), 0U);
  EXPECT_EQ(status(Command::destroy_resource_range, back), kNoSuchObject);
  EXPECT_EQ(ask(), 2U);
}

TEST_F(RdmaTest, AlignsDoorbellPagesForLargerPagesOfTheCpu) {
  const auto ask = [&](std::uint32_t alignment) {
    const wire::AllocateResourcesRequest one{wire::ResourceType::doorbell_page, 1, alignment, 0};
    return driver
        .call<wire::AllocateResourcesResponse>(Command::allocate_resource_range, *wire::encode(one))
        .value;
  };
  EXPECT_EQ(ask(4), 4U);  // pages of 16 KiB
  EXPECT_EQ(ask(4), 8U);
  EXPECT_EQ(ask(16), 16U);  // 64 KiB
  EXPECT_EQ(ask(16), 32U);
  EXPECT_EQ(ask(16), 48U);
  const wire::AllocateResourcesRequest fourth{wire::ResourceType::doorbell_page, 1, 16, 0};
  EXPECT_EQ(status(Command::allocate_resource_range, fourth), kTooMany);
  EXPECT_EQ(ask(1), 2U);  // 4 KiB
}

TEST_F(RdmaTest, AssignsUniqueProtectionDomainIds) {
  const auto first = new_pd(), second = new_pd();
  EXPECT_NE(first.pd_id, kPdId);
  EXPECT_NE(first.pd_id, second.pd_id);
  EXPECT_EQ(status(Command::destroy_pd, wire::DestroyPdRequest{first.pd}), 0U);
  EXPECT_EQ(status(Command::destroy_pd, wire::DestroyPdRequest{first.pd}), kNoSuchObject);
  EXPECT_EQ(new_pd().pd_id, first.pd_id);
}

TEST_F(RdmaTest, CreatesAMemoryRegionFromADmaRegion) {
  const auto pd = new_pd().pd;
  const auto region = driver.region(guest.allocate(8192), 8192);
  const wire::CreateMrRequest create{pd, wire::MrType::gva, region, 0x7f0000000000, 3};
  const auto mr = driver.call<wire::CreateMrResponse>(Command::create_mr, *wire::encode(create));
  EXPECT_EQ(device.control().regions(), 0U);
  EXPECT_EQ(status(Command::create_mr, create), kNoSuchObject);
  EXPECT_EQ(status(Command::destroy_pd, wire::DestroyPdRequest{pd}), kInUse);
  EXPECT_EQ(status(Command::destroy_mr, wire::DestroyMrRequest{mr.mr}), 0U);
  EXPECT_EQ(status(Command::destroy_mr, wire::DestroyMrRequest{mr.mr}), kNoSuchObject);
  EXPECT_EQ(status(Command::destroy_pd, wire::DestroyPdRequest{pd}), 0U);
}

TEST_F(RdmaTest, CreatesAMemoryRegionForAllOfTheMemory) {
  const auto pd = new_pd();
  const wire::CreateMrRequest create{pd.pd, wire::MrType::gpa, 0, 0, 0};
  const auto mr = driver.call<wire::CreateMrResponse>(Command::create_mr, *wire::encode(create));
  auto& keys = device.memory_keys();
  const auto address = guest.allocate(4096);
  const std::vector<std::uint8_t> bytes(16, 0xaa);
  EXPECT_EQ(keys.write({address, mr.local_key, 0}, pd.pd_id, bytes), std::nullopt);
  EXPECT_EQ(keys.write({address, mr.local_key, 0}, kPdId, bytes), SgeFault::other_pd);
  EXPECT_EQ(status(Command::destroy_mr, wire::DestroyMrRequest{mr.mr}), 0U);
  EXPECT_EQ(keys.write({address, mr.local_key, 0}, pd.pd_id, bytes), SgeFault::unknown_key);
}

TEST_F(RdmaTest, StoresTheAddressesOfTheAdapter) {
  using Operation = wire::AddressOperation;
  wire::ConfigIpRequest ip{adapter, Operation::add, wire::IpVersion::v4, {10, 9, 0, 5}};
  EXPECT_EQ(status(Command::rnic_config_ip_addr, ip), 0U);
  EXPECT_EQ(status(Command::rnic_config_ip_addr, ip), 0U);
  ip.operation = Operation::remove;
  EXPECT_EQ(status(Command::rnic_config_ip_addr, ip), 0U);
  EXPECT_EQ(status(Command::rnic_config_ip_addr, ip), 0U);
  EXPECT_EQ(status(Command::rnic_config_ip_addr, ip), kNoSuchObject);
  const wire::ConfigMacRequest mac{adapter, Operation::add, kFirstMac.bytes};
  EXPECT_EQ(status(Command::rnic_config_mac_addr, mac), 0U);
  EXPECT_EQ(status(Command::rnic_config_mac_addr,
                   wire::ConfigMacRequest{adapter + 1, Operation::add, kFirstMac.bytes}),
            kNoSuchObject);
}

TEST_F(RdmaTest, AllowsOnlyOneAdapter) {
  const wire::CreateAdapterRequest again{events.id, 0};
  EXPECT_EQ(status(Command::rnic_create_adapter, again), kInUse);
  EXPECT_EQ(status(Command::rnic_destroy_adapter, wire::DestroyAdapterRequest{adapter}), 0U);
  EXPECT_EQ(status(Command::rnic_create_adapter, wire::CreateAdapterRequest{events.id + 9, 0}),
            kNoSuchObject);
  EXPECT_EQ(status(Command::rnic_create_adapter, again), 0U);
}

TEST_F(RdmaTest, CanBeRemovedWhileThePortsStayUp) {
  new_pd();
  EXPECT_EQ(device.rdma().objects(), 2U);
  driver.request(Command::deregister_device, std::span<const std::uint8_t>(), 0);
  EXPECT_EQ(device.rdma().objects(), 0U);
  driver.send(0, frame_to(driver.ports[1].config.mac));
  EXPECT_EQ(driver.receive(1).size(), 1U);
  EXPECT_EQ(trace.violations(), 0U);
}

}  // namespace
}  // namespace manactl::device::rdma_test
