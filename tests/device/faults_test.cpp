// SPDX-License-Identifier: MIT

#include <gtest/gtest.h>

#include "device/fixture.h"

namespace manactl::device::faults_test {
namespace {

Fault parsed(std::string_view text) {
  const auto fault = Fault::parse(text);
  EXPECT_TRUE(fault.has_value()) << text;
  return fault.value_or(Fault{});
}

TEST(Faults, AreParsedFromText) {
  EXPECT_EQ(parsed("0x20003=refuse:0x5"), (Fault{0x20003, FaultKind::refuse, 5, 0, UINT64_MAX}));
  EXPECT_EQ(parsed("CONFIG_VPORT_TX=ignore,after=2,times=1"),
            (Fault{0x20003, FaultKind::ignore, 0, 2, 1}));
  EXPECT_EQ(parsed("25=status:ffffffff").status, 0xffffffffU);
  EXPECT_EQ(parsed("any=no-response").code, kFaultAny);
  EXPECT_EQ(parsed("establish=refuse:ff").code, kFaultEstablish);
}

TEST(Faults, AreRejectedWithTheirTextIfInvalid) {
  for (const auto* text : {"",
                           "0x20003",
                           "=ignore",
                           "NO_SUCH=ignore",
                           "0x20003=",
                           "0x20003=explode",
                           "0x20003=refuse",
                           "0x20003=refuse:",
                           "0x20003=refuse:0x100000000",
                           "0x20003=ignore:1",
                           "0x20003=ignore,after",
                           "0x20003=ignore,later=1",
                           "0x20003=ignore,times=-1",
                           "destroy=refuse:0x100"}) {
    const auto fault = Fault::parse(text);
    ASSERT_FALSE(fault.has_value()) << text;
    EXPECT_TRUE(fault.error().message.starts_with("fault '")) << fault.error().message;
  }
}

TEST(Faults, AreFoundBetweenAfterAndTimes) {
  FaultPlan plan;
  plan.add(parsed("1=refuse:1,after=1,times=2"));
  EXPECT_FALSE(plan.find(1).has_value());
  EXPECT_FALSE(plan.find(2).has_value());
  EXPECT_TRUE(plan.find(1).has_value());
  EXPECT_TRUE(plan.find(1).has_value());
  EXPECT_FALSE(plan.find(1).has_value());
}

TEST(Faults, OfAnyMessageDoNotAffectTheSharedMemory) {
  FaultPlan plan;
  plan.add(parsed("any=ignore"));
  EXPECT_FALSE(plan.find(kFaultEstablish).has_value());
  EXPECT_TRUE(plan.find(0x30001).has_value());
}

class FaultsTest : public DeviceTest {
 protected:
  // Replaces all faults with this one.
  void inject(std::string_view text) {
    device.faults().clear();
    device.faults().add(parsed(text));
  }
};

TEST_F(FaultsTest, InjectsARefusal) {
  driver.bring_up();
  inject("QUERY_VPORT_CONFIG=refuse:0xdead,times=1");
  auto response = driver.request(wire::Command::query_vport_config, wire::QueryVportRequest{0}, 32);
  ASSERT_TRUE(response.has_value());
  EXPECT_EQ(response->header.status, 0xdeadU);
  EXPECT_TRUE(response->body.empty());
  response = driver.request(wire::Command::query_vport_config, wire::QueryVportRequest{0}, 32);
  EXPECT_EQ(response->header.status, 0U);
}

TEST_F(FaultsTest, ExecutesACommandForAStatusFaultButNotForARefuseFault) {
  driver.bring_up();
  const auto address = guest.allocate(4096);
  inject("25=refuse:1");
  EXPECT_THROW(driver.region(address, 4096), std::runtime_error);
  EXPECT_EQ(device.control().regions(), 0U);
  inject("25=status:1");
  EXPECT_THROW(driver.region(address, 4096), std::runtime_error);
  EXPECT_EQ(device.control().regions(), 1U);
}

TEST_F(FaultsTest, CountsOnlyKnownCommandsAsExecuted) {
  driver.bring_up();
  const auto before = device.executed().size();
  inject("any=status:0");
  for (std::uint32_t i = 0; i < 10; ++i) {
    const auto command = static_cast<wire::Command>(0x7000 + i);
    const auto response = driver.request(command, wire::QueryVportRequest{0}, 32);
    ASSERT_TRUE(response.has_value());
    EXPECT_EQ(response->header.status, 0U);
  }
  EXPECT_EQ(device.executed().size(), before);
}

TEST_F(FaultsTest, OmitsAResponse) {
  driver.bring_up();
  const auto address = guest.allocate(4096);
  inject("25=ignore,times=1");
  EXPECT_THROW(driver.region(address, 4096), std::runtime_error);
  EXPECT_EQ(device.control().regions(), 0U);
  inject("25=no-response,times=1");
  EXPECT_THROW(driver.region(address, 4096), std::runtime_error);
  EXPECT_EQ(device.control().regions(), 1U);
  EXPECT_NO_THROW(driver.region(address, 4096));
}

TEST_F(FaultsTest, OmitsTheBodyOfAResponse) {
  driver.bring_up();
  inject("25=short");
  EXPECT_THROW(driver.region(guest.allocate(4096), 4096), std::runtime_error);
}

TEST_F(FaultsTest, AffectsTheSharedMemoryChannel) {
  inject("establish=refuse:0x47,times=1");
  EXPECT_FALSE(driver.establish());
  EXPECT_EQ(guest.shared[29], 0x47);
  EXPECT_EQ(device.queues().eqs().size(), 0U);
  device.faults().clear();
  EXPECT_TRUE(driver.establish());
  inject("destroy=ignore");
  EXPECT_FALSE(driver.destroy());
}

}  // namespace
}  // namespace manactl::device::faults_test
