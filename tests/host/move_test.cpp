// SPDX-License-Identifier: MIT

#include "host/move.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/management.h"
#include "host/udev_rules.h"
#include "os/memory_files.h"

namespace manactl::host::move_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> words;
  for (const auto& mention : mentions_in("x", text)) {
    words.push_back(fmt::format("{} {}", mention.line, mention.word));
  }
  return words;
}

TEST(Mentions, AreDriversVfsAddressesAndFailSafe) {
  EXPECT_THAT(words_in("match:\n  driver: mlx5_core\n"), ElementsAre("2 mlx5_core"));
  EXPECT_THAT(words_in("iface enP257s2 inet manual\n  enP2*"),
              ElementsAre("1 enP257s2", "2 enP2*"));
  EXPECT_THAT(words_in("net.ipv4.conf.enP257s2.rp_filter=0"), ElementsAre("1 enP257s2"));
  EXPECT_THAT(words_in("  dev 0101:00:02.0 {\n"), ElementsAre("1 0101:00:02.0"));
  EXPECT_THAT(words_in("vdev net_vdev_netvsc0,iface=eth1\n--vdev=net_failsafe1"),
              ElementsAre("1 net_vdev_netvsc", "2 net_failsafe"));
}

TEST(Mentions, AreNotPartsOfWordsOrComments) {
  EXPECT_THAT(words_in("# driver: mlx5_core\n  ; enP257s2\nx: y # enP257s2\n"), IsEmpty());
  EXPECT_THAT(words_in("my_mlx5_core xenP1 enPath renP2 10101:00:02.0 0101:00:02.01 en\n"),
              IsEmpty());
  EXPECT_THAT(words_in("00:0d:3a:76:3b:d0 2001:db8::1 12:30:45.6 net_failsafes"), IsEmpty());
}

TEST(Mentions, AreOnlyWhatChanges) {
  EXPECT_THAT(words_in("Driver=mlx4_core mlx5_core mana\n"), IsEmpty()) << "both kinds of hardware";
  EXPECT_THAT(words_in("driver: mlx5_core # not mana\n"), ElementsAre("1 mlx5_core"));
  EXPECT_THAT(words_in("denyinterfaces enP*\n"), IsEmpty()) << "also a VF of MANA";
  EXPECT_THAT(words_in("unmanaged-devices=driver:mlx5_core\n"), IsEmpty()) << "see move.managers";
  EXPECT_THAT(words_in("  blacklist 0101:00:02.0\n"), IsEmpty());
}

TEST(Mentions, AreFoundInLinearTime) {
  std::string text;
  while (text.size() < (4U << 20U)) text += "enP*";
  EXPECT_THAT(words_in(text), IsEmpty()) << "longer than a name";
  text.clear();
  while (text.size() < (4U << 20U)) text += "enP1s2 ";
  EXPECT_EQ(words_in(text).size(), 1000U);
}

TEST(Mentions, AreTheSameInBundles) {
  const std::string text =
      "wifi-password=secret\n# mlx5_core\nDriver=mlx5_core\nuser alice enP1s2 0101:00:02.0\n";
  const auto kept = kept_mentions(text);
  EXPECT_EQ(kept, "\n\nmlx5_core\nenP1s2 0101:00:02.0\n\n");
  EXPECT_EQ(words_in(kept), words_in(text));
}

TEST(OpenVswitch, HasTheNewestOptionsOfEachInterface) {
  const std::string text =
      "OVSDB JSON 1 x\n"
      R"({"Interface":{"a":{"name":"p","options":["map",[["dpdk-devargs","0101:00:02.0"]]]}}})"
      "\n"
      R"({"Interface":{"b":{"options":["map",[["dpdk-devargs","0102:00:02.0"]]]}}})"
      "\n"
      R"({"Interface":{"a":{"options":["map",[["dpdk-devargs","7870:00:00.0"]]]},"b":null}})"
      "\n"
      "not json 0103:00:02.0\n";
  EXPECT_THAT(words_in(newest_devargs(text)), ElementsAre("4 7870:00:00.0"));
}

Facts facts_of_azure() {
  Facts facts;
  facts.kernel = Kernel{"6.8.0-azure", "x86_64", "ubuntu"};
  return facts;
}

