// SPDX-License-Identifier: MIT
//
// Tests modes that send and receive: on a ring that returns packets, and between two processes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <thread>

#include "datapath/engines.h"
#include "datapath/in_child.h"
#include "datapath/measure/trials.h"

namespace manactl::datapath::engine_measure_test {
namespace {

using testing::AnyOf;
using testing::Contains;
using testing::HasSubstr;

constexpr std::uint16_t kSize = 128;

BenchPlan loop_plan(Mode mode, std::uint16_t queues = 1) {
  auto plan = short_plan(mode, "net_ring0", queues);
  plan.traffic.sizes.front().bytes = kSize;
  return plan;
}

std::unique_ptr<Session> open(Engine& engine, const BenchPlan& plan) {
  auto session = engine.open(plan);
  EXPECT_TRUE(session.has_value()) << session.error().message;
  return session ? std::move(*session) : nullptr;
}

void expect_complete(const Trial& trial) {
  EXPECT_GT(trial.total.tx.packets, 0U);
  EXPECT_EQ(trial.total.rx.packets, trial.total.tx.packets);  // includes late replies
  EXPECT_EQ(trial.total.rx.bytes, trial.total.rx.packets * kSize);
  ASSERT_TRUE(trial.latency);
  EXPECT_EQ(trial.latency->count(), trial.total.rx.packets);
  EXPECT_GT(trial.latency->min(), 0U);
  EXPECT_LE(trial.latency->percentile(0.5), trial.latency->percentile(0.99));
  EXPECT_LE(trial.latency->percentile(0.9999), trial.latency->max());
  EXPECT_EQ(trial.replies.reordered, 0U);
  EXPECT_EQ(trial.replies.unrelated, 0U);
}

class RoundTrips : public testing::TestWithParam<std::uint16_t> {};

TEST_P(RoundTrips, OfARingAreCountedCompletely) {
  EXPECT_TRUE(in_child([] {
    const auto report = run(loop_plan(Mode::rtt, GetParam()));
    ASSERT_TRUE(report.has_value()) << report.error().message;
    expect_complete(report->trials.front());
    EXPECT_EQ(report->template_mode, "per-packet");
    EXPECT_THAT(report->notes, Contains(HasSubstr("software measures the times")));
  }));
}

INSTANTIATE_TEST_SUITE_P(Queues, RoundTrips, testing::Values(1, 2));

TEST(RoundTrip, RestartsWithEachTrial) {
  EXPECT_TRUE(in_child([] {
    const auto engine = kDpdkEngine.make();
    ASSERT_TRUE(engine.has_value());
    auto plan = loop_plan(Mode::rtt);
    plan.traffic.flows = 3;
    plan.trial.rate = Rate{Rate::Unit::packets, 5000};
    const auto session = open(**engine, plan);
    ASSERT_NE(session, nullptr);
    const auto trials = repeat(*session, plan.trial, 3, {}, {});
    ASSERT_TRUE(trials.has_value()) << trials.error().message;
    ASSERT_EQ(trials->size(), 3U);
    for (const auto& trial : *trials) {
      expect_complete(trial);
      EXPECT_LE(trial.total.tx.packets, 2000U);  // 1500 packets in 0.3 s, plus a late end
    }
  }));
}

TEST(TxRx, CountsPacketsInFlightAtTheEnd) {
  EXPECT_TRUE(in_child([] {
    auto plan = loop_plan(Mode::txrx);
    plan.trial.rate = Rate{Rate::Unit::packets, 100'000};
    const auto report = run(plan);
    ASSERT_TRUE(report.has_value()) << report.error().message;
    const auto& total = report->trials.front().total;
    EXPECT_GT(total.tx.packets, 0U);
    EXPECT_EQ(total.rx.packets, total.tx.packets);
  }));
}

TEST(FindOnALoop, EndsAtTheMaximumRate) {
  EXPECT_TRUE(in_child([] {
    const auto engine = kDpdkEngine.make();
    ASSERT_TRUE(engine.has_value());
    const auto plan = loop_plan(Mode::txrx);
    const auto session = open(**engine, plan);
    ASSERT_NE(session, nullptr);
    FindPlan goals;
    goals.trial = plan.trial;
    goals.trial.seconds = 1;  // the first trials take a tenth of this
    goals.losses = {0, 0.01};
    goals.max_rate = 20'000;
    const auto report = find(*session, goals, {}, {});
    ASSERT_TRUE(report.has_value()) << report.error().message;
    for (const auto& found : report->result.found) {
      // A busy machine sends less than requested, or disturbs each trial, but loses no packets.
      EXPECT_THAT(found.end, AnyOf(GoalResult::End::above, GoalResult::End::inconclusive));
      EXPECT_LE(found.lower.value_or(0), 20'000);
      EXPECT_FALSE(found.upper);
    }
    for (const auto& probe : report->result.probes) {
      EXPECT_TRUE(probe.sent == 0 || probe.loss() == 0);  // loss() is 1 if nothing was sent
    }
    EXPECT_FALSE(report->trials.empty());
  }));
}

class RoundTripsOnMemif : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = "/tmp/manactl-memif-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    directory_ = name;
  }

  void TearDown() override { std::filesystem::remove_all(directory_); }

  BenchPlan plan(Mode mode, const char* role) const {
    auto plan = loop_plan(mode);
    plan.vdevs = {std::string("net_memif0,role=") + role +
                  ",socket-abstract=no,socket=" + socket()};
    return plan;
  }

  std::string socket() const { return directory_ + "/socket"; }

  // Sends requests until replies arrive, and then waits until the responder was halted.
  void send_requests(int parent) const {
    const auto engine = kDpdkEngine.make();
    ASSERT_TRUE(engine.has_value());
    auto requester = plan(Mode::rtt, "client");
    requester.trial.rate = Rate{Rate::Unit::packets, 2000};
    const auto session = open(**engine, requester);
    ASSERT_NE(session, nullptr);
    for (int i = 0; i < 100; ++i) {
      const auto trial = session->run(requester.trial, {}, {});
      ASSERT_TRUE(trial.has_value()) << trial.error().message;
      if (trial->total.rx.packets < 100) continue;
      ASSERT_TRUE(trial->latency);
      EXPECT_EQ(trial->latency->count(), trial->total.rx.packets);
      EXPECT_LE(trial->total.rx.packets, trial->total.tx.packets);
      EXPECT_EQ(trial->replies.reordered, 0U);
      char byte = '+';
      EXPECT_EQ(write(parent, &byte, 1), 1);
      EXPECT_EQ(read(parent, &byte, 1), 1);
      return;
    }
    FAIL() << "no replies arrived";
  }

 private:
  std::string directory_;
};

// No process disconnects while the other one runs; see engine_memif_test.cpp.
TEST_F(RoundTripsOnMemif, PassThroughAnotherProcessThatForwards) {
  std::array<int, 2> sockets{};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()), 0);
  Child responder([&] {
    close(sockets[0]);
    close(sockets[1]);
    auto forward = plan(Mode::fwd, "server");
    forward.trial.seconds = 55;
    const auto report = run(forward);
    ADD_FAILURE() << (report ? "the responder ended" : report.error().message);
  });
  for (int i = 0; i < 300 && !std::filesystem::exists(socket()); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  Child requester([&] {
    close(sockets[0]);
    send_requests(sockets[1]);
  });
  close(sockets[1]);
  char byte = 0;
  EXPECT_EQ(read(sockets[0], &byte, 1), 1) << "the requester ended without replies";
  EXPECT_TRUE(responder.halt());
  EXPECT_EQ(write(sockets[0], &byte, 1), 1);
  EXPECT_TRUE(requester.succeeded());
  EXPECT_TRUE(responder.killed());
  close(sockets[0]);
}

}  // namespace
}  // namespace manactl::datapath::engine_measure_test
