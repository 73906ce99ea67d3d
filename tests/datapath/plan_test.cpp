// SPDX-License-Identifier: MIT
#include "datapath/plan/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

namespace manactl::datapath::plan_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

BenchPlan null_plan() {
  BenchPlan plan;
  plan.vdevs = {"net_null0"};
  return plan;
}

BenchPlan mana_plan() {
  BenchPlan plan;
  plan.nics = {{"eth1", {0x7870, 0, 0, 0}, {{0x00, 0x22, 0x48, 0x01, 0x02, 0x03}}, std::nullopt}};
  return plan;
}

struct InvalidPlan {
  const char* name;
  std::function<void(BenchPlan&)> change;
  const char* text;  // must occur in the error message
};

class InvalidPlans : public testing::TestWithParam<InvalidPlan> {};

TEST_P(InvalidPlans, AreRejectedWithTheRule) {
  auto plan = mana_plan();
  ASSERT_TRUE(validate(plan).has_value());
  GetParam().change(plan);
  const auto result = validate(plan);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, Errc::invalid);
  EXPECT_THAT(result.error().message, HasSubstr(GetParam().text));
  EXPECT_EQ(result.error().message.find('\n'), std::string::npos);
}

void use_vdev(BenchPlan& plan, const char* device) {
  plan.nics.clear();
  plan.vdevs = {device};
}

std::vector<std::string> many_devices(unsigned count) {
  std::vector<std::string> devices;
  for (unsigned i = 0; i < count; ++i) devices.push_back("net_null" + std::to_string(i));
  return devices;
}

