// SPDX-License-Identifier: MIT

#include "host/path_switches.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace manactl::host::path_switches_test {
namespace {

class Log final : public ByteSource {
 public:
  explicit Log(std::string text) : text_(std::move(text)) {}

  Result<std::size_t> read(std::span<char> into) override {
    // Blocks end in the middle of lines.
    const auto size = std::min<std::size_t>({into.size(), text_.size() - at_, 50});
    std::copy_n(text_.begin() + static_cast<std::ptrdiff_t>(at_), size, into.begin());
    at_ += size;
    return size;
  }

 private:
  std::string text_;
  std::size_t at_ = 0;
};

const std::string kId = "000d3a76-3bd1-000d-3a76-3bd1000d3a76";
const std::string kOther = "000d3a76-3bd0-000d-3a76-3bd0000d3a76";

TEST(PathSwitches, AreTheNewestOfEachNic) {
  Log log("[    4.500000] hv_netvsc " + kId + " eth1: Data path switched to VF: enP30832s1\n" +
          "[    4.600000] hv_netvsc " + kOther + " eth0: Data path switched to VF: enP30832s2\n" +
          "[ 9500.250000] hv_netvsc " + kId + " eth1: Data path switched from VF: enP30832s1\n" +
          "[ 9501.000000] hv_netvsc " + kId + " eth1: VF unregistering: enP30832s1\n");
  const auto switches = read_path_switches(log);
  ASSERT_EQ(switches.size(), 2U);
  EXPECT_EQ(switches.at(kId).seconds, 9500.25);
  EXPECT_FALSE(switches.at(kId).to_vf);
  EXPECT_EQ(switches.at(kOther).seconds, 4.6);
  EXPECT_TRUE(switches.at(kOther).to_vf);
}

TEST(PathSwitches, AreNotThoseOfOtherLines) {
  Log log("hv_netvsc " + kId + " eth1: Data path switched to VF: enP30832s1\n" +
          "[   4.5 x] hv_netvsc " + kId + " eth1: Data path switched to VF: enP30832s1\n" +
          "[   nan] hv_netvsc " + kId + " eth1: Data path switched to VF: enP30832s1\n" +
          "[ 1e300] hv_netvsc " + kId + " eth1: Data path switched to VF: enP30832s1\n" +
          "[      ] hv_netvsc " + kId + " eth1: Data path switched to VF: enP30832s1\n" +
          "[   4.50] hv_netvsc nic eth1: Data path switched to VF: enP30832s1\n" +
          "[   4.50] : Data path switched to VF: ] hv_netvsc \n" + "[   4.50] hv_netvsc " + kId +
          " eth1: Data path switched to VF: without an end");
  EXPECT_TRUE(read_path_switches(log).empty());
  Log line(std::string(200'000, 'x'));
  EXPECT_TRUE(read_path_switches(line).empty());
}

}  // namespace
}  // namespace manactl::host::path_switches_test
