// SPDX-License-Identifier: MIT

#include "os/setting_commands.h"

#include <gtest/gtest.h>

namespace manactl::os::setting_commands_test {
namespace {

TEST(SettingCommand, NamesOnlyTheWordsThatDiffer) {
  EXPECT_EQ(setting_command("ethtool/channels", "0 0 0 8", "0 0 0 4", "eth1"),
            "ethtool -L eth1 combined 8");
  EXPECT_EQ(setting_command("ethtool/rings", "512 0 0 256", "256 0 0 256", "eth1"),
            "ethtool -G eth1 rx 512");
  EXPECT_EQ(setting_command("ethtool/pause", "1 0 1", "1 1 0", "eth1"),
            "ethtool -A eth1 rx off tx on");
  EXPECT_EQ(setting_command("ethtool/time-stamping", "1 0", "0 0", "eth1"),
            "hwstamp_ctl -i eth1 -t 1 -r 0");
}

TEST(SettingCommand, ReturnsToTheQueueingDisciplineOfTheKernel) {
  EXPECT_EQ(setting_command("link/qdisc", "default", "fq 8001 -", "eth1"),
            "tc qdisc del dev eth1 root");
  EXPECT_EQ(setting_command("link/qdisc", "fq 0 -", "default", "eth1"),
            "tc qdisc replace dev eth1 root fq");
}

TEST(SettingCommand, HasTheOptionsOfEachFlag) {
  EXPECT_EQ(setting_command("link/flags", "promisc noarp", "allmulti multicast", "eth1"),
            "ip link set dev eth1 promisc on allmulticast off arp off multicast off");
}

TEST(SettingCommand, CanBePastedIntoAShell) {
  EXPECT_EQ(setting_command("sys/class/net/@/ifalias", "a'; reboot #", "", "eth1"),
            "echo 'a'\\''; reboot #' >/sys/class/net/eth1/ifalias");
  EXPECT_EQ(setting_command("link/altname/a b", "", "", "eth$1"),
            "ip link property add dev 'eth$1' altname 'a b'");
}

TEST(SettingCommand, DoesNotExistForEverySetting) {
  EXPECT_EQ(setting_command("ethtool/rss", "1 - 0 1", "1 - 0 0", "eth1"), "");
  EXPECT_EQ(setting_command("ethtool/private-flags", "1", "0", "eth1"), "");
  EXPECT_EQ(setting_command("ethtool/channels", "0 0 0 4", "0 0 0 4", "eth1"), "");
  EXPECT_EQ(setting_command("link/flags", "multicast", "multicast", "eth1"), "");
}

}  // namespace
}  // namespace manactl::os::setting_commands_test
