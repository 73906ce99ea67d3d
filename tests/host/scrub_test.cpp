// SPDX-License-Identifier: MIT

#include "host/scrub.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "host/bundle.h"
#include "host/management.h"
#include "host/scrub_files.h"
#include "host/scrub_json.h"
#include "host/scrubbing.h"
#include "host/snapshot.h"
#include "os/memory_files.h"

namespace manactl::host::scrub_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(Scrubber, ReplacesEqualAddressesEqually) {
  EXPECT_EQ(scrub("00:0d:3a:76:3b:d0 00:0d:3a:76:3b:d1 00:0D:3A:76:3B:D0"),
            "02:00:00:00:00:01 02:00:00:00:00:02 02:00:00:00:00:01");
}

TEST(Scrubber, ReplacesAMacAddressInEverySpelling) {
  EXPECT_EQ(scrub_with_mac("00-0D-3A-76-3B-D0"), "02-00-00-00-00-01");
  EXPECT_EQ(scrub_with_mac("00_0d_3a_76_3b_d0.log"), "02_00_00_00_00_01.log");
  EXPECT_EQ(scrub_with_mac("000d.3a76.3bd0"), "0200.0000.0001");
  EXPECT_EQ(scrub_with_mac("000D3A763BD0"), "020000000001");
  EXPECT_EQ(scrub_with_mac("0:d:3a:76:3b:d0"), "2:0:0:0:0:1");
  EXPECT_EQ(scrub_with_mac("0xd3a763bd0 0x000d3a763bd0"), "0x20000000001 0x020000000001");
  EXPECT_EQ(scrub_with_mac("0xd03b763a0d00"), "0x010000000002");
  EXPECT_EQ(scrub_with_mac("{0x00, 0x0d, 0x3a, 0x76, 0x3b, 0xd0}"),
            "{0x02, 0x00, 0x00, 0x00, 0x00, 0x01}");
  EXPECT_EQ(scrub_with_mac("0x0000: 000d 3a76 3bd0"), "0x0000: 0200 0000 0001");
}

TEST(Scrubber, ReplacesMacAddressesInLongerSequences) {
  EXPECT_EQ(scrub("MAC=00:0d:3a:76:3b:d0:12:34:56:78:9a:bd:08:00"),
            "MAC=02:00:00:00:00:01:02:00:00:00:00:02:08:00");
  EXPECT_EQ(scrub("client id 01:00:0d:3a:76:3b:d0"), "client id 01:02:00:00:00:00:01");
  EXPECT_EQ(scrub("00:01:00:01:2a:3b:4c:5d:00:0d:3a:76:3b:d0"),
            "00:01:00:01:2a:3b:4c:5d:02:00:00:00:00:01");
}

TEST(Scrubber, ReplacesAnEui64) {
  EXPECT_EQ(scrub_with_mac("020d:3aff:fe76:3bd0"), "0000:00ff:fe00:0001");
  EXPECT_EQ(scrub_with_mac("000d:3aff:fe76:3bd0"), "0200:00ff:fe00:0001");
  EXPECT_EQ(scrub_with_mac("token 20d:3aff:fe76:3bd0"), "token 0:ff:fe00:1");
  EXPECT_EQ(scrub_with_mac("fe80::20d:3aff:fe76:3bd0"), "fe80::db8:0:1");
  EXPECT_EQ(scrub("020d:3aff:fe76:3bd0 000d.3a76.3bd0"), "0000:00ff:fe00:0001 0200.0000.0001");
}

TEST(Scrubber, ReplacesAddressesInChannelIdsAndNames) {
  const std::string text = scrub(
      "00:0d:3a:76:3b:d0\nVMBUS:00/000d3a76-3bd0-000d-3a76-3bd0000d3a76/net\nenx000d3a763bd0");
  EXPECT_THAT(text, HasSubstr("VMBUS:00/02000000-0001-0200-0000-000102000000/net"));
  EXPECT_THAT(text, HasSubstr("enx020000000001"));
}

