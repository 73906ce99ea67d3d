// SPDX-License-Identifier: MIT
//
// Tests the backend with a real TAP interface, in a separate network namespace.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "adapter/launch/launch.h"
#include "adapter/link/io_backends.h"

namespace manactl::adapter::tap_test {
namespace {

// Keeps the ARP frames that arrive.
struct Inbox final : Ingress {
  void deliver(std::span<const Frame> frames) override {
    for (const auto& frame : frames) {
      const bool arp = frame.size() >= 42 && frame[12] == 0x08 && frame[13] == 0x06;
      if (arp) replies.emplace_back(frame.begin(), frame.end());
    }
  }

  std::vector<std::vector<std::uint8_t>> replies;
};

class TapTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(unshare(CLONE_NEWNET), 0) << "network namespaces need root"; }
};

TEST_F(TapTest, ExchangesFramesWithTheKernel) {
  const auto fd = open_tap("sim0");
  ASSERT_TRUE(fd) << fd.error().message;
  ASSERT_EQ(std::system("ip address add 192.0.2.1/24 dev sim0"), 0);
  Inbox inbox;
  const auto tap = make_tap(inbox, *fd);
  const std::vector<std::uint8_t> request = {
      0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 0,   0, 0, 0, 2, 0x08, 0x06, 0, 1, 0x08, 0,   6, 4, 0,
      1,    2,    0,    0,    0,    0,    2, 192, 0, 2, 2, 0, 0,    0,    0, 0, 0,    192, 0, 2, 1};
  const Frame frame(request);
  tap->transmit(std::span(&frame, 1));
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (inbox.replies.empty() && std::chrono::steady_clock::now() < deadline) {
    if (tap->poll(32).frames == 0) std::this_thread::yield();
  }
  ASSERT_FALSE(inbox.replies.empty());
  EXPECT_EQ(inbox.replies[0][21], 2) << "an ARP reply";
  EXPECT_EQ(inbox.replies[0][28], 192);
  EXPECT_EQ(inbox.replies[0][31], 1);
  close(*fd);
}

TEST_F(TapTest, ExistsWhileTheProgramRuns) {
  const auto run = [](std::string settings, const char* script) {
    return launch({"", std::move(settings), {"sh", "-c", script}, false, {}});
  };
  EXPECT_EQ(run("backend=tap ports=2", "ip -o link show up | grep -q sim1")->status, 0);
  EXPECT_EQ(run("", "ip link show sim1 2>/dev/null")->status, 1)
      << "the interface vanished with the program";
}

TEST_F(TapTest, FailsIfTheNameIsTaken) {
  const auto fd = open_tap("sim0");
  ASSERT_TRUE(fd);
  const auto again = open_tap("sim0");
  ASSERT_FALSE(again);
  EXPECT_THAT(again.error().message,
              testing::HasSubstr("cannot create the interface 'sim0': Device or resource busy"));
  close(*fd);
}

}  // namespace
}  // namespace manactl::adapter::tap_test