const InvalidPlan kInvalid[] = {
    {"NoQueue", [](BenchPlan& p) { p.queues = 0; }, "plan.queues 0: must be 1 to 64"},
    {"TooManyQueues", [](BenchPlan& p) { p.queues = 65; }, "plan.queues 65"},
    {"ThreeQueues", [](BenchPlan& p) { p.queues = 3; }, "a power of two"},
    {"FewDescriptors",
     [](BenchPlan& p) { p.descriptors = 63; },
     "plan.descriptors 63: must be 64 to 8192"},
    {"OddDescriptors", [](BenchPlan& p) { p.descriptors = 100; }, "a multiple of 64"},
    {"ManyDescriptors", [](BenchPlan& p) { p.descriptors = 8256; }, "plan.descriptors 8256"},
    {"SmallFrame",
     [](BenchPlan& p) { p.traffic.sizes.front().bytes = 63; },
     "plan.sizes 63: must be 64 to 9018"},
    {"LargeFrame", [](BenchPlan& p) { p.traffic.sizes.front().bytes = 9019; }, "plan.sizes 9019"},
    {"NoBurst", [](BenchPlan& p) { p.burst = 0; }, "plan.burst 0: must be 1 to 256"},
    {"LargeBurst", [](BenchPlan& p) { p.burst = 257; }, "plan.burst 257"},
    {"NoTime", [](BenchPlan& p) { p.trial.seconds = 0; }, "plan.seconds 0"},
    {"NegativeTime", [](BenchPlan& p) { p.trial.seconds = -1; }, "plan.seconds -1"},
    {"TimeThatIsNotANumber",
     [](BenchPlan& p) { p.trial.seconds = std::nan(""); },
     "plan.seconds nan"},
    {"EndlessTime",
     [](BenchPlan& p) { p.trial.seconds = std::numeric_limits<double>::infinity(); },
     "plan.seconds inf"},
    {"WarmupAllTheTime",
     [](BenchPlan& p) { p.trial.warmup_seconds = p.trial.seconds; },
     "plan.warmup"},
    {"NoInterval", [](BenchPlan& p) { p.trial.interval_seconds = 0; }, "plan.interval 0"},
    {"LargeCpu", [](BenchPlan& p) { p.cpus.cpus = {0, 1024}; }, "plan.cpus 1024"},
    {"NoDevice", [](BenchPlan& p) { p.nics.clear(); }, "no device is given"},
    {"NicTwice", [](BenchPlan& p) { p.nics.push_back(p.nics.front()); }, "is given twice"},
    {"VdevTwice",
     [](BenchPlan& p) { p.vdevs = {"net_null0", "net_null0,size=128"}; },
     "plan.vdevs 'net_null0': is given twice"},
    {"TooManyPorts", [](BenchPlan& p) { p.vdevs = many_devices(33); }, "34 ports"},
    {"NoSize", [](BenchPlan& p) { p.traffic.sizes.clear(); }, "plan.sizes '': a size is missing"},
    {"SecondSizeIsSmall",
     [](BenchPlan& p) { p.traffic.sizes = {{64, 1}, {63, 1}}; },
     "plan.sizes 63: must be 64 to 9018"},
    {"NoShare",
     [](BenchPlan& p) { p.traffic.sizes = {{64, 0}}; },
     "64:0: the share must be 1 to 1000"},
    {"NoFlow", [](BenchPlan& p) { p.traffic.flows = 0; }, "plan.flows 0: must be 1 to 64512"},
    {"TooManyFlows",
     [](BenchPlan& p) {
       p.queues = 64;
       p.traffic.flows = 1009;
     },
     "plan.flows 1009: must be 1 to 1008"},
    {"MulticastPeer",
     [](BenchPlan& p) { p.traffic.peer_ip = Ipv4Address{0xe0000001}; },
     "plan.peer_ip 224.0.0.1"},
    {"PeerOfNoNetwork",
     [](BenchPlan& p) { p.traffic.peer_ip = Ipv4Address{0}; },
     "plan.peer_ip 0.0.0.0"},
    {"LoopbackSource",
     [](BenchPlan& p) { p.traffic.source_ip = Ipv4Address{0x7f000001}; },
     "plan.source_ip 127.0.0.1"},
    {"ZeroDestination",
     [](BenchPlan& p) { p.traffic.destination = {}; },
     "plan.destination: 00:00"},
    {"RateOfAReceiver",
     [](BenchPlan& p) {
       p.mode = Mode::rx;
       p.trial.rate = Rate{Rate::Unit::packets, 1000};
     },
     "plan.rate applies to senders only: plan.mode rx generates no packets"},
    {"FlowsOfAForwarder",
     [](BenchPlan& p) {
       p.mode = Mode::fwd;
       p.traffic.flows = 2;
     },
     "plan.flows applies to senders only: plan.mode fwd generates no packets"},
    {"RampWithoutRate", [](BenchPlan& p) { p.trial.ramp_seconds = 1; }, "requires plan.rate"},
    {"RampAllTheTime",
     [](BenchPlan& p) {
       p.trial.rate = Rate{};
       p.trial.ramp_seconds = p.trial.seconds;
     },
     "plan.ramp 10: must be less than plan.seconds"},
    {"ZeroMac", [](BenchPlan& p) { p.nics.front().mac = {}; }, "is not a unicast MAC address"},
    {"MulticastMac",
     [](BenchPlan& p) { p.nics.front().mac.bytes[0] = 0x01; },
     "01:22:48:01:02:03 is not a unicast MAC address"},
    {"EmptyVdev", [](BenchPlan& p) { use_vdev(p, ""); }, "plan.vdevs ''"},
    {"VdevWithBlank", [](BenchPlan& p) { use_vdev(p, "net_null0 --no-pci"); }, "without blanks"},
    {"VdevWithNewline", [](BenchPlan& p) { use_vdev(p, "net_null0\n"); }, "net_null0\\x0a"},
    {"VdevWithPath", [](BenchPlan& p) { use_vdev(p, "../net_null0"); }, "is not a device name"},
    {"PciVdevWithEmptyMac", [](BenchPlan& p) { use_vdev(p, "7870:00:00.0,mac="); }, "mac="},
    {"PciVdevWithShortMac",
     [](BenchPlan& p) { use_vdev(p, "7870:00:00.0,mac=00:22:48"); },
     "00:22:48"},
    {"PciVdevWithZeroMac",
     [](BenchPlan& p) { use_vdev(p, "7870:00:00.0,mac=00:00:00:00:00:00"); },
     "is not a unicast MAC address"},
    {"PciVdevWithMulticastMac",
     [](BenchPlan& p) { use_vdev(p, "7870:00:00.0,mac=01:00:5e:00:00:01"); },
     "is not a unicast MAC address"},
    {"PciVdevWithASecondMacThatIsWrong",
     [](BenchPlan& p) { use_vdev(p, "7870:00:00.0,mac=00:22:48:01:02:03,mac=zz"); },
     "zz"},
    {"RequestsTooSmall",
     [](BenchPlan& p) {
       p.mode = Mode::rtt;
       p.traffic.sizes = {{128, 1}, {77, 1}};
     },
     "plan.sizes 77: plan.mode rtt requires frames of at least 78 bytes"},
    {"PciVdevWithoutMac", [](BenchPlan& p) { use_vdev(p, "7870:00:00.0"); }, "add mac="},
};

