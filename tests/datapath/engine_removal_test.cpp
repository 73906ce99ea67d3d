// SPDX-License-Identifier: MIT
//
// Tests of devices that are removed while packets flow, and of their return.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "datapath/analysis/summary.h"
#include "datapath/engines.h"
#include "datapath/in_child.h"
#include "datapath/measure/trials.h"

// Copied from rte_dev.h and ethdev_driver.h, because only the engine may include DPDK's headers.
extern "C" {
struct rte_eth_dev;
int rte_eal_hotplug_add(const char* bus, const char* device, const char* arguments);
int rte_eal_hotplug_remove(const char* bus, const char* device);
rte_eth_dev* rte_eth_dev_allocated(const char* name);
int rte_eth_dev_callback_process(rte_eth_dev* device, int event, void* result);
}

namespace manactl::datapath::engine_removal_test {
namespace {

constexpr int kRemovalRequest = 6;  // RTE_ETH_EVENT_INTR_RMV

// Runs a trial and calls one of `steps` after each of its intervals.
Result<BenchReport> run_with(const BenchPlan& plan, std::vector<std::function<void()>> steps) {
  std::size_t at = 0;
  Progress progress;
  progress.interval = [&](const Interval&) {
    if (at < steps.size() && steps[at]) steps[at]();
    ++at;
  };
  auto engine = kDpdkEngine.make();
  if (!engine) return tl::unexpected<Error>(engine.error());
  return run(**engine, plan, {}, progress);
}

void add() {
  EXPECT_EQ(rte_eal_hotplug_add("vdev", "net_null1", ""), 0);
}

void remove() {
  EXPECT_EQ(rte_eal_hotplug_remove("vdev", "net_null1"), 0);
}

void request_removal() {
  auto* device = rte_eth_dev_allocated("net_null1");
  ASSERT_NE(device, nullptr);
  rte_eth_dev_callback_process(device, kRemovalRequest, nullptr);
}

std::uint64_t sent_since(const Trial& trial, std::size_t interval, std::size_t queue = 0) {
  std::uint64_t sent = 0;
  for (auto i = interval; i < trial.intervals.size(); ++i) {
    sent += trial.intervals[i].queues.at(queue).tx.packets;
  }
  return sent;
}

// net_null1 plays the role of the VF, the lower device of net_netvsc.
TEST(Removal, OfALowerDeviceIsReportedAndTrafficContinues) {
  EXPECT_TRUE(in_child([] {
    auto plan = short_plan(Mode::tx, "net_null0");
    plan.trial.seconds = 1.5;
    const auto report = run_with(plan, {add, nullptr, remove, nullptr, add});
    ASSERT_TRUE(report.has_value()) << report.error().message;
    const auto& trial = report->trials.front();
    ASSERT_EQ(trial.events.size(), 2U);
    EXPECT_EQ(trial.events[0].device, "net_null1");
    EXPECT_EQ(trial.events[0].kind, Event::Kind::removed);
    EXPECT_EQ(trial.events[1].kind, Event::Kind::returned);
    EXPECT_LT(trial.events[0].at_seconds, trial.events[1].at_seconds);
    std::vector<std::size_t> disturbed;
    for (std::size_t i = 0; i < trial.intervals.size(); ++i) {
      if (trial.intervals[i].disturbed) disturbed.push_back(i);
    }
    EXPECT_EQ(disturbed, (std::vector<std::size_t>{3, 4, 5}));
    EXPECT_GT(sent_since(trial, 6), 0U);
    const auto servicing = servicing_of(plan.mode, trial);
    ASSERT_TRUE(servicing);
    EXPECT_TRUE(servicing->before && servicing->during && servicing->after);
  }));
}

TEST(Removal, OfOneDeviceDoesNotStopTheOther) {
  EXPECT_TRUE(in_child([] {
    auto plan = short_plan(Mode::tx, "net_null0");
    plan.vdevs.emplace_back("net_null1");
    plan.trial.seconds = 1.5;
    const auto report = run_with(plan, {nullptr, request_removal, nullptr, remove});
    ASSERT_TRUE(report.has_value()) << report.error().message;
    const auto& trial = report->trials.front();
    ASSERT_EQ(trial.events.size(), 1U);
    EXPECT_EQ(trial.events[0].device, "net_null1");
    EXPECT_GT(sent_since(trial, 0, 1), 0U);
    EXPECT_EQ(sent_since(trial, 4, 1), 0U);
    EXPECT_GT(sent_since(trial, 4), 0U);
    EXPECT_FALSE(servicing_of(plan.mode, trial)->after);
  }));
}

TEST(Removal, OfTheOnlyDeviceDoesNotEndTheTrialEarly) {
  EXPECT_TRUE(in_child([] {
    auto plan = short_plan(Mode::txrx, "net_null1");
    plan.trial.seconds = 1.5;
    const auto report = run_with(plan, {request_removal, nullptr, remove});
    ASSERT_TRUE(report.has_value()) << report.error().message;
    EXPECT_FALSE(report->trials.back().interrupted);
    EXPECT_EQ(report->trials.front().events.size(), 1U);
    EXPECT_EQ(sent_since(report->trials.front(), 4), 0U);
  }));
}

TEST(Removal, BetweenTrialsIsReportedInTheNextTrial) {
  EXPECT_TRUE(in_child([] {
    const auto engine = kDpdkEngine.make();
    ASSERT_TRUE(engine.has_value());
    const auto plan = short_plan(Mode::tx, "net_null1");
    const auto session = (*engine)->open(plan);
    ASSERT_TRUE(session.has_value()) << session.error().message;
    EXPECT_GT((*session)->run(plan.trial, {}, {})->total.tx.packets, 0U);
    request_removal();
    remove();
    const auto trial = (*session)->run(plan.trial, {}, {});
    ASSERT_TRUE(trial.has_value()) << trial.error().message;
    EXPECT_EQ(trial->total.tx.packets, 0U);
    EXPECT_EQ(trial->events.size(), 1U);
  }));
}

}  // namespace
}  // namespace manactl::datapath::engine_removal_test
