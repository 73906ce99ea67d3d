// SPDX-License-Identifier: MIT
//
// Settings of ethtool(8) that no virtual interface of the kernel has, with a simulated driver.

#include <gmock/gmock.h>
#include <linux/ethtool.h>
#include <linux/if.h>
#include <linux/net_tstamp.h>
#include <linux/sockios.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <vector>

#include "os/interface_settings.h"
#include "os/kernel_calls.h"

namespace manactl::os::ethtool_settings_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

class SimulatedDriver : public ::testing::Test {
 protected:
  SimulatedDriver() {
    calls_.ioctl = [this](int, unsigned long number, void* argument) {
      auto* data = static_cast<char*>(static_cast<const ifreq*>(argument)->ifr_data);
      if (number == SIOCGHWTSTAMP || number == SIOCSHWTSTAMP) {
        return transfer(time_stamping_, number == SIOCSHWTSTAMP, data);
      }
      EXPECT_EQ(number, unsigned{SIOCETHTOOL});
      std::uint32_t command = 0;
      std::memcpy(&command, data, sizeof(command));
      for (auto& [get, words] : words_) {
        // Each command that sets is the next one after the command that reads.
        if (command == get || command == get + 1) {
          return transfer(words, command != get, data + sizeof(command));
        }
      }
      errno = EOPNOTSUPP;
      return -1;
    };
  }

  int transfer(std::vector<std::uint32_t>& words, bool is_written, char* data) const {
    errno = words.empty() ? EOPNOTSUPP : is_written ? refusal_ : 0;
    if (errno != 0) return -1;
    const auto bytes = words.size() * sizeof(words[0]);
    if (is_written) {
      std::memcpy(words.data(), data, bytes);
    } else {
      std::memcpy(data, words.data(), bytes);
    }
    return 0;
  }

  const InterfaceName nic_ = *InterfaceName::parse("eth1");
  test::KernelCalls calls_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> words_;
  std::vector<std::uint32_t> time_stamping_;
  int refusal_ = 0;
};

TEST_F(SimulatedDriver, HasOnlyTheSettingsThatItSupports) {
  EXPECT_THAT(*read_ethtool_settings(nic_), IsEmpty());
}

TEST_F(SimulatedDriver, HasLimitsOfRingsAndChannels) {
  EXPECT_THAT(*read_ethtool_limits(nic_), IsEmpty());
  words_ = {{ETHTOOL_GRINGPARAM, {8192, 0, 0, 16384, 1024, 0, 0, 256}}};
  EXPECT_THAT(*read_ethtool_limits(nic_), ElementsAre(Pair("rings", "8192 0 0 16384")));
  EXPECT_THAT(*read_ethtool_settings(nic_), ElementsAre(Pair("rings", "1024 0 0 256")));
}

TEST_F(SimulatedDriver, ReturnsToEarlierSettings) {
  std::vector<std::uint32_t> coalescing(22);
  for (std::uint32_t i = 0; i < 22; ++i) coalescing[i] = i + 1;
  const std::map<std::uint32_t, std::vector<std::uint32_t>> changed = {
      {ETHTOOL_GCOALESCE, coalescing}, {ETHTOOL_GPAUSEPARAM, {0, 1, 1}}, {ETHTOOL_GPFLAGS, {5}}};
  words_ = changed;
  time_stamping_ = {0, HWTSTAMP_TX_ON, HWTSTAMP_FILTER_ALL};
  const auto settings = *read_ethtool_settings(nic_);
  EXPECT_THAT(
      settings,
      ElementsAre(Pair("coalescing", "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22"),
                  Pair("pause", "0 1 1"),
                  Pair("private-flags", "5"),
                  Pair("time-stamping", "1 1")));
  for (auto& [get, words] : words_) std::ranges::fill(words, 0);
  time_stamping_ = {0, 0, 0};
  for (const auto& [key, value] : settings) {
    const auto written = write_ethtool_setting(nic_, key, value);
    EXPECT_TRUE(written) << written.error().message;
  }
  EXPECT_EQ(words_, changed);
  EXPECT_THAT(time_stamping_, ElementsAre(0, HWTSTAMP_TX_ON, HWTSTAMP_FILTER_ALL));
}

TEST_F(SimulatedDriver, MayRefuseSettings) {
  words_ = {{ETHTOOL_GPAUSEPARAM, {0, 1, 1}}};
  time_stamping_ = {0, 0, 0};
  refusal_ = ERANGE;
  EXPECT_EQ(write_ethtool_setting(nic_, "pause", "0 0 0").error().sys, ERANGE);
  EXPECT_EQ(write_ethtool_setting(nic_, "time-stamping", "1 1").error().sys, ERANGE);
  EXPECT_EQ(write_ethtool_setting(nic_, "private-flags", "1").error().sys, EOPNOTSUPP);
}

// A journal can contain anything.
TEST_F(SimulatedDriver, IsNotAskedToSetWrongValues) {
  time_stamping_ = {0, 0, 0};
  for (const char* value : {"", "1", "1 x", "1 1 1", "1 4294967296"}) {
    EXPECT_EQ(write_ethtool_setting(nic_, "time-stamping", value).error().code, Errc::invalid);
  }
  EXPECT_THAT(time_stamping_, ElementsAre(0, 0, 0));
}

}  // namespace
}  // namespace manactl::os::ethtool_settings_test