TEST(Scrubber, KeepsChannelIdsDistinct) {
  const std::string text = scrub(
      "00:0d:3a:76:3b:d0 00:0d:3a:76:3b:d1 000d3a76-3bd0-000d-3a76-3bd1000d3a76 "
      "000d3a76-3bd0-000d-3a76-3bd0000d3a76");
  EXPECT_THAT(text, HasSubstr("02000000-0001-0200-0000-000202000000"));
  EXPECT_THAT(text, HasSubstr("02000000-0001-0200-0000-000102000000"));
}

TEST(Scrubber, ReplacesIpAddresses) {
  EXPECT_EQ(scrub("inet 10.0.0.4/24, 10.0.0.4:22 [fd00::7]:80 fe80::20d:3aff:1"),
            "inet 198.18.0.1/24, 198.18.0.1:22 [2001:db8:5c::1]:80 fe80::db8:0:2");
}

TEST(Scrubber, ReplacesIpAddressesWithPortsAndZones) {
  EXPECT_EQ(scrub("IP 20.51.37.9.22 > 10.0.0.4.50122: Flags"),
            "IP 198.18.0.1.22 > 198.18.0.2.50122: Flags");
  EXPECT_EQ(scrub("fe80::1.546 fe80::1%eth0 [fe80::1]:22 addr:fe80::1"),
            "fe80::db8:0:1.546 fe80::db8:0:1%eth0 [fe80::db8:0:1]:22 addr:fe80::db8:0:1");
  EXPECT_EQ(scrub("::ffff:10.0.0.4 10.0.0.4"), "::ffff:198.18.0.1 198.18.0.1");
}

TEST(Scrubber, ReplacesOtherSpellingsOfKnownIpAddresses) {
  EXPECT_EQ(scrub("10.0.0.4 ip-10-0-0-4 0400000A:0016 0x0a000004 010.000.000.004"),
            "198.18.0.1 ip-198-18-0-1 010012c6:0016 0xc6120001 198.18.0.1");
  EXPECT_EQ(scrub("fd00::7 fd000000000000000000000000000007 FD00:0:0:0:0:0:0:7"),
            "2001:db8:5c::1 20010db8005c00000000000000000001 2001:db8:5c::1");
}

TEST(Scrubber, KeepsWellKnownAddresses) {
  const std::string text =
      "127.0.0.1 ::1 0.0.0.0 255.255.255.0 168.63.129.16 169.254.169.254 00:00:00:00:00:00 "
      "ff:ff:ff:ff:ff:ff 12:34:56:78:9a:bc f8615163-df3e-46c5-913f-f2d2f965ed0e";
  EXPECT_EQ(scrub(text), text);
}

TEST(Scrubber, KeepsTextThatOnlyResemblesAnAddress) {
  const std::string text =
      "libibverbs.so.1.14.44.0 7870:00:00.0 12:34:56 22.11.11 std::vector 6.8.0-1062-azure "
      "6.6.134.1-1.azl3 "
      "0000:00:03.0 a.b.c.d 1.2.3.4.5.6 2024-11-21-10-00-59 deadbeefcafe";
  EXPECT_EQ(scrub(text), text);
}

TEST(Scrubber, NeverUsesAnAddressOfTheMachineAsReplacement) {
  EXPECT_EQ(scrub("10.0.0.4 198.18.0.1 10.0.0.4"), "198.18.0.2 198.18.0.3 198.18.0.2");
}

TEST(Scrubber, ReplacesAddressesAfterEscapeSequences) {
  EXPECT_EQ(scrub("\x1b[31m20.51.37.9\x1b[0m 20.51\x1b[7m.37.9"), "198.18.0.1 198.18.0.1");
  EXPECT_EQ(scrub(R"(\n20.51.37.9 \x1b20.51.37.9 [1;31m20.51.37.9 \u001b[0m20.51.37.9)"),
            R"(\n198.18.0.1 \x1b198.18.0.1 [1;31m198.18.0.1 \u001b[0m198.18.0.1)");
}

TEST(Scrubber, ReplacesOtherSpellingsAfterEscapeSequences) {
  EXPECT_EQ(scrub_with_mac(R"(\u001b0:d:3a:76:3b:d0 \x1b20d:3aff:fe76:3bd0)"),
            R"(\u001b2:0:0:0:0:1 \x1b0:ff:fe00:1)");
  EXPECT_EQ(scrub("20.51.37.9 #03320.51.37.9"), "198.18.0.1 #033198.18.0.1");
}

