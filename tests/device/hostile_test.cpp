// SPDX-License-Identifier: MIT
//
// Misbehavior on purpose: every kind is visible to the driver, and a run can be repeated.

#include "device/hostile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/console.h"
#include "device/fixture.h"
#include "wire/hardware_channel.h"

namespace manactl::device::hostile_test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

HostilePlan parsed(std::string_view text) {
  const auto plan = HostilePlan::parse(text);
  EXPECT_TRUE(plan.has_value()) << text;
  return plan.value_or(HostilePlan{});
}

TEST(HostilePlans, AreParsedFromText) {
  const auto all = parsed("7");
  EXPECT_EQ(all.seed, 7U);
  EXPECT_EQ(all.rate, 1000U);
  EXPECT_EQ(std::ranges::count(all.kinds, true), std::ssize(kHostileKinds));
  const auto some = parsed("18446744073709551615,rate=1,kinds=queue-id+owner-bits,after=2,times=3");
  EXPECT_EQ(some.seed, UINT64_MAX);
  EXPECT_EQ(some.rate, 1U);
  EXPECT_EQ(std::ranges::count(some.kinds, true), 2);
  EXPECT_TRUE(some.kinds[static_cast<std::size_t>(HostileKind::queue_id)]);
  EXPECT_EQ(some.after, 2U);
  EXPECT_EQ(some.times, 3U);
}

TEST(HostilePlans, AreRejectedWithAReasonIfInvalid) {
  for (const auto* text :
       {"", "x", "-1", "1,", "1,rate=0", "1,rate", "1,kinds=", "1,kinds=all", "1,speed=1"}) {
    EXPECT_FALSE(HostilePlan::parse(text).has_value()) << text;
  }
  EXPECT_THAT(HostilePlan::parse("1,kinds=queue").error().message,
              StartsWith("unknown kind 'queue', expected response-header-length, "));
}

class HostileTest : public DeviceTest {
 protected:
  HostileTest() : DeviceTest({"--queues=4"}) { driver.bring_up(); }

  // Lets every opportunity be used for this kind.
  void misbehave(std::string_view kind, std::string_view more = "") {
    device.hostile().start(parsed(fmt::format("1,rate=1,kinds={}{}", kind, more)));
  }

  // Sends a frame to port 1 and returns its receive completions without checking them.
  std::vector<Entry> entries_of_one_frame() {
    driver.send(0, frame_to(driver.ports[1].config.mac));
    return driver.poll(driver.ports[1].rx.completions);
  }

  wire::CqeInfo info_of(const Entry& entry) {
    std::array<std::uint8_t, 4> bytes{};
    wire::store(bytes, 0, 4, entry.info);
    return *wire::decode<wire::CqeInfo>(bytes);
  }

  // Sends a request and returns what the driver rejects in the response.
  std::string rejection() {
    try {
      const auto response =
          driver.request(wire::Command::query_max_resources, std::span<const std::uint8_t>(), 64);
      return response ? fmt::format("activity {}", response->header.activity_id) : "no response";
    } catch (const std::runtime_error& error) {
      return error.what();
    }
  }
};

TEST_F(HostileTest, ChangesTheHeaderOfResponses) {
  EXPECT_EQ(rejection(), "activity 0");
  misbehave("activity-id");
  EXPECT_THAT(rejection(), StartsWith("activity "));
  EXPECT_NE(rejection(), "activity 0");
  misbehave("message-id");
  EXPECT_EQ(rejection(), "message id");
}

TEST_F(HostileTest, ChangesTheLengthInTheHeaderOfResponses) {
  misbehave("response-header-length");
  EXPECT_EQ(rejection(), "message size");
}

TEST_F(HostileTest, ChangesTheLengthInTheCompletionOfResponses) {
  misbehave("response-completion-length");
  EXPECT_THAT(
      rejection(),
      testing::AnyOf("channel completion", "response longer than expected", "message size"));
}

TEST_F(HostileTest, SendsUnsolicitedEventsBeforeResponses) {
  misbehave("unsolicited-event");
  const auto before = driver.channel_eq.head;
  EXPECT_EQ(rejection(), "activity 0");
  device.hostile().stop();
  const auto two = driver.channel_eq.head - before;
  EXPECT_EQ(rejection(), "activity 0");
  EXPECT_EQ(driver.channel_eq.head - before, two + two - 1);
}

TEST_F(HostileTest, ChangesTheLengthOfReceivedPackets) {
  misbehave("packet-length");
  const auto entries = entries_of_one_frame();
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_NE(wire::load(entries[0].data, 8, 2), 98U);
}

TEST_F(HostileTest, DuplicatesCompletions) {
  misbehave("duplicate-completion");
  const auto entries = entries_of_one_frame();
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].data, entries[1].data);
  EXPECT_EQ(info_of(entries[0]), info_of(entries[1]));
}

TEST_F(HostileTest, RepeatsStaleCompletions) {
  for (int i = 0; i < 8; ++i) driver.send(0, frame_to(driver.ports[1].config.mac));
  const auto old = driver.receive(1);
  misbehave("stale-completion");
  driver.send(0, frame_to(driver.ports[1].config.mac, 1000));
  const auto entries = driver.poll(driver.ports[1].rx.completions);
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(wire::load(entries[0].data, 8, 2), 1000U);
  EXPECT_EQ(wire::load(entries[1].data, 8, 2), 98U);
}