TEST(GatherMove, ListsKernelsThatHaveModules) {
  os::MemoryFiles files;
  files.add_file("lib/modules/5.4.0/modules.dep", "kernel/net/hv_netvsc.ko:\n");
  files.add_file("lib/modules/6.8.0-azure/modules.dep",
                 "kernel/mana/mana.ko.zst:\nkernel/mana/mana_ib.ko.zst: kernel/mana/mana.ko.zst\n");
  files.add_file("lib/modules/6.9.0/modules.dep", "");
  files.add_file("lib/modules/6.9.0/modules.builtin", "kernel/mana/mana.ko\n");
  files.add_file("lib/modules/6.2.0/modules.order", "");
  const auto move = gather_move(files, facts_of_azure());
  ASSERT_TRUE(move.kernels);
  std::vector<std::string> kernels;
  for (const auto& kernel : *move.kernels) {
    kernels.push_back(fmt::format("{}{}{}{}",
                                  kernel.release,
                                  kernel.running ? " running" : "",
                                  kernel.has_mana ? " mana" : "",
                                  kernel.has_mana_ib ? " mana_ib" : ""));
  }
  EXPECT_THAT(kernels, ElementsAre("5.4.0", "6.8.0-azure running mana mana_ib", "6.9.0 mana"));
  EXPECT_EQ(gather_move(os::MemoryFiles(), facts_of_azure()).kernels.error().code, Errc::not_found);
}

TEST(GatherMove, ReadsTheConfigurationOfNetworkAndPrograms) {
  os::MemoryFiles files;
  files.add_file("etc/netplan/50.yaml", "driver: mlx5_core\n");
  files.add_file("etc/netplan/50.yaml.bak", "driver: mlx4_core\n");
  files.add_file("etc/sysctl.conf", "net.ipv4.conf.enP1s2.forwarding=1\n");
  files.add_file("etc/vpp/startup.conf", "dev 0101:00:02.0\n");
  files.add_file("etc/openvswitch/conf.db", std::string(5U << 20U, 'x'));
  const auto move = gather_move(files, facts_of_azure());
  ASSERT_EQ(move.network.mentions.size(), 2U);
  EXPECT_EQ(move.network.mentions[0].path, "etc/netplan/50.yaml");
  EXPECT_EQ(move.network.mentions[1].word, "enP1s2");
  ASSERT_EQ(move.programs.mentions.size(), 1U);
  EXPECT_EQ(move.programs.mentions[0].word, "0101:00:02.0");
  EXPECT_THAT(move.programs.unread, ElementsAre("etc/openvswitch/conf.db"));
}

// ---- rules of udev ------------------------------------------------------------------------------

std::optional<UnmanagingRule> rule_in(const std::string& rules, const char* name = "81-vf.rules") {
  os::MemoryFiles files;
  files.add_file(fmt::format("usr/lib/udev/rules.d/{}", name), rules);
  return rule_that_unmanages_mana(files);
}

bool rule_applies(const std::string& rules) {
  return rule_in(rules).has_value();
}

TEST(UdevRules, ApplyToTheDriversOfAVf) {
  EXPECT_TRUE(
      rule_applies("SUBSYSTEM==\"net\", DRIVERS==\"hv_pci\", ACTION==\"add\", "
                   "ENV{NM_UNMANAGED}=\"1\"\n"));
  EXPECT_TRUE(rule_applies("ENV{ID_NET_DRIVER}==\"mlx5_core|mana\", ENV{NM_UNMANAGED}=\"1\""));
  EXPECT_FALSE(rule_applies("ENV{ID_NET_DRIVER}==\"mlx4_en|mlx5_core\", ENV{NM_UNMANAGED}=\"1\""));
  EXPECT_FALSE(rule_applies("DRIVERS==\"hv_pci\", ENV{NM_UNMANAGED}=\"0\""));
  EXPECT_FALSE(rule_applies("# DRIVERS==\"hv_pci\", ENV{NM_UNMANAGED}=\"1\""));
  EXPECT_FALSE(rule_applies("ATTR{address}==\"00:0d:3a:*\", ENV{NM_UNMANAGED}=\"1\""));
  EXPECT_FALSE(rule_applies("SUBSYSTEM!=\"net\", ENV{NM_UNMANAGED}=\"1\""));
}

