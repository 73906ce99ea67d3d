// SPDX-License-Identifier: MIT
//
// Tests of sent frames, which are captured on the other side and compared byte for byte.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <net/if.h>
#include <sched.h>

#include "datapath/cable.h"
#include "datapath/engines.h"
#include "datapath/in_child.h"
#include "datapath/traffic/frame.h"
#include "datapath/traffic/traffic.h"

namespace manactl::datapath::traffic_root_test {
namespace {

using testing::HasSubstr;

using Frames = std::vector<std::vector<std::uint8_t>>;

// A plan that is slow enough for a socket buffer to hold every frame, even on a busy machine.
BenchPlan mixed_plan(const char* device, std::uint16_t queues) {
  auto plan = short_plan(Mode::tx, device, queues);
  plan.traffic.sizes = {{64, 7}, {570, 4}, {1518, 1}};
  plan.traffic.flows = 5;
  plan.traffic.source_ip = Ipv4Address{0x0a000104};
  plan.traffic.peer_ip = Ipv4Address{0x0a000105};
  plan.traffic.destination = MacAddress{{0x02, 0, 0, 0, 0, 0x0b}};
  plan.trial.rate = Rate{Rate::Unit::packets, 5000};
  return plan;
}

// The first `count` frames that one queue must send.
Frames expected(const BenchPlan& plan,
                const MacAddress& source,
                unsigned queue,
                std::size_t count) {
  const auto pattern = size_pattern(plan.traffic.sizes);
  const auto ports = source_ports(queue, plan.queues, plan.traffic.flows);
  Frames frames;
  for (std::size_t i = 0; i < count; ++i) {
    Flow flow;
    flow.source = source;
    flow.destination = plan.traffic.destination;
    flow.source_ip = *plan.traffic.source_ip;
    flow.destination_ip = *plan.traffic.peer_ip;
    flow.source_port = static_cast<std::uint16_t>(ports.first + i % plan.traffic.flows);
    auto& frame = frames.emplace_back(plan.traffic.sizes[pattern[i % pattern.size()]].bytes - 4U);
    write_frame(flow, frame);
  }
  return frames;
}

unsigned source_port_of(const std::vector<std::uint8_t>& frame) {
  return frame[kSourcePortAt] * 256U + frame[kSourcePortAt + 1];
}

TEST(MixedTraffic, MatchesThePlanByteForByte) {
  EXPECT_TRUE(in_child([] {
    make_cable();
    if (testing::Test::HasFailure()) return;
    const Listener listener("receiver");
    const auto plan = mixed_plan("net_af_packet0,iface=sender,qpairs=2", 2);
    const auto report = run(plan);
    ASSERT_TRUE(report.has_value()) << report.error().message;
    EXPECT_EQ(report->template_mode, "per-packet");
    const auto all = listener.waiting();
    EXPECT_EQ(all.size(), report->trials.front().total.tx.packets);

    const auto source = *MacAddress::parse(kSenderMac);
    for (unsigned queue = 0; queue < plan.queues; ++queue) {
      const auto ports = source_ports(queue, plan.queues, plan.traffic.flows);
      Frames frames;
      for (const auto& frame : all) {
        const auto port = source_port_of(frame);
        if (port >= ports.first && port <= ports.last) frames.push_back(frame);
      }
      const auto& count = report->trials.front().queues[queue].tx;
      ASSERT_GT(frames.size(), 24U) << "too few frames to check the shares";
      EXPECT_EQ(frames.size(), count.packets);
      EXPECT_TRUE(frames == expected(plan, source, queue, frames.size()));
      std::uint64_t bytes = 0;
      for (const auto& frame : frames) bytes += frame.size() + kFcsBytes;
      EXPECT_EQ(count.bytes, bytes);
    }
  }));
}

TEST(MixedTraffic, IsTheSameThroughATap) {
  EXPECT_TRUE(in_child([] {
    ASSERT_EQ(unshare(CLONE_NEWNET), 0) << "network namespaces need root";
    const auto plan = mixed_plan("net_tap0,iface=manatap0", 1);
    auto engine = kDpdkEngine.make();
    ASSERT_TRUE(engine.has_value());
    const auto session = (*engine)->open(plan);
    ASSERT_TRUE(session.has_value()) << session.error().message;
    const Listener listener("manatap0");
    const auto trial = (*session)->run(plan.trial, {}, {});
    ASSERT_TRUE(trial.has_value()) << trial.error().message;
    Frames frames;
    for (auto& frame : listener.waiting()) {
      if (frame.size() >= kHeaderBytes && frame[12] == 0x08 && frame[13] == 0) {
        frames.push_back(std::move(frame));  // the kernel's own frames are IPv6
      }
    }
    ASSERT_GT(frames.size(), 24U);
    EXPECT_EQ(frames.size(), trial->total.tx.packets);
    const auto source = (*session)->about().ports.front().mac;
    EXPECT_TRUE(frames == expected(plan, source, 0, frames.size()));
  }));
}

TEST(Forwarding, ReturnsEveryFrameUnchanged) {
  EXPECT_TRUE(in_child([] {
    make_cable();
    if (testing::Test::HasFailure()) return;
    const Listener peer("sender");
    auto plan = mixed_plan("net_af_packet0,iface=receiver", 1);
    const auto sent = expected(plan, MacAddress{{0x02, 0, 0, 0, 0, 1}}, 0, 100);
    plan.mode = Mode::fwd;
    plan.traffic = {};
    plan.trial.rate.reset();
    plan.trial.seconds = 50;
    auto engine = kDpdkEngine.make();
    ASSERT_TRUE(engine.has_value());
    const auto session = (*engine)->open(plan);
    ASSERT_TRUE(session.has_value()) << session.error().message;
    std::stop_source stop;
    std::uint64_t back = 0;
    Progress progress;
    progress.started = [&] {
      for (const auto& frame : sent) peer.send(frame);
    };
    progress.interval = [&](const Interval& interval) {
      back += interval.total.tx.packets;
      if (back >= sent.size()) stop.request_stop();
    };
    const auto trial = (*session)->run(plan.trial, stop.get_token(), progress);
    ASSERT_TRUE(trial.has_value()) << trial.error().message;
    EXPECT_EQ(trial->total.rx.packets, sent.size());
    EXPECT_EQ(trial->total.tx.packets, sent.size());
    EXPECT_EQ(trial->total.tx.bytes, trial->total.rx.bytes);
    EXPECT_TRUE(peer.waiting() == sent);
  }));
}

TEST(Frames, AboveTheMtuOfTheInterfaceAreRejected) {
  EXPECT_TRUE(in_child([] {
    make_cable();
    if (testing::Test::HasFailure()) return;
    auto plan = short_plan(Mode::tx, "net_af_packet0,iface=sender");
    plan.traffic.sizes = {{64, 1}, {1519, 1}};
    const auto report = run(plan);
    ASSERT_FALSE(report.has_value());
    EXPECT_EQ(report.error().code, Errc::invalid);
    EXPECT_THAT(report.error().message, HasSubstr("plan.sizes 1519"));
    EXPECT_THAT(report.error().message, HasSubstr("MTU of 1500"));
  }));
}

}  // namespace
}  // namespace manactl::datapath::traffic_root_test
