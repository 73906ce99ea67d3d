// SPDX-License-Identifier: MIT
//
// Made-up lines of logs by kind, each scrubbed alone: nothing else in the log shows what is a name.

#include <gtest/gtest.h>

#include <string_view>

#include "host/scrubbing.h"

namespace manactl::host::scrub_leaks_test {
namespace {

struct Line {
  std::string text;
  std::initializer_list<std::string_view> hidden;  // what must not be in the scrubbed line
};

void expect_hidden(std::initializer_list<Line> lines) {
  for (const auto& line : lines) {
    const auto scrubbed = lower(scrub(line.text));
    for (const auto word : line.hidden) {
      EXPECT_EQ(scrubbed.find(lower(word)), std::string::npos)
          << "leak of " << word << ": " << scrubbed;
    }
  }
}

const std::string kGuid = "4c1a2b3c-55aa-4e1f-9c0d-7788990011aa";
const std::string kMachineId = "9f86d081884c4d659a2feaa0c55ad015";
const std::string kKey = "kJ8vN2xQ7LmR4tYw9ZbC3dFgH6sPaE1uT5iOoXyVn0A=";
const std::string kJwt =
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV";

TEST(ScrubbedLine, HidesHostsAndUsersOfPrompts) {
  expect_hidden({{"[zelda@hyrule07 ~]$ dpdk-testpmd -l 0-1", {"zelda", "hyrule07"}},
                 {"[root@hyrule07 dpdk]# lspci", {"hyrule07"}},
                 {"zelda@hyrule07 [ ~ ]$ uname -r", {"zelda", "hyrule07"}},
                 {"root@hyrule07 [ /srv ]# dnf install dpdk", {"hyrule07"}},
                 {"zelda@hyrule07 ~ % ip link", {"zelda", "hyrule07"}},
                 {"hyrule07% ip link", {"hyrule07"}},
                 {"(venv) zelda@hyrule07:~/dpdk$ ninja", {"zelda", "hyrule07"}},
                 {"zelda@hyrule07 ~> ip link", {"zelda", "hyrule07"}},
                 {"hyrule07:~ # zypper in dpdk", {"hyrule07"}}});
}

TEST(ScrubbedLine, HidesHostsOfJournals) {
  expect_hidden(
      {{"Thu 2024-11-21 10:00:00 UTC hyrule07 sshd[7]: x", {"hyrule07"}},
       {"Thu 2024-11-21 10:00:00.123456 CET hyrule07 kernel: x", {"hyrule07"}},
       {"Nov 21 10:00:00.123456 hyrule07 kernel: x", {"hyrule07"}},
       {"2024-11-21T10:00:00+0000 hyrule07 systemd[1]: x", {"hyrule07"}},
       {"[    5.123456] hyrule07 kernel: mana 7870:00:00.0: up", {"hyrule07"}},
       {"1732183200.123456 hyrule07 kernel: x", {"hyrule07"}},
       {"-- Boot " + kMachineId + " --", {kMachineId}},
       {"systemd-journald[3]: File /var/log/journal/" + kMachineId + "/system.journal corrupted",
        {kMachineId}},
       {"{\"_MACHINE_ID\":\"" + kMachineId + "\",\"_HOSTNAME\":\"hyrule07\"}",
        {kMachineId, "hyrule07"}}});
}

TEST(ScrubbedLine, HidesHostsOfReports) {
  expect_hidden({{" Static hostname: hyrule07", {"hyrule07"}},
                 {"Transient hostname: hyrule07", {"hyrule07"}},
                 {" Pretty hostname: Hyrule Castle", {"hyrule", "castle"}},
                 {"      Machine ID: " + kMachineId, {kMachineId}},
                 {"         Boot ID: " + kMachineId, {kMachineId}},
                 {"Nov 21 10:00:00 hyrule07 last message repeated 3 times", {"hyrule07"}},
                 {"Hostname: hyrule07", {"hyrule07"}}});
}

TEST(ScrubbedLine, HidesHostsOfNetworkPrograms) {
  expect_hidden({{"PING kakariko (10.0.0.5) 56(84) bytes of data.", {"kakariko"}},
                 {"64 bytes from kakariko (10.0.0.5): icmp_seq=1 ttl=64", {"kakariko"}},
                 {"--- kakariko ping statistics ---", {"kakariko"}},
                 {" 3  kakariko (10.0.0.5)  0.512 ms  0.498 ms", {"kakariko"}},
                 {"ssh: connect to host kakariko port 22: Connection refused", {"kakariko"}},
                 {"ssh: Could not resolve hostname kakariko: Name not known", {"kakariko"}},
                 {"ping: kakariko: Name or service not known", {"kakariko"}},
                 {"$ ssh -i key.pem zelda@kakariko", {"zelda", "kakariko"}},
                 {"# scp a.log zelda@kakariko:/tmp", {"zelda", "kakariko"}},
                 {"$ iperf3 -c kakariko", {"kakariko"}},
                 {"Connecting to host kakariko, port 5201", {"kakariko"}},
                 {"zelda@kakariko's password:", {"zelda", "kakariko"}},
                 {"Warning: Permanently added 'kakariko' (ED25519) to the list", {"kakariko"}},
                 {"The authenticity of host 'kakariko (10.0.0.5)' can't be", {"kakariko"}},
                 {"kakariko,10.0.0.5 ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ8vN2xQ7LmR4tYw9Zb",
                  {"kakariko", "AAAAC3NzaC1lZDI1"}},
                 {"connected to kakariko.hyrule.example.com", {"kakariko", "hyrule"}},
                 {"proxy = kakariko.hyrule.internal", {"kakariko", "hyrule"}},
                 {"resolved sso.hyrule-corp.com in 3 ms", {"hyrule-corp"}}});
}

TEST(ScrubbedLine, HidesServersAndShares) {
  expect_hidden(
      {{"kakariko:/export/vault on /mnt type nfs4 (rw)", {"kakariko", "/export/vault"}},
       {"mount.nfs: access denied by server while mounting kakariko:/vault",
        {"kakariko", ":/vault"}},
       {"nfs: server kakariko not responding, still trying", {"kakariko"}},
       {"CIFS: Attempting to mount \\\\kakariko\\rupees", {"kakariko", "rupees"}},
       {"CIFS: VFS: \\\\kakariko\\rupees Send error in SessSetup = -13", {"kakariko", "rupees"}},
       {"# mount -t nfs kakariko:/vault /mnt", {"kakariko"}}});
}

TEST(ScrubbedLine, HidesUsers) {
  expect_hidden(
      {{"CRON[123]: (zelda) CMD (run-parts /etc/cron.hourly)", {"zelda"}},
       {"crontab[9]: (zelda) LIST (zelda)", {"zelda"}},
       {"su[7]: (to root) zelda on pts/0", {"zelda"}},
       {"su[7]: Successful su for root by zelda", {"zelda"}},
       {"su: pam_unix(su:session): session opened for user root(uid=0) by zelda(uid=1000)",
        {"zelda"}},
       {"sudo: zelda : TTY=pts/0 ; PWD=/tmp ; USER=root ; COMMAND=/bin/ls", {"zelda"}},
       {"sshd[7]: Invalid user zelda from 10.0.0.4 port 22", {"zelda"}},
       {"sshd[7]: Disconnected from user zelda.", {"zelda"}},
       {"systemd-logind[3]: New session 5 of user zelda.", {"zelda"}},
       {"systemd[1]: Started Session 5 of User zelda.", {"zelda"}},
       {"audit: type=1101 pid=7 uid=0 auid=1000 acct=\"zelda\" exe=\"/usr/bin/su\"", {"zelda"}},
       {"type=USER_LOGIN AUID=\"zelda\" UID=\"zelda\" res=success", {"zelda"}},
       {"type=USER_CMD acct=7A656C6461 res=success", {"7a656c6461"}},
       {"uid=1000(zelda) gid=1000(zelda) groups=1000(zelda),27(sudo)", {"zelda"}},
       {"zelda    pts/0        2024-11-21 10:00 (10.0.0.4)", {"zelda"}},
       {"zelda    pts/0        kakariko    Thu Nov 21 10:00   still logged in",
        {"zelda", "kakariko"}},
       {"zelda    tty1     -                10:00    1.00s  0.05s", {"zelda"}},
       {"zelda     1234  0.0  0.1  12345  5678 pts/0 S+ 10:00 0:00 bash", {"zelda"}},
       {"-rw-r--r-- 1 zelda triforce 4096 Nov 21 10:00 a.log", {"zelda", "triforce"}},
       {"logon of HYRULE\\zelda failed", {"hyrule", "zelda"}},
       {"winbind: HYRULE\\\\zelda: no such user", {"hyrule", "zelda"}},
       {"C:\\Users\\zelda\\a.log", {"zelda"}},
       {"cd /home/hyrule.example/zelda", {"zelda"}},
       {"open /var/spool/cron/crontabs/zelda", {"zelda"}},
       {"zelda:x:1000:1000:Zelda of Hyrule,,,:/home/zelda:/bin/bash", {"zelda", "hyrule"}}});
}

TEST(ScrubbedLine, HidesPasswordsAndTokens) {
  expect_hidden({{"connecting with password=swordfish now", {"swordfish"}},
                 {"db_password = 'two words'", {"two", "words"}},
                 {"Password: hunter2", {"hunter2"}},
                 {"{\"adminPassword\": \"swordfish\"}", {"swordfish"}},
                 {"{\\\"password\\\":\\\"tri\\\\\\\"force\\\"}", {"tri", "force"}},
                 {"$ az login --password swordfish --user x", {"swordfish"}},
                 {"COMMAND=/usr/bin/tool --client-secret=swordfish", {"swordfish"}},
                 {"client_secret=swordfish&grant_type=x", {"swordfish"}},
                 {"clientSecret: a8Q~x7", {"a8Q~x7"}},
                 {"GET /x?token=abc123def HTTP/1.1", {"abc123def"}},
                 {"--token abc123def", {"abc123def"}},
                 {"export GITHUB_TOKEN=ghp_a1b2c3", {"ghp_a1b2c3"}},
                 {"Authorization: Bearer abc.def-123", {"abc.def-123"}},
                 {"authorization: Basic emVsZGE6cnVwZWU=", {"emVsZGE6cnVwZWU"}},
                 {"got " + kJwt + " back", {"eyJhbGci", "eyJzdWI", "SflKxw"}},
                 {"https://zelda:swordfish@kakariko.example.com/repo.git",
                  {"zelda", "swordfish", "kakariko"}},
                 {"?sv=2022-11-02&sig=ab%2Fcd%3D&se=2024", {"ab%2fcd%3d"}},
                 {"zelda:$6$Wv3xK1$hj8Lk2Qz0pR.sT/u:19000:0:99999:7:::", {"hj8Lk2Qz0pR"}},
                 {"PGPASSWORD=swordfish psql", {"swordfish"}},
                 {"WIFI_PSK=\"swordfish\"", {"swordfish"}}});
}

TEST(ScrubbedLine, HidesKeys) {
  expect_hidden(
      {{"-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA\nQyNTUx\n"
        "-----END OPENSSH PRIVATE KEY-----\neth0 up",
        {"b3BlbnNz", "QyNTUx"}},
       {"Nov 21 10:00:00 h1x app: -----BEGIN RSA PRIVATE KEY-----\n"
        "Nov 21 10:00:00 h1x app: MIIEpAIBAAKCAQEAwJ2n3vQ8kLmZ\n"
        "Nov 21 10:00:00 h1x app: -----END RSA PRIVATE KEY-----",
        {"MIIEpAIB"}},
       {R"({"cert":"-----BEGIN CERTIFICATE-----\nMIIDdzCCAl8\n-----END CERTIFICATE-----\n"})",
        {"MIIDdzCCAl8"}},
       {"PrivateKey = " + kKey, {kKey.substr(0, 20)}},
       {"  public key: " + kKey, {kKey.substr(0, 20)}},
       {"peer " + kKey + " connected", {kKey.substr(0, 20)}},
       {"Endpoint=sb://triforce.servicebus.windows.net/;SharedAccessKeyName=Link;"
        "SharedAccessKey=Rupee5Rupee5Rupee5==",
        {"triforce", "Rupee5"}},
       {"AccountName=triforce;AccountKey=Rupee5Rupee5Rupee5==;x", {"triforce", "Rupee5"}},
       {"api-key: 0123456789abcdef0123456789abcdee", {"0123456789abcdef"}},
       {"AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI", {"wJalrXUtnFEMI"}},
       {"sshd[7]: Accepted publickey for root from 10.0.0.4: RSA "
        "SHA256:uNiVztksCsDhcc0u9e8BgrJXVGDvTQpUY6IROXLCodY",
        {"uNiVztks"}},
       {"|1|F1E1KeoE/eEWhi10WpGv4OdiO6Y=|3988QV0VE8wmZL7suNrYQLITLCg= ssh-rsa AAAAB3Nza",
        {"F1E1KeoE", "3988QV0V"}}});
}

TEST(ScrubbedLine, HidesResourcesOfAzure) {
  expect_hidden(
      {{"https://triforce.vault.azure.net/secrets/ocarina/1", {"triforce", "ocarina"}},
       {"pull triforce.azurecr.io/link:1", {"triforce"}},
       {"host triforce.blob.core.windows.net", {"triforce"}},
       {"server: https://triforce-dns-1a2b.hcp.westeurope.azmk8s.io:443", {"triforce"}},
       {"tenant triforce.onmicrosoft.com", {"triforce"}},
       {"db triforce.database.windows.net", {"triforce"}},
       {"/subscriptions/" + kGuid +
            "/resourceGroups/triforce/providers/Microsoft.Compute/virtualMachines/ocarina",
        {kGuid, "triforce", "ocarina"}},
       {"/subscriptions/" + kGuid +
            "/resourcegroups/triforce/providers/microsoft.network/virtualnetworks/ocarina/"
            "subnets/deku",
        {kGuid, "triforce", "ocarina", "deku"}},
       {"subscription " + kGuid, {kGuid}},
       {"vmId: " + kGuid, {kGuid}},
       {"System UUID: 4C1A2B3C-55AA-4E1F-9C0D-7788990011AA", {kGuid}},
       {"az vm show --resource-group triforce --name ocarina", {"triforce", "ocarina"}},
       {"az vm show -g triforce -n ocarina", {"triforce", "ocarina"}},
       {"{\"compute\":{\"name\":\"ocarina\",\"resourceGroupName\":\"triforce\",\"vmId\":\"" +
            kGuid + "\"}}",
        {"ocarina", "triforce", kGuid}},
       {"{\"osProfile\":{\"computerName\":\"ocarina\",\"adminUsername\":\"zelda\"}}",
        {"ocarina", "zelda"}}});
}

}  // namespace
}  // namespace manactl::host::scrub_leaks_test