TEST(Scrubber, ReplacesAKnownIpv6AddressBeforeOtherCharacters) {
  EXPECT_EQ(scrub("fd00::7a fd00::7a.546:eth0 fd00::7axyz"),
            "2001:db8:5c::1 2001:db8:5c::1.546:eth0 2001:db8:5c::1xyz");
}

TEST(Scrubber, RemovesALogWithoutText) {
  EXPECT_EQ(scrub(std::string(2, '\0')), "");
  EXPECT_EQ(scrub("\x1b[0m"), "");
}

TEST(Scrubber, ReplacesAddressesBetweenNulBytes) {
  const std::string data("10.0.0.4\0at 10.0.\0000.4", 22);
  EXPECT_EQ(scrub(data), "198.18.0.1at 198.18.0.1");
  EXPECT_EQ(scrub(std::string("1\0000\0.\0000\0.\0000\0.\0004\0", 16)), "198.18.0.1");
}

TEST(Scrubber, RemovesLinesOfBinaryData) {
  EXPECT_EQ(scrub("text\n\x01\x02\x03\x04\x05\x06 10.0.0.4\nGr\xc3\xbc\xc3\x9f"
                  "e"),
            "text\n[15 bytes of binary data removed]\nGr\xc3\xbc\xc3\x9f"
            "e");
}

TEST(Scrubber, ReplacesTheHostNameInProseOnly) {
  EXPECT_EQ(scrub("Nov 21 web01 kernel: web012 web01 WEB01$", "web01"),
            "Nov 21 host1 kernel: web012 host1 host1$");
  Scrubber scrubber;
  scrubber.names().add(NameReplacer::kHost, "hv_sock");
  EXPECT_EQ(scrubber.scrubbed("sys/module/hv_sock"), "sys/module/hv_sock");
}

TEST(Scrubber, ReplacesDomains) {
  EXPECT_EQ(scrub("web01.corp.example CORP.EXAMPLE.", "web01.corp.example"),
            "host1.domain1 domain1.");
  EXPECT_EQ(scrub("web01.corp.example", "WEB01.Corp.Example"), "host1.domain1");
}

TEST(Scrubber, FindsNamesInLogs) {
  EXPECT_EQ(
      scrub("Nov 21 10:00:00 web01 sshd[7]: Accepted publickey for alice from 10.0.0.4 port 5"),
      "Nov 21 10:00:00 host1 sshd[7]: Accepted publickey for user1 from 198.18.0.1 port 5");
  EXPECT_EQ(scrub("sudo:   alice : TTY=pts/0 ; PWD=/home/alice ; USER=root"),
            "sudo:   user1 : TTY=pts/0 ; PWD=/home/user1 ; USER=root");
  EXPECT_EQ(scrub("mount //store.file.core.windows.net/pay username=svc1,domain=CORP"),
            "mount name1 username=user1,domain=domain1");
  EXPECT_THAT(scrub("2024-11-21T10:00:00.1+00:00 web01 mana: WEB01"), Not(HasSubstr("web01")));
}

TEST(Scrubber, KeepsWordsThatLogsUse) {
  EXPECT_EQ(scrub("Nov 21 10:00:00 kernel mana: for user root", "mana"),
            "Nov 21 10:00:00 kernel mana: for user root");
}

TEST(Scrubber, RemovesWordsThatAReportCuts) {
  Scrubber scrubber;
  EXPECT_EQ(scrubbed_report("at 00:0d:3a:76..., Starting...", scrubber), "at ..., Starting...");
}

TreeEntries scrubbed_files(std::map<std::string, std::string> files) {
  Recorded recorded;
  for (auto& [path, text] : files) recorded.tree[path] = {TreeEntry::Kind::file, std::move(text)};
  recorded.identity_files["proc/sys/kernel/hostname"] = "web01";
  return scrubbed_tree(std::move(recorded)).value();
}

