// SPDX-License-Identifier: MIT
//
// Two processes, a sender and a receiver, joined by shared memory.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "datapath/in_child.h"

namespace manactl::datapath {
namespace {

class EngineOnMemif : public testing::TestWithParam<std::uint16_t> {
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

 private:
  std::string directory_;
};

TEST_P(EngineOnMemif, CarriesFramesOfTheSizeAskedFor) {
  // The receiver leaves first: a memif forgets its counters when its peer goes.
  Child receiver([this] {
    auto plan = short_plan(Mode::rx, device("server"));
    plan.frame_bytes = GetParam();
    plan.seconds = 50;
    std::stop_source stop;
    std::uint64_t seen = 0;
    auto engine = make_engine();
    ASSERT_TRUE(engine.has_value());
    const auto report = (*engine)->run(plan, stop.get_token(), [&](const Sample& sample) {
      seen += sample.packets;
      if (seen > 1000) stop.request_stop();
    });
    ASSERT_TRUE(report.has_value()) << report.error().message;
    EXPECT_GT(report->total.packets, 1000U);
    EXPECT_EQ(report->total.bytes, report->total.packets * GetParam());
  });
  for (int i = 0; i < 300 && !std::filesystem::exists(socket()); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  Child sender([this] {
    auto plan = short_plan(Mode::tx, device("client"));
    plan.frame_bytes = GetParam();
    plan.seconds = 5;
    const auto report = run(plan);
    ASSERT_TRUE(report.has_value()) << report.error().message;
    EXPECT_EQ(report->driver, "net_memif");
  });
  EXPECT_TRUE(receiver.succeeded());
  EXPECT_TRUE(sender.succeeded());
}

INSTANTIATE_TEST_SUITE_P(Sizes, EngineOnMemif, testing::Values(64, 65, 1518));

}  // namespace
}  // namespace manactl::datapath
