// SPDX-License-Identifier: MIT
//
// Modes that see both sides, over a ring that ends where it begins and between two processes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <thread>

#include "datapath/in_child.h"
#include "datapath/trials.h"

namespace manactl::datapath {
namespace {

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

void expect_whole(const Trial& trial) {
  EXPECT_GT(trial.total.tx.packets, 0U);
  EXPECT_EQ(trial.total.rx.packets, trial.total.tx.packets);  // what was on its way came in
  EXPECT_EQ(trial.total.rx.bytes, trial.total.rx.packets * kSize);
  ASSERT_TRUE(trial.latency);
  EXPECT_EQ(trial.latency->count(), trial.total.rx.packets);
  EXPECT_GT(trial.latency->least(), 0U);
  EXPECT_LE(trial.latency->percentile(0.5), trial.latency->percentile(0.99));
  EXPECT_LE(trial.latency->percentile(0.9999), trial.latency->most());
  EXPECT_EQ(trial.answers.reordered, 0U);
  EXPECT_EQ(trial.answers.strangers, 0U);
}

class RoundTrips : public testing::TestWithParam<std::uint16_t> {};

TEST_P(RoundTrips, OfARingAreAllCounted) {
  EXPECT_TRUE(in_child([] {
    const auto report = run(loop_plan(Mode::rtt, GetParam()));
    ASSERT_TRUE(report.has_value()) << report.error().message;
    expect_whole(report->trials.front());
    EXPECT_EQ(report->template_mode, "per-packet");
    EXPECT_THAT(report->notes, Contains(HasSubstr("times are taken by software")));
  }));
}

INSTANTIATE_TEST_SUITE_P(Queues, RoundTrips, testing::Values(1, 2));

TEST(RoundTrip, BeginsAnewWithEachTrial) {
  EXPECT_TRUE(in_child([] {
    const auto engine = make_engine();
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
      expect_whole(trial);
      EXPECT_LE(trial.total.tx.packets, 2000U);  // 0.3 s at most, and some
    }
  }));
}

TEST(Exchange, CountsWhatWasOnItsWayAtTheEnd) {
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

TEST(FindOnALoop, EndsAtTheMostThatIsSent) {
  EXPECT_TRUE(in_child([] {
    const auto engine = make_engine();
    ASSERT_TRUE(engine.has_value());
    const auto plan = loop_plan(Mode::txrx);
    const auto session = open(**engine, plan);
    ASSERT_NE(session, nullptr);
    FindPlan goals;
    goals.trial = plan.trial;
    goals.losses = {0, 0.01};
    goals.most = 20'000;
    const auto report = find(*session, goals, {}, {});
    ASSERT_TRUE(report.has_value()) << report.error().message;
    for (const auto& found : report->result.found) {
      // A machine that is busy elsewhere sends less than was asked for, but loses nothing.
      EXPECT_EQ(found.end, Found::End::above);
      EXPECT_LE(found.lower.value_or(0), 20'000);
      EXPECT_FALSE(found.upper);
    }
    for (const auto& probe : report->result.probes) EXPECT_EQ(probe.loss(), 0);
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

  // Asks until answers come, and stays until the responder has been halted.
  void ask(int parent) const {
    const auto engine = make_engine();
    ASSERT_TRUE(engine.has_value());
    auto asker = plan(Mode::rtt, "client");
    asker.trial.rate = Rate{Rate::Unit::packets, 2000};
    const auto session = open(**engine, asker);
    ASSERT_NE(session, nullptr);
    for (int i = 0; i < 100; ++i) {
      const auto trial = session->run(asker.trial, {}, {});
      ASSERT_TRUE(trial.has_value()) << trial.error().message;
      if (trial->total.rx.packets < 100) continue;
      ASSERT_TRUE(trial->latency);
      EXPECT_EQ(trial->latency->count(), trial->total.rx.packets);
      EXPECT_LE(trial->total.rx.packets, trial->total.tx.packets);
      EXPECT_EQ(trial->answers.reordered, 0U);
      char word = '+';
      EXPECT_EQ(write(parent, &word, 1), 1);
      EXPECT_EQ(read(parent, &word, 1), 1);
      return;
    }
    FAIL() << "no answers came";
  }

 private:
  std::string directory_;
};

// As in engine_memif_test.cpp: nobody leaves while the other one works.
TEST_F(RoundTripsOnMemif, GoThroughAnotherProcessThatForwards) {
  std::array<int, 2> talk{};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, talk.data()), 0);
  Child responder([&] {
    close(talk[0]);
    close(talk[1]);
    auto forward = plan(Mode::fwd, "server");
    forward.trial.seconds = 55;
    const auto report = run(forward);
    ADD_FAILURE() << (report ? "nobody stopped it" : report.error().message);
  });
  for (int i = 0; i < 300 && !std::filesystem::exists(socket()); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  Child asker([&] {
    close(talk[0]);
    ask(talk[1]);
  });
  close(talk[1]);
  char word = 0;
  EXPECT_EQ(read(talk[0], &word, 1), 1) << "the asker ended without answers";
  EXPECT_TRUE(responder.halt());
  EXPECT_EQ(write(talk[0], &word, 1), 1);
  EXPECT_TRUE(asker.succeeded());
  EXPECT_TRUE(responder.killed());
  close(talk[0]);
}

}  // namespace
}  // namespace manactl::datapath
