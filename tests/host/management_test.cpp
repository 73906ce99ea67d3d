// SPDX-License-Identifier: MIT

#include "host/management.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/memory_files.h"

namespace manactl::host::management_test {
namespace {

using ::testing::HasSubstr;

Netdev vf() {
  Netdev netdev;
  netdev.index = 5;
  netdev.name = "enP30832p0s0";
  netdev.driver = "mana";
  netdev.mac = *MacAddress::parse("00:0d:3a:76:3b:d0");
  return netdev;
}

Management management_of(const os::MemoryFiles& files) {
  const auto management = NetworkManagers(files).management(vf());
  return management ? *management : Management{false, "error: " + management.error().message};
}

TEST(Management, IsUnmanagedWithoutAManager) {
  const os::MemoryFiles files;
  EXPECT_TRUE(management_of(files).unmanaged);
  EXPECT_THAT(management_of(files).evidence, HasSubstr("no network manager is running"));
}

// systemd's file for systemd-tmpfiles creates the directories on machines with NetworkManager too.
TEST(Networkd, DoesNotRunOnlyBecauseItsDirectoriesExist) {
  os::MemoryFiles files;
  files.add_directory("run/systemd/netif/links");
  files.add_file("etc/systemd/network/99-all.network", "[Match]\nName=e*\n[Network]\nDHCP=yes\n");
  EXPECT_THAT(management_of(files).evidence, HasSubstr("no network manager is running"));
  EXPECT_TRUE(NetworkManagers(files).management_of_mana({})->unmanaged);
  files.add_file("run/systemd/netif/links/1", "");
  EXPECT_FALSE(NetworkManagers(files).management_of_mana({})->unmanaged);
}

TEST(Networkd, ReportsItsStateInLinks) {
  os::MemoryFiles files;
  files.add_file("run/systemd/netif/links/5", "# private\nADMIN_STATE=unmanaged\n");
  EXPECT_TRUE(management_of(files).unmanaged);
  files.add_file("run/systemd/netif/links/5", "ADMIN_STATE=configured\n");
  EXPECT_FALSE(management_of(files).unmanaged);
  EXPECT_THAT(management_of(files).evidence, HasSubstr("ADMIN_STATE=configured"));
}

TEST(Networkd, FollowsARuleForTheDriver) {
  os::MemoryFiles files;
  files.add_file("run/systemd/netif/links/1", "");
  files.add_file("etc/systemd/network/10-vf.network",
                 "[Match]\nDriver=mlx5_core mana\n[Link]\nUnmanaged=yes\n");
  EXPECT_TRUE(management_of(files).unmanaged);
  EXPECT_THAT(management_of(files).evidence, HasSubstr("etc/systemd/network/10-vf.network"));
  files.add_file("etc/systemd/network/10-vf.network",
                 "[Match]\nDriver=mlx5_core\n[Link]\nUnmanaged=yes\n");
  EXPECT_FALSE(management_of(files).unmanaged);
}

TEST(Networkd, DoesNotApplyTheRuleOfAnotherAddress) {
  os::MemoryFiles files;
  files.add_file("run/systemd/netif/links/1", "");
  const std::string path = "etc/systemd/network/05-manactl-eth1.network";
  files.add_file(path,
                 "[Match]\nDriver=mana\nMACAddress=00:0d:3a:76:3b:d1\n[Link]\nUnmanaged=yes\n");
  EXPECT_FALSE(management_of(files).unmanaged);
  files.add_file(path,
                 "[Match]\nDriver=mana\nMACAddress=00:0d:3a:76:3b:d0\n[Link]\nUnmanaged=yes\n");
  EXPECT_TRUE(management_of(files).unmanaged);
}

TEST(Networkd, FollowsUdev) {
  os::MemoryFiles files;
  files.add_file("run/systemd/netif/links/1", "");
  files.add_file("run/udev/data/n5", "I:1\nE:ID_NET_MANAGED_BY=unmanaged\n");
  EXPECT_TRUE(management_of(files).unmanaged);
}

TEST(Networkd, IsUnknownWithoutState) {
  os::MemoryFiles files;
  files.add_file("run/systemd/netif/links/1", "");
  EXPECT_EQ(NetworkManagers(files).management(vf()).error().code, Errc::not_found);
}

TEST(Networkd, AcceptsEachWordForYes) {
  os::MemoryFiles files;
  files.add_file("run/systemd/netif/links/1", "");
  const auto is_unmanaged = [&](const std::string& word) {
    files.add_file("run/systemd/network/vf.network", "Driver=mana\nUnmanaged=" + word + "\n");
    return management_of(files).unmanaged;
  };
  for (const char* yes : {"yes", "true", "1", "on"}) EXPECT_TRUE(is_unmanaged(yes)) << yes;
  for (const char* other : {"no", "false", "0", "off", "", "2"}) {
    EXPECT_FALSE(is_unmanaged(other)) << other;
  }
}

TEST(Networkd, IgnoresRulesForOtherProperties) {
  os::MemoryFiles files;
  files.add_file("run/systemd/netif/links/1", "");
  files.add_file("etc/systemd/network/all.network", "[Match]\nName=*\n[Link]\nUnmanaged=yes\n");
  EXPECT_THAT(management_of(files).evidence,
              HasSubstr("cannot determine whether networkd manages the VF"));
}

TEST(NetworkManager, ReportsItsStateOfTheDevice) {
  os::MemoryFiles files;
  files.add_file("run/NetworkManager/devices/5", "[device]\nmanaged=false\n");
  EXPECT_TRUE(management_of(files).unmanaged);
  EXPECT_EQ(management_of(files).evidence, "run/NetworkManager/devices/5 has managed=false");
  files.add_file("run/NetworkManager/devices/5", "[device]\nmanaged=true\n");
  EXPECT_FALSE(management_of(files).unmanaged);
  EXPECT_EQ(management_of(files).evidence,
            "NetworkManager is running and none of its rules excludes the VF");
}

TEST(NetworkManager, AcceptsEachWordForNo) {
  os::MemoryFiles files;
  files.add_directory("run/NetworkManager");
  const auto is_unmanaged = [&](const std::string& word) {
    files.add_file("usr/lib/NetworkManager/conf.d/vf.conf", "[device]\nmanaged=" + word + "\n");
    return management_of(files).unmanaged;
  };
  for (const char* no : {"no", "false", "0", "off"}) EXPECT_TRUE(is_unmanaged(no)) << no;
  for (const char* other : {"yes", "true", "1", "on", "", "2"}) {
    EXPECT_FALSE(is_unmanaged(other)) << other;
  }
  EXPECT_TRUE(is_unmanaged("no"));
  EXPECT_EQ(management_of(files).evidence,
            "usr/lib/NetworkManager/conf.d/vf.conf has managed=0 for match-device=*");
}

TEST(NetworkManager, ManagesDevicesByDefault) {
  os::MemoryFiles files;
  files.add_directory("run/NetworkManager");
  EXPECT_FALSE(management_of(files).unmanaged);
}

TEST(NetworkManager, FollowsUdev) {
  os::MemoryFiles files;
  files.add_directory("run/NetworkManager");
  files.add_file("run/udev/data/n5", "E:ID_NET_DRIVER=mana\nE:NM_UNMANAGED=1\n");
  EXPECT_TRUE(management_of(files).unmanaged);
  EXPECT_THAT(management_of(files).evidence, HasSubstr("run/udev/data/n5"));
}

struct Specification {
  const char* name;
  const char* text;
  bool matches;
};

class UnmanagedDevices : public ::testing::TestWithParam<Specification> {};

TEST_P(UnmanagedDevices, MatchAsInNetworkManagerConf) {
  os::MemoryFiles files;
  files.add_directory("run/NetworkManager");
  files.add_file("etc/NetworkManager/conf.d/99-vf.conf",
                 std::string("[keyfile]\nunmanaged-devices=") + GetParam().text + "\n");
  EXPECT_EQ(management_of(files).unmanaged, GetParam().matches) << management_of(files).evidence;
}

constexpr Specification kSpecifications[] = {
    {"Driver", "driver:mana", true},
    {"OtherDriver", "driver:mlx5_core", false},
    {"List", "driver:mlx5_core;driver:mana", true},
    {"Commas", "interface-name:docker*,driver:mana", true},
    {"Name", "interface-name:enP30832p0s0", true},
    {"Pattern", "interface-name:enP*", true},
    {"Literal", "interface-name:=enP*", false},
    {"Mac", "mac:00:0d:3a:76:3b:d0", true},
    {"BareMac", "00:0D:3A:76:3B:D0", true},
    {"OtherMac", "mac:00:0d:3a:76:3b:d1", false},
    {"NoMac", "mac:", false},
    {"NoAddress", "driver", false},
    {"OtherKey", "type:00:0d:3a:76:3b:d0", false},
    {"Additional", "*\nunmanaged-devices+=none", true},
    {"OnlyAdditional", "none\nunmanaged-devices+=*", true},
    {"All", "*", true},
    {"Except", "*,except:driver:mana", false},
};

INSTANTIATE_TEST_SUITE_P(Rules,
                         UnmanagedDevices,
                         ::testing::ValuesIn(kSpecifications),
                         [](const auto& rule) { return std::string(rule.param.name); });

TEST(NetworkManager, FollowsSectionsForDevices) {
  os::MemoryFiles files;
  files.add_directory("run/NetworkManager");
  const auto is_unmanaged = [&](const std::string& sections) {
    files.add_file("etc/NetworkManager/conf.d/90-vf.conf", sections);
    return management_of(files).unmanaged;
  };
  const std::string rule =
      "[device-vf]\nmatch-device=mac:00:0d:3a:76:3b:d0,except:driver:hv_netvsc\n";
  EXPECT_TRUE(is_unmanaged(rule + "managed=0\n"));
  EXPECT_TRUE(is_unmanaged("# comment\n[main]\nplugins=keyfile\n\n" + rule + "managed=false\n"));
  EXPECT_FALSE(
      is_unmanaged(rule + "managed=1\n[device-other]\nmatch-device=driver:x\nmanaged=0\n"));
  EXPECT_FALSE(is_unmanaged(rule + "managed=1\n[connection]\nmanaged=0\n"));
  EXPECT_TRUE(is_unmanaged("[device]\nmanaged=0\n"))
      << "without match-device, every device matches";
}

TEST(Management, IsUnknownIfThereAreTooManyRules) {
  os::MemoryFiles files;
  files.add_directory("run/NetworkManager");
  const auto set_list = [&](std::size_t size) {
    files.add_file("etc/NetworkManager/conf.d/99-vf.conf",
                   "[keyfile]\nunmanaged-devices=" + std::string(size, ',') + "driver:mana\n");
  };
  set_list(NetworkManagers::kMaxRules - 1000);
  EXPECT_TRUE(management_of(files).unmanaged);
  set_list(NetworkManagers::kMaxRules);
  EXPECT_EQ(management_of(files).evidence,
            "error: the rules of the network managers have more than 256 KiB");
}

TEST(Management, IsManagedIfAnyManagerManagesTheVf) {
  os::MemoryFiles files;
  files.add_file("run/systemd/netif/links/5", "ADMIN_STATE=unmanaged\n");
  files.add_directory("run/NetworkManager");
  EXPECT_FALSE(management_of(files).unmanaged);
  files.add_file("run/udev/data/n5", "E:NM_UNMANAGED=1\n");
  EXPECT_TRUE(management_of(files).unmanaged);
  EXPECT_EQ(management_of(files).evidence,
            "run/systemd/netif/links/5 has ADMIN_STATE=unmanaged; "
            "run/udev/data/n5 has NM_UNMANAGED=1");
  files.add_file("run/systemd/netif/links/5", "ADMIN_STATE=configured\n");
  EXPECT_EQ(management_of(files).evidence, "run/systemd/netif/links/5 has ADMIN_STATE=configured");
  files.add_file("run/systemd/netif/links/5", "other=1\n");
  EXPECT_EQ(management_of(files).evidence, "error: 'run/systemd/netif/links/5' has no ADMIN_STATE");
}

}  // namespace
}  // namespace manactl::host::management_test
