// SPDX-License-Identifier: MIT
//
// A sender and a receiver in two processes that share memory.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <thread>
#include <vector>

#include "datapath/engines.h"
#include "datapath/in_child.h"
#include "datapath/measure/trials.h"

namespace manactl::datapath::engine_memif_test {
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

  // Receives enough packets, notifies the parent and stops when the parent replies.
  void receive(int parent) const {
    auto plan = short_plan(Mode::rx, device("server"));
    plan.traffic.sizes = GetParam();
    plan.trial.seconds = 50;
    std::stop_source stop;
    std::uint64_t received = 0;
    auto engine = kDpdkEngine.make();
    ASSERT_TRUE(engine.has_value());
    const auto report =
        run(**engine, plan, stop.get_token(), {{}, [&](const Interval& interval) {
                                                 received += interval.total.rx.packets;
                                                 if (received <= 1000 || stop.stop_requested())
                                                   return;
                                                 char byte = '+';
                                                 EXPECT_EQ(write(parent, &byte, 1), 1);
                                                 EXPECT_EQ(read(parent, &byte, 1), 1);
                                                 stop.request_stop();
                                               }});
    ASSERT_TRUE(report.has_value()) << report.error().message;
    EXPECT_EQ(report->ports.front().driver, "net_memif");
    EXPECT_TRUE(report->trials.back().interrupted);
    EXPECT_GT(report->trials.front().total.rx.packets, 1000U);
    expect_the_sizes_sent(report->trials.front().total.rx);
  }

 private:
  // A sender repeats its sizes in a fixed order and skips none, even if the device rejects packets.
  // So the number of packets determines their bytes, except for one incomplete round.
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

// When the peer disconnects, DPDK's driver unmaps the shared rings even while a worker uses them.
// So the sender is halted before the receiver ends, and killed afterwards.
TEST_P(EngineOnMemif, TransfersFramesOfTheRequestedSizes) {
  std::array<int, 2> sockets{};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()), 0);
  Child receiver([&] {
    close(sockets[0]);
    receive(sockets[1]);
  });
  close(sockets[1]);
  for (int i = 0; i < 300 && !std::filesystem::exists(socket()); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  Child sender([&] {
    close(sockets[0]);
    auto plan = short_plan(Mode::tx, device("client"));
    plan.traffic.sizes = GetParam();
    plan.trial.seconds = 55;
    const auto report = run(plan);
    ADD_FAILURE() << (report ? "the receiver took no packets" : report.error().message);
  });
  char byte = 0;
  EXPECT_EQ(read(sockets[0], &byte, 1), 1) << "the receiver ended without packets";
  EXPECT_TRUE(sender.halt());
  EXPECT_EQ(write(sockets[0], &byte, 1), 1);
  EXPECT_TRUE(receiver.succeeded());
  EXPECT_TRUE(sender.killed());
  close(sockets[0]);
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
}  // namespace manactl::datapath::engine_memif_test
