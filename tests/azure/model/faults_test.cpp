// SPDX-License-Identifier: MIT

#include <gtest/gtest.h>

#include "azure/model/fixture.h"

namespace manactl::azure {
namespace {

Fault parsed(std::string_view text) {
  const auto fault = Fault::parse(text);
  EXPECT_TRUE(fault.has_value()) << text;
  return fault.value_or(Fault{});
}

TEST(Faults, AreReadFromText) {
  EXPECT_EQ(parsed("0x20003=refuse:0x5"), (Fault{0x20003, FaultKind::refuse, 5, 0, UINT64_MAX}));
  EXPECT_EQ(parsed("CONFIG_VPORT_TX=silent,after=2,times=1"),
            (Fault{0x20003, FaultKind::silent, 0, 2, 1}));
  EXPECT_EQ(parsed("25=status:ffffffff").status, 0xffffffffU);
  EXPECT_EQ(parsed("any=late").code, kFaultAny);
  EXPECT_EQ(parsed("establish=refuse:ff").code, kFaultEstablish);
}

TEST(Faults, ThatMakeNoSenseAreRefusedWithTheirText) {
  for (const auto* text : {"",
                           "0x20003",
                           "=silent",
                           "NO_SUCH=silent",
                           "0x20003=",
                           "0x20003=explode",
                           "0x20003=refuse",
                           "0x20003=refuse:",
                           "0x20003=refuse:0x100000000",
                           "0x20003=silent:1",
                           "0x20003=silent,after",
                           "0x20003=silent,later=1",
                           "0x20003=silent,times=-1",
                           "destroy=refuse:0x100"}) {
    const auto fault = Fault::parse(text);
    ASSERT_FALSE(fault.has_value()) << text;
    EXPECT_TRUE(fault.error().message.starts_with("fault '")) << fault.error().message;
  }
}

TEST(Faults, StrikeWhenTheyAreDue) {
  FaultPlan plan;
  plan.add(parsed("1=refuse:1,after=1,times=2"));
  EXPECT_FALSE(plan.strike(1).has_value());
  EXPECT_FALSE(plan.strike(2).has_value());
  EXPECT_TRUE(plan.strike(1).has_value());
  EXPECT_TRUE(plan.strike(1).has_value());
  EXPECT_FALSE(plan.strike(1).has_value());
}

TEST(Faults, OfTheFileReplaceThoseOfTheFileBefore) {
  FaultPlan plan;
  ASSERT_TRUE(plan.replace_late("# a comment\n1=silent,times=1\n\n2=late\n").has_value());
  EXPECT_TRUE(plan.strike(1).has_value());
  ASSERT_TRUE(plan.replace_late("1=silent,times=1\n").has_value());
  EXPECT_FALSE(plan.strike(1).has_value()) << "it has struck already";
  EXPECT_FALSE(plan.strike(2).has_value());
  EXPECT_FALSE(plan.replace_late("nonsense\n").has_value());
}

TEST(Faults, OfAnyMessageLeaveTheSharedMemoryAlone) {
  FaultPlan plan;
  plan.add(parsed("any=silent"));
  EXPECT_FALSE(plan.strike(kFaultEstablish).has_value());
  EXPECT_TRUE(plan.strike(0x30001).has_value());
}

TEST_F(DeviceTest, RefusesWhatItIsToldTo) {
  driver.bring_up();
  late_faults = "QUERY_VPORT_CONFIG=refuse:0xdead,times=1";
  auto answer = driver.request(wire::Command::query_vport_config, wire::QueryVportRequest{0}, 32);
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->header.status, 0xdeadU);
  EXPECT_TRUE(answer->body.empty());
  answer = driver.request(wire::Command::query_vport_config, wire::QueryVportRequest{0}, 32);
  EXPECT_EQ(answer->header.status, 0U);
}

TEST_F(DeviceTest, RefusingDoesNothingAndAWrongStatusDoes) {
  driver.bring_up();
  const auto address = guest.allocate(4096);
  late_faults = "25=refuse:1";
  EXPECT_THROW(driver.region(address, 4096), std::runtime_error);
  EXPECT_EQ(device.control().regions(), 0U);
  late_faults = "25=status:1";
  EXPECT_THROW(driver.region(address, 4096), std::runtime_error);
  EXPECT_EQ(device.control().regions(), 1U);
}

TEST_F(DeviceTest, SaysNothingWhenItIsToldTo) {
  driver.bring_up();
  const auto address = guest.allocate(4096);
  late_faults = "25=silent,times=1";
  EXPECT_THROW(driver.region(address, 4096), std::runtime_error);
  EXPECT_EQ(device.control().regions(), 0U);
  late_faults = "25=late,times=1";
  EXPECT_THROW(driver.region(address, 4096), std::runtime_error);
  EXPECT_EQ(device.control().regions(), 1U);
  EXPECT_NO_THROW(driver.region(address, 4096));
}

TEST_F(DeviceTest, AnswersShortWhenItIsToldTo) {
  driver.bring_up();
  late_faults = "25=short";
  EXPECT_THROW(driver.region(guest.allocate(4096), 4096), std::runtime_error);
}

TEST_F(DeviceTest, RefusesTheSharedMemoryChannelWhenItIsToldTo) {
  late_faults = "establish=refuse:0x47,times=1";
  EXPECT_FALSE(driver.establish());
  EXPECT_EQ(guest.shared[29], 0x47);
  EXPECT_EQ(device.queues().eqs().size(), 0U);
  late_faults.clear();
  EXPECT_TRUE(driver.establish());
  late_faults = "destroy=silent";
  EXPECT_FALSE(driver.destroy());
}

TEST_F(DeviceTest, TellsWhatIsWrongWithTheFaultFileAndGoesOn) {
  driver.bring_up();
  late_faults = "nonsense";
  const auto answer =
      driver.request(wire::Command::query_vport_config, wire::QueryVportRequest{0}, 32);
  EXPECT_EQ(answer->header.status, 0U);
  EXPECT_NE(std::ranges::find(lines, "fault 'nonsense': CODE=ACTION expected"), lines.end());
}

}  // namespace
}  // namespace manactl::azure
