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
  EXPECT_THAT(words_in("unmanaged-devices=driver:mlx4_en;interface-name:enP*\n"),
              ElementsAre("1 mlx4_en", "1 enP*"));
  EXPECT_THAT(words_in("net.ipv4.conf.enP257s2.rp_filter=0"), ElementsAre("1 enP257s2"));
  EXPECT_THAT(words_in("  dev 0101:00:02.0 {\n"), ElementsAre("1 0101:00:02.0"));
  EXPECT_THAT(words_in("args: --vdev=net_vdev_netvsc0\n--vdev=net_failsafe1"), IsEmpty());
  EXPECT_THAT(words_in("--vdev=\"net_failsafe,dev(0102:00:02.0)\""),
              ElementsAre("1 net_failsafe", "1 0102:00:02.0"));
}

TEST(Mentions, AreNotPartsOfWordsOrComments) {
  EXPECT_THAT(words_in("# driver: mlx5_core\n  ; enP257s2\nx: y # enP257s2\n"), IsEmpty());
  EXPECT_THAT(words_in("my_mlx5_core xenP1 enPath renP2 10101:00:02.0 0101:00:02.01 en\n"),
              IsEmpty());
  EXPECT_THAT(words_in("00:0d:3a:76:3b:d0 2001:db8::1 12:30:45.6"), IsEmpty());
}

// Such a file covers both kinds of hardware.
TEST(Mentions, AreNotDriversBesideMana) {
  EXPECT_THAT(words_in("Driver=mlx4_core mlx5_core mana\n"), IsEmpty());
  EXPECT_THAT(words_in("Driver=mlx5_core\nName=manager\n"), ElementsAre("1 mlx5_core"));
}

TEST(Mentions, AreTheSameInScrubbedFiles) {
  const std::string text =
      "wifi-password=secret\n# mlx5_core\nDriver=mlx5_core\nuser alice enP1s2 0101:00:02.0\nmana\n";
  const auto kept = kept_mentions(text);
  EXPECT_EQ(kept, "\n\nmlx5_core\nenP1s2 0101:00:02.0\nmana\n\n");
  EXPECT_EQ(words_in(kept), words_in(text));
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
  ASSERT_EQ(move.network.size(), 2U);
  EXPECT_EQ(move.network[0].path, "etc/netplan/50.yaml");
  EXPECT_EQ(move.network[1].word, "enP1s2");
  ASSERT_EQ(move.programs.size(), 1U);
  EXPECT_EQ(move.programs[0].word, "0101:00:02.0");
  EXPECT_THAT(move.unread, ElementsAre("etc/openvswitch/conf.db"));
}

// ---- rules of udev ------------------------------------------------------------------------------

bool rule_applies(const std::string& rules) {
  os::MemoryFiles files;
  files.add_file("usr/lib/udev/rules.d/68-vf.rules", rules);
  return rule_that_unmanages_mana(files).has_value();
}

TEST(UdevRules, ApplyToTheDriversOfAVf) {
  EXPECT_TRUE(
      rule_applies("SUBSYSTEM==\"net\", DRIVERS==\"hv_pci\", ACTION==\"add\", "
                   "ENV{NM_UNMANAGED}=\"1\"\n"));
  EXPECT_TRUE(
      rule_applies("ENV{ID_NET_DRIVER}==\"mlx4_en|mlx5_core|mana\", ENV{NM_UNMANAGED}=\"1\""));
  EXPECT_FALSE(rule_applies("ENV{ID_NET_DRIVER}==\"mlx4_en|mlx5_core\", ENV{NM_UNMANAGED}=\"1\""));
  EXPECT_FALSE(rule_applies("DRIVERS==\"hv_pci\", ENV{NM_UNMANAGED}=\"0\""));
  EXPECT_FALSE(rule_applies("# DRIVERS==\"hv_pci\", ENV{NM_UNMANAGED}=\"1\""));
  EXPECT_FALSE(rule_applies("ATTR{address}==\"00:0d:3a:*\", ENV{NM_UNMANAGED}=\"1\""));
  EXPECT_FALSE(rule_applies("SUBSYSTEM!=\"net\", ENV{NM_UNMANAGED}=\"1\""));
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
  EXPECT_EQ(rule_that_unmanages_mana(files), "usr/lib/udev/rules.d/68-vf.rules");
  files.add_file("etc/udev/rules.d/68-vf.rules", "");
  EXPECT_EQ(rule_that_unmanages_mana(files), std::nullopt);
}

// ---- NetworkManager -----------------------------------------------------------------------------

TEST(ManagementOfMana, NeedsARuleIfNetworkManagerIsRunning) {
  os::MemoryFiles files;
  EXPECT_TRUE(NetworkManagers(files).management_of_mana()->unmanaged);
  files.add_directory("run/NetworkManager");
  EXPECT_FALSE(NetworkManagers(files).management_of_mana()->unmanaged);
  const std::string path = "etc/NetworkManager/conf.d/vf.conf";
  files.add_file(path, "[keyfile]\nunmanaged-devices=driver:mlx5_core\n");
  EXPECT_FALSE(NetworkManagers(files).management_of_mana()->unmanaged);
  files.add_file(path, "[keyfile]\nunmanaged-devices=driver:mlx5_core;driver:mana\n");
  EXPECT_THAT(NetworkManagers(files).management_of_mana()->evidence, HasSubstr(path));
  files.add_file(path, "");
  files.add_file("usr/lib/udev/rules.d/10.rules", "DRIVERS==\"hv_pci\", ENV{NM_UNMANAGED}=\"1\"\n");
  EXPECT_EQ(NetworkManagers(files).management_of_mana()->evidence,
            "usr/lib/udev/rules.d/10.rules sets NM_UNMANAGED for it");
}

}  // namespace
}  // namespace manactl::host::move_test
