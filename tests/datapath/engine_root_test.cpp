// SPDX-License-Identifier: MIT
//
// Tests of drivers that need interfaces of the kernel, in the test's own network namespace.
#include <gmock/gmock.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <net/if.h>
#include <sched.h>
#include <unistd.h>

#include <functional>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "datapath/analysis/summary.h"
#include "datapath/cable.h"
#include "datapath/decode.h"
#include "datapath/engines.h"
#include "datapath/in_child.h"
#include "datapath/measure/trials.h"
#include "datapath/plan/plan.h"
#include "datapath/traffic/frame.h"

namespace manactl::datapath::engine_root_test {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

class FramesOnACable : public testing::TestWithParam<std::uint16_t> {};

TEST_P(FramesOnACable, AreCompleteAndAddressedAsAzureRequires) {
  EXPECT_TRUE(in_child([] {
    make_cable();
    if (testing::Test::HasFailure()) return;
    const Listener listener("receiver");
    auto plan = short_plan(Mode::tx, "net_af_packet0,iface=sender,qpairs=2", 2);
    plan.traffic.sizes.front().bytes = GetParam();
    const auto report = run(plan);
    ASSERT_TRUE(report.has_value()) << report.error().message;
    EXPECT_EQ(report->ports.front().driver, "net_af_packet");
    EXPECT_GT(report->trials.front().total.tx.packets, 0U);

    std::set<std::uint16_t> source_ports;
    for (int i = 0; i < 30; ++i) {  // a socket buffer holds about 90 large frames
      const auto frame = listener.next();
      ASSERT_EQ(frame.size(), GetParam() - 4U);  // without FCS
      const auto packet = decode(frame);
      ASSERT_TRUE(packet.has_value());
      EXPECT_EQ(packet->source.str(), kSenderMac);
      EXPECT_EQ(packet->destination.str(), "12:34:56:78:9a:bc");
      EXPECT_EQ(packet->ip_bytes, frame.size() - 14);
      EXPECT_TRUE(packet->ip_checksum_valid);
      EXPECT_TRUE(packet->udp_checksum_valid);
      source_ports.insert(packet->source_port);
    }
    for (const auto port : source_ports) {
      EXPECT_THAT(port, AnyOf(kFirstSourcePort, kFirstSourcePort + 1));
    }
  }));
}

INSTANTIATE_TEST_SUITE_P(Sizes, FramesOnACable, testing::Values(64, 65, 512, 1518));

TEST(EngineOnAfPacket, ReceivesFrames) {
  EXPECT_TRUE(in_child([] {
    make_cable();
    if (testing::Test::HasFailure()) return;
    Child receiver([] {
      auto plan = short_plan(Mode::rx, "net_af_packet0,iface=receiver");
      plan.trial.seconds = 50;
      std::stop_source stop;
      std::uint64_t received = 0;
      auto engine = kDpdkEngine.make();
      ASSERT_TRUE(engine.has_value());
      const auto report = run(**engine, plan, stop.get_token(), {{}, [&](const Interval& interval) {
                                                                   received +=
                                                                       interval.total.rx.packets;
                                                                   if (received > 1000)
                                                                     stop.request_stop();
                                                                 }});
      ASSERT_TRUE(report.has_value()) << report.error().message;
      EXPECT_GT(report->trials.front().total.rx.packets, 1000U);
      EXPECT_EQ(report->trials.front().total.rx.bytes,
                report->trials.front().total.rx.packets * 128);
    });
    // Sends through a socket, because a second engine might use the same fanout group of AF_PACKET.
    const Listener cable("sender");
    std::vector<std::uint8_t> frame(124);
    write_frame({}, frame);
    while (receiver.running()) cable.send(frame);
    EXPECT_TRUE(receiver.succeeded());
  }));
}

class DeletedCable : public testing::TestWithParam<Mode> {};

// The child is killed after a minute if its driver waits forever for the interface.
TEST_P(DeletedCable, IsReportedAsAnEvent) {
  EXPECT_TRUE(in_child([] {
    make_cable();
    if (testing::Test::HasFailure()) return;
    auto plan = short_plan(GetParam(), "net_af_packet0,iface=sender");
    plan.trial.seconds = 1.5;
    int intervals = 0;
    Progress progress;
    progress.interval = [&](const Interval&) {
      if (++intervals == 2) {
        EXPECT_TRUE(ip({"link", "del", "sender"}));
      }
    };
    auto engine = kDpdkEngine.make();
    ASSERT_TRUE(engine.has_value());
    const auto report = run(**engine, plan, {}, progress);
    ASSERT_TRUE(report.has_value()) << report.error().message;
    EXPECT_FALSE(report->trials.back().interrupted);
    const auto& trial = report->trials.front();
    ASSERT_EQ(trial.events.size(), 1U);
    EXPECT_EQ(trial.events[0].device, "net_af_packet0");
    EXPECT_EQ(trial.events[0].kind, Event::Kind::removed);
    EXPECT_EQ(trial.intervals.back().total.tx.packets, 0U);
    if (generates_packets(GetParam())) {
      EXPECT_GT(trial.intervals.front().total.tx.packets, 0U);
    }
  }));
}

// Removes a device after two intervals, creates it again two intervals later, and stops when
// packets flow again. `interface` receives the packets that `send_from` sends.
struct DeviceReplacement {
  std::string interface, send_from;
  std::function<void()> create;
  std::stop_source stop = {};
  int intervals = 0;
  std::vector<Event> events = {};

