// SPDX-License-Identifier: MIT
//
// The ethtool ioctl with a simulated driver.

#include "os/ethtool.h"

#include <gmock/gmock.h>
#include <linux/ethtool.h>
#include <linux/if.h>
#include <linux/sockios.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "os/kernel_calls.h"

namespace manactl::os::ethtool_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::uint32_t kCapacity = 2 * 100 + 4096;  // of a request for 100 counters

class EthtoolDriver : public ::testing::Test {
 protected:
  EthtoolDriver() {
    calls_.socket = [this](int family, int, int) -> std::optional<int> {
      families_.push_back(family);
      if (families_.size() > failing_sockets_) return std::nullopt;
      errno = EAFNOSUPPORT;
      return -1;
    };
    calls_.ioctl = [this](int, unsigned long number, void* argument) {
      EXPECT_EQ(number, unsigned{SIOCETHTOOL});
      const auto* request = static_cast<const ifreq*>(argument);
      name_ = request->ifr_name;
      std::uint32_t command = 0;
      std::memcpy(&command, request->ifr_data, sizeof(command));
      if (errors_.contains(command)) {
        errno = errors_.at(command);
        return -1;
      }
      answer(command, request->ifr_data);
      return 0;
    };
  }

  void answer(std::uint32_t command, void* data) {
    if (command == ETHTOOL_GDRVINFO) {
      auto* info = static_cast<ethtool_drvinfo*>(data);
      std::strcpy(info->driver, "mana");
      std::strcpy(info->version, "6.8.0");
      std::strcpy(info->bus_info, "7870:00:00.0");
      std::memset(info->fw_version, 'f', sizeof(info->fw_version));
    } else if (command == ETHTOOL_GSSET_INFO) {
      auto* info = static_cast<ethtool_sset_info*>(data);
      EXPECT_EQ(info->sset_mask, 1ULL << ETH_SS_STATS);
      info->sset_mask = has_counters_ ? info->sset_mask : 0;
      info->data[0] = reported_;
    } else if (command == ETHTOOL_GSTRINGS) {
      auto* strings = static_cast<ethtool_gstrings*>(data);
      EXPECT_EQ(strings->string_set, unsigned{ETH_SS_STATS});
      EXPECT_EQ(strings->len, reported_);
      strings->len = names_;
      for (std::uint32_t i = 0; i < std::min(names_, kCapacity); ++i) {
        std::memset(strings->data + i * ETH_GSTRING_LEN, 'a' + static_cast<int>(i % 26), 32);
        if (i != 1) strings->data[i * ETH_GSTRING_LEN + 3] = 0;
      }
    } else if (command == ETHTOOL_GSTATS) {
      auto* stats = static_cast<ethtool_stats*>(data);
      EXPECT_EQ(stats->n_stats, reported_);
      stats->n_stats = values_;
      for (std::uint32_t i = 0; i < std::min(values_, kCapacity); ++i) {
        stats->data[i] = (1ULL << 40U) + i;
      }
    } else {
      ADD_FAILURE() << "unexpected command " << command;
    }
  }

  void has(std::uint32_t reported, std::uint32_t names, std::uint32_t values) {
    reported_ = reported;
    names_ = names;
    values_ = values;
  }

  const InterfaceName nic_ = *InterfaceName::parse("eth1");
  std::unique_ptr<Ethtool> ethtool_ = open_ethtool();
  test::KernelCalls calls_;
  std::map<std::uint32_t, int> errors_;
  std::vector<int> families_;
  std::size_t failing_sockets_ = 0;
  std::string name_;
  bool has_counters_ = true;
  std::uint32_t reported_ = 2, names_ = 2, values_ = 2;
};

TEST_F(EthtoolDriver, DescribesItself) {
  const auto info = ethtool_->driver(nic_);
  ASSERT_TRUE(info) << info.error().message;
  EXPECT_EQ(name_, "eth1");
  EXPECT_EQ(info->driver, "mana");
  EXPECT_EQ(info->version, "6.8.0");
  EXPECT_EQ(info->bus_info, "7870:00:00.0");
  EXPECT_EQ(info->firmware, std::string(ETHTOOL_FWVERS_LEN, 'f')) << "without terminating NUL";
}

TEST_F(EthtoolDriver, HasCountersInItsOrder) {
  EXPECT_THAT(*ethtool_->counters(nic_),
              ElementsAre(std::pair("aaa", 1ULL << 40U),
                          std::pair(std::string(ETH_GSTRING_LEN, 'b'), (1ULL << 40U) + 1)));
}