INSTANTIATE_TEST_SUITE_P(Table, InvalidPlans, testing::ValuesIn(kInvalid), [](const auto& row) {
  return row.param.name;
});

TEST(BenchPlan, AcceptsTheSmallestRequests) {
  auto plan = mana_plan();
  plan.mode = Mode::rtt;
  plan.traffic.sizes.front().bytes = 78;
  EXPECT_TRUE(validate(plan).has_value());
}

TEST(BenchPlan, AcceptsTheLimitsOfTheRanges) {
  for (const unsigned queues : {1U, 64U}) {
    for (const unsigned frame : {64U, 9018U}) {
      auto plan = mana_plan();
      plan.queues = static_cast<std::uint16_t>(queues);
      plan.traffic.sizes.front().bytes = static_cast<std::uint16_t>(frame);
      plan.descriptors = queues == 1 ? 64 : 8192;
      plan.burst = queues == 1 ? 1 : 256;
      EXPECT_TRUE(validate(plan).has_value()) << queues << " queues, " << frame << " bytes";
    }
  }
}

TEST(BenchPlan, AllowsAnyNumberOfQueuesForVirtualDevices) {
  auto plan = null_plan();
  plan.queues = 3;
  EXPECT_TRUE(validate(plan).has_value());
}

TEST(BenchPlan, AcceptsAMacAddressInAPciVdev) {
  auto plan = null_plan();
  plan.vdevs = {"7870:00:00.0,mac=00:22:48:01:02:03"};
  EXPECT_TRUE(validate(plan).has_value());
}

TEST(PortCount, CountsTheAddressesOfASlot) {
  BenchPlan plan;
  plan.vdevs = {"net_null0", "7870:00:00.0,mac=00:22:48:01:02:03,mac=00:22:48:01:02:04"};
  EXPECT_EQ(port_count(plan), 3U);
  plan.nics = {{}, {}};
  EXPECT_EQ(port_count(plan), 5U);
  EXPECT_TRUE(macs_of("net_null0,mac=00:22:48:01:02:03").empty());
}

TEST(PoolSize, HasBuffersForTwoRingsOfAForwarder) {
  auto plan = null_plan();
  plan.mode = Mode::rx;
  const auto receiver = pool_size(plan);
  plan.mode = Mode::fwd;
  EXPECT_EQ(pool_size(plan).mbufs, receiver.mbufs + plan.descriptors);
}

TEST(PoolSize, LeavesNetNetvscAllDescriptorsOfEachQueue) {
  auto plan = null_plan();
  plan.queues = 8;
  plan.nics = {{}};
  for (const auto& row : kModes) {
    plan.mode = row.mode;
    plan.nics.front().vmbus = VmbusId{};
    if (row.generates_packets) {
      EXPECT_GE(pool_size(plan).ring_mbufs / plan.queues, plan.descriptors) << row.name;
      continue;
    }
    EXPECT_EQ(pool_size(plan).mbufs / plan.queues, plan.descriptors) << row.name;
    plan.nics.front().vmbus.reset();
    EXPECT_LT(pool_size(plan).mbufs / plan.queues, plan.descriptors) << row.name;
  }
}