TEST_F(HostileTest, TearsCompletions) {
  misbehave("torn-completion");
  const auto entries = entries_of_one_frame();
  ASSERT_EQ(entries.size(), 1U);
  // The ring was empty, so the missing end is zero: the offset of the second WQE never arrives.
  const auto again = entries_of_one_frame();
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(wire::load(again[0].data, 56, 4), 0U);
}

TEST_F(HostileTest, WritesWrongQueueIdsInCompletions) {
  misbehave("queue-id");
  const auto entries = entries_of_one_frame();
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_NE(info_of(entries[0]).wq_id, driver.ports[1].rx.work.id);
}

TEST_F(HostileTest, WritesWrongOwnerBits) {
  misbehave("owner-bits");
  // Let send() poll an empty ring, because it fails if owner bits are wrong.
  driver.ports[0].tx.completions.base = driver.ports[1].tx.completions.base;
  driver.send(0, frame_to(driver.ports[1].config.mac));
  const auto& cq = driver.ports[1].rx.completions;
  std::array<std::uint8_t, 4> bytes{};
  ASSERT_TRUE(guest.read(cq.base + wire::kCqeDataBytes, bytes));
  EXPECT_NE(wire::decode<wire::CqeInfo>(bytes)->owner, 1U);
  EXPECT_EQ(wire::decode<wire::CqeInfo>(bytes)->wq_id, driver.ports[1].rx.work.id);
}

TEST_F(HostileTest, DuplicatesEventsAndSpoilsTheirOwnerBits) {
  driver.poll(driver.channel_eq);
  misbehave("duplicate-event");
  device.send_event(wire::EventType::test);
  EXPECT_EQ(driver.poll(driver.channel_eq).size(), 2U);
  misbehave("event-owner-bits");
  const auto at = driver.channel_eq.base +
                  driver.channel_eq.head % driver.channel_eq.entries() * wire::kEqeBytes;
  device.send_event(wire::EventType::test);
  std::array<std::uint8_t, 4> bytes{};
  ASSERT_TRUE(guest.read(at + wire::kEqeDataBytes, bytes));
  EXPECT_NE(bytes[3] >> 5U, 1);
  EXPECT_EQ(bytes[0], static_cast<std::uint8_t>(wire::EventType::test));
}

TEST_F(HostileTest, SendsEventsForQueuesThatDoNotExist) {
  for (const auto* kind : {"event-queue-id", "nonexistent-queue"}) {
    driver.poll(driver.eq);
    driver.receive(1);
    misbehave(kind);
    driver.send(0, frame_to(driver.ports[1].config.mac));
    const auto events = driver.poll(driver.eq);
    ASSERT_GE(events.size(), 2U);
    const auto named = wire::decode<wire::CompletionEvent>(events[0].data)->cq_id;
    EXPECT_EQ(device.queues().cqs().find(named), nullptr);
    EXPECT_EQ(named >= Queues::kMaxCqs, std::string_view(kind) == "event-queue-id");
    EXPECT_NE(
        device.queues().cqs().find(wire::decode<wire::CompletionEvent>(events[1].data)->cq_id),
        nullptr);
  }
}

TEST_F(HostileTest, RepeatsARunWithTheSameSeed) {
  const auto run = [this](std::string_view plan) {
    lines.clear();
    device.hostile().start(parsed(plan));
    for (int i = 0; i < 200; ++i) device.send_event(wire::EventType::test);
    std::erase_if(lines, [](const std::string& line) { return !line.starts_with("hostile "); });
    return lines;
  };
  const auto first = run("5,rate=10");
  EXPECT_GT(first.size(), 5U);
  EXPECT_LT(first.size(), 60U);
  EXPECT_EQ(run("5,rate=10"), first);
  EXPECT_NE(run("6,rate=10"), first);
  const std::vector<std::string> cut(first.begin() + 2, first.begin() + 4);
  EXPECT_EQ(run("5,rate=10,after=2,times=2"), cut);
  EXPECT_THAT(first[0], testing::MatchesRegex("hostile 1: .* in event, opportunity [0-9]+"));
}

TEST_F(HostileTest, IsStartedStoppedAndCountedByTheConsole) {
  Console console(device, trace);
  EXPECT_THAT(console.execute("statistics"), testing::Not(HasSubstr("misbehaviors")));
  EXPECT_EQ(console.execute("hostile 1,rate=1,kinds=duplicate-event"), "ok");
  device.send_event(wire::EventType::test);
  EXPECT_EQ(console.execute("hostile off"), "ok");
  device.send_event(wire::EventType::test);
  EXPECT_THAT(console.execute("statistics"),
              HasSubstr(R"(],"misbehaviors":{"duplicate-event":1}})"));
  EXPECT_THAT(console.execute("hostile"), StartsWith("error: seed"));
}

}  // namespace
}  // namespace manactl::device::hostile_test
