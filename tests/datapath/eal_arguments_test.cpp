// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "datapath/plan/plan.h"

namespace manactl::datapath::eal_arguments_test {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::Not;
using testing::StartsWith;

BenchPlan null_plan() {
  BenchPlan plan;
  plan.vdevs = {"net_null0,size=64"};
  plan.cpus.cpus = {0, 1};
  return plan;
}

BenchPlan mana_plan() {
  BenchPlan plan;
  plan.nics = {{"eth1", {0x7870, 0, 0, 0}, {{0x00, 0x22, 0x48, 0x01, 0x02, 0x03}}, std::nullopt}};
  return plan;
}

TEST(EalArguments, CreateNoFilesAndSkipPciForAVirtualDevice) {
  EXPECT_THAT(eal_arguments(null_plan()),
              ElementsAre("--in-memory",
                          "--iova-mode=va",
                          "--no-telemetry",
                          "--log-level=*:warning",
                          "--lcores=0@0,1@1",
                          "--main-lcore=0",
                          "--no-pci",
                          "--vdev=net_null0,size=64"));
}

TEST(EalArguments, UseOrdinaryMemoryOfTheNeededSizeWithoutHugepages) {
  auto plan = null_plan();
  plan.hugepages = false;
  const auto arguments = eal_arguments(plan);
  const auto mib = (pool_size(plan).bytes + (1U << 20U) - 1) >> 20U;
  EXPECT_THAT(std::vector(arguments.begin(), arguments.begin() + 4),
              ElementsAre("--no-huge", "--no-shconf", "-m", std::to_string(mib)));
  EXPECT_THAT(arguments, Not(Contains("--in-memory")));  // EAL rejects it with --no-huge
}

TEST(EalArguments, NameAManaPortByDeviceAndMac) {
  auto plan = mana_plan();
  const auto arguments = eal_arguments(plan);
  EXPECT_EQ(arguments.back(), "--vdev=7870:00:00.0,mac=00:22:48:01:02:03");
  EXPECT_THAT(arguments, Not(Contains("--no-pci")));
}

TEST(EalArguments, NameTwoPortsOfOneSlotAsOneDevice) {
  auto plan = mana_plan();
  plan.nics.push_back(plan.nics.front());
  plan.nics.back().mac.bytes[5] = 0x04;
  EXPECT_EQ(eal_arguments(plan).back(),
            "--vdev=7870:00:00.0,mac=00:22:48:01:02:03,mac=00:22:48:01:02:04");
}

TEST(EalArguments, AllowOnlyTheSyntheticNicOfAManaPort) {
  auto plan = mana_plan();
  plan.nics.front().vmbus = VmbusId::parse("00224801-0203-0022-4801-020300224801").value();
  EXPECT_THAT(eal_arguments(plan), Contains("--vdev=7870:00:00.0,mac=00:22:48:01:02:03"));
  EXPECT_EQ(eal_arguments(plan).back(), "--allow=00224801-0203-0022-4801-020300224801");
  EXPECT_THAT(eal_arguments(null_plan()), Each(Not(StartsWith("--allow"))));
}

TEST(EalArguments, SelectPhysicalAddressesForTheHostOfASyntheticNic) {
  auto plan = mana_plan();
  EXPECT_THAT(eal_arguments(plan), Contains("--iova-mode=va"));
  plan.nics.front().vmbus = VmbusId::parse("00224801-0203-0022-4801-020300224801").value();
  EXPECT_THAT(eal_arguments(plan), Contains("--iova-mode=pa"));
  EXPECT_THAT(eal_arguments(plan), Not(Contains("--iova-mode=va")));
  plan.hugepages = false;  // EAL rejects physical addresses without hugepages
  EXPECT_THAT(eal_arguments(plan), Contains("--iova-mode=va"));
}

TEST(EalArguments, ScanPciForAVdevThatIsAPciDevice) {
  auto plan = null_plan();
  plan.vdevs = {"7870:00:00.0,mac=00:22:48:01:02:03"};
  EXPECT_THAT(eal_arguments(plan), Not(Contains("--no-pci")));
}

TEST(EalArguments, MapOneLcoreToEachCpuForAnyNumberOfQueues) {
  auto plan = null_plan();
  plan.cpus.cpus = {7, 3, 9};
  plan.queues = 8;
  EXPECT_THAT(eal_arguments(plan), Contains("--lcores=0@7,1@3,2@9"));
  plan.queues = 1;
  EXPECT_THAT(eal_arguments(plan), Contains("--lcores=0@7,1@3"));
  plan.cpus.cpus = {4};
  EXPECT_THAT(eal_arguments(plan), Contains("--lcores=0@4,1@4"));
}

TEST(EalArguments, AreDeterministic) {
  EXPECT_EQ(eal_arguments(null_plan()), eal_arguments(null_plan()));
}

TEST(EalArguments, NeverStartTelemetryOrOpenFiles) {
  for (const bool hugepages : {true, false}) {
    auto plan = null_plan();
    plan.hugepages = hugepages;
    EXPECT_THAT(eal_arguments(plan), Contains("--no-telemetry"));
    EXPECT_THAT(eal_arguments(plan), Each(Not(StartsWith("--huge-dir"))));
    EXPECT_THAT(eal_arguments(plan), Each(Not(StartsWith("--file-prefix"))));
  }
}

// The size of net_null does not include the FCS; that of the plan does.
TEST(EalArguments, LetNetNullReceivePacketsOfThePlannedSize) {
  BenchPlan plan;
  plan.vdevs = {"net_null0", "net_null1,size=128", "net_ring0"};
  plan.traffic.sizes = {{64, 1}, {128, 1}};
  const std::vector<std::string> sized = {"net_null0,size=92", "net_null1,size=128", "net_ring0"};
  for (const auto& row : kModes) {
    plan.mode = row.mode;
    EXPECT_EQ(device_arguments(plan), row.receives ? sized : plan.vdevs) << row.name;
  }
}

}  // namespace
}  // namespace manactl::datapath::eal_arguments_test
