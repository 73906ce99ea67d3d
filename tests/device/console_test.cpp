// SPDX-License-Identifier: MIT

#include "device/console.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/fixture.h"

namespace manactl::device::console_test {
namespace {

using testing::HasSubstr;

class ConsoleTest : public DeviceTest {
 protected:
  ConsoleTest() { driver.bring_up(); }

  Console console{device, trace};
};

TEST_F(ConsoleTest, CountsThePacketsOfEachPort) {
  const auto frame = frame_to(driver.ports[1].config.mac);
  for (int i = 0; i < 10; ++i) driver.send(0, frame);
  EXPECT_EQ(driver.receive(1).size(), 8U);
  const auto response = console.execute("statistics");
  EXPECT_THAT(
      response,
      HasSubstr(
          R"("violations":0,"ports":[{"mac":"00:0d:3a:76:3b:d0","tx_packets":10,"tx_bytes":980,)"));
  EXPECT_THAT(
      response,
      HasSubstr(R"("rx_packets":8,"rx_bytes":784,"rx_without_buffer":2,"rx_disabled":0}]})"));
}

TEST_F(ConsoleTest, ListsViolations) {
  EXPECT_EQ(console.execute("violations"), "[]");
  device.store(kDoorbellsAt + kDoorbellPageBytes, 99);  // SQ 99 does not exist
  EXPECT_THAT(console.execute("violations"), testing::StartsWith("[\""));
  EXPECT_THAT(console.execute("statistics"), HasSubstr(R"("violations":1)"));
}

TEST_F(ConsoleTest, CountsTheRequestsThatSucceed) {
  const wire::FenceRqRequest fence{driver.ports[0].rx.object};
  EXPECT_EQ(console.execute("fault FENCE_RQ=refuse:0x7"), "ok");
  driver.request(wire::Command::fence_rq, fence);
  EXPECT_THAT(console.execute("requests"), testing::Not(HasSubstr("FENCE_RQ")));
  EXPECT_EQ(console.execute("no-faults"), "ok");
  driver.request(wire::Command::fence_rq, fence);
  EXPECT_THAT(console.execute("requests"), HasSubstr(R"("FENCE_RQ":1)"));
}

TEST_F(ConsoleTest, AddsAndClearsFaults) {
  EXPECT_EQ(console.execute("fault FENCE_RQ=refuse:0x7"), "ok");
  const wire::FenceRqRequest fence{driver.ports[0].rx.object};
  EXPECT_EQ(driver.request(wire::Command::fence_rq, fence)->header.status, 7U);
  EXPECT_EQ(console.execute("no-faults"), "ok");
  EXPECT_EQ(driver.request(wire::Command::fence_rq, fence)->header.status, 0U);
}

TEST_F(ConsoleTest, SendsEventsOnTheHardwareChannel) {
  driver.poll(driver.channel_eq);
  EXPECT_EQ(console.execute("event reset-request"), "ok");
  const auto entries = driver.poll(driver.channel_eq);
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries[0].info & 0xffU, static_cast<std::uint32_t>(wire::EventType::reset_request));
}

TEST_F(ConsoleTest, DropsFramesAndNotifiesTheDriverWhileTheLinkIsDown) {
  const auto frame = frame_to(driver.ports[1].config.mac);
  driver.poll(driver.channel_eq);
  EXPECT_EQ(console.execute("link down"), "ok");
  const auto down = driver.poll(driver.channel_eq);
  ASSERT_EQ(down.size(), 1U);
  EXPECT_EQ(down[0].info & 0xffU, static_cast<std::uint32_t>(wire::EventType::soc_reconfiguration));
  driver.send(0, frame);
  EXPECT_TRUE(driver.receive(1).empty());
  EXPECT_THAT(console.execute("statistics"), HasSubstr(R"(}],"link_drops":1})"));

  EXPECT_EQ(console.execute("link up"), "ok");
  EXPECT_EQ(driver.poll(driver.channel_eq).size(), 1U);
  driver.send(0, frame);
  EXPECT_EQ(driver.receive(1).size(), 1U);
  EXPECT_EQ(console.execute("link off"), "error: expected link up or link down");
}

TEST_F(ConsoleTest, RefusesEventsWithoutAHardwareChannel) {
  device.reset();
  EXPECT_EQ(console.execute("event reset-request"),
            "error: no driver has set up the hardware channel");
}

TEST_F(ConsoleTest, IgnoresThePortsAfterRevokeUntilADriverStarts) {
  EXPECT_EQ(console.execute("revoke"), "ok");
  const auto frame = frame_to(driver.ports[1].config.mac);
  driver.send(0, frame);
  EXPECT_TRUE(driver.receive(1).empty());
  device.store(kDoorbellsAt + kDoorbellPageBytes, 99);  // SQ 99 does not exist
  const wire::FenceRqRequest fence{driver.ports[0].rx.object};
  EXPECT_EQ(driver.request(wire::Command::fence_rq, fence)->header.status, 0U);
  guest.next = MemoryGuest::kFirst;
  std::ranges::fill(guest.ram, std::uint8_t{0});
  driver.bring_up();
  driver.send(0, frame);
  EXPECT_EQ(driver.receive(1).size(), 1U);
  EXPECT_EQ(trace.violations(), 0U);
}

TEST_F(ConsoleTest, ExplainsWhatItCannotDo) {
  EXPECT_EQ(console.execute("stats"), "error: unknown command 'stats', try help");
  EXPECT_THAT(console.execute("help"), HasSubstr("statistics"));
  EXPECT_THAT(console.execute("fault"), testing::StartsWith("error: "));
  EXPECT_EQ(console.execute("event test"),
            "error: expected one of fpga-reconfiguration, soc-service, reset-request");
  EXPECT_EQ(console.execute(""), "error: unknown command '', try help");
}

}  // namespace
}  // namespace manactl::device::console_test