TEST_F(EthtoolDriver, MayChangeItsNumberOfCounters) {
  has(2, 3, 3);
  EXPECT_EQ(ethtool_->counters(nic_)->size(), 3U);
  has(3, 3, 1);
  EXPECT_EQ(ethtool_->counters(nic_)->size(), 1U);
  has(3, 1, 3);
  EXPECT_EQ(ethtool_->counters(nic_)->size(), 1U);
  has(100, kCapacity + 100, kCapacity + 200);
  EXPECT_EQ(ethtool_->counters(nic_)->size(), kCapacity);
}

// Neither the names nor more than the capacity are read.
TEST_F(EthtoolDriver, HasValuesWithoutTheNames) {
  errors_ = {{ETHTOOL_GSTRINGS, EINVAL}};
  EXPECT_THAT(*ethtool_->counter_values(nic_), ElementsAre(1ULL << 40U, (1ULL << 40U) + 1));
  has(100, 0, kCapacity + 200);
  EXPECT_EQ(ethtool_->counter_values(nic_)->size(), kCapacity);
  has(0, 0, 2);
  EXPECT_THAT(*ethtool_->counter_values(nic_), IsEmpty());
  has((1U << 20) + 1, 1, 1);
  EXPECT_FALSE(ethtool_->counter_values(nic_));
  has(2, 2, 2);
  for (const auto command : {ETHTOOL_GSSET_INFO, ETHTOOL_GSTATS}) {
    errors_ = {{unsigned(command), ENODEV}};
    EXPECT_EQ(ethtool_->counter_values(nic_).error().sys, ENODEV);
  }
}

TEST_F(EthtoolDriver, MayHaveNoCounters) {
  has(0, 0, 0);
  EXPECT_THAT(*ethtool_->counters(nic_), IsEmpty());
  has(2, 2, 2);
  has_counters_ = false;
  EXPECT_THAT(*ethtool_->counters(nic_), IsEmpty());
}

TEST_F(EthtoolDriver, MayHaveAtMostAMillionCounters) {
  has(1U << 20, 1, 1);
  EXPECT_EQ(ethtool_->counters(nic_)->size(), 1U);
  has((1U << 20) + 1, 1, 1);
  EXPECT_EQ(ethtool_->counters(nic_).error().message,
            "the driver reports 1048577 counters (limit: 1048576)");
}

TEST_F(EthtoolDriver, ReportsTheErrnoOfEachCommand) {
  const std::string message = "the ethtool request for 'eth1' failed: No such device";
  errors_ = {{ETHTOOL_GDRVINFO, ENODEV}};
  EXPECT_EQ(ethtool_->driver(nic_).error().message, message);
  for (const auto command : {ETHTOOL_GSSET_INFO, ETHTOOL_GSTRINGS, ETHTOOL_GSTATS}) {
    errors_ = {{unsigned(command), ENODEV}};
    const auto counters = ethtool_->counters(nic_);
    ASSERT_FALSE(counters) << command;
    EXPECT_EQ(counters.error().message, message);
    EXPECT_EQ(counters.error().sys, ENODEV);
  }
}

TEST_F(EthtoolDriver, IsAskedOnlyForNamesThatFit) {
  const std::string longest(IFNAMSIZ - 1, 'x');
  ASSERT_TRUE(ethtool_->driver(*InterfaceName::parse(longest)));
  EXPECT_EQ(name_, longest);
  const auto longer = ethtool_->driver(*InterfaceName::parse(longest + 'x'));
  ASSERT_FALSE(longer);
  EXPECT_EQ(longer.error().code, Errc::invalid);
  EXPECT_THAT(longer.error().message, HasSubstr("is an alternative name"));
}

TEST_F(EthtoolDriver, IsReachedThroughAUnixSocketWithoutIpv4) {
  failing_sockets_ = 1;
  EXPECT_TRUE(ethtool_->driver(nic_));
  EXPECT_THAT(families_, ElementsAre(AF_INET, AF_UNIX));
  families_.clear();
  failing_sockets_ = 2;
  const std::string message =
      "cannot open a socket for ethtool: Address family not supported by protocol";
  EXPECT_EQ(ethtool_->driver(nic_).error().message, message);
  families_.clear();
  EXPECT_EQ(ethtool_->counters(nic_).error().message, message);
}

TEST_F(EthtoolDriver, IsAskedThroughOneSocket) {
  ASSERT_TRUE(ethtool_->driver(nic_));
  EXPECT_THAT(families_, ElementsAre(AF_INET));
}

}  // namespace
}  // namespace manactl::os::ethtool_test