TEST(ScrubbedTree, ReplacesAddressesInPathsAndTargets) {
  Recorded recorded;
  recorded.tree = {
      {"sys/a/address", {TreeEntry::Kind::file, "00:0d:3a:76:3b:d0\n"}},
      {"bus/000d3a76-3bd0-000d-3a76-3bd0000d3a76",
       {TreeEntry::Kind::link, "../000d3a76-3bd0-000d-3a76-3bd0000d3a76"}},
  };
  recorded.tree["logs/1-web01.log"] = {TreeEntry::Kind::file, "on web01: 10.0.0.4"};
  recorded.identity_files["proc/sys/kernel/hostname"] = "web01";
  const TreeEntries scrubbed = scrubbed_tree(recorded).value();
  const auto link = scrubbed.find("bus/02000000-0001-0200-0000-000102000000");
  ASSERT_NE(link, scrubbed.end());
  EXPECT_EQ(link->second.text, "../02000000-0001-0200-0000-000102000000");
  EXPECT_EQ(scrubbed.at("logs/1-host1.log").text, "on host1: 198.18.0.1");
}

TEST(ScrubbedTree, KeepsOneRouteToAServerOfSeveralMounts) {
  TreeEntries tree;
  tree["proc/mounts"].text =
      "s:/a /a nfs4 addr=10.0.0.9\ns:/b /b nfs4 addr=10.0.0.9\ns:/c /c nfs4 addr=10.0.0.7\n";
  tree["manactl/routes.json"].text = R"({"routes": [{"destination": "10.0.0.0/24", "gateway": "",
      "outputs": [3], "table": 254, "metric": 100}]})";
  keep_routes_to_storage(tree);
  std::vector<std::string> kept;
  const auto snapshot = read_snapshot(*files_of(tree)).value();
  for (const auto& route : *snapshot.routes) kept.push_back(route.destination);
  EXPECT_THAT(kept, ElementsAre("10.0.0.9/32", "10.0.0.7/32", "10.0.0.0/32"));
}

TEST(ScrubbedTree, KeepsOnlyWhatManactlReads) {
  const auto tree = scrubbed_files({
      {"proc/7/stat", "7 (sshd-alice) S 1 7 7 0 -1 94586860281856\n"},
      {"proc/8/stat", "8 (ali (ce) S 7 8\n"},
      {"proc/8/mounts",
       "//store/pay /home/alice/pay cifs rw,username=svc,domain=CORP,addr=10.0.0.9 0 0\n"
       "/dev/sda1 /home/alice ext4 rw 0 0\nhugetlbfs /dev/hugepages hugetlbfs rw,pagesize=2M 0 "
       "0\n"},
      {"etc/systemd/network/10-web01.network",
       "[Match]\nMACAddress=00:0d:3a:76:3b:d0\nDriver=mana\n"
       "[Network]\nDomains=corp.example\n[Link]\nUnmanaged=yes\n"},
      {"etc/NetworkManager/conf.d/99-alice.conf",
       "[device-alice]\nmatch-device=mac:00:0d:3a:76:3b:d0\nmanaged=0\n"
       "[keyfile]\nunmanaged-devices=driver:mana\nhostname-mode=alice\n"},
      {"etc/os-release", "ID=ubuntu\nPRETTY_NAME=\"Ubuntu of alice\"\n"},
      {"etc/modprobe.d/a.conf",
       "# alice\nblacklist \\\nfloppy\ninstall x /home/alice/x\ninstall y /bin/true\n"},
      {"proc/cmdline", "root=/dev/sda1 modprobe.blacklist=floppy\n"},
      {"var/lib/secrets", "of alice\n"},
  });
  EXPECT_EQ(tree.at("proc/7/stat").text, "7 (sshd) S 1\n");
  EXPECT_EQ(tree.at("proc/8/stat").text, "8 (program) S 7\n");
  EXPECT_EQ(
      tree.at("proc/8/mounts").text,
      "cifs /mnt/1 cifs addr=198.18.0.1 0 0\nhugetlbfs /dev/hugepages hugetlbfs pagesize=2M 0 0\n");
  EXPECT_EQ(tree.at("etc/systemd/network/10-host1.network").text,
            "[Match]\nMACAddress=02:00:00:00:00:01\nDriver=mana\n[section]\n\n[section]\nUnmanaged="
            "yes\n");
  EXPECT_EQ(tree.at("etc/NetworkManager/conf.d/99-alice.conf").text,
            "[device]\nmatch-device=mac:02:00:00:00:00:01\nmanaged=0\n"
            "[section]\nunmanaged-devices=driver:mana\n");
  EXPECT_EQ(tree.at("etc/os-release").text, "ID=ubuntu\n");
  EXPECT_EQ(tree.at("etc/modprobe.d/a.conf").text, "blacklist floppy\ninstall y /bin/true\n");
  EXPECT_EQ(tree.at("proc/cmdline").text, "modprobe.blacklist=floppy\n");
  EXPECT_EQ(tree.at("var/lib/secrets").text, "");
}

