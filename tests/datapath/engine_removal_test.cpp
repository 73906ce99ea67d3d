// SPDX-License-Identifier: MIT
//
// Tests of devices that are removed while packets flow, and of their return.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <stop_token>
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

// Runs after an interval of a trial, and again after the next one until it returns true.
using Step = std::function<bool(const Interval&)>;

struct Run {
  Result<BenchReport> report;
  std::vector<std::size_t> done_after;  // the interval after which each step was done
};

// Runs a trial with these steps. The last one ends the trial.
Run run_with(BenchPlan plan, const std::vector<Step>& steps) {
  constexpr double kMaxSeconds = 60;
  plan.trial.seconds = kMaxSeconds;
  std::vector<std::size_t> done_after;
  std::size_t number = 0;
  std::stop_source stop;
  Progress progress;
  progress.interval = [&](const Interval& interval) {
    const bool all_done = done_after.size() == steps.size();
    if (!all_done && steps[done_after.size()](interval)) done_after.push_back(number);
    if (done_after.size() == steps.size()) stop.request_stop();
    ++number;
  };
  auto engine = kDpdkEngine.make();
  if (!engine) return {tl::unexpected<Error>(engine.error()), {}};
  return {run(**engine, plan, stop.get_token(), progress), std::move(done_after)};
}

bool add(const Interval& /*interval*/) {
  EXPECT_EQ(rte_eal_hotplug_add("vdev", "net_null1", ""), 0);
  return true;
}

bool remove(const Interval& /*interval*/) {
  EXPECT_EQ(rte_eal_hotplug_remove("vdev", "net_null1"), 0);
  return true;
}

bool request_removal(const Interval& /*interval*/) {
  auto* device = rte_eth_dev_allocated("net_null1");
  EXPECT_NE(device, nullptr);
  if (device != nullptr) rte_eth_dev_callback_process(device, kRemovalRequest, nullptr);
  return true;
}

bool pass(const Interval& /*interval*/) {
  return true;
}

// Waits until this queue has sent packets.
Step sends(std::size_t queue) {
  return [queue](const Interval& interval) { return interval.queues.at(queue).tx.packets > 0; };
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
    const auto plan = short_plan(Mode::tx, "net_null0");
    const auto [report, done_after] =
        run_with(plan, {add, sends(0), remove, pass, add, pass, sends(0)});
    ASSERT_TRUE(report.has_value()) << report.error().message;
    ASSERT_EQ(done_after.size(), 7U);
    const auto& trial = report->trials.front();
    ASSERT_EQ(trial.events.size(), 2U);
    EXPECT_EQ(trial.events[0].device, "net_null1");
    EXPECT_EQ(trial.events[0].kind, Event::Kind::removed);
    EXPECT_EQ(trial.events[1].kind, Event::Kind::returned);
    EXPECT_LT(trial.events[0].at_seconds, trial.events[1].at_seconds);
    // The trial notices an event at the end of the next interval.
    for (std::size_t i = 0; i < trial.intervals.size(); ++i) {
      const bool between = i > done_after[2] && i <= done_after[4] + 1;
      EXPECT_EQ(trial.intervals[i].disturbed, between) << i;
    }
    const auto servicing = servicing_of(plan.mode, trial);
    ASSERT_TRUE(servicing);
    EXPECT_TRUE(servicing->before && servicing->during && servicing->after);
  }));
}

TEST(Removal, OfOneDeviceDoesNotStopTheOther) {
  EXPECT_TRUE(in_child([] {
    auto plan = short_plan(Mode::tx, "net_null0");
    plan.vdevs.emplace_back("net_null1");
    const auto [report, done_after] =
        run_with(plan, {sends(1), request_removal, pass, remove, pass, sends(0)});
    ASSERT_TRUE(report.has_value()) << report.error().message;
    ASSERT_EQ(done_after.size(), 6U);
    const auto& trial = report->trials.front();
    ASSERT_EQ(trial.events.size(), 1U);
    EXPECT_EQ(trial.events[0].device, "net_null1");
    EXPECT_EQ(sent_since(trial, done_after[3] + 1, 1), 0U);
    EXPECT_FALSE(servicing_of(plan.mode, trial)->after);
  }));
}

TEST(Removal, OfTheOnlyDeviceDoesNotEndTheTrial) {
  EXPECT_TRUE(in_child([] {
    const auto [report, done_after] =
        run_with(short_plan(Mode::txrx, "net_null1"), {request_removal, pass, remove, pass, pass});
    ASSERT_TRUE(report.has_value()) << report.error().message;
    ASSERT_EQ(done_after.size(), 5U);
    EXPECT_EQ(report->trials.front().events.size(), 1U);
    EXPECT_EQ(sent_since(report->trials.front(), done_after[2] + 1), 0U);
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
    request_removal({});
    remove({});
    const auto trial = (*session)->run(plan.trial, {}, {});
    ASSERT_TRUE(trial.has_value()) << trial.error().message;
    EXPECT_EQ(trial->total.tx.packets, 0U);
    EXPECT_EQ(trial->events.size(), 1U);
  }));
}

}  // namespace
}  // namespace manactl::datapath::engine_removal_test