  void on_interval(Mode mode, const Interval& interval) {
    ++intervals;
    if (intervals == 2) {
      EXPECT_TRUE(ip({"link", "del", interface}));
    }
    if (intervals == 4) create();
    if (intervals >= 4 && receives(mode) && if_nametoindex(send_from.c_str()) != 0) {
      const Listener peer(send_from.c_str());
      for (int i = 0; i < 10; ++i) peer.send(std::vector<std::uint8_t>(60));
    }
    const auto moved = headline(mode, interval.total).packets;
    if (!events.empty() && events.back().kind == Event::Kind::returned && moved > 0) {
      stop.request_stop();
    }
  }
};

// Runs the plan until packets flow again on its replaced device.
void expect_packets_after(DeviceReplacement& replacement, BenchPlan plan) {
  plan.trial.seconds = 50;
  Progress progress;
  progress.interval = [&](const Interval& one) { replacement.on_interval(plan.mode, one); };
  progress.event = [&](const Event& event) { replacement.events.push_back(event); };
  auto engine = kDpdkEngine.make();
  ASSERT_TRUE(engine.has_value());
  const auto report = run(**engine, plan, replacement.stop.get_token(), progress);
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_TRUE(report->trials.back().interrupted) << "no packets after the interface returned";
  const auto& trial = report->trials.front();
  ASSERT_EQ(trial.events.size(), 2U);
  EXPECT_EQ(trial.events[0].kind, Event::Kind::removed);
  EXPECT_EQ(trial.events[1].kind, Event::Kind::returned);
  const auto& device = plan.vdevs.front();
  EXPECT_EQ(trial.events[1].device, device.substr(0, device.find(',')));
  const auto servicing = servicing_of(plan.mode, trial);
  ASSERT_TRUE(servicing);
  EXPECT_FALSE(servicing->during) << "without the device, there is no rate";
  if (sends(plan.mode)) {
    EXPECT_GT(trial.total.tx.packets, trial.intervals.front().total.tx.packets)
        << "the total has the packets before and after the removal";
  } else {
    EXPECT_GT(trial.total.rx.packets, 0U);
  }
}

class RepairedCable : public testing::TestWithParam<std::tuple<Mode, std::uint16_t>> {};

TEST_P(RepairedCable, CarriesPacketsAgain) {
  EXPECT_TRUE(in_child([] {
    const auto [mode, queues] = GetParam();
    make_cable();
    if (testing::Test::HasFailure()) return;
    auto device = std::string("net_af_packet0,iface=sender");
    if (queues > 1) device += ",qpairs=" + std::to_string(queues);
    DeviceReplacement cable{"sender", "receiver", create_cable};
    expect_packets_after(cable, short_plan(mode, device, queues));
  }));
}

INSTANTIATE_TEST_SUITE_P(Modes,
                         RepairedCable,
                         testing::Combine(testing::Values(Mode::tx, Mode::rx, Mode::txrx),
                                          testing::Values(1, 2)));

INSTANTIATE_TEST_SUITE_P(Modes,
                         DeletedCable,
                         testing::Values(Mode::tx, Mode::rx, Mode::txrx, Mode::fwd));

TEST(EngineOnTap, SendsIntoTheKernel) {
  EXPECT_TRUE(in_child([] {
    ASSERT_EQ(unshare(CLONE_NEWNET), 0) << "network namespaces need root";
    const auto report = run(short_plan(Mode::tx, "net_tap0,iface=manatap0"));
    ASSERT_TRUE(report.has_value()) << report.error().message;
    EXPECT_EQ(report->ports.front().driver, "net_tap");
    EXPECT_GT(report->trials.front().total.tx.packets, 0U);
    EXPECT_EQ(if_nametoindex("manatap0"), 0U);  // deleted with the port
  }));
}

TEST(EngineOnTap, SupportsTun) {
  EXPECT_TRUE(in_child([] {
    ASSERT_EQ(unshare(CLONE_NEWNET), 0) << "network namespaces need root";
    const auto report = run(short_plan(Mode::rx, "net_tun0"));
    ASSERT_TRUE(report.has_value()) << report.error().message;
  }));
}

using DeletedTap = RepairedCable;

// The driver creates the interface again.
TEST_P(DeletedTap, CarriesPacketsAgain) {
  EXPECT_TRUE(in_child([] {
    const auto [mode, queues] = GetParam();
    ASSERT_EQ(unshare(CLONE_NEWNET), 0) << "network namespaces need root";
    DeviceReplacement tap{"manatap0", "manatap0", [] {}};
    expect_packets_after(tap, short_plan(mode, "net_tap0,iface=manatap0", queues));
  }));
}

INSTANTIATE_TEST_SUITE_P(Modes,
                         DeletedTap,
                         testing::Combine(testing::Values(Mode::tx, Mode::rx, Mode::txrx),
                                          testing::Values(1, 2)));

TEST(EngineOnTap, ContinuesWhenItsInterfaceIsUpAgain) {
  EXPECT_TRUE(in_child([] {
    ASSERT_EQ(unshare(CLONE_NEWNET), 0) << "network namespaces need root";
    auto plan = short_plan(Mode::tx, "net_tap0,iface=manatap0");
    plan.trial.seconds = 50;
    std::stop_source stop;
    enum class Step { up, down, up_again } step = Step::up;
    Progress progress;
    progress.interval = [&](const Interval& interval) {
      const bool sends = interval.total.tx.packets > 0;
      if (step == Step::up && sends) {
        EXPECT_TRUE(ip({"link", "set", "manatap0", "down"}));
        step = Step::down;
      } else if (step == Step::down && !sends) {
        EXPECT_TRUE(ip({"link", "set", "manatap0", "up"}));
        step = Step::up_again;
      } else if (step == Step::up_again && sends) {
        stop.request_stop();
      }
    };
    auto engine = kDpdkEngine.make();
    ASSERT_TRUE(engine.has_value());
    const auto report = run(**engine, plan, stop.get_token(), progress);
    ASSERT_TRUE(report.has_value()) << report.error().message;
    EXPECT_TRUE(report->trials.back().interrupted) << "no packets after the interface was up again";
    EXPECT_TRUE(report->trials.front().events.empty());
  }));
}

class Unprivileged : public testing::Test {
 protected:
  static void become_nobody() {
    constexpr unsigned kNobody = 65534;
    ASSERT_EQ(setgroups(0, nullptr), 0) << "root is needed to become nobody";
    ASSERT_EQ(setresgid(kNobody, kNobody, kNobody), 0);
    ASSERT_EQ(setresuid(kNobody, kNobody, kNobody), 0);
  }
};

TEST_F(Unprivileged, RunsAVirtualDeviceWithoutHugepages) {
  EXPECT_TRUE(in_child([] {
    become_nobody();
    const auto report = run(short_plan(Mode::tx, "net_null0"));
    ASSERT_TRUE(report.has_value()) << report.error().message;
    EXPECT_GT(report->trials.front().total.tx.packets, 0U);
  }));
}

TEST_F(Unprivileged, LearnsWhichCapabilityIsMissing) {
  EXPECT_TRUE(in_child([] {
    become_nobody();
    const auto report = run(short_plan(Mode::tx, "net_af_packet0,iface=lo"));
    ASSERT_FALSE(report.has_value());
    EXPECT_EQ(report.error().code, Errc::denied);
    EXPECT_THAT(report.error().message, HasSubstr("CAP_NET_RAW"));
  }));
}

TEST_F(Unprivileged, CannotCreateATap) {
  EXPECT_TRUE(in_child([] {
    become_nobody();
    const auto report = run(short_plan(Mode::tx, "net_tap0"));
    ASSERT_FALSE(report.has_value());
    EXPECT_EQ(report.error().code, Errc::denied);
  }));
}

}  // namespace
}  // namespace manactl::datapath::engine_root_test