TEST(ScrubbedTree, IsRefusedIfThereAreTooManyAddresses) {
  const auto with_addresses = [](unsigned count) {
    Recorded recorded;
    auto& log = recorded.tree["logs/1"] = {TreeEntry::Kind::file, ""};
    for (unsigned i = 0; i < count; ++i) {
      log.text += fmt::format("10.{}.{}.{} ", i >> 16U, (i >> 8U) & 0xff, i & 0xff);
    }
    return scrubbed_tree(recorded);
  };
  const auto refused = with_addresses(kMaxKnown);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("at most 299999 of each kind"));

  const auto tree = with_addresses(kMaxKnown - 1);
  ASSERT_TRUE(tree);
  EXPECT_THAT(tree->at("logs/1").text, StartsWith("198.18.0.1 198.18.0.2 "));
  EXPECT_THAT(tree->at("logs/1").text, HasSubstr(" 198.19.255.255 240.2.0.0 "));
}

TEST(ScrubbedTree, IsRefusedIfSearchingNamesWouldTakeTooLong) {
  std::string log;
  for (std::size_t length = 1; length <= 101; ++length) {
    log += "at //server/" + std::string(length, 'a') + "\n";
  }
  Recorded recorded;
  recorded.tree["logs/1"] = {TreeEntry::Kind::file, log};
  const auto refused = scrubbed_tree(recorded);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("names of 100 lengths with the same first word"));
  recorded.tree["logs/1"].text = log.substr(0, log.rfind("at"));
  EXPECT_TRUE(scrubbed_tree(recorded));
}

// Which of two VFs a network manager manages: "+-" is only the first.
std::string managed_vfs(const TreeEntries& tree) {
  os::MemoryFiles files;
  for (const auto& [path, entry] : tree) files.add_file(path, entry.text);
  const NetworkManagers managers(files);
  std::string result;
  for (const auto& [index, path] : {std::pair(5U, "manactl/5.json"), {6U, "manactl/6.json"}}) {
    Netdev vf;
    vf.index = static_cast<int>(index);
    vf.driver = "mana";
    vf.mac = *MacAddress::parse(trim(tree.at(path).text));
    const auto management = managers.management(vf);
    result += !management ? "?" : management->unmanaged ? "-" : "+";
  }
  return result;
}

TEST(ScrubbedTree, KeepsTheRulesOfNetworkManagers) {
  const std::vector<std::map<std::string, std::string>> systems = {
      {{"run/NetworkManager/NetworkManager.pid", "7"},
       {"etc/NetworkManager/conf.d/99-a.conf",
        "[device-alice]\nmatch-device=mac:00:0d:3a:76:3b:d0\nmanaged=0\n"}},
      {{"run/NetworkManager/NetworkManager.pid", "7"},
       {"etc/NetworkManager/conf.d/99-a.conf",
        "[keyfile]\nunmanaged-devices+=mac:00:0d:3a:76:3b:d0\nmanaged=0\n"}},
      {{"run/systemd/netif/leases", ""},
       {"run/systemd/netif/links/6", "ADMIN_STATE=configured\n"},
       {"etc/systemd/network/05-a.network",
        "[Match]\nMACAddress=00-0D-3A-76-3B-D0\nDriver=mana\n[Link]\nUnmanaged=yes\n"}},
  };
  for (auto files : systems) {
    files["manactl/5.json"] = "00:0d:3a:76:3b:d0\n";
    files["manactl/6.json"] = "00:0d:3a:76:3b:d1\n";
    TreeEntries tree;
    for (const auto& [path, text] : files) tree[path] = {TreeEntry::Kind::file, text};
    EXPECT_EQ(managed_vfs(tree), "-+") << files.begin()->second;
    EXPECT_EQ(managed_vfs(scrubbed_files(files)), "-+") << files.begin()->second;
  }
}

