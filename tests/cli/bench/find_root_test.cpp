// SPDX-License-Identifier: MIT
//
// Runs bench --find through a kernel queueing discipline that drops packets above its rate.

#include <gtest/gtest.h>
#include <sched.h>

#include <nlohmann/json.hpp>

#include "cli/run_manactl.h"
#include "datapath/cable.h"
#include "datapath/engines.h"
#include "datapath/in_child.h"

namespace manactl::test::find_root_test {
namespace {

constexpr double kBitsPerSecond = 2e6;
constexpr double kBitsPerFrame = 59 * 8;  // sch_tbf may count a frame of 60 bytes as 59 bytes

// Connects near0 and near1 through a bridge that limits their rates. Its short queues drain within
// a trial.
void make_bottleneck() {
  using datapath::ip;
  ASSERT_EQ(unshare(CLONE_NEWNET), 0) << "network namespaces need root";
  ASSERT_TRUE(ip({"link", "add", "middle", "type", "bridge", "mcast_snooping", "0"}))
      << "ip of iproute2 and the kernel's bridge are needed";
  for (const std::string number : {"0", "1"}) {
    const auto near = "near" + number;
    const auto far = "far" + number;
    ASSERT_TRUE(ip({"link", "add", near, "type", "veth", "peer", "name", far}));
    ASSERT_TRUE(ip({"link", "set", far, "master", "middle"}));
    ASSERT_TRUE(datapath::run_tool("tc",
                                   {"qdisc",
                                    "add",
                                    "dev",
                                    far,
                                    "root",
                                    "tbf",
                                    "rate",
                                    std::to_string(static_cast<int>(kBitsPerSecond)),
                                    "burst",
                                    "8k",
                                    "limit",
                                    "3k"}))
        << "tc of iproute2 and the kernel's sch_tbf are needed";
    for (const auto& one : {near, far}) {
      ASSERT_TRUE(ip({"link", "set", one, "addrgenmode", "none", "up"}));
    }
  }
  ASSERT_TRUE(ip({"link", "set", "middle", "addrgenmode", "none", "up"}));
}

TEST(BenchFind, FindsTheRateAboveWhichAKernelQueueDrops) {
  if (datapath::kDpdkEngine.info().version.empty()) GTEST_SKIP() << "this build has no DPDK";
  EXPECT_TRUE(datapath::in_child([] {
    make_bottleneck();
    const auto outcome = manactl({"bench",
                                  "--vdev",
                                  "net_af_packet0,iface=near0",
                                  "--vdev",
                                  "net_af_packet1,iface=near1",
                                  "--mode",
                                  "txrx",
                                  "--find",
                                  "ndr,pdr=5%",
                                  "--duration",
                                  "500ms",
                                  "--interval",
                                  "100ms",
                                  "--no-huge",
                                  "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const auto search = nlohmann::json::parse(outcome.out)["search"];
    constexpr double kMost = kBitsPerSecond / kBitsPerFrame;
    EXPECT_GT(search["reach"], 2 * kMost) << "the devices themselves are faster";
    ASSERT_EQ(search["found"].size(), 2U);
    const auto& ndr = search["found"][0];
    const auto& pdr = search["found"][1];
    EXPECT_EQ(ndr["loss"], 0.0);
    EXPECT_EQ(pdr["loss"], 0.05);
    ASSERT_TRUE(ndr["lower"].is_number()) << search;
    ASSERT_TRUE(pdr["lower"].is_number()) << search;
    // In addition to its rate, the shaper passes a burst of 140 packets (8 KiB) in a trial of half
    // a second. PDR accepts a loss of 5 %.
    EXPECT_LT(ndr["lower"], 1.2 * kMost);
    EXPECT_LT(pdr["lower"], 1.3 * kMost);
    EXPECT_LE(ndr["lower"], pdr["lower"]);
    bool lost = false;
    for (const auto& probe : search["probes"]) {
      EXPECT_LE(probe["received"], probe["sent"]);
      lost = lost || probe["received"] < probe["sent"];
    }
    EXPECT_TRUE(lost);
  }));
}

}  // namespace
}  // namespace manactl::test::find_root_test
