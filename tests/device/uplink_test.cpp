// SPDX-License-Identifier: MIT
//
// Uplinks of ports.

#include "device/uplink.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <barrier>
#include <thread>

#include "device/console.h"
#include "device/fixture.h"

namespace manactl::device::uplink_test {
namespace {

using testing::HasSubstr;
using Frame = std::vector<std::uint8_t>;
using Frames = std::vector<Frame>;

constexpr std::array<std::uint8_t, 6> kElsewhere{2, 0, 0, 0, 0, 9};
constexpr std::array<std::uint8_t, 6> kBroadcast{0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

std::string path_of(std::string_view name) {
  return testing::TempDir() + std::string(name) + std::to_string(::getpid());
}

std::unique_ptr<Uplink> peer(const std::string& path) {
  auto opened = Uplink::open({0, UplinkKind::peer, path});
  EXPECT_TRUE(opened.has_value()) << opened.error().message;
  return opened ? std::move(*opened) : nullptr;
}

// An uplink in memory.
class FakeUplink : public Uplink {
 public:
  int fd() const override { return -1; }

  bool send(std::span<const std::uint8_t> frame) override {
    if (full) return false;
    sent.emplace_back(frame.begin(), frame.end());
    return true;
  }

  std::optional<Frame> receive() override {
    if (waiting.empty()) return std::nullopt;
    auto frame = waiting.front();
    waiting.erase(waiting.begin());
    return frame;
  }

  bool full = false;
  Frames sent, waiting;
};

class UplinkTest : public DeviceTest {
 protected:
  UplinkTest() : DeviceTest({"--ports=3"}) {
    device.packets().connect(1, uplink);
    device.packets().observe([this](std::span<const std::uint8_t> frame) {
      observed.emplace_back(frame.begin(), frame.end());
    });
    driver.bring_up();
  }

  FakeUplink uplink;
  Frames observed;
};

TEST_F(UplinkTest, SendsFramesToUnknownAddresses) {
  const auto frame = frame_to(kElsewhere);
  driver.send(1, frame);
  EXPECT_EQ(uplink.sent, Frames{frame});
  EXPECT_TRUE(driver.receive(0).empty());
  driver.send(0, frame);  // a port without an uplink
  EXPECT_EQ(uplink.sent.size(), 1U);
  EXPECT_EQ(driver.receive(1), Frames{frame});
}

TEST_F(UplinkTest, TakesBroadcastsLikeEveryOtherPort) {
  const auto frame = frame_to(kBroadcast);
  driver.send(1, frame);
  EXPECT_EQ(uplink.sent, Frames{frame});
  EXPECT_EQ(driver.receive(0), Frames{frame});
  EXPECT_EQ(driver.receive(2), Frames{frame});
}

TEST_F(UplinkTest, DoesNotTakeFramesThatAPortOwns) {
  driver.send(1, frame_to(driver.ports[0].config.mac));
  EXPECT_TRUE(uplink.sent.empty());
}

TEST_F(UplinkTest, DeliversFramesOnlyToItsPort) {
  const auto frame = frame_to(kBroadcast);
  uplink.waiting = {frame};
  guest.interrupts.clear();
  device.packets().receive(1);
  EXPECT_FALSE(guest.interrupts.empty());
  EXPECT_EQ(driver.receive(1), Frames{frame});
  EXPECT_TRUE(driver.receive(0).empty());
}

TEST_F(UplinkTest, CountsFramesAndDroppedFrames) {
  uplink.waiting = {Frame(13), Frame(1515), frame_to(kElsewhere, 1514)};
  device.packets().receive(1);
  driver.send(1, frame_to(kElsewhere));
  uplink.full = true;
  driver.send(1, frame_to(kElsewhere));
  driver.send(1, frame_to(kElsewhere));
  EXPECT_EQ(driver.tx_results.back(), wire::CqeType::tx_okay);
  EXPECT_THAT(
      Console(device, trace).execute("statistics"),
      HasSubstr(
          R"(,"uplink":{"tx_packets":1,"tx_dropped":2,"rx_packets":1,"rx_dropped":2}},{"mac")"));
}

TEST_F(UplinkTest, LetsTheObserverSeeEachFrameOnce) {
  const auto sent = frame_to(kBroadcast);
  const auto received = frame_to(kElsewhere);
  driver.send(1, sent);
  uplink.waiting = {received};
  device.packets().receive(1);
  EXPECT_EQ(observed, (Frames{sent, received}));
}

TEST(PeerUplinks, CarryFramesInBothDirections) {
  const auto path = path_of("peer");
  const auto first = peer(path);
  const auto second = peer(path);
  EXPECT_FALSE(first->receive().has_value());  // accepts the connection
  EXPECT_TRUE(first->send(Frame{1, 2, 3}));
  EXPECT_TRUE(second->send(Frame{4, 5}));
  EXPECT_TRUE(second->send(Frame{6}));
  EXPECT_EQ(second->receive(), (Frame{1, 2, 3}));
  EXPECT_EQ(first->receive(), (Frame{4, 5}));
  EXPECT_EQ(first->receive(), (Frame{6}));
  EXPECT_FALSE(first->receive().has_value());
}

TEST(PeerUplinks, DropFramesThatTheOtherSideDoesNotRead) {
  const auto path = path_of("full");
  const auto first = peer(path);
  EXPECT_FALSE(first->send(Frame{1}));  // nobody is connected
  const auto second = peer(path);
  first->receive();
  int sent = 0;
  while (sent < 100'000 && first->send(Frame(1000))) ++sent;
  EXPECT_GT(sent, 0);
  EXPECT_LT(sent, 100'000);
}

TEST(PeerUplinks, ConnectAgainWhicheverSideEnds) {
  const auto path = path_of("again");
  auto first = peer(path);
  auto second = peer(path);
  first->receive();
  for (auto* ends : {&second, &first}) {
    auto& stays = ends == &first ? second : first;
    ends->reset();
    stays->receive();  // finds the end of the connection
    *ends = peer(path);
    stays->receive();  // accepts the new one
    EXPECT_TRUE(stays->send(Frame{7}));
    EXPECT_EQ((*ends)->receive(), (Frame{7}));
  }
}

// Sends frames from each side until the other one receives one.
bool are_connected(Uplink& first, Uplink& second) {
  bool forth = false, back = false;
  for (int i = 0; i < 10 && !(forth && back); ++i) {
    first.send(Frame{1});
    second.send(Frame{2});
    forth = forth || second.receive() == Frame{1};
    back = back || first.receive() == Frame{2};
  }
  return forth && back;
}

TEST(PeerUplinks, ConnectIfBothStartAtTheSameTime) {
  const auto path = path_of("race");
  for (int i = 0; i < 500; ++i) {
    std::unique_ptr<Uplink> first, second;
    std::barrier start(2);
    std::thread thread([&] {
      start.arrive_and_wait();
      second = peer(path);
    });
    start.arrive_and_wait();
    first = peer(path);
    thread.join();
    ASSERT_TRUE(first && second);
    ASSERT_TRUE(are_connected(*first, *second)) << "attempt " << i;
  }
}

TEST(PeerUplinks, ConnectIfTheSocketWasReplaced) {
  const auto path = path_of("replaced");
  auto first = peer(path);
  ASSERT_EQ(unlink(path.c_str()), 0);
  const auto second = peer(path);
  EXPECT_TRUE(are_connected(*first, *second));
  first.reset();
  EXPECT_EQ(access(path.c_str(), F_OK), 0);  // the socket of the second one
}

TEST(TapUplinks, FailWithTheNameOfTheInterface) {
  const auto opened = Uplink::open({0, UplinkKind::tap, "lo"});
  ASSERT_FALSE(opened.has_value());
  EXPECT_THAT(opened.error().message, HasSubstr("cannot create the interface 'lo'"));
}

}  // namespace
}  // namespace manactl::device::uplink_test