TEST(PoolSize, HasBuffersForTheSyntheticDeviceAndForAVfThatReturns) {
  auto plan = null_plan();
  plan.nics = {{}};
  plan.nics.front().vmbus = VmbusId{};
  const auto rings = 2U * plan.descriptors;
  for (const auto& row : kModes) {
    plan.mode = row.mode;
    const auto pool = pool_size(plan);
    EXPECT_GT(row.generates_packets ? pool.ring_mbufs : pool.mbufs, rings) << row.name;
  }
}

TEST(PoolSize, IncludesEveryPort) {
  auto plan = null_plan();
  const auto one = pool_size(plan).bytes;
  plan.vdevs.push_back("net_null1");
  EXPECT_GT(pool_size(plan).bytes, one * 3 / 2);
}

TEST(PoolSize, CoversDescriptorsCacheAndBurstOfEachQueue) {
  auto plan = null_plan();
  plan.descriptors = 256;
  plan.burst = 32;
  const auto size = pool_size(plan);
  EXPECT_EQ(size.cache, 64U);  // two bursts
  EXPECT_EQ(size.mbufs, 256U + 96U + 32U);
  EXPECT_EQ(size.mbuf_bytes, 128U + 64U);
  EXPECT_GT(size.bytes, std::uint64_t{size.mbufs} * size.mbuf_bytes);
}

TEST(PoolSize, HasARingPoolForASender) {
  auto plan = null_plan();
  plan.queues = 4;
  const auto sender = pool_size(plan);
  EXPECT_EQ(sender.ring_mbufs, 4U * 256U + 64U);
  EXPECT_EQ(sender.ring_mbuf_bytes, 128U + 1536U);
  plan.mode = Mode::rx;
  const auto receiver = pool_size(plan);
  EXPECT_EQ(receiver.ring_mbufs, 0U);
  EXPECT_EQ(receiver.mbuf_bytes, 128U + 1536U);
}

TEST(PoolSize, HasDefaultBuffersForDriversThatRequireThem) {
  for (const auto* device :
       {"net_af_packet0,iface=eth1", "net_af_xdp0,iface=eth1", "0000:06:00.0"}) {
    auto plan = null_plan();
    plan.mode = Mode::rx;
    plan.vdevs.emplace_back(device);
    EXPECT_EQ(pool_size(plan).mbuf_bytes, 128U + 2048U) << device;
  }
}

TEST(PoolSize, HasReceiveBuffersForWholeFrames) {
  auto plan = null_plan();
  plan.mode = Mode::rx;
  plan.traffic.sizes.front().bytes = 9018;
  EXPECT_GE(pool_size(plan).mbuf_bytes, 128U + 9018U);
}

TEST(PoolSize, GrowsWithTheNumberOfQueues) {
  auto plan = null_plan();
  const auto one = pool_size(plan).bytes;
  plan.queues = 8;
  constexpr std::uint64_t kHugePage = 2U << 20U;  // each queue's pool needs at least one hugepage
  EXPECT_GE(pool_size(plan).bytes, one + 7 * kHugePage);
}

// A ring of n slots holds n - 1 objects, so a pool of 512 needs a ring of 1024.
TEST(PoolSize, CountsARingWithMoreSlotsThanObjects) {
  auto plan = null_plan();
  plan.hugepages = false;
  plan.burst = 63;
  const auto below = pool_size(plan);
  plan.burst = 64;
  const auto power = pool_size(plan);
  ASSERT_LT(below.mbufs, 512U);
  ASSERT_EQ(power.mbufs, 512U);
  EXPECT_GE(power.bytes - below.bytes, 512 * sizeof(void*));
}

