// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <thread>

#include "datapath/engines.h"
#include "datapath/in_child.h"
#include "datapath/measure/trials.h"

namespace manactl::datapath::engine_test {
namespace {

using testing::Contains;
using testing::HasSubstr;

// Returns the packets of both directions; one of the directions has none.
std::uint64_t packets_of(const std::vector<Sample>& samples) {
  std::uint64_t sum = 0;
  for (const auto& sample : samples) sum += sample.tx.packets + sample.rx.packets;
  return sum;
}

std::uint64_t packets_of(const std::vector<Interval>& intervals) {
  std::uint64_t sum = 0;
  for (const auto& interval : intervals) {
    sum += interval.total.tx.packets + interval.total.rx.packets;
    EXPECT_EQ(packets_of(interval.queues), interval.total.tx.packets + interval.total.rx.packets);
  }
  return sum;
}

struct Shape {
  Mode mode;
  std::uint16_t queues;
};

class EngineOnNull : public testing::TestWithParam<Shape> {};

TEST_P(EngineOnNull, MovesPacketsOnEveryQueueAndCountsThemOnce) {
  EXPECT_TRUE(in_child([] {
    const auto [mode, queues] = GetParam();
    const auto plan = short_plan(mode, "net_null0", queues);
    const auto report = run(plan);
    ASSERT_TRUE(report.has_value()) << report.error().message;
    EXPECT_EQ(report->engine, "dpdk");
    EXPECT_EQ(report->version, kDpdkEngine.info().version);
    EXPECT_EQ(report->ports.front().driver, "net_null");
    EXPECT_EQ(report->template_mode, "shared");
    EXPECT_THAT(report->eal_arguments,
                Contains(mode == Mode::tx ? "--vdev=net_null0" : "--vdev=net_null0,size=60"));
    EXPECT_FALSE(report->trials.back().interrupted);

    ASSERT_EQ(report->trials.size(), 1U);
    const auto& trial = report->trials.front();
    const auto& moved = headline(mode, trial.total);
    ASSERT_EQ(trial.queues.size(), queues);
    for (const auto& queue : trial.queues) EXPECT_GT(headline(mode, queue).packets, 0U);
    EXPECT_EQ(packets_of(trial.queues), moved.packets);
    EXPECT_EQ(moved.bytes, moved.packets * 64U);
    EXPECT_EQ(moved.errors, 0U);
    EXPECT_GT(trial.total.effort.cycles, 0U);
    EXPECT_GT(trial.total.effort.full_bursts, 0U);

    EXPECT_EQ(trial.intervals.size(), 3U);
    EXPECT_LE(packets_of(trial.intervals), moved.packets);
    EXPECT_GT(packets_of(trial.intervals), 0U);
    EXPECT_GE(trial.total.seconds, plan.trial.seconds);
  }));
}

INSTANTIATE_TEST_SUITE_P(
    Shapes,
    EngineOnNull,
    testing::Values(Shape{Mode::tx, 1}, Shape{Mode::tx, 4}, Shape{Mode::rx, 1}, Shape{Mode::rx, 4}),
    [](const auto& shape) {
      return std::string(name_of(shape.param.mode)) + std::to_string(shape.param.queues);
    });

TEST(Engine, NotesThatQueuesShareACpu) {
  EXPECT_TRUE(in_child([] {
    auto plan = short_plan(Mode::tx, "net_null0", 4);
    plan.cpus.cpus = {static_cast<unsigned>(sched_getcpu())};
    const auto report = run(plan);
    ASSERT_TRUE(report.has_value()) << report.error().message;
    EXPECT_THAT(report->notes, Contains("4 queues share 1 CPU: the figures do not represent MANA"));
    for (const auto& queue : report->trials.front().queues) EXPECT_GT(queue.tx.packets, 0U);
  }));
}

TEST(Engine, KeepsItsOwnCountsIfTheDriverLacksQueues) {
  EXPECT_TRUE(in_child([] {
    const auto report = run(short_plan(Mode::tx, "net_null0", 20));
    ASSERT_TRUE(report.has_value()) << report.error().message;
    EXPECT_EQ(packets_of(report->trials.front().queues), report->trials.front().total.tx.packets);
    EXPECT_THAT(report->trials.front().notes,
                Contains(HasSubstr("has counters for only 16 queues")));
  }));
}

TEST(Engine, KeepsTheResultOfAStoppedRun) {
  EXPECT_TRUE(in_child([] {
    auto plan = short_plan(Mode::tx, "net_null0", 4);
    plan.trial.seconds = 24 * 3600;  // the child's alarm ends a run that does not stop
    std::stop_source stop;
    std::vector<Sample> intervals;
    auto engine = kDpdkEngine.make();
    ASSERT_TRUE(engine.has_value());
    const auto report =
        run(**engine, plan, stop.get_token(), {{}, [&](const Interval& interval) {
                                                 intervals.push_back(interval.total);
                                                 stop.request_stop();
                                               }});
    ASSERT_TRUE(report.has_value()) << report.error().message;
    EXPECT_TRUE(report->trials.back().interrupted);
    EXPECT_GT(report->trials.front().total.tx.packets, 0U);
    EXPECT_LT(report->trials.front().total.seconds, 60);
    EXPECT_EQ(packets_of(intervals), packets_of(report->trials.front().intervals));
  }));
}

TEST(Engine, StopsWithinALongInterval) {
  EXPECT_TRUE(in_child([] {
    auto plan = short_plan(Mode::rx, "net_null0");
    plan.trial.seconds = plan.trial.interval_seconds = 24 * 3600;
    std::stop_source stop;
    const std::jthread user([&] {
      std::this_thread::sleep_for(std::chrono::seconds(1));
      stop.request_stop();
    });
    auto engine = kDpdkEngine.make();
    ASSERT_TRUE(engine.has_value());
    const auto report = run(**engine, plan, stop.get_token(), {});
    ASSERT_TRUE(report.has_value()) << report.error().message;
    EXPECT_TRUE(report->trials.back().interrupted);
    EXPECT_EQ(report->trials.front().intervals.size(), 1U);
  }));
}

TEST(Engine, IsInterruptedIfItWasStoppedBeforeTheStart) {
  EXPECT_TRUE(in_child([] {
    auto plan = short_plan(Mode::tx, "net_null0");
    plan.trial.seconds = 24 * 3600;
    std::stop_source stop;
    stop.request_stop();
    auto engine = kDpdkEngine.make();
    ASSERT_TRUE(engine.has_value());
    const auto report = run(**engine, plan, stop.get_token(), {});
    ASSERT_TRUE(report.has_value()) << report.error().message;
    EXPECT_TRUE(report->trials.back().interrupted);
  }));
}

TEST(Engine, RestoresTheAffinityOfTheCaller) {
  EXPECT_TRUE(in_child([] {
    cpu_set_t before, after;
    ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
    ASSERT_TRUE(run(short_plan(Mode::tx, "net_null0")).has_value());
    ASSERT_EQ(sched_getaffinity(0, sizeof after, &after), 0);
    EXPECT_TRUE(CPU_EQUAL(&before, &after));
  }));
}

TEST(Engine, RunsOncePerProcess) {
  EXPECT_TRUE(in_child([] {
    ASSERT_TRUE(run(short_plan(Mode::tx, "net_null0")).has_value());
    const auto second = run(short_plan(Mode::tx, "net_null0"));
    ASSERT_FALSE(second.has_value());
    EXPECT_EQ(second.error().code, Errc::busy);
  }));
}

TEST(Engine, ContinuesIfTheDeviceHoldsAllPackets) {
  EXPECT_TRUE(in_child([] {
    const auto report = run(short_plan(Mode::tx, "net_ring0"));  // nothing receives from this ring
    ASSERT_TRUE(report.has_value()) << report.error().message;
    EXPECT_GT(report->trials.front().total.tx.packets, 0U);
    EXPECT_THAT(report->trials.front().notes, Contains(HasSubstr("net_ring is full")));
  }));
}

TEST(Engine, SendsLargeFrames) {
  EXPECT_TRUE(in_child([] {
    auto plan = short_plan(Mode::tx, "net_null0");
    plan.traffic.sizes.front().bytes = 9018;
    const auto report = run(plan);
    ASSERT_TRUE(report.has_value()) << report.error().message;
    EXPECT_EQ(report->trials.front().total.tx.bytes,
              report->trials.front().total.tx.packets * 9018);
  }));
}

TEST(Engine, HasEnoughMemoryForTheLargestPlan) {
  EXPECT_TRUE(in_child([] {
    auto plan = short_plan(Mode::rx, "net_null0,size=9000", 64);
    plan.traffic.sizes.front().bytes = 9018;
    plan.descriptors = 1024;
    plan.burst = 256;
    const auto report = run(plan);
    ASSERT_TRUE(report.has_value()) << report.error().message;
    EXPECT_EQ(report->trials.front().total.rx.bytes,
              report->trials.front().total.rx.packets * 9004);
  }));
}

}  // namespace
}  // namespace manactl::datapath::engine_test
