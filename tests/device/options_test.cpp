// SPDX-License-Identifier: MIT

#include "device/options.h"

#include <gtest/gtest.h>

namespace manactl::device::options_test {
namespace {

TEST(DeviceOptions, HaveDefaultsExceptForThePath) {
  const auto options = parse_options({"socket"});
  ASSERT_TRUE(options.has_value());
  EXPECT_EQ(options->path, "socket");
  ASSERT_EQ(options->macs.size(), 2U);
  EXPECT_EQ(options->macs[1].str(), "00:0d:3a:76:3b:d1");
  EXPECT_EQ(options->qtest, "");
  EXPECT_FALSE(options->trace);
}

TEST(DeviceOptions, AreAllParsed) {
  const auto options = parse_options({"--ports=3",
                                      "--mac=02:00:00:00:00:01",
                                      "--queues=4",
                                      "--mtu=9000",
                                      "--hwc-timeout=500",
                                      "--link-speed=200000",
                                      "--connect=0=/tmp/s",
                                      "--tap=2=tap0",
                                      "--pcap=/tmp/p",
                                      "--hostile=3,rate=5",
                                      "--fault=25=ignore",
                                      "--qtest=/tmp/q",
                                      "--trace-file=/tmp/t",
                                      "dev"});
  ASSERT_TRUE(options.has_value()) << options.error().message;
  EXPECT_EQ(options->macs.size(), 3U);
  EXPECT_EQ(options->macs[0].str(), "02:00:00:00:00:01");
  EXPECT_EQ(options->queues, 4U);
  EXPECT_EQ(options->mtu, 9000U);
  EXPECT_EQ(options->hwc_timeout_ms, 500U);
  EXPECT_EQ(options->link_speed_mbps, 200000U);
  ASSERT_EQ(options->uplinks.size(), 2U);
  EXPECT_EQ(options->uplinks[0].kind, UplinkKind::peer);
  EXPECT_EQ(options->uplinks[0].name, "/tmp/s");
  EXPECT_EQ(options->uplinks[1].kind, UplinkKind::tap);
  EXPECT_EQ(options->uplinks[1].port, 2U);
  EXPECT_EQ(options->capture_file, "/tmp/p");
  ASSERT_TRUE(options->hostile.has_value());
  EXPECT_EQ(options->hostile->rate, 5U);
  EXPECT_EQ(options->faults.size(), 1U);
  EXPECT_EQ(options->qtest, "/tmp/q");
  EXPECT_TRUE(options->trace);
}

TEST(DeviceOptions, RejectInvalidArguments) {
  const std::vector<std::vector<std::string>> wrong = {
      {},
      {"a", "b"},
      {"--ports=0", "d"},
      {"--ports=17", "d"},
      {"--ports", "d"},
      {"--mtu=x", "d"},
      {"--hostile=", "d"},
      {"--hostile=1,kinds=x", "d"},
      {"--connect=/tmp/s", "d"},
      {"--connect=0=", "d"},
      {"--connect=2=/tmp/s", "d"},
      {"--connect=0=/tmp/s", "--tap=0=tap0", "d"},
      {"--tap=0=interface1234567", "d"},
      {"--pcap=", "d"},
      {"--qtest=", "d"},
      {"--link-speed=0", "d"},
      {"--link-speed=1000001", "d"},
      {"--mac=1", "d"},
      {"--fault=1", "d"},
      {"--unknown=1", "d"},
      {"--ports=1", "--mac=02:00:00:00:00:01", "--mac=02:00:00:00:00:02", "d"}};
  for (const auto& arguments : wrong) EXPECT_FALSE(parse_options(arguments).has_value());
}

TEST(DeviceOptions, AreSuggestedForMisspelledOnes) {
  for (const auto& [word, similar] : {std::pair("--fualt", "--fault"),
                                      std::pair("--fualt=1=ignore", "--fault"),
                                      std::pair("--hel", "--help")}) {
    const auto options = parse_options({word, "d"});
    ASSERT_FALSE(options.has_value()) << word;
    const auto name = std::string(word).substr(0, std::string(word).find('='));
    EXPECT_EQ(options.error().message,
              fmt::format("unknown option '{}'; did you mean '{}'?", name, similar));
  }
  EXPECT_EQ(parse_options({"--x", "d"}).error().message, "unknown option '--x', see --help");
  EXPECT_EQ(parse_options({"--ports", "d"}).error().message, "'--ports' needs a value, see --help");
}

// The error once suggested the same option.
TEST(DeviceOptions, TakeNoValueIfTheyAreFlags) {
  for (const std::string flag : {"--trace", "--verbose", "--help"}) {
    EXPECT_EQ(parse_options({flag + "=1", "d"}).error().message,
              fmt::format("'{}' takes no value", flag));
  }
}

TEST(DeviceOptions, AcceptHelpWithoutADevice) {
  const auto options = parse_options({"--help"});
  ASSERT_TRUE(options.has_value());
  EXPECT_TRUE(options->help);
  EXPECT_NE(usage("program", "SOCKET").find("--fault="), std::string::npos);
}

}  // namespace
}  // namespace manactl::device::options_test