TEST(ScrubbedTree, RemovesWhatHidesAddressesFromLogsOfEveryName) {
  const std::string wide(
      "1\0"
      "0\0.\0"
      "0\0.\0"
      "0\0.\0"
      "4\0",
      16);
  const auto tree = scrubbed_files({{"logs/1-a.json", "10.0.\x1b[7m0.4"}, {"logs/2-b.json", wide}});
  EXPECT_EQ(tree.at("logs/1-a.json").text, "198.18.0.1");
  EXPECT_EQ(tree.at("logs/2-b.json").text, "198.18.0.1");
}

TEST(ScrubbedTree, ReplacesThePathsOfMountsUnlessTheyAreUsual) {
  const auto pool = [](const std::string& path) { return "none " + path + " hugetlbfs rw 0 0\n"; };
  const auto kept = [](const std::string& path) {
    return "hugetlbfs " + path + " hugetlbfs rw 0 0\n";
  };
  const std::string long_path = "/srv/" + std::string(300, 'a');
  const auto tree =
      scrubbed_files({{"proc/7/mounts",
                       pool("/dev/hugepages") + pool("/dev/hugepages-1G") +
                           pool("/dev/hugepages2048kB") + pool("/mnt/huge") +
                           pool("/dev/hugepages-alice") + pool("/srv/alice") + pool(long_path)}});
  EXPECT_EQ(tree.at("proc/7/mounts").text,
            kept("/dev/hugepages") + kept("/dev/hugepages-1G") + kept("/dev/hugepages2048kB") +
                kept("/mnt/huge") + kept("/mnt/1") + kept("/mnt/2") + kept("/mnt/0"));
}

TEST(ScrubbedTree, DoesNotMixANameUpWithAReplacement) {
  const std::string log = "Nov 21 10:00:00 web01 sshd[7]: rhost=host1 \x1b[1mrhost=host1\x1b[0m\n";
  const auto tree = scrubbed_files({{"logs/1", log}});
  EXPECT_EQ(tree.at("logs/1").text, "Nov 21 10:00:00 host2 sshd[7]: rhost=host3 rhost=host3\n");
}

TEST(ScrubbedTree, KeepsAFileByThePathThatWasRead) {
  Recorded recorded;
  recorded.tree["home/alice/os"] = {TreeEntry::Kind::file, "ID=debian\n"};
  recorded.read_paths["home/alice/os"] = "etc/os-release";
  EXPECT_EQ(scrubbed_tree(recorded)->begin()->second.text, "ID=debian\n");
}

TEST(ScrubbedTree, KeepsTargetsOfProcessLinksOnlyIfManactlReadsThem) {
  Recorded recorded;
  const auto link = [&](const std::string& path, const std::string& target) {
    recorded.tree[path] = {TreeEntry::Kind::link, target};
  };
  link("proc/7/exe", "/home/alice/sshd-session");
  link("proc/7/fd/3", "socket:[123]");
  link("proc/7/fd/4", "/home/alice/.bash_history");
  link("proc/8/exe", "/home/alice/program-of-alice");
  const auto tree = scrubbed_tree(recorded).value();
  EXPECT_EQ(tree.at("proc/7/exe").text, "/usr/sbin/sshd");
  EXPECT_EQ(tree.at("proc/7/fd/3").text, "socket:[123]");
  EXPECT_EQ(tree.at("proc/7/fd/4").text, "removed");
  EXPECT_EQ(tree.at("proc/8/exe").text, "/usr/sbin/program");
}

}  // namespace
}  // namespace manactl::host::scrub_test
