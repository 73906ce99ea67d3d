// SPDX-License-Identifier: MIT
//
// The limits of a plan, on both sides, and the memory that a plan needs.

#include <gtest/gtest.h>

#include <functional>

#include "datapath/plan/plan.h"

namespace manactl::datapath::plan_limits_test {
namespace {

BenchPlan null_plan() {
  BenchPlan plan;
  plan.vdevs = {"net_null0"};
  return plan;
}

std::string error_of(const std::function<void(BenchPlan&)>& change) {
  auto plan = null_plan();
  change(plan);
  const auto result = validate(plan);
  return result ? "" : result.error().message;
}

std::vector<std::string> many_devices(std::size_t count) {
  std::vector<std::string> devices;
  for (std::size_t i = 0; i < count; ++i) devices.push_back("net_null" + std::to_string(i));
  return devices;
}

constexpr double kMonth = 30.0 * 24 * 3600;

struct Limit {
  std::function<void(BenchPlan&)> change;
  std::string error;
};

const std::vector<Limit> kLimits = {
    {[](BenchPlan& p) { p.vdevs = many_devices(32); }, ""},
    {[](BenchPlan& p) { p.vdevs = many_devices(33); }, "33 ports: DPDK supports at most 32"},
    {[](BenchPlan& p) { p.vdevs = {std::string(1024, 'x')}; }, ""},
    {[](BenchPlan& p) { p.vdevs = {std::string(1025, 'x')}; },
     "plan.vdevs '" + std::string(400, 'x') +
         "...': must be a device name, optionally with options, without blanks"},
    {[](BenchPlan& p) { p.vdevs = {"a!~"}; }, ""},
    {[](BenchPlan& p) { p.vdevs = {"a\x7f"}; },
     "plan.vdevs 'a\\x7f': must be a device name, optionally with options, without blanks"},
    {[](BenchPlan& p) { p.vdevs = {"a=b"}; }, "plan.vdevs 'a=b': 'a=b' is not a device name"},
    {[](BenchPlan& p) { p.vdevs = {"a,b=/c"}; }, ""},
    {[](BenchPlan& p) { p.queues = 64; }, ""},
    {[](BenchPlan& p) { p.descriptors = 8192; }, ""},
    {[](BenchPlan& p) { p.descriptors = 8128; }, ""},
    {[](BenchPlan& p) { p.descriptors = 96; },
     "plan.descriptors 96: net_mana requires a multiple of 64"},
    {[](BenchPlan& p) { p.traffic.source_ip = Ipv4Address{0x01000000}; }, ""},
    {[](BenchPlan& p) { p.traffic.source_ip = Ipv4Address{0x7effffff}; }, ""},
    {[](BenchPlan& p) { p.traffic.source_ip = Ipv4Address{0x7fffffff}; },
     "plan.source_ip 127.255.255.255: no NIC can have this address"},
    {[](BenchPlan& p) { p.traffic.source_ip = Ipv4Address{0x80000000}; }, ""},
    {[](BenchPlan& p) { p.traffic.peer_ip = Ipv4Address{0xdfffffff}; }, ""},
    {[](BenchPlan& p) { p.traffic.peer_ip = Ipv4Address{0xe0000000}; },
     "plan.peer_ip 224.0.0.0: no NIC can have this address"},
    {[](BenchPlan& p) { p.traffic.peer_ip = Ipv4Address{0x00ffffff}; },
     "plan.peer_ip 0.255.255.255: no NIC can have this address"},
    {[](BenchPlan& p) { p.traffic.sizes = {{64, 1}, {9018, 1000}}; }, ""},
    {[](BenchPlan& p) { p.traffic.sizes = {{64, 1001}}; },
     "plan.sizes 64:1001: the share must be 1 to 1000"},
    {[](BenchPlan& p) { p.mode = Mode::rx; }, ""},
    {[](BenchPlan& p) { p.cpus.cpus = {0, 1023}; }, ""},
    {[](BenchPlan& p) { p.near_cpus.cpus = {1024}; }, "plan.cpus 1024: must be 0 to 1023"},
    {[](BenchPlan& p) { p.trial.seconds = kMonth; }, ""},
    {[](BenchPlan& p) { p.trial.seconds = kMonth + 1; },
     "plan.seconds 2592001: must be more than 0 and at most 30 days"},
    {[](BenchPlan& p) { p.trial.warmup_seconds = -1; },
     "plan.warmup -1: must be less than plan.seconds (10 s)"},
    {[](BenchPlan& p) { p.trial.warmup_seconds = 9.5; }, ""},
    {[](BenchPlan& p) { p.trial.ramp_seconds = -1; },
     "plan.ramp -1: must be less than plan.seconds (10 s)"},
    {[](BenchPlan& p) { p.trial.interval_seconds = 0.01; }, ""},
    {[](BenchPlan& p) { p.trial.interval_seconds = 0.009; },
     "plan.interval 0.009: must be at least 0.01 s and at most 30 days"},
    {[](BenchPlan& p) { p.trial.interval_seconds = kMonth; }, ""},
    {[](BenchPlan& p) { p.trial.interval_seconds = kMonth + 1; },
     "plan.interval 2592001: must be at least 0.01 s and at most 30 days"},
};

TEST(PlanLimits, AreCheckedOnBothSides) {
  for (std::size_t i = 0; i < kLimits.size(); ++i) {
    EXPECT_EQ(error_of(kLimits[i].change), kLimits[i].error) << i;
  }
}

BenchPlan with_mtu(unsigned mtu, std::uint16_t bytes) {
  BenchPlan plan;
  auto& nic = plan.nics.emplace_back();
  nic.interface = "eth1";
  nic.mac = {{0x00, 0x22, 0x48, 0x01, 0x02, 0x03}};
  nic.mtu = mtu;
  plan.traffic.sizes.front().bytes = bytes;
  return plan;
}

// A frame has 14 bytes before and 4 bytes after what the MTU limits.
TEST(PlanLimits, OfFramesFollowTheMtu) {
  EXPECT_TRUE(validate(with_mtu(1500, 1518)).has_value());
  EXPECT_TRUE(validate(with_mtu(0, 9018)).has_value());
  const auto result = validate(with_mtu(1500, 1519));
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().message,
            "plan.sizes 1519: 'eth1' has an MTU of 1500, so frames have at most 1518 bytes");
  auto receiver = with_mtu(1500, 1519);
  receiver.mode = Mode::rx;
  EXPECT_TRUE(validate(receiver).has_value());
}

TEST(Traffic, HasAMeanAndALargestSize) {
  Traffic traffic;
  traffic.sizes = {{64, 3}, {1000, 1}, {200, 0}};
  EXPECT_EQ(traffic.largest(), 1000);
  EXPECT_DOUBLE_EQ(traffic.mean_bytes(), 298);
  traffic.sizes.clear();
  EXPECT_EQ(traffic.largest(), 0);
  EXPECT_EQ(traffic.mean_bytes(), 0);
}

// Two ports with two queues each. Compare a changed size with the memory that EAL allocates.
TEST(PoolSize, IsTheSumOfItsParts) {
  struct Case {
    Mode mode;
    bool hugepages;
    std::uint64_t bytes;
  };

  for (const auto& [mode, hugepages, bytes] : std::vector<Case>{{Mode::tx, true, 14942208},
                                                                {Mode::tx, false, 12550144},
                                                                {Mode::rx, true, 10747904},
                                                                {Mode::rx, false, 10043392},
                                                                {Mode::rtt, true, 19136512},
                                                                {Mode::rtt, false, 15728640},
                                                                {Mode::fwd, false, 12156928}}) {
    auto plan = null_plan();
    plan.mode = mode;
    plan.hugepages = hugepages;
    plan.queues = 2;
    plan.vdevs = many_devices(2);
    plan.traffic.sizes.front().bytes = 1000;
    EXPECT_EQ(pool_size(plan).bytes, bytes) << name_of(mode) << hugepages;
  }
}

TEST(Placement, HasDefaultsForAPlanWithoutCpus) {
  auto plan = null_plan();
  plan.cpus.cpus.clear();
  EXPECT_EQ(place(plan).main_cpu, 0U);
  EXPECT_EQ(place(plan).note(),
            "1 queue shares its CPU with the main thread: the figures do not represent MANA");
  plan.cpus.cpus = {3, 4, 5};
  plan.queues = 2;
  EXPECT_FALSE(place(plan).shared);
}

TEST(PlanLimits, RejectsAddressesForModesThatGenerateNoPackets) {
  const std::string rule = " applies to senders only: plan.mode rx generates no packets";
  EXPECT_EQ(error_of([](BenchPlan& plan) { plan.mode = Mode::rx; }), "");
  EXPECT_EQ(error_of([](BenchPlan& plan) {
              plan.mode = Mode::rx;
              plan.traffic.destination = {{0x00, 0x0d, 0x3a, 0, 0, 1}};
            }),
            "plan.destination" + rule);
  EXPECT_EQ(error_of([](BenchPlan& plan) {
              plan.mode = Mode::rx;
              plan.traffic.source_ip = Ipv4Address{0x0a000001};
            }),
            "plan.source_ip" + rule);
  EXPECT_EQ(error_of([](BenchPlan& plan) {
              plan.mode = Mode::rx;
              plan.traffic.peer_ip = Ipv4Address{0x0a000001};
            }),
            "plan.peer_ip" + rule);
}

}  // namespace
}  // namespace manactl::datapath::plan_limits_test
