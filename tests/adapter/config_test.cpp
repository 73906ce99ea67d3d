// SPDX-License-Identifier: MIT

#include "adapter/config.h"

#include <gmock/gmock.h>

namespace manactl::adapter::config_test {
namespace {

using testing::HasSubstr;

TEST(Config, HasDefaults) {
  const auto config = Config::parse("").value();
  EXPECT_EQ(config.ports, 1U);
  EXPECT_EQ(config.threading, Threading::direct);
  EXPECT_EQ(config.backend, BackendKind::sink);
  EXPECT_EQ(config.mac_of(0).str(), "00:0d:3a:76:3b:d0");
  EXPECT_EQ(config.counters, -1);
}

TEST(Config, ReadsEverySetting) {
  const auto config = Config::parse(
                          "ports=2 queues=8 mac=00:0d:3a:00:00:ff engine=threaded doorbell=poll "
                          "backend=generator frame=1500 frames=10 part=1 root=/tmp/x counters=5 "
                          "fault=create_qp=errno:EBUSY fault=tx=33,every=4 coalesce=4 pps=1000 "
                          "read=7 write=8 write=9 tap=10 "
                          "bps=10000000000 latency=20 jitter=3")
                          .value();
  EXPECT_EQ(config.ports, 2U);
  EXPECT_EQ(config.queues, 8U);
  EXPECT_EQ(config.mac_of(1).str(), "00:0d:3a:00:01:00");
  EXPECT_EQ(config.threading, Threading::threaded);
  EXPECT_EQ(config.doorbell, DoorbellSource::poll);
  EXPECT_EQ(config.backend, BackendKind::generator);
  EXPECT_EQ(config.frame_bytes, 1500U);
  EXPECT_EQ(config.frames, 10U);
  EXPECT_EQ(config.part_id, 1U);
  EXPECT_EQ(config.root, "/tmp/x");
  EXPECT_EQ(config.counters, 5);
  EXPECT_EQ(config.faults.size(), 2U);
  EXPECT_EQ(config.coalesce, 4U);
  EXPECT_EQ(config.read, 7);
  EXPECT_EQ(config.write, (std::vector{8, 9}));
  EXPECT_EQ(config.tap, std::vector{10});
  EXPECT_EQ(config.link, (LinkModel{1000, 10'000'000'000, 20'000, 3'000}));
}

TEST(Config, ExplainsInvalidSettings) {
  const std::pair<const char*, const char*> cases[] = {
      {"port=1", "did you mean 'ports='?"},
      {"ports", "unknown setting"},
      {"ports=0", "between 1 and 8"},
      {"ports=9", "between 1 and 8"},
      {"ports=x", "ports: "},
      {"queues=65", "between 1 and 64"},
      {"engine=fast", "inline, threaded"},
      {"backend=sinc", "sink, loopback, cross, generator, pcap, tap"},
      {"doorbell=poll", "engine=threaded"},
      {"backend=cross", "pairs"},
      {"mac=01:00:00:00:00:00", "not a unicast address"},
      {"mac=1", "mac: "},
      {"frame=59", "between 60"},
      {"counters=-1", "counters: "},
      {"fault=nonsense", "fault: "},
      {"write=-1", "write: "},
      {"coalesce=2", "coalesce: '2' is not 1, 4 or 8"},
      {"pps=0", "pps: 0 is not between"},
      {"pps=1000000001", "pps: "},
      {"bps=999", "bps: 999 is not between"},
      {"latency=10000001", "latency: "},
      {"jitter=-1", "jitter: "},
  };
  for (const auto& [text, message] : cases) {
    const auto config = Config::parse(text);
    ASSERT_FALSE(config) << text;
    EXPECT_EQ(config.error().code, Errc::invalid);
    EXPECT_THAT(config.error().message, HasSubstr(message)) << text;
  }
}

}  // namespace
}  // namespace manactl::adapter::config_test
