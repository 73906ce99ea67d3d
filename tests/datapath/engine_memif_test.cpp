// SPDX-License-Identifier: MIT
//
// Two processes, a sender and a receiver, joined by shared memory.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <thread>
#include <vector>

#include "datapath/in_child.h"
#include "datapath/trials.h"

namespace manactl::datapath {
namespace {

class EngineOnMemif : public testing::TestWithParam<std::vector<SizeShare>> {
 protected:
  void SetUp() override {
    std::string name = "/tmp/manactl-memif-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    directory_ = name;
  }

  void TearDown() override { std::filesystem::remove_all(directory_); }

  std::string device(const char* role) const {
    return std::string("net_memif0,role=") + role + ",socket-abstract=no,socket=" + socket();
  }

  std::string socket() const { return directory_ + "/socket"; }

  // Counts until there is something to judge, says so, and ends when it is answered.
  void receive(int parent) const {
    auto plan = short_plan(Mode::rx, device("server"));
    plan.traffic.sizes = GetParam();
    plan.trial.seconds = 50;
    std::stop_source stop;
    std::uint64_t seen = 0;
    auto engine = make_engine();
    ASSERT_TRUE(engine.has_value());
    const auto report =
        run(**engine, plan, stop.get_token(), {{}, [&](const Interval& interval) {
                                                 seen += interval.total.rx.packets;
                                                 if (seen <= 1000 || stop.stop_requested()) return;
                                                 char word = '+';
                                                 EXPECT_EQ(write(parent, &word, 1), 1);
                                                 EXPECT_EQ(read(parent, &word, 1), 1);
                                                 stop.request_stop();
                                               }});
    ASSERT_TRUE(report.has_value()) << report.error().message;
    EXPECT_EQ(report->ports.front().driver, "net_memif");
    EXPECT_TRUE(report->interrupted());
    EXPECT_GT(report->trials.front().total.rx.packets, 1000U);
    expect_the_sizes_sent(report->trials.front().total.rx);
  }

 private:
  // The sizes of a sender follow one another in a fixed order, which goes on after the last packet
  // that the device took. So the number of packets tells how many there are of each, but for one
  // round that was not whole.
  static void expect_the_sizes_sent(const Count& received) {
    double round = 0;
    double packets = 0;
    for (const auto& size : GetParam()) {
      round += static_cast<double>(size.bytes) * size.share;
      packets += size.share;
    }
    const auto sent = static_cast<double>(received.packets) * round / packets;
    EXPECT_NEAR(static_cast<double>(received.bytes), sent, GetParam().size() > 1 ? round : 0);
  }

  std::string directory_;
};

// DPDK's driver unmaps the shared rings when the peer leaves, whatever a worker does with them at
// that moment. So nobody leaves while the other one works: the sender is halted before the receiver
// ends, and is killed where it stands.
TEST_P(EngineOnMemif, CarriesFramesOfTheSizeAskedFor) {
  std::array<int, 2> talk{};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, talk.data()), 0);
  Child receiver([&] {
    close(talk[0]);
    receive(talk[1]);
  });
  close(talk[1]);
  for (int i = 0; i < 300 && !std::filesystem::exists(socket()); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  Child sender([&] {
    close(talk[0]);
    auto plan = short_plan(Mode::tx, device("client"));
    plan.traffic.sizes = GetParam();
    plan.trial.seconds = 55;
    const auto report = run(plan);
    ADD_FAILURE() << (report ? "the receiver took nothing" : report.error().message);
  });
  char word = 0;
  EXPECT_EQ(read(talk[0], &word, 1), 1) << "the receiver ended without packets";
  EXPECT_TRUE(sender.halt());
  EXPECT_EQ(write(talk[0], &word, 1), 1);
  EXPECT_TRUE(receiver.succeeded());
  EXPECT_TRUE(sender.killed());
  close(talk[0]);
}

using Sizes = std::vector<SizeShare>;

INSTANTIATE_TEST_SUITE_P(Sizes,
                         EngineOnMemif,
                         testing::Values(Sizes{{64, 1}},
                                         Sizes{{65, 1}},
                                         Sizes{{1518, 1}},
                                         Sizes{{64, 7}, {570, 4}, {1518, 1}},
                                         Sizes{{64, 1}, {65, 1}, {512, 1}, {1024, 1}}));

}  // namespace
}  // namespace manactl::datapath