TEST(PagesNeeded, RoundsUpToWholePages) {
  const auto plan = null_plan();
  const auto bytes = pool_size(plan).bytes;
  const auto pages = pages_needed(plan, 2048);
  EXPECT_GE(pages * 2048 * 1024, bytes);
  EXPECT_LT((pages - 1) * 2048 * 1024, bytes);
  EXPECT_EQ(pages_needed(plan, 1048576), 1U);
  EXPECT_EQ(pages_needed(plan, 0), 0U);
}

TEST(Placement, KeepsTheMainCpuFreeOfWorkers) {
  auto plan = null_plan();
  plan.queues = 3;
  plan.cpus.cpus = {2, 4, 6, 8};
  const auto placement = place(plan);
  EXPECT_EQ(placement.main_cpu, 2U);
  EXPECT_THAT(placement.worker_cpus, ElementsAre(4, 6, 8));
  EXPECT_FALSE(placement.shared);
  EXPECT_EQ(placement.note(), "");
}

TEST(Placement, SharesCpusWhenThereAreMoreQueues) {
  auto plan = null_plan();
  plan.queues = 8;
  plan.cpus.cpus = {0, 1};
  const auto one = place(plan);
  EXPECT_THAT(one.workers(), ElementsAre(1));
  EXPECT_TRUE(one.shared);
  EXPECT_EQ(
      one.note(),
      "8 queues share 1 CPU besides that of the main thread: the figures do not represent MANA");

  plan.cpus.cpus = {0, 1, 2, 3};
  const auto three = place(plan);
  EXPECT_THAT(three.worker_cpus, ElementsAre(1, 2, 3, 1, 2, 3, 1, 2));
  EXPECT_THAT(three.workers(), ElementsAre(1, 2, 3));
  EXPECT_THAT(three.note(), HasSubstr("8 queues share 3 CPUs besides that of the main"));
}

TEST(Placement, PrefersCpusOfTheNicsNodeForWorkers) {
  auto plan = null_plan();
  plan.queues = 5;
  plan.cpus.cpus = {0, 1, 2, 3, 4, 5, 6, 7};
  plan.near_cpus.cpus = {4, 5, 6, 7};
  const auto placement = place(plan);
  EXPECT_EQ(placement.main_cpu, 0U);
  EXPECT_THAT(placement.worker_cpus, ElementsAre(4, 5, 6, 7, 1));
  plan.cpus.cpus = {4, 5, 6};
  EXPECT_EQ(place(plan).main_cpu, 4U);
  EXPECT_THAT(place(plan).workers(), ElementsAre(5, 6));
}

TEST(Placement, CoversTheQueuesOfEveryPort) {
  auto plan = null_plan();
  plan.vdevs = {"net_null0", "net_null1"};
  plan.queues = 2;
  plan.cpus.cpus = {0, 1, 2, 3};
  EXPECT_THAT(place(plan).worker_cpus, ElementsAre(1, 2, 3, 1));
  EXPECT_THAT(place(plan).note(), HasSubstr("4 queues share 3 CPUs besides that of the main"));
}

TEST(Placement, HasNoMoreWorkersThanEalHasLcores) {
  auto plan = null_plan();
  plan.vdevs = many_devices(4);
  plan.queues = 64;
  for (unsigned cpu = 0; cpu < 400; ++cpu) plan.cpus.cpus.push_back(cpu);
  EXPECT_EQ(place(plan).workers().size(), 127U);
}

TEST(Placement, SharesTheOnlyCpuWithTheMainThread) {
  auto plan = null_plan();
  plan.cpus.cpus = {5};
  const auto placement = place(plan);
  EXPECT_EQ(placement.main_cpu, 5U);
  EXPECT_THAT(placement.worker_cpus, ElementsAre(5));
  EXPECT_TRUE(placement.shared);
  EXPECT_THAT(placement.note(), HasSubstr("with the main thread"));
}

}  // namespace
}  // namespace manactl::datapath::plan_test
