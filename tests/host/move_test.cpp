// SPDX-License-Identifier: MIT

#include "host/move.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/management.h"
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
  EXPECT_THAT(
      words_in(newest_devargs(
          R"({"Open_vSwitch":{"a":{"other_config":["map",[["dpdk-extra","-a 0101:00:02.0"]]]}}})")),
      ElementsAre("1 0101:00:02.0"));
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
                                  kernel.has("mana") ? " mana" : "",
                                  kernel.has("mana_ib") ? " mana_ib" : ""));
  }
  EXPECT_THAT(kernels, ElementsAre("5.4.0", "6.8.0-azure running mana mana_ib", "6.9.0 mana"));
  EXPECT_EQ(move.next_kernel->release, "6.9.0");
  EXPECT_EQ(gather_move(os::MemoryFiles(), facts_of_azure()).kernels.error().code, Errc::not_found);
}

os::MemoryFiles files_with_kernel() {
  os::MemoryFiles files;
  files.add_file("lib/modules/6.8.0-azure/modules.dep",
                 "updates/dkms/mana.ko:\nkernel/hv_netvsc.ko:\nkernel/pci-hyperv.ko:\n");
  files.add_file("lib/modules/6.8.0-azure/updates/dkms/mana.ko", "code");
  return files;
}

TEST(GatherMove, ReadsTheInitramfsOnlyIfItNeedsTheNetwork) {
  auto files = files_with_kernel();
  files.add_file("proc/cmdline", "root=UUID=1 quiet");
  EXPECT_THAT(*gather_move(files, facts_of_azure()).kernels->at(0).initramfs_lacks, IsEmpty());
  files.add_file("proc/cmdline", "root=/dev/nfs quiet");
  auto move = gather_move(files, facts_of_azure());
  EXPECT_EQ(move.network_option, "root=/dev/nfs");
  EXPECT_EQ(move.kernels->at(0).initramfs_lacks.error().code, Errc::not_found);
  files.add_file("boot/initrd.img-6.8.0-azure", "");
  move = gather_move(files, facts_of_azure());
  EXPECT_THAT(*move.kernels->at(0).initramfs_lacks, ElementsAre("mana", "hv_netvsc", "pci_hyperv"));
  files.add_file("lib/modules/6.8.0-azure/modules.dep", "");
  files.add_file("lib/modules/6.8.0-azure/modules.builtin", "kernel/mana.ko\n");
  move = gather_move(files, facts_of_azure());
  EXPECT_THAT(*move.kernels->at(0).initramfs_lacks, IsEmpty()) << "built in";
}

TEST(GatherMove, ReadsSignaturesOnlyWithSecureBoot) {
  auto files = files_with_kernel();
  EXPECT_THAT(gather_move(files, facts_of_azure()).kernels->at(0).without_signature, IsEmpty());
  files.add_file("sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c", "\1");
  EXPECT_THAT(gather_move(files, facts_of_azure()).kernels->at(0).without_signature,
              ElementsAre("mana"));
}

std::string arguments(std::initializer_list<const char*> words) {
  std::string text;
  for (const auto* word : words) text += word + std::string(1, '\0');
  return text;
}

TEST(SelectedDevices, AreValuesOfOptionsOfTheEal) {
  EXPECT_THAT(selected_devices(arguments({"testpmd", "-a", "0101:00:02.0,dv_flow_en=1", "--"})),
              ElementsAre("0101:00:02.0"));
  EXPECT_THAT(selected_devices(arguments({"a", "-w0101:00:02.0", "--allow=0102:00:02.0"})),
              ElementsAre("0101:00:02.0", "0102:00:02.0"));
  EXPECT_THAT(selected_devices(arguments({"a", "--vdev", "net_failsafe0,mac=00:0d:3a:76:3b:d0"})),
              ElementsAre("net_failsafe"));
  EXPECT_THAT(selected_devices(arguments({"lspci", "-s", "0101:00:02.0", "--allow"})), IsEmpty());
  EXPECT_THAT(selected_devices(arguments({"grep", "net_failsafe", "-aword"})), IsEmpty());
}

TEST(SelectedDevices, AreTheSameInBundles) {
  const auto text = arguments({"/opt/alice/fw", "--key", "secret", "-a", "0101:00:02.0,a=b"});
  EXPECT_EQ(kept_arguments(text), arguments({"program", "-a", "0101:00:02.0"}));
  EXPECT_EQ(kept_arguments(arguments({"/usr/bin/vpp", "--vdev=net_failsafe0"})),
            arguments({"vpp", "-a", "net_failsafe"}));
  EXPECT_EQ(kept_arguments(arguments({"sh", "-c", "secret"})), "");
}

TEST(GatherMove, ReadsTheArgumentsOfProcesses) {
  os::MemoryFiles files;
  files.add_file("proc/2211/cmdline", arguments({"/usr/bin/dpdk-testpmd", "-a", "0101:00:02.0"}));
  files.add_file("proc/sys/cmdline", arguments({"x", "-a", "0102:00:02.0"}));
  files.add_directory("proc/7");
  const auto move = gather_move(files, facts_of_azure());
  ASSERT_EQ(move.programs.mentions.size(), 1U);
  EXPECT_EQ(move.programs.mentions[0].program, "dpdk-testpmd (process 2211)");
  EXPECT_EQ(move.programs.mentions[0].word, "0101:00:02.0");
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

TEST(GatherMove, ReadsTheActiveProfileOfTunedUnitsAndSpdk) {
  os::MemoryFiles files;
  files.add_file("etc/tuned/active_profile", "../x own");
  files.add_file("etc/tuned/own/tuned.conf", "[net]\ndevices=enP1s2\n");
  files.add_file("etc/tuned/old/tuned.conf", "[net]\ndevices=enP2s2\n");
  files.add_file("etc/tuned/profiles/own/tuned.conf", "devices=enP3s2\n");
  files.add_file("etc/systemd/system/fw.service", "ExecStart=/opt/fw -i enP4s2\n");
  files.add_file("etc/spdk/nvmf.json", "{\"traddr\": \"0101:00:02.0\"}");
  const auto move = gather_move(files, facts_of_azure());
  std::vector<std::string> words;
  for (const auto& mention : move.network.mentions) words.push_back(mention.word);
  EXPECT_THAT(words, ElementsAre("enP4s2", "enP1s2", "enP3s2"));
  ASSERT_EQ(move.programs.mentions.size(), 1U);
  EXPECT_EQ(move.programs.mentions[0].program, "SPDK");
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
    files.add_file("run/systemd/netif/links/1", "");
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
