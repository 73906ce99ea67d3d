// SPDX-License-Identifier: MIT

#include "azure/model/options.h"

#include <gtest/gtest.h>

#include "azure/model/azgdma_guest.h"

namespace manactl::azure {
namespace {

TEST(ModelOptions, HaveDefaultsExceptForTheDevice) {
  const auto options = parse_options({"/dev/azgdma"});
  ASSERT_TRUE(options.has_value());
  EXPECT_EQ(options->device, "/dev/azgdma");
  ASSERT_EQ(options->macs.size(), 2U);
  EXPECT_EQ(options->macs[1].str(), "00:0d:3a:76:3b:d1");
  EXPECT_FALSE(options->trace);
}

TEST(ModelOptions, AreAllParsed) {
  const auto options = parse_options({"--ports=3",
                                      "--mac=02:00:00:00:00:01",
                                      "--queues=4",
                                      "--mtu=9000",
                                      "--hwc-timeout=500",
                                      "--fault=25=ignore",
                                      "--fault-file=/tmp/f",
                                      "--trace-file=/tmp/t",
                                      "dev"});
  ASSERT_TRUE(options.has_value()) << options.error().message;
  EXPECT_EQ(options->macs.size(), 3U);
  EXPECT_EQ(options->macs[0].str(), "02:00:00:00:00:01");
  EXPECT_EQ(options->queues, 4U);
  EXPECT_EQ(options->mtu, 9000U);
  EXPECT_EQ(options->hwc_timeout_ms, 500U);
  EXPECT_EQ(options->faults.size(), 1U);
  EXPECT_EQ(options->fault_file, "/tmp/f");
  EXPECT_TRUE(options->trace);
}

TEST(ModelOptions, RejectInvalidArguments) {
  const std::vector<std::vector<std::string>> wrong = {
      {},
      {"a", "b"},
      {"--ports=0", "d"},
      {"--ports=17", "d"},
      {"--ports", "d"},
      {"--mtu=x", "d"},
      {"--mac=1", "d"},
      {"--fault=1", "d"},
      {"--fault-file=", "d"},
      {"--unknown=1", "d"},
      {"--ports=1", "--mac=02:00:00:00:00:01", "--mac=02:00:00:00:00:02", "d"}};
  for (const auto& arguments : wrong) EXPECT_FALSE(parse_options(arguments).has_value());
}

TEST(ModelOptions, AcceptHelpWithoutADevice) {
  const auto options = parse_options({"--help"});
  ASSERT_TRUE(options.has_value());
  EXPECT_TRUE(options->help);
  EXPECT_NE(usage().find("--fault-file"), std::string::npos);
}

TEST(RamRanges, AreTheTopLevelSystemRamEntries) {
  const auto ranges = ram_ranges(
      "00000000-00000fff : Reserved\n"
      "00001000-0009fbff : System RAM\n"
      "00100000-3effffff : System RAM\n"
      "  01000000-01ffffff : Kernel code\n"
      "3f000000-3f0fffff : Reserved\n"
      "  02000000-02ffffff : System RAM\n"
      "garbage\n");
  EXPECT_EQ(ranges, (std::vector<RamRange>{{0x1000, 0x9fc00}, {0x100000, 0x3f000000}}));
}

TEST(RamRanges, AreEmptyWithoutPrivileges) {
  EXPECT_TRUE(ram_ranges("00000000-00000000 : System RAM\n").empty());
}

}  // namespace
}  // namespace manactl::azure
