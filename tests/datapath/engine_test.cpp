// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <thread>

#include "datapath/in_child.h"

namespace manactl::datapath {
namespace {

using testing::Contains;
using testing::HasSubstr;

std::uint64_t packets_of(const std::vector<Sample>& samples) {
  std::uint64_t sum = 0;
  for (const auto& sample : samples) sum += sample.packets;
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
    EXPECT_EQ(report->version, engine_info().version);
    EXPECT_EQ(report->driver, "net_null");
    EXPECT_EQ(report->template_mode, "shared");
    EXPECT_THAT(report->eal_arguments, Contains("--vdev=net_null0"));
    EXPECT_FALSE(report->interrupted);
    EXPECT_GT(report->cycles_per_packet, 0);

    ASSERT_EQ(report->queues.size(), queues);
    for (const auto& queue : report->queues) EXPECT_GT(queue.packets, 0U);
    EXPECT_EQ(packets_of(report->queues), report->total.packets);
    // net_null makes packets of 64 bytes, and a frame has 4 more on the wire.
    EXPECT_EQ(report->total.bytes, report->total.packets * (mode == Mode::tx ? 64U : 68U));
    EXPECT_EQ(report->total.errors, 0U);

    EXPECT_EQ(report->samples.size(), 3U);
    EXPECT_LE(packets_of(report->samples), report->total.packets);
    EXPECT_GT(packets_of(report->samples), 0U);
    EXPECT_GE(report->total.seconds, plan.seconds);
  }));
}

INSTANTIATE_TEST_SUITE_P(
    Shapes,
    EngineOnNull,
    testing::Values(Shape{Mode::tx, 1}, Shape{Mode::tx, 4}, Shape{Mode::rx, 1}, Shape{Mode::rx, 4}),
    [](const auto& shape) {
      return std::string(name_of(shape.param.mode)) + std::to_string(shape.param.queues);
    });

TEST(Engine, SaysWhatANumberMeansWhenQueuesShareACpu) {
  EXPECT_TRUE(in_child([] {
    auto plan = short_plan(Mode::tx, "net_null0", 4);
    plan.cpus.cpus = {static_cast<unsigned>(sched_getcpu())};
    const auto report = run(plan);
    ASSERT_TRUE(report.has_value()) << report.error().message;
    EXPECT_THAT(report->notes, Contains("4 queues share 1 CPU: not a MANA number"));
    for (const auto& queue : report->queues) EXPECT_GT(queue.packets, 0U);
  }));
}

TEST(Engine, CountsByItselfWhereTheDriverLeavesQueuesOut) {
  EXPECT_TRUE(in_child([] {
    const auto report = run(short_plan(Mode::tx, "net_null0", 20));
    ASSERT_TRUE(report.has_value()) << report.error().message;
    EXPECT_EQ(packets_of(report->queues), report->total.packets);
    EXPECT_THAT(report->notes, Contains(HasSubstr("counts 16 queues only")));
  }));
}

TEST(Engine, StopsALongRunWithWhatItMeasured) {
  EXPECT_TRUE(in_child([] {
    auto plan = short_plan(Mode::tx, "net_null0", 4);
    plan.seconds = 24 * 3600;  // the child's alarm ends a run that does not stop
    std::stop_source stop;
    std::vector<Sample> told;
    auto engine = make_engine();
    ASSERT_TRUE(engine.has_value());
    const auto report = (*engine)->run(plan, stop.get_token(), {{}, [&](const Sample& sample) {
                                                                  told.push_back(sample);
                                                                  stop.request_stop();
                                                                }});
    ASSERT_TRUE(report.has_value()) << report.error().message;
    EXPECT_TRUE(report->interrupted);
    EXPECT_GT(report->total.packets, 0U);
    EXPECT_LT(report->total.seconds, 60);
    EXPECT_EQ(packets_of(told), packets_of(report->samples));
  }));
}

TEST(Engine, StopsInTheMiddleOfALongInterval) {
  EXPECT_TRUE(in_child([] {
    auto plan = short_plan(Mode::rx, "net_null0");
    plan.seconds = plan.interval_seconds = 24 * 3600;
    std::stop_source stop;
    const std::jthread user([&] {
      std::this_thread::sleep_for(std::chrono::seconds(1));
      stop.request_stop();
    });
    auto engine = make_engine();
    ASSERT_TRUE(engine.has_value());
    const auto report = (*engine)->run(plan, stop.get_token(), {});
    ASSERT_TRUE(report.has_value()) << report.error().message;
    EXPECT_TRUE(report->interrupted);
    EXPECT_EQ(report->samples.size(), 1U);
  }));
}

TEST(Engine, IsInterruptedWhenItWasStoppedBeforeItBegan) {
  EXPECT_TRUE(in_child([] {
    auto plan = short_plan(Mode::tx, "net_null0");
    plan.seconds = 24 * 3600;
    std::stop_source stop;
    stop.request_stop();
    auto engine = make_engine();
    ASSERT_TRUE(engine.has_value());
    const auto report = (*engine)->run(plan, stop.get_token(), {});
    ASSERT_TRUE(report.has_value()) << report.error().message;
    EXPECT_TRUE(report->interrupted);
  }));
}

TEST(Engine, GivesTheCallerItsCpusBack) {
  EXPECT_TRUE(in_child([] {
    cpu_set_t before, after;
    ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
    ASSERT_TRUE(run(short_plan(Mode::tx, "net_null0")).has_value());
    ASSERT_EQ(sched_getaffinity(0, sizeof after, &after), 0);
    EXPECT_TRUE(CPU_EQUAL(&before, &after));
  }));
}

TEST(Engine, RunsOnceInAProcess) {
  EXPECT_TRUE(in_child([] {
    ASSERT_TRUE(run(short_plan(Mode::tx, "net_null0")).has_value());
    const auto second = run(short_plan(Mode::tx, "net_null0"));
    ASSERT_FALSE(second.has_value());
    EXPECT_EQ(second.error().code, Errc::busy);
  }));
}

TEST(Engine, GoesOnWhenTheDeviceKeepsAllPackets) {
  EXPECT_TRUE(in_child([] {
    const auto report = run(short_plan(Mode::tx, "net_ring0"));  // a ring that nobody empties
    ASSERT_TRUE(report.has_value()) << report.error().message;
    EXPECT_GT(report->total.packets, 0U);
    EXPECT_THAT(report->notes, Contains(HasSubstr("found no packets")));
  }));
}

TEST(Engine, SendsLargeFramesWhereTheDeviceTakesThem) {
  EXPECT_TRUE(in_child([] {
    auto plan = short_plan(Mode::tx, "net_null0");
    plan.frame_bytes = 9018;
    const auto report = run(plan);
    ASSERT_TRUE(report.has_value()) << report.error().message;
    EXPECT_EQ(report->total.bytes, report->total.packets * 9018);
  }));
}

TEST(Engine, HasEnoughMemoryForTheLargestPlan) {
  EXPECT_TRUE(in_child([] {
    auto plan = short_plan(Mode::rx, "net_null0,size=9000", 64);
    plan.frame_bytes = 9018;
    plan.descriptors = 1024;
    plan.burst = 256;
    const auto report = run(plan);
    ASSERT_TRUE(report.has_value()) << report.error().message;
    EXPECT_EQ(report->total.bytes, report->total.packets * 9004);
  }));
}

}  // namespace
}  // namespace manactl::datapath
