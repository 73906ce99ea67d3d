// SPDX-License-Identifier: MIT

#include "host/scrub_names.h"

#include <gtest/gtest.h>

#include "host/scrubbing.h"

namespace manactl::host::scrub_names_test {
namespace {

TEST(ScrubbedNames, AreTheHostsOfSyslogLines) {
  expect_scrubbed(
      {{"Nov 21 10:00:00 web01 kernel: x web01", "Nov 21 10:00:00 host1 kernel: x host1"},
       {"Nov  1 10:00:00 web01 sshd[7] x", "Nov  1 10:00:00 host1 sshd[7] x"},
       {"<13>Nov 21 10:00:00 web01 kernel: x", "<13>Nov 21 10:00:00 host1 kernel: x"},
       {"<34>1 2024-11-21T10:00:00.003Z web01 su - ID47 x",
        "<34>1 2024-11-21T10:00:00.003Z host1 su - ID47 x"},
       {"2024-11-21T10:00:00 web01 kernel: x", "2024-11-21T10:00:00 host1 kernel: x"},
       {"2024-11-21 10:00:00 web01 kernel: x", "2024-11-21 10:00:00 host1 kernel: x"},
       {"Nov 21 10:00:00 web01 (sd-pam)[7]: x", "Nov 21 10:00:00 host1 (sd-pam)[7]: x"},
       {"2024-11-21 10:00:00 web01 /usr/sbin/a[7]: x",
        "2024-11-21 10:00:00 host1 /usr/sbin/a[7]: x"},
       {"2024-11-21T10:00:00-05:00 web01 sudo: x", "2024-11-21T10:00:00-05:00 host1 sudo: x"},
       {"2024-11-21T10:00:00.1+00:00 web01 a: x", "2024-11-21T10:00:00.1+00:00 host1 a: x"}});
  expect_kept({"2024-11-21T10:00:00 web01 su - x",
               "Nov 21 10:00:00 web/01 kernel: web/01",
               "Nov 21 10:00:00 web01",
               "Nov 21 10.00.00 web01 kernel: x",
               "Novx21 10:00:00 web01 kernel: x",
               "2024-11-21T10:00:0x web01 kernel: x",
               "2024-11-21x10:00:00 web01 kernel: x",
               "2024-11-21T10:00:00,123456+00:00 infiniband mlx5_0: infiniband is up",
               "2024-11-21 10:00:00 INFO [main] INFO",
               "2024-11-21 10:00:00.123 INFO main: INFO",
               "Nov 21 10:00:00 lcore 0: lcore",
               "Nov 21 10:00:00 pci 7870:00:00.0: pci",
               "[    5.1] DMA [mem 0x0-0x1] DMA",
               "[    5.1] DMA [0]: DMA",
               "<13 web01 kernel: x",
               "Nov 21 10:00:0",
               "x 1 2024-11-21T10:00:00 web01 su - x"});
}

TEST(ScrubbedNames, AreTheHostsOfUname) {
  expect_scrubbed({{"Linux web01 6.8.0-1062-azure", "Linux host1 6.8.0-1062-azure"}});
  expect_kept({"Linux version 6.8.0", "Linux web01", "Linux kernels are good", "Unix web01 6.8.0"});
}

TEST(ScrubbedNames, AreTheUsersOfLogins) {
  for (const char* program : {"sshd[7]", "sudo", "su[7]", "su:", "pam_unix"}) {
    EXPECT_EQ(scrub(fmt::format("{} opened for alice by x", program)),
              fmt::format("{} opened for user1 by x", program));
  }
  for (const char* key : {"user ", "for ", "account "}) {
    for (const char* end : {" from x", " by x", "(uid=0)", "'", "\"", "[7]", " 10.0.0.256"}) {
      EXPECT_EQ(scrub(fmt::format("ssh {}alice{}", key, end)),
                fmt::format("ssh {}user1{}", key, end));
    }
    for (const char* end : {"/x", "=1", ")", " exits"}) {
      const auto text = fmt::format("ssh {}alice{}", key, end);
      EXPECT_EQ(scrub(text), text);
    }
  }
  expect_scrubbed(
      {{"ssh user 'alice' \"alice\"", "ssh user 'user1' \"user1\""},
       {"ssh USER \"alice\"", "ssh USER \"user1\""},
       {"ssh user: alice [7]", "ssh user: user1 [7]"},
       {"sshd: alice [priv]", "sshd: user1 [priv]"},
       {"sudo:   alice : TTY=pts/0", "sudo:   user1 : TTY=pts/0"},
       {"ssh for alice@web01 from x", "ssh for user1@host1 from x"},
       {"ssh for alice.smith from alice", "ssh for user1 from alice"},
       {"ssh user alice. user bobby, user carol", "ssh user user1. user user2, user user3"},
       {"pam_unix(x): password changed for alice", "pam_unix(x): password changed for user1"},
       {"logind: New session 5 of user alice.", "logind: New session 5 of user user1."},
       {"systemd[1]: Started Session 5 of User alice.",
        "systemd[1]: Started Session 5 of User user1."},
       {"logind: New session '5' of user 'alice' with class 'user'.",
        "logind: New session '5' of user 'user1' with class 'user'."}});
  expect_kept({"waiting for alice from x",
               "sshd: broken pipe",
               "sudo: alice",
               "ssh user: alice",
               "ssh xuser alice ",
               "ssh for root from x",
               "ssh waiting for processes",
               "systemd[1]: Wait for udev To Complete Device Initialization, uid=0",
               "systemd[1]: Started User Manager for UID 1000. uid=0",
               "systemd[1]: Created slice User Slice of UID 1000. uid=0",
               "systemd[1]: User Login Management. User Runtime Directory /run/user/1000",
               "systemd[1]: Finished Permit User Sessions. sessions login runtime",
               "ssh for "});
}

TEST(ScrubbedNames, AreTheValuesOfKeys) {
  for (const auto& [key, kind] : std::initializer_list<std::pair<const char*, const char*>>{
           {"user", "user"},        {"username", "user"},  {"ruser", "user"},
           {"logname", "user"},     {"acct", "user"},      {"hostname", "host"},
           {"_hostname", "host"},   {"rhost", "host"},     {"server", "host"},
           {"nodename", "host"},    {"unc", "name"},       {"domain", "domain"},
           {"dom", "domain"},       {"domains", "domain"}, {"password", "secret"},
           {"passwd", "secret"},    {"pass", "secret"},    {"accountkey", "secret"},
           {"accountname", "name"}, {"sig", "secret"}}) {
    EXPECT_EQ(scrub(fmt::format("x {}=zorro", key)), fmt::format("x {}={}1", key, kind));
  }
  expect_scrubbed(
      {{"USER=zorro", "USER=user1"},
       {"user=\"zorro\" user='bernardo'", "user=\"user1\" user='user2'"},
       {"user=zorro,domain=CORP;x", "user=user1,domain=domain1;x"},
       {R"({"user":"zorro", "hostname": "web01"})", R"({"user":"user1", "hostname": "host1"})"},
       {R"({\"user\": \"zorro\"})", R"({\"user\": \"user1\"})"},
       {"user=zorro", "user=user1"},
       {"KUBERNETES_NODE_INTERNAL_HOSTNAME=web01", "KUBERNETES_NODE_INTERNAL_HOSTNAME=host1"}});
  expect_kept({"user: zorro", "xuser=zorro", "user =zorro", "user+zorro", R"("user"  "zorro")"});
}

TEST(ScrubbedNames, AreInCertificates) {
  expect_scrubbed(
      {{"subject=C = US, O = Contoso Ltd, OU = Finance, CN = ledger",
        "subject=C = US, O = name1, OU = name2, CN = name3"},
       {"subject=/C=US/O=Contoso/CN=ledger", "subject=/C=US/O=name1/CN=name2"},
       {"issuer=C = US, O = \"Contoso, Inc.\"", "issuer=C = US, O = \"name1\""},
       {"        Issuer: O=Contoso, CN=Contoso Root CA 2", "        Issuer: O=name1, CN=name2"},
       {"verify error:depth=0 CN = *.corp.contoso.com",
        "verify error:depth=0 CN = *.host1.domain1"},
       {"ldap: CN=ledger,OU=Finance,DC=x was not found",
        "ldap: CN=name1,OU=name2,DC=x was not found"},
       {"curl: *  subject: CN=ledger.contoso.com", "curl: *  subject: CN=host1.domain1"},
       {"issuer 'CN=Contoso Root'\nThe CONTOSO ROOT expired",
        "issuer 'CN=name1'\nThe name1 expired"}});
  expect_kept(
      {"issuer=C = US, O = Microsoft Corporation, CN = Microsoft Azure RSA TLS Issuing CA 03",
       "subject: O=Debian, CN=kernel",
       "ethtool: O = Contoso",
       "RX_OK: o=5, cn=7, ou=3, subject 4"});
}

TEST(ScrubbedNames, AreTheHostsThatSystemdSets) {
  expect_scrubbed({{"Hostname set to <web01>.", "Hostname set to <host1>."},
                   {"Set hostname to <web01>.", "Set hostname to <host1>."}});
  expect_kept({"Hostname was <web01>."});
}

TEST(ScrubbedNames, AreInPathsAndAddressesOfMail) {
  expect_scrubbed(
      {{"/home/alice/x:/home/bobby", "/home/user1/x:/home/user2"},
       {"//store1/pay //store2/pay", "name1 name2"},
       {"//store1/pay on store1", "name1 on host1"},
       {"alice@corp.example", "user1@host1.example"},
       {"alice@lab.corp.example", "user1@host1.domain1"},
       {"x alice@web01:~$ ls", "x user1@host1:~$ ls"},
       {"x alice@web01:/srv$ ls", "x user1@host1:/srv$ ls"},
       {"alice@10.0.0.4", "user1@198.18.0.1"},
       {"alice@contoso.group", "user1@host1.group"},
       {"alice@microsoft.com", "user1@microsoft.com"},
       {"vm1.blob.core.windows.net vm2.core.windows.net", "host1.domain1 host2.domain2"},
       {"vm1.cloudapp.net, vm1.westus.cloudapp.azure.com", "host1.domain1, host1.domain2"}});
  expect_kept({"//store1 pay",
               "///pay",
               "alice@web01: x",
               "getty@tty1.service",
               "a23@home.automount lodash@4.17.21 aes256-gcm@openssh.com",
               "alice@web01",
               "/homes/alice"});
}

TEST(ScrubbedNames, AreInTheMetadataOfAVmInSeveralLines) {
  expect_scrubbed({{"{\n \"name\": \"ocarina\",\n \"sku\": \"x\",\n \"vmId\": \"\"\n}",
                    "{\n \"name\": \"host1\",\n \"sku\": \"x\",\n \"vmId\": \"\"\n}"}});
  expect_kept({"{\n \"name\": \"ocarina\",\n \"sku\": \"x\"\n}"});
}

TEST(ScrubbedNames, AreNeitherSchemesNorProgramsNorWordsBeforeThem) {
  expect_kept({"az login -u http://\nhttp is up",
               "CRON[7]: (CRON) info (No MTA installed)\nCRON is up",
               "Started sshd[7]: x",
               "mana kernel: x",
               "Selected source PHC0 (/dev/ptp_hyperv)",
               "Chassis: vm, chassis asset tag",
               "--file-prefix=rte",
               "file:///x unix://run/x docker://alpine",
               "node=0 node=7 on numa node 1",
               "1500 1500 bytes seen"});
}

TEST(ScrubbedNames, AreWholeWords) {
  const std::string known = "/home/alice ";
  for (const auto& [text, expected] : std::initializer_list<ScrubCase>{{"malice", "malice"},
                                                                       {"alice2", "alice2"},
                                                                       {"alice", "user1"},
                                                                       {"alice-x", "user1-x"},
                                                                       {"-alice", "-user1"},
                                                                       {"ALICE", "user1"},
                                                                       {"alic", "alic"},
                                                                       {"bob", "bob"}}) {
    EXPECT_EQ(scrub(known + text), "/home/user1 " + expected);
  }
}

TEST(ScrubbedNames, AreReplacedFromTheLongest) {
  expect_scrubbed({{"/home/alice /home/alice.smith alice.smith alice.s",
                    "/home/user1 /home/user2 user2 user1.s"}});
}

// The replacement of `name`; `name` itself if it has none.
std::string image(NameReplacer& names, const std::string& name) {
  std::string out;
  return !name.empty() && names.replace(name, 0, out) == name.size() ? out : name;
}

std::string image_of(std::string_view kind, const std::string& name) {
  NameReplacer names;
  names.add(kind, name);
  return image(names, name);
}

TEST(NameReplacer, IgnoresNumbersShortNamesAndUsualWords) {
  for (const char* name : {"0xfeed", "10.0.0.4:22", "ab", "mana", "Ubuntu", "hugetlbfs", ""}) {
    EXPECT_EQ(image_of(NameReplacer::kUser, name), name);
  }
  for (const char* name : {"0xfeedx", "10.0.0.x", "abc", "manas"}) {
    EXPECT_EQ(image_of(NameReplacer::kUser, name), "user1") << name;
  }
}

TEST(NameReplacer, IgnoresNamesOfMoreThan255Characters) {
  EXPECT_EQ(image_of(NameReplacer::kUser, std::string(255, 'a')), "user1");
  EXPECT_EQ(image_of(NameReplacer::kUser, std::string(256, 'a')), std::string(256, 'a'));
}

TEST(NameReplacer, IgnoresDotsAndSignsAroundNames) {
  for (const char* name : {"alice.", "alice$", "alice..", ".alice", "~alice", "~.alice.$"}) {
    NameReplacer names;
    names.add(NameReplacer::kUser, name);
    EXPECT_EQ(image(names, "alice"), "user1") << name;
  }
}

TEST(NameReplacer, ReplacesNoPartOfAKeptWord) {
  Scrubber scrubber;
  for (const char* word : {"ib_core", "br-core", "enx000d3a763bd0"}) scrubber.names().keep(word);
  scrubber.names().add(NameReplacer::kUser, "core");
  for (const auto& [text, expected] : std::initializer_list<ScrubCase>{
           {"ib_core", "ib_core"},
           {"x:ib_core.ko IB_CORE", "x:ib_core.ko IB_CORE"},
           {"7: eth0.br-core@br-core: br-core", "7: eth0.br-core@br-core: br-core"},
           {"x\\nib_core", "x\\nib_core"},
           {"core mlx_core ib_core-core core-ib_core",
            "user1 mlx_user1 ib_user1-user1 user1-ib_user1"},
           {"core@core.ib_core", "user1@user1.ib_core"},
           {"enx000d3a763bd0", "enx020000000001"}}) {
    scrubber.learn(text);
    EXPECT_EQ(scrubber.scrubbed_prose(text), expected);
  }
}

TEST(NameReplacer, ReplacesWholeNamesOnly) {
  NameReplacer names;
  names.add(NameReplacer::kHost, "web01.corp.example");
  EXPECT_EQ(image(names, "web01"), "host1");
  EXPECT_EQ(image(names, "corp.example"), "domain1");
  EXPECT_EQ(image(names, "web01 x"), "web01 x");
  EXPECT_EQ(image(names, ""), "");
  EXPECT_EQ(image(names, "x"), "x");
}

// The replacements of `names` after learn_file(path, text).
std::vector<std::string> images(const std::string& path,
                                const std::string& text,
                                const std::vector<std::string>& names) {
  NameReplacer replacer;
  replacer.learn_file(path, text);
  std::vector<std::string> result;
  for (const auto& name : names) result.push_back(image(replacer, name));
  return result;
}

using Names = std::vector<std::string>;

TEST(NameReplacer, FindsUsersInPasswd) {
  EXPECT_EQ(images("etc/passwd",
                   "daemon1:x:999:1::/x:/bin/sh\n"
                   "alice:x:1000:1:Alice Smith, Lab 7,,:/home/alice:/bin/sh\n"
                   "bobby:x:1001:1::/x\n"
                   "carol:x:1002:1:short\n"
                   "nobody:x:65534:1::/x:/bin/sh\n"
                   "david:x:65535:1::/x:/bin/sh\n"
                   "erwin:x:none:1::/x:/bin/sh\n"
                   "#frank:x:1003:1::/x:/bin/sh\n",
                   {"daemon1",
                    "alice",
                    "Alice Smith",
                    "Lab 7",
                    "bobby",
                    "carol",
                    "nobody",
                    "david",
                    "erwin",
                    "frank"}),
            (Names{"daemon1",
                   "user1",
                   "user2",
                   "user3",
                   "user4",
                   "carol",
                   "nobody",
                   "user5",
                   "erwin",
                   "frank"}));
}

TEST(NameReplacer, FindsHostsAndDomainsInConfiguration) {
  EXPECT_EQ(images("etc/hosts",
                   "127.0.0.1 localhost localhost.lan\nfe80::1 ip6-gateway\n"
                   "10.0.0.4 web01 web02.corpnet # web03\n",
                   {"localhost.lan", "ip6-gateway", "web01", "web02", "corpnet", "web03"}),
            (Names{"localhost.lan", "ip6-gateway", "host1", "host2", "domain1", "web03"}));
  EXPECT_EQ(images("etc/resolv.conf",
                   "\nnameserver dns01\nsearch corp.example lab.example\ndomain home.example\n",
                   {"dns01", "corp.example", "lab.example", "home.example", "search"}),
            (Names{"dns01", "domain1", "domain2", "domain3", "search"}));
  EXPECT_EQ(
      images("etc/systemd/network/a.network",
             "Domains=corp.example lab.example\nHostname = web01\nDNS=dns01\nDomains corpus\n",
             {"corp.example", "lab.example", "web01", "dns01", "corpus"}),
      (Names{"domain1", "domain2", "host1", "dns01", "corpus"}));
  EXPECT_EQ(images("proc/sys/kernel/domainname", "corp.example\n", {"corp.example"}),
            Names{"domain1"});
  EXPECT_EQ(images("proc/sys/kernel/domainname", "(none)\n", {"(none)"}), Names{"(none)"});
  EXPECT_EQ(images("etc/hostname", " web01 \n", {"web01"}), Names{"host1"});
}

TEST(NameReplacer, FindsNamesInMounts) {
  NameReplacer names;
  names.learn_mounts(
      "none /dev/hugepages-1G hugetlbfs rw 0 0\n"
      "none /mnt/huge hugetlbfs rw 0 0\n"
      "none /srv/alice hugetlbfs rw\n"
      "none /srv/short hugetlbfs\n"
      "/dev/sda1 /srv/local ext4 rw 0 0\n"
      "//store1/pay /srv/pay cifs rw,username=svc01,addr=10.0.0.9 0 0\n"
      "nas01:/export / nfs4 rw,addr=10.0.0.9 0 0\n"
      "[fd00::1]:/export /srv/six nfs4 rw,addr=fd00::1 0 0\n"
      "tank01 /srv/tank 9p rw,addr=10.0.0.9 0 0\n");
  const std::vector<std::pair<std::string, std::string>> expected{
      {"/dev/hugepages-1G", "/dev/hugepages-1G"},
      {"/mnt/huge", "/mnt/huge"},
      {"/srv/alice", "/mnt/1"},
      {"/srv/short", "/srv/short"},
      {"/srv/local", "/srv/local"},
      {"/srv/pay", "/mnt/2"},
      {"store1", "host1"},
      {"//store1/pay", "name1"},
      {"svc01", "user1"},
      {"/", "/"},
      {"nas01", "host2"},
      {"nas01:/export", "name2"},
      {"/srv/six", "/mnt/3"},
      {"[fd00::1]:/export", "name3"},
      {"[fd00", "[fd00"},
      {"/srv/tank", "/mnt/4"},
      {"tank01", "host3"}};
  for (const auto& [name, replacement] : expected)
    EXPECT_EQ(image(names, name), replacement) << name;
}

}  // namespace
}  // namespace manactl::host::scrub_names_test