// Before 80-net-setup-link.rules, udev does not know the driver.
TEST(UdevRules, KnowTheDriverOnlyAfterTheFileThatSetsIt) {
  const std::string rule = "ENV{ID_NET_DRIVER}==\"mana\", ENV{NM_UNMANAGED}=\"1\"\n";
  EXPECT_FALSE(rule_in(rule, "10-vf.rules"));
  EXPECT_TRUE(rule_in(rule, "81-vf.rules"));
  os::MemoryFiles files;
  files.add_file("usr/lib/udev/rules.d/50-udev-default.rules", "IMPORT{builtin}=\"net_driver\"\n");
  files.add_file("usr/lib/udev/rules.d/68-vf.rules", rule);
  EXPECT_TRUE(rule_that_unmanages_mana(files));
}

// The rule of azure-vm-utils, see its issue 106.
TEST(UdevRules, ThatTestTheFlagsOfTheInterfaceRace) {
  const std::string drivers = "SUBSYSTEM==\"net\", DRIVERS==\"mana|mlx5_core\", ";
  const std::string flags = "ATTR{flags}==\"0x?[89ABCDEF]??\", ";
  EXPECT_TRUE(rule_in(drivers + flags + "ENV{NM_UNMANAGED}=\"1\"\n")->races);
  EXPECT_FALSE(rule_in(drivers + "ENV{NM_UNMANAGED}=\"1\"\n")->races);
}

