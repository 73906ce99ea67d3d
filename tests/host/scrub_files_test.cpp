// SPDX-License-Identifier: MIT

#include "host/scrub_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/bundle.h"
#include "host/scrub.h"
#include "host/snapshot.h"
#include "os/btf.h"

namespace manactl::host::scrub_files_test {
namespace {

struct File {
  const char* path;
  std::string text, kept;
  Scrub scrub = Scrub::addresses;
};

void PrintTo(const File& file, std::ostream* out) {
  *out << file.path;
}

class KeptFile : public ::testing::TestWithParam<File> {};

TEST_P(KeptFile, HasOnlyWhatManactlReads) {
  NameReplacer names;
  names.learn_mounts(GetParam().text);
  EXPECT_EQ(kept_text(GetParam().path, GetParam().text, names), GetParam().kept);
  EXPECT_EQ(scrub_of(GetParam().path), GetParam().scrub);
}

INSTANTIATE_TEST_SUITE_P(
    All,
    KeptFile,
    ::testing::Values(
        File{"manactl/kernel.log", "a\n", "a\n", Scrub::log},
        File{"manactl/report.json", "a\n", "a\n", Scrub::report},
        File{"manactl/modules.json", "a\n", "a\n", Scrub::json},
        File{"manactl/file_errors.json", "a\n", "a\n", Scrub::json},
        File{"manactl/nodes.json", "a\n", "a\n", Scrub::json},
        File{"manactl/links.json", "a\n", "a\n", Scrub::json},
        File{"logs/1", "a\n", "a\n", Scrub::log},
        File{"usr/lib/os-release", "NAME=x\nID=ol\nVERSION_ID=8\nID\n", "ID=ol\nVERSION_ID=8\n"},
        File{"etc/modprobe.d/a.conf",
             "blacklist a\nblacklist\nblacklist b c\n# blacklist x\nblack\\\nlist c\n",
             "blacklist a\nblacklist b\nblacklist c\n"},
        File{"etc/modprobe.d/a.conf",
             "install a /bin/true\ninstall b /bin/false x\ninstall c false\ninstall d\n"
             "install e /bin/sh\nremove f /bin/true\ninstall \\\ng \\\n/bin/true\n",
             "install a /bin/true\ninstall b /bin/false\ninstall c /bin/false\n"
             "install g /bin/true\n"},
        File{"etc/NetworkManager/conf.d/a.conf",
             "[keyfile]\nunmanaged-devices=a\nunmanaged-devices+=b\n managed = 0\npath=/home\n",
             "[section]\nunmanaged-devices=a\nunmanaged-devices+=b\n managed = 0\n"},
        File{"etc/openvswitch/conf.db",
             "OVSDB\n{\"Interface\": {\"a\": {\"name\": \"x\", \"options\": \"0101:00:02.0\"}}}\n",
             "\n{\"Interface\": {\"2\": {\"options\": \"0101:00:02.0 \"}}}\n\n"},
        File{"etc/systemd/network/b.network",
             "[Match]\nName=en*\nPath=pci-7\n[Network]\nDNS=x\n",
             "[Match]\nName=en*\nOther=\n[section]\n"},
        File{"etc/systemd/network/a.network",
             "Unmanaged=yes\nDriver=mana\nADMIN_STATE=x\nDNS=x\n",
             "Unmanaged=yes\nDriver=mana\nADMIN_STATE=x\n"},
        File{"run/systemd/netif/links/5",
             "ADMIN_STATE=configured\nDOMAINS=x\n",
             "ADMIN_STATE=configured\n"},
        File{"run/udev/data/n5",
             "E:NM_UNMANAGED=1\nE:ID_NET_MANAGED_BY=x\nE:ID_PATH=x\n",
             "E:NM_UNMANAGED=1\nE:ID_NET_MANAGED_BY=x\n"},
        File{"usr/lib/pkgconfig/libdpdk.pc",
             "prefix=/home\nVersion: 22.11\nName: x\n",
             "Version: 22.11\n"},
        File{"var/lib/dpkg/status",
             "Package: a\nStatus: b\nVersion: c\nMaintainer: d\n\nPackage: e\nSize: 1\n",
             "Package: a\nStatus: b\nVersion: c\n\nPackage: e\n\n"},
        File{"var/lib/dpkg/status", "Package: a\n\n", "Package: a\n\n"},
        File{"lib/modules/6/modules.builtin", "a\n", "a\n"},
        File{"usr/lib/modules/6/modules.dep", "a\n", "a\n"},
        File{"proc/mounts",
             "none /dev/hugepages hugetlbfs rw,pagesize=2M,size=4G 0 0\n"
             "none /data hugetlbfs rw 0 0\nnone /data hugetlbfs\n"
             "/dev/sda1 /home ext4 rw,pagesize=2M 0 0\n",
             "hugetlbfs /dev/hugepages hugetlbfs pagesize=2M 0 0\nhugetlbfs /mnt/1 hugetlbfs rw 0 "
             "0\n"},
        File{"proc/7/mounts",
             "a:/b / nfs4 rw,addr=10.0.0.9,clientaddr=10.0.0.4 0 0\nfs /x fuse.a addr=10.0.0.9\n",
             "nfs4 / nfs4 addr=10.0.0.9 0 0\nremote /mnt/1 remote addr=10.0.0.9 0 0\n"},
        File{"proc/self/mounts",
             "none /data hugetlbfs rw 0 0\n",
             "hugetlbfs /mnt/1 hugetlbfs rw 0 0\n"},
        File{"proc/meminfo", "MemTotal: 1 kB\nHugepagesize: 2048 kB\n", "Hugepagesize: 2048 kB\n"},
        File{"proc/version",
             "Linux version 6.1.0-57-amd64 (alice@host) (gcc) #1 SMP Debian 6.1.192-3 (2026)\n",
             "Debian 6.1.192-3\n"},
        File{"proc/version", "Linux version 6.8.0-1062-azure (user@host)\n", ""},
        File{"proc/interrupts",
             "  CPU0\n 24: 7 mana_q0@pci:7870:00:00.0\n 25: 9 secret\n",
             "  CPU0\n 24: 7 mana_q0@pci:7870:00:00.0\n"},
        File{"proc/softirqs", "  CPU0\n NET_RX: 7\n TASKLET: 1\n", "  CPU0\n NET_RX: 7\n"},
        File{"proc/stat", "cpu0 1 2\nbtime 3\n", "cpu0 1 2\n"},
        File{"proc/uptime", "12.34 5.67\n", "12.34 5.67\n"},
        File{"proc/irq/24/effective_affinity_list", "0-3\n", "0-3\n"},
        File{"sys/devices/a/net/eth0/statistics/rx_packets", "7\n", "7\n"},
        File{"sys/devices/a/net/eth0/queues/rx-0/rps_cpus", "f,00\n", "f,00\n"},
        File{"proc/cmdline",
             "root=x modprobe.blacklist=a module_blacklist=b modprobe.blacklist quiet\n",
             "modprobe.blacklist=a module_blacklist=b modprobe.blacklist\n"},
        File{"proc/7/stat", "7 (sshd: alice) S 1 2\n", "7 (sshd) S 1\n"},
        File{"proc/7/stat", "7 (a) b) S 12\n", "7 (program) S 12\n"},
        File{"proc/7/stat", "7 () S 1", "7 (program) S 1\n"},
        File{"proc/7/stat", "x (a) S 1\n", ""},
        File{"proc/7/stat", "7 (a) S x\n", ""},
        File{"proc/7/stat", "7 (a) S\n", ""},
        File{"proc/7/stat", "7 a) S 1\n", ""},
        File{"proc/7/stat", "7 (a S 1\n", ""},
        File{"proc/7/stat", "7 )a( S 1\n", ""},
        File{"proc/7/comm", "sshd-session\n", "sshd\n"},
        File{"proc/7/comm", "dropbear2\n", "dropbear\n"},
        File{"proc/7/comm", "alice\n", "program\n"},
        File{"proc/sys/kernel/random/boot_id", "1\n", "00000000-0000-0000-0000-000000000000\n"},
        File{"sys/kernel/btf/vmlinux", "a\n", "a\n", Scrub::nothing},
        File{"sys/class/dmi/id/chassis_asset_tag",
             "7783-7084-3265-9085-8269-3286-77\n",
             "7783-7084-3265-9085-8269-3286-77\n"},
        File{"sys/class/dmi/id/chassis_asset_tag", "of alice\n", "removed\n"},
        File{"sys/class/iscsi_connection/c/address", "10.0.0.9\n", "10.0.0.9\n"},
        File{"sys/class/iscsi_connection/c/persistent_address", "fd00::9\n", "fd00::9\n"},
        File{"sys/class/iscsi_connection/c/address", "alice\n", ""},
        File{"sys/bus/pci/slots/1/address", "7870:00:00\n", "7870:00:00\n"},
        File{"sys/bus/pci/slots/1/address", "alice\n", ""},
        File{"sys/a/class", "0x020000\n", "0x020000\n"},
        File{"sys/a/class_id",
             "{f8615163-df3e-46c5-913f-f2d2f965ed0e}\n",
             "{f8615163-df3e-46c5-913f-f2d2f965ed0e}\n"},
        File{"sys/a/device_id", "{0}\n", "{0}\n"},
        File{"sys/a/vendor", "0x1414\n", "0x1414\n"},
        File{"sys/a/device", "0x00ba\n", "0x00ba\n"},
        File{"sys/a/numa_node", "-1\n", "-1\n"},
        File{"sys/a/dev_port", "1\n", "1\n"},
        File{"sys/a/driver_override", "uio_hv_generic\n", "uio_hv_generic\n"},
        File{"sys/a/cpulist", "0-3,7\n", "0-3,7\n"},
        File{"sys/a/nr_hugepages", "8\n", "8\n"},
        File{"sys/a/serial", "1\n", ""}));

TEST(KeptTarget, OfLinksBelowProcIsWhatManactlReads) {
  const std::pair<const char*, const char*> links[] = {
      {"/usr/sbin/sshd", "/usr/sbin/sshd"},
      {"/opt/dropbear-2 (deleted)", "/usr/sbin/dropbear"},
      {"alice", "/usr/sbin/program"}};
  for (const auto& [target, kept] : links) EXPECT_EQ(kept_target("proc/7/exe", target), kept);
  for (const char* target : {"socket:[7]", "/dev/infiniband/uverbs0", "/dev/uio0"}) {
    EXPECT_EQ(kept_target("proc/7/fd/3", target), target);
    EXPECT_EQ(kept_target("proc/self/fd/3", target), target);
  }
  EXPECT_EQ(kept_target("proc/7/fd/3", "/home/alice"), "removed");
  EXPECT_EQ(kept_target("proc/self/fd/3", "/home/alice"), "removed");
  EXPECT_EQ(kept_target("proc/self", "7"), "7");
  EXPECT_EQ(kept_target("sys/a", "/home/alice"), "/home/alice");
}

TEST(ScrubbedTree, HasOneEnumeratorPerFileOfBtf) {
  const std::string other = os::single_enumerator("SECRET", 7, 0);
  const std::string wanted = os::single_enumerator("RDMA_DRIVER_MANA", 20, 0);
  const auto file = [](std::string text) {
    return TreeEntry{TreeEntry::Kind::file, std::move(text)};
  };
  Recorded recorded;
  recorded.tree["sys/kernel/btf/a"] = file("malformed");
  recorded.tree["sys/kernel/btf/vmlinux"] = file(other);
  recorded.tree["sys/kernel/bth"] = file("x");
  const auto without = scrubbed_tree(recorded).value();
  EXPECT_EQ(without.at("sys/kernel/btf/vmlinux").text,
            os::single_enumerator("RDMA_DRIVER_MANA", std::nullopt, 0));
  EXPECT_EQ(without.at("sys/kernel/btf/a").text, "");
  recorded.tree["sys/kernel/btf/vmlinux"] = file(wanted);
  EXPECT_EQ(scrubbed_tree(recorded)->at("sys/kernel/btf/vmlinux").text, wanted);
}

TEST(ScrubbedTree, HasTheEnumeratorOfAModule) {
  const std::string base = os::single_enumerator("RDMA_DRIVER_MANA", std::nullopt, 0);
  const std::string module = os::single_enumerator("RDMA_DRIVER_MANA", 20, 1);
  TreeEntries tree{{"sys/kernel/btf/ib_core", {TreeEntry::Kind::file, module}},
                   {"sys/kernel/btf/vmlinux", {TreeEntry::Kind::file, base}}};
  const TreeEntries before = tree;
  keep_enumerator(tree);
  EXPECT_EQ(tree, before);
}

TEST(ScrubbedTree, HasOneAddressPerRoute) {
  const auto route = [](const char* destination, int output) {
    os::Route made;
    made.destination = destination;
    made.outputs = {output};
    return made;
  };
  Snapshot snapshot;
  snapshot.routes =
      std::vector<os::Route>{route("10.1.0.0/16", 2), route("default", 1), route("fd00::/8", 3)};
  TreeEntries tree;
  for (auto& [path, text] : write_snapshot(snapshot)) tree[path] = {TreeEntry::Kind::file, text};
  tree["proc/mounts"] = {TreeEntry::Kind::file, "a:/b /x nfs4 rw,addr=10.1.2.3 0 0\n"};
  tree["sys/class/iscsi_connection/c/address"] = {TreeEntry::Kind::file, "fd00::9\n"};
  const auto scrubbed = scrubbed_tree({tree, {}, {}}).value();
  EXPECT_THAT(scrubbed.at("manactl/routes.json").text, ::testing::HasSubstr("/32"));
  keep_routes_to_storage(tree);
  const auto routes = read_snapshot(*files_of(tree))->routes.value();
  std::string shown;
  for (const auto& one : routes)
    shown += fmt::format("{} {}\n", one.destination, one.outputs.at(0));
  EXPECT_EQ(shown, "default 1\n10.1.2.3/32 2\nfd00::9/128 3\n10.1.0.0/32 2\nfd00::/128 3\n");
}

// The path `folder`/web01 and the target of a link to it, scrubbed on the host web01.
std::string scrubbed_path_and_target(const std::string& folder) {
  Recorded recorded;
  recorded.identity_files["etc/hostname"] = "web01";
  recorded.tree["sys/link"] = {TreeEntry::Kind::link, folder + "/web01"};
  recorded.tree[folder + "/web01"] = {TreeEntry::Kind::directory, ""};
  std::string shown;
  const TreeEntries scrubbed = scrubbed_tree(recorded).value();
  for (const auto& [path, entry] : scrubbed)
    shown += path == "sys/link" ? entry.text + " " : path + " ";
  return shown;
}

TEST(ScrubbedTree, ReplacesNamesOnlyInPathsThatPeopleChoose) {
  for (const std::string folder : {"etc",
                                   "run",
                                   "home",
                                   "root",
                                   "opt",
                                   "mnt",
                                   "srv",
                                   "logs",
                                   "tmp",
                                   "usr/local",
                                   "usr/lib/NetworkManager",
                                   "usr/lib/systemd",
                                   "data/home"}) {
    EXPECT_EQ(scrubbed_path_and_target(folder), fmt::format("{0}/host1 {0}/host1 ", folder));
  }
  for (const std::string folder : {"sys", "usr/lib", "proc"}) {
    EXPECT_EQ(scrubbed_path_and_target(folder), fmt::format("{0}/web01 {0}/web01 ", folder));
  }
}

// manactl searches for the folders, even if a user is called "data" or a host "pci".
TEST(ScrubbedTree, KeepsTheFoldersInWhichManactlSearches) {
  const auto path_for_host = [](const std::string& path, const std::string& host) {
    Recorded recorded;
    recorded.tree[path] = {TreeEntry::Kind::directory, ""};
    recorded.identity_files["etc/hostname"] = host;
    return scrubbed_tree(std::move(recorded)).value().begin()->first;
  };
  for (const auto& [path, host] : std::initializer_list<std::pair<const char*, const char*>>{
           {"run/udev/data/n2", "data"},
           {"run/udev/data/n2", "udev"},
           {"logs/1-a.log", "logs"},
           {"etc/netif/web01.network", "netif"}}) {
    EXPECT_EQ(path_for_host(path, host), path);
  }
  EXPECT_EQ(path_for_host("etc/systemd/network/10-web01.network.d/a.conf", "web01"),
            "etc/systemd/network/10-host1.network.d/a.conf");
  EXPECT_EQ(path_for_host("srv/web01/data/x", "web01"), "srv/host1/data/x");
}

TEST(ScrubbedTree, ReplacesNamesInTargetsThatPeopleChoose) {
  for (const auto& [target, expected] : std::initializer_list<std::pair<const char*, const char*>>{
           {"../../run/udev/web01", "../../run/udev/host1"},
           {"/run/web01/x", "/run/web01/x"},
           {"web01.d/x", "host1.d/x"},
           {"../sys/web01", "../sys/web01"}}) {
    Recorded recorded;
    recorded.tree["etc/x"] = {TreeEntry::Kind::link, target};
    recorded.identity_files["etc/hostname"] = "web01";
    EXPECT_EQ(scrubbed_tree(std::move(recorded)).value().at("etc/x").text, expected);
  }
}

TEST(ScrubbedTree, LearnsNamesOfEveryFileBeforeItScrubs) {
  const auto file = [](std::string text) {
    return TreeEntry{TreeEntry::Kind::file, std::move(text)};
  };
  Recorded recorded;
  recorded.tree["logs/1"] =
      file("web01 web02 corp.example /srv/data alice bobby 10.0.0.4 10.0.0.5");
  recorded.tree["logs/2"] = file("/home/alice");
  recorded.tree["manactl/kernel.log"] = file("/home/bobby");
  recorded.tree["manactl/links.json"] = file("ip-10-0-0-4 web01");
  recorded.tree["manactl/report.json"] = file("10.0.0.5... web01");
  recorded.tree["proc/7/mounts"] = file("none /srv/data hugetlbfs rw 0 0\n");
  recorded.tree["etc/systemd/network/a.network"] = file("Domains=corp.example\n");
  recorded.identity_files["etc/hostname"] = "web01";
  recorded.tree["logs/user=carol"] = file("hostname=web02");
  const auto tree = scrubbed_tree(recorded).value();
  EXPECT_EQ(tree.at("logs/1").text, "host1 host2 domain1 /mnt/1 user1 user2 198.18.0.1 198.18.0.2");
  EXPECT_EQ(tree.at("manactl/links.json").text, "ip-198-18-0-1 host1");
  EXPECT_EQ(tree.at("manactl/report.json").text, "... host1");
  EXPECT_EQ(tree.at("logs/user=user3").text, "hostname=host2");
}

}  // namespace
}  // namespace manactl::host::scrub_files_test