TEST(UdevRules, OfGreatLengthAreEvaluatedInLinearTime) {
  std::string rules = "ENV{P}=\"" + std::string(500'000, 'a') + "\"\n";
  while (rules.size() < 1'000'000) rules += "ENV{P}==\"a*\", ENV{Q}=\"1\"\n";
  EXPECT_FALSE(rule_applies(rules + "DRIVERS==\"hv_pci\", ENV{NM_UNMANAGED}=\"1\"\n"));
}

TEST(UdevRules, AreReducedForBundles) {
  const std::string rules =
      "# ask bob\nDRIVERS==\"hv_pci\", RUN+=\"/opt/hook secret\", \\\n  ENV{NM_UNMANAGED}=\"1\"\n";
  const auto reduced = reduced_rules(rules);
  EXPECT_THAT(reduced, testing::Not(HasSubstr("secret")));
  EXPECT_THAT(reduced, testing::Not(HasSubstr("bob")));
  EXPECT_TRUE(rule_applies(reduced));
  EXPECT_TRUE(rule_applies(
      reduced_rules("ENV{INTERFACE}!=\"bond0\", DRIVERS==\"mana\", ENV{NM_UNMANAGED}=\"1\"\n")));
  EXPECT_THAT(reduced_rules("ENV{TOKEN}=\"0123456789\"\n"), testing::Not(HasSubstr("0123")));
}

TEST(UdevRules, FollowPropertiesAndLabels) {
  const std::string set = "DRIVERS==\"hv_pci\", ENV{AZURE_UNMANAGED_SRIOV}=\"1\"\n";
  const std::string use = "ENV{AZURE_UNMANAGED_SRIOV}==\"1\", \\\n  ENV{NM_UNMANAGED}=\"1\"\n";
  EXPECT_TRUE(rule_applies(set + use));
  EXPECT_FALSE(rule_applies(use + set));  // tested too early
  EXPECT_FALSE(
      rule_applies("ENV{ID_NET_DRIVER}==\"mana\", GOTO=\"end\"\n" + set + use + "LABEL=\"end\"\n"));
  EXPECT_TRUE(rule_applies("SUBSYSTEM!=\"net\", GOTO=\"end\"\n" + set + use + "LABEL=\"end\"\n"));
}

TEST(UdevRules, OfEtcReplaceThoseOfTheDistribution) {
  os::MemoryFiles files;
  files.add_file("usr/lib/udev/rules.d/68-vf.rules",
                 "DRIVERS==\"hv_pci\", ENV{NM_UNMANAGED}=\"1\"\n");
  EXPECT_EQ(rule_that_unmanages_mana(files)->path, "usr/lib/udev/rules.d/68-vf.rules");
  files.add_file("etc/udev/rules.d/68-vf.rules", "");
  EXPECT_FALSE(rule_that_unmanages_mana(files));
}

// ---- NetworkManager -----------------------------------------------------------------------------

bool is_unmanaged(const os::MemoryFiles& files) {
  const auto management =
      NetworkManagers(files).management_of_mana({*MacAddress::parse("00:0d:3a:76:3b:d0")});
  EXPECT_TRUE(management);
  return management->unmanaged;
}

struct File {
  std::string path, text;
};

os::MemoryFiles with_network_manager(const std::vector<File>& rules) {
  os::MemoryFiles files;
  files.add_directory("run/NetworkManager");
  for (const auto& [path, text] : rules) files.add_file(path, text);
  return files;
}

// NetworkManager.conf(5)
TEST(ManagementOfMana, FollowsTheRulesOfNetworkManager) {
  const std::string usr = "usr/lib/NetworkManager/conf.d/", etc = "etc/NetworkManager/conf.d/";
  const std::string main = "etc/NetworkManager/NetworkManager.conf";
  const std::string own = "[keyfile]\nunmanaged-devices=driver:mana\n";
  const std::string all = "[keyfile]\nunmanaged-devices=*,except:type:ethernet\n";

  struct Case {
    std::vector<File> files;
    bool unmanaged;
  };

  for (const auto& [files, unmanaged] : std::vector<Case>{
           {{}, false},
           {{{etc + "a.conf", own}}, true},
           {{{etc + "a.conf", "[keyfile]\nunmanaged-devices=driver:mlx5_core\n"}}, false},
           {{{main, own}}, true},
           {{{usr + "a.conf", own}}, true},
           {{{usr + "a.conf", own}, {etc + "a.conf", ""}}, false},
           {{{usr + "a.conf", own}, {main, "[keyfile]\nunmanaged-devices=\n"}}, false},
           {{{usr + "a.conf", own}, {main, "[keyfile]\nunmanaged-devices+=driver:x\n"}}, true},
           {{{etc + "a.conf", all}}, false},
           {{{etc + "a.conf", "[keyfile]\nunmanaged-devices=except:driver:hv_netvsc\n"}}, true},
           {{{etc + "a.conf",
              "[device-1]\nmatch-device=driver:mana\nmanaged=1\n[device-2]\nmanaged=0\n"}},
            false},
           {{{etc + "a.conf", "[device-1]\nmatch-device=driver:mana\nmanaged=1\n"},
             {etc + "b.conf", "[device-2]\nmanaged=0\n"}},
            true},
       }) {
    EXPECT_EQ(is_unmanaged(with_network_manager(files)), unmanaged)
        << (files.empty() ? "" : files.back().path + "\n" + files.back().text);
  }
}

TEST(ManagementOfMana, FollowsTheRulesOfUdev) {
  const auto files = with_network_manager(
      {{"usr/lib/udev/rules.d/10.rules", "DRIVERS==\"hv_pci\", ENV{NM_UNMANAGED}=\"1\"\n"}});
  EXPECT_EQ(NetworkManagers(files).management_of_mana({})->evidence,
            "usr/lib/udev/rules.d/10.rules sets NM_UNMANAGED for it");
}

// systemd.network(5)
TEST(ManagementOfMana, FollowsTheFilesOfNetworkd) {
  const auto with = [](const std::vector<File>& rules) {
    os::MemoryFiles files;
    files.add_directory("run/systemd/netif");
    for (const auto& [path, text] : rules) files.add_file(path, text);
    return is_unmanaged(files);
  };
  const std::string etc = "etc/systemd/network/";
  const std::string dhcp = "\n[Network]\nDHCP=yes\n";
  EXPECT_TRUE(with({}));
  EXPECT_FALSE(with({{etc + "10.network", "[Match]\nName=en*" + dhcp}}));
  EXPECT_TRUE(with({{etc + "10.network", "[Match]\nName=eth*" + dhcp}}));
  EXPECT_FALSE(with({{etc + "10.network", "[Match]\nMACAddress=00:0d:3a:76:3b:d0" + dhcp}}));
  EXPECT_TRUE(with(
      {{etc + "10.network", "[Match]\nMACAddress=00:0d:3a:76:3b:d0\nDriver=hv_netvsc" + dhcp}}));
  EXPECT_TRUE(with({{etc + "05.network", "[Match]\nDriver=mana\n[Link]\nUnmanaged=yes\n"},
                    {etc + "10.network", "[Match]\nName=en*" + dhcp}}));
  EXPECT_FALSE(with({{etc + "10.network", "[Match]\nName=!lo eth*" + dhcp}}));
  EXPECT_TRUE(with({{etc + "10.network", "[Match]\nName=!enP*" + dhcp}}));
  EXPECT_TRUE(with({{etc + "10.network", "[Match]\nName=en*\nPath=pci-*" + dhcp}}));
  EXPECT_FALSE(with({{"run/systemd/network/10.network", "[Match]\nType=ether" + dhcp}}));
}

}  // namespace
}  // namespace manactl::host::move_test
