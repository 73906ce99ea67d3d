// SPDX-License-Identifier: MIT

#include "host/scrub_secrets.h"

#include <gtest/gtest.h>

#include "host/scrubbing.h"

namespace manactl::host::scrub_secrets_test {
namespace {

TEST(ScrubbedSecret, IsTheValueOfAKeyInEveryQuoting) {
  expect_scrubbed({{"password=swordfish x", "password=secret1 x"},
                   {"password = swordfish", "password = secret1"},
                   {"password='two words' x", "password='secret1' x"},
                   {"password=\"two words\" x", "password=\"secret1\" x"},
                   {"password=\"open", "password=\"secret1"},
                   {"Password: swordfish", "Password: secret1"},
                   {R"({"password": "sword\"fish"})", R"({"password": "secret1"})"},
                   {R"({\"password\":\"sword\"})", R"({\"password\":\"secret1\"})"},
                   {"--password swordfish -x", "--password secret1 -x"},
                   {"[\"--password\", \"swordfish\"]", "[\"--password\", \"secret1\"]"},
                   {"passphrase \"swordfish\"", "passphrase \"secret1\""},
                   {"the password is sword1", "the password is secret1"}});
}

TEST(ScrubbedSecret, IsRecognizedByTheLastWordOfItsKey) {
  for (const char* key : {"adminPassword",
                          "ADMIN_PASSWORD",
                          "db-passwd",
                          "clientSecret",
                          "psk",
                          "access_token",
                          "tokenValue",
                          "SharedAccessKey",
                          "api-key",
                          "x.secret",
                          "password1",
                          "secret_key_base",
                          "PGPASSWORD",
                          "authToken"}) {
    EXPECT_EQ(scrub(fmt::format("{}=swordfish7", key)), fmt::format("{}=secret1", key));
  }
  for (const char* key : {"secret_name",
                          "password_file",
                          "token_type",
                          "keyring",
                          "monkey_id",
                          "bypass",
                          "tokens_seen",
                          "passive"}) {
    const auto text = fmt::format("{}=swordfish7", key);
    EXPECT_EQ(scrub(text), text);
  }
}

TEST(ScrubbedSecret, HasBlanksInAConnectionString) {
  expect_scrubbed(
      {{"app: Password=correct horse staple;Encrypt=true", "app: Password=secret1;Encrypt=true"},
       {"x=\"Timeout=9;Password=pw 9;\" y", "x=\"Timeout=9;Password=secret1;\" y"},
       {"'Timeout=9;Pwd=it's me' y", "'Timeout=9;Pwd=secret1' y"},
       {"Timeout=9;Pwd=two words\nnext line", "Timeout=9;Pwd=secret1\nnext line"},
       {R"("\"Timeout=9;Pwd=two words\"")", R"("\"Timeout=9;Pwd=secret1\"")"},
       {"AccountKey=abc def; Endpoint Suffix=x", "AccountKey=secret1; Endpoint Suffix=x"},
       {"a=1; password=swordfish make; b", "a=1; password=secret1; b"},
       {"password=swordfish make; exit", "password=secret1 make; exit"}});
}

TEST(ScrubbedSecret, IsTheFingerprintOfASshKey) {
  const std::string without_digits = "abcdefghijklmnopqrstuvwxyz/abcdefghijklmnop";
  const std::string pairs = "16:27:ac:a5:76:28:2d:36:63:1b:56:4d:eb:df:a6:48";
  expect_scrubbed({{"RSA SHA256:" + without_digits, "RSA SHA256:secret1"},
                   {"256 SHA256:" + without_digits + " x (RSA)", "256 SHA256:secret1 x (RSA)"},
                   {"2048 MD5:" + pairs + " x", "2048 MD5:secret1 x"}});
  expect_kept({"SHA256: hash of 32 bytes, SHA256:abc, MD5:16:27"});
}

TEST(ScrubbedSecret, IsACommunityOfSnmp) {
  expect_scrubbed(
      {{"snmp-server community swordfish RO", "snmp-server community secret1 RO"},
       {"rocommunity swordfish default -V x", "rocommunity secret1 default -V x"},
       {"snmpd.conf: rwcommunity6 swordfish", "snmpd.conf: rwcommunity6 secret1"},
       {"trapcommunity swordfish", "trapcommunity secret1"},
       {"agent uses community public", "agent uses community secret1"},
       {"community sword7fish", "community secret1"},
       {"community: swordfish", "community: secret1"},
       {"snmp_community=swordfish x", "snmp_community=secret1 x"},
       {R"({"snmpCommunity": "swordfish"})", R"({"snmpCommunity": "secret1"})"},
       {"snmpwalk -v2c -c swordfish web x", "snmpwalk -v2c -c secret1 web x"},
       {"snmpget -v3 -u me -A swordfish -x AES", "snmpget -v3 -u me -A secret1 -x AES"},
       {"snmpget -v3 -u me -X swordfish -x AES", "snmpget -v3 -u me -X secret1 -x AES"}});
  expect_kept({"Docker Engine - Community edition",
               "the community maintains this kernel",
               "MySQL Community Server 8.0",
               "snmpd -c /etc/snmp/snmpd.conf -Lsd",
               "dpdk-testpmd -c 0x3 -A 5",
               "route-map: set community 65000:100"});
}

TEST(ScrubbedSecret, IsNotANumberUnlessItIsAPassword) {
  expect_scrubbed({{"password=1234", "password=secret1"}});
  expect_kept({"token=1234", "token: 0x12", "token=-5", "key=0x1234567890abcdef", "sig: 11"});
}

TEST(ScrubbedSecret, OfAKeyHasSixteenLettersAndDigits) {
  expect_scrubbed({{"key=abcdefghijklmno1", "key=secret1"}});
  expect_kept({"key=abcdefghijklmn1",
               "key=abcdefghijklmnop",
               "hash key=abcdefghijklmno1",
               "rss_key=abcdefghijklmno1",
               "key: dns_resolver.number1",
               "lkey=16"});
}

TEST(ScrubbedSecret, IsNoWordOfASentence) {
  expect_kept({"password is required",
               "no password: skipped",
               "invalid token: expected a number",
               "token: failed.",
               "password=none",
               "secret::name7",
               "PWD=/srv/x1"});
}

TEST(ScrubbedSecret, FollowsSeparatorsAndBrackets) {
  expect_scrubbed(
      {{"password := swordfish", "password := secret1"},
       {"password:=swordfish", "password:=secret1"},
       {"password => swordfish", "password => secret1"},
       {"'password' => 'swordfish',", "'password' => 'secret1',"},
       {"password == swordfish", "password == secret1"},
       {"password==swordfish", "password==secret1"},
       {"password -> swordfish", "password -> secret1"},
       {R"({"password": {"value": "swordfish"}})", R"({"password": {"value": "secret1"}})"},
       {"{\"password\": {\n  \"value\": \"swordfish\"",
        "{\"password\": {\n  \"value\": \"secret1\""},
       {"password={swordfish}", "password={secret1}"},
       {R"("password": ["swordfish", "ganon"], x)", R"("password": ["secret1"], x)"},
       {"password: [swordfish, ganon] x", "password: [secret1] x"},
       {"password: [\"swordfish", "password: [\"secret1"},
       {R"({"name": "DB_PASSWORD", "value": "swordfish"})",
        R"({"name": "DB_PASSWORD", "value": "secret1"})"},
       {"- name: DB_PASSWORD\n  value: swordfish", "- name: DB_PASSWORD\n  value: secret1"}});
}

TEST(ScrubbedSecret, IsTheTextOfAnElementOfXml) {
  expect_scrubbed(
      {{"<Password>swordfish</Password> x", "<Password>secret1</Password> x"},
       {"<ns1:UserPassword>sword fish</ns1:UserPassword>",
        "<ns1:UserPassword>secret1</ns1:UserPassword>"},
       {"<user_password>swordfish</user_password>", "<user_password>secret1</user_password>"},
       {"<password t=\"x\">none</password>", "<password t=\"x\">secret1</password>"},
       {"<Password>\n  swordfish\n</Password>", "<Password>\n  secret1\n</Password>"},
       {"<Password><![CDATA[swordfish]]></Password>", "<Password><![CDATA[secret1</Password>"},
       {"<Password>sword fish", "<Password>secret1"}});
  expect_kept({"<Password></Password>",
               "<Password/>swordfish",
               "</Password>swordfish7",
               "<PasswordPolicy>strict</PasswordPolicy>",
               "password >swordfish7",
               "<Password> "});
}

TEST(ScrubbedSecret, IsAnArgumentOfACommand) {
  expect_scrubbed(
      {{R"(type=EXECVE msg=audit(1.2:3): a0="x" a1="--password" a2="swordfish")",
        R"(type=EXECVE msg=audit(1.2:3): a0="x" a1="--password" a2="secret1")"},
       {R"(a1="--password" a2=73776F7264)", R"(a1="--password" a2=secret1)"},
       {R"(a0="curl" a1="-u" a2="svc:swordfish" a3="x")",
        R"(a0="curl" a1="-u" a2="svc:secret1" a3="x")"},
       {R"(a0="sshpass" a1="-p" a2="swordfish")", R"(a0="sshpass" a1="-p" a2="secret1")"},
       {R"(["curl","-u","svc:swordfish"])", R"(["curl","-u","svc:secret1"])"},
       {"['curl', '-u', 'svc:sword:1']", "['curl', '-u', 'svc:secret1']"},
       {"curl -usvcs:swordfish x", "curl -usvcs:secret1 x"},
       {"SSHPASS=swordfish ssh x", "SSHPASS=secret1 ssh x"},
       {"curl --user svc:swordfish x", "curl --user user1:secret1 x"},
       {"curl --user=svc:swordfish x", "curl --user=user1 x"},
       {"curl -u \"svc:sword fish\" x", "curl -u \"svc:secret1\" x"},
       {"curl --proxy-user svc:1234 x", "curl --proxy-user svc:secret1 x"},
       {"sshpass -p'sword fish' ssh x", "sshpass -p'secret1' ssh x"},
       {"sshpass -pswordfish ssh x", "sshpass -psecret1 ssh x"},
       {"sshpass -p 12345 ssh x", "sshpass -p secret1 ssh x"},
       {"ldapsearch -x -w swordfish -b x", "ldapsearch -x -w secret1 -b x"},
       {"redis-cli -h x -a swordfish ping", "redis-cli -h x -a secret1 ping"},
       {"sqlcmd -U x -P swordfish", "sqlcmd -U x -P secret1"},
       {"pro attach C1swordfish", "pro attach secret1"},
       {"--db-pw swordfish x", "--db-pw secret1 x"},
       {"--reg_code=swordfish --activationkey swordfish",
        "--reg_code=secret1 --activationkey secret1"},
       {"nmcli device wifi connect x password Sword7fish",
        "nmcli device wifi connect x password secret1"}});
  expect_kept({"ldapsearch -w",
               "grep -w swordfish x",
               "docker run -u 1000:1000 x",
               "docker run -usvcs:swordfish x",
               "sshpass: command not found",
               "ssh -p 2222 x",
               "chmod -a swordfish",
               "ls -p swordfish",
               "password 8 characters",
               "password accepted"});
}

TEST(ScrubbedSecret, IsTheRestOfTheLineIfItsEndIsDoubtful) {
  expect_scrubbed({{"The new password is: sword fish", "The new password is: secret1"},
                   {"x: A temporary password is generated for root@localhost: Zx7&; y!",
                    "x: A temporary password is generated for root@localhost: secret1"},
                   {"pw: sword fish", "pw: secret1"},
                   {"  rootpw = sword fish", "  rootpw = secret1"},
                   {"rootpw --plaintext sword fish", "rootpw --plaintext secret1"},
                   {"rootpw sword fish", "rootpw secret1"},
                   {"rootpw --plaintext \"sword fish\"", "rootpw --plaintext \"secret1\""},
                   {"x password=sword,fish;x y", "x password=secret1 y"},
                   {"x password=sword,fish;user=y", "x password=secret1;user=y"},
                   {"(x password=swordfish).", "(x password=secret1)."}});
}

TEST(ScrubbedSecret, IsInAListForChpasswd) {
  expect_scrubbed(
      {{"echo 'root:swordfish' | chpasswd", "echo 'root:secret1' | chpasswd"},
       {"echo root:swordfish|chpasswd", "echo root:secret1|chpasswd"},
       {"chpasswd <<< 'root:sword fish'", "chpasswd <<< 'root:secret1'"},
       {"chpasswd:\n  list: |\n    root:swordfish\n    link:1234",
        "chpasswd:\n  list: |\n    root:secret1\n    link:secret2"},
       {"chpasswd:\n  list:\n    - root:swordfish\n", "chpasswd:\n  list:\n    - root:secret1\n"},
       {"chpasswd: {list: \"root:swordfish\\nlink:fish\"}",
        "chpasswd: {list: \"root:secret1\\nlink:secret2\"}"},
       {"Set the following 'random' passwords\nroot:swordfish\n",
        "Set the following 'random' passwords\nroot:secret1\n"}});
  expect_kept({"root:swordfish", "chpasswd failed\nmana: root:swordfish", "x chpasswd: eth0: up"});
}

TEST(ScrubbedSecret, HasAPrefixThatItsIssuerChose) {
  for (const char* token : {"glpat-abcdefghijklmnopqrst",
                            "xoxb-12-34-abcdefghijkl",
                            "xoxp-12-34-abcdefghijkl",
                            "hvs.abcdefghijklmnop",
                            "AKIAABCDEFGHIJKLMNOP",
                            "ghp_abcdefghijklmnopqrst"}) {
    EXPECT_EQ(scrub(fmt::format("x {}, y", token)), "x secret1, y");
  }
  expect_scrubbed({{"https://hooks.slack.com/services/T01/B02/abcdef x",
                    "https://host1.domain1/services/secret1 x"}});
  expect_kept({"AKIA", "hvs.x", "glpat-x", "akiaabcdefghijklmnop"});
}

TEST(ScrubbedSecret, IsAValueOfAuditInHexadecimalDigits) {
  expect_scrubbed({{"type=PROCTITLE msg=audit(1.2:3): proctitle=6375726C002D75",
                    "type=PROCTITLE msg=audit(1.2:3): proctitle=secret1"},
                   {"saddr=020001BB344D58630000000000000000 x", "saddr=secret1 x"},
                   {"type=EXECVE msg=audit(1.2:3): a0=\"sh\" a1=6375726C202D75",
                    "type=EXECVE msg=audit(1.2:3): a0=\"sh\" a1=secret1"},
                   {"type=USER_CMD msg=audit(1.2:3): cmd=6375726C202D75 x",
                    "type=USER_CMD msg=audit(1.2:3): cmd=secret1 x"},
                   {"type=TTY msg=audit(1.2:3): comm=\"sh\" data=6375726C",
                    "type=TTY msg=audit(1.2:3): comm=\"sh\" data=secret1"}});
  expect_kept({"cmd=6375726C202D75",
               "type=SYSCALL msg=audit(1.2:3): arch=c000003e a0=7ffd1234 a1=55d0c0ffee01",
               "proctitle=\"testpmd\" saddr=none saddr=0x0a"});
}

TEST(ScrubbedSecret, IsAKeyOfIpsecOrMacsec) {
  expect_scrubbed({{"\tauth-trunc hmac(sha256) 0x00112233445566778899aabbccddeeff 128",
                    "\tauth-trunc hmac(sha256) secret1 128"},
                   {"enc cbc(aes) 0x00112233445566778899aabbccddeeff", "enc cbc(aes) secret1"},
                   {"aead rfc4106(gcm(aes)) 0x00112233445566778899aabbccddeeff01234567 128",
                    "aead rfc4106(gcm(aes)) secret1 128"},
                   {"ip macsec add macsec0 tx sa 0 pn 1 on key 01 81818181818181818181818181818181",
                    "ip macsec add macsec0 tx sa 0 pn 1 on key 01 secret1"}});
  expect_kept({"call (x) 0x00112233445566778899aabbccddeeff",
               "enc cbc(aes) 0x0011",
               "key 01 8181",
               "hash key 01: 81818181818181818181818181818181"});
}

TEST(ScrubbedSecret, IsThePasswordOfAUrl) {
  expect_scrubbed({{"http://CORP%5Calice:S3cret@proxy:8080", "http://user1:secret1@host1:8080"},
                   {"http://alice:P@ssw0rd@10.0.0.4", "http://user1:secret1@198.18.0.1"},
                   {"http://alice:pass:word@web01/x", "http://user1:secret1@host1/x"},
                   {"http://alice@web01:80/x", "http://user1@host1:80/x"}});
  expect_kept({"http://10.0.0.256:8080/x@y", "http://[::1]:8080 x@y"});
}

TEST(ScrubbedSecret, FollowsTheSchemeOfAuthorization) {
  expect_scrubbed(
      {{"Authorization: Basic dXNlcjpwYXNz", "Authorization: Basic secret1"},
       {"\"Authorization\": \"Basic dXNlcjpwYXNz\"", "\"Authorization\": \"secret1\""},
       {"Proxy-Authorization: Basic dXNlcjpwYXNz x", "Proxy-Authorization: Basic secret1 x"},
       {"Authorization: Basic dXNlcjpwYXNzd29yZA==", "Authorization: Basic secret1"}});
  expect_kept({"authorization of connection", "authorization failed: upstream rejected"});
}

TEST(ScrubbedSecret, IsABlockScalarOfYaml) {
  expect_scrubbed(
      {{"password: |\n  sword fish\n  rupee\nuser: x", "password: |\n  secret1\nuser: x"},
       {"a:\n  secret: >-\n    sword\n\n    fish\n\n  b: c",
        "a:\n  secret: >-\n    secret1\n\n  b: c"},
       {"password: |\n  swordfish", "password: |\n  secret1"}});
  expect_kept({"x: |\n  swordfish", "password: |\nswordfish", "password |\n  swordfish"});
}

// The folder would be replaced in all other lines, too.
TEST(ScrubbedSecret, IsNoFolder) {
  expect_kept({"OLDPWD=/dev/infiniband PWD=/dev\n/dev/infiniband"});
  expect_scrubbed(
      {{"password=/dev/infiniband\n/dev/infiniband", "password=secret1\n/dev/infiniband"},
       {"password=/dev/infiniband7\n/dev/infiniband7", "password=secret1\nsecret1"}});
}

TEST(ScrubbedSecret, IsReplacedInOtherLinesIfItIsNoWord) {
  expect_scrubbed({{"password=Sword7fish\nx Sword7fish", "password=secret1\nx secret1"},
                   {"password=swordfish\nx swordfish", "password=secret1\nx swordfish"}});
}

TEST(ScrubbedSecret, IsReplacedOnceByALogThatIsScrubbedTwice) {
  EXPECT_EQ(scrub("password=Sword7fish token=\x1b[1mAb3Cd4Ef5\x1b[0m"),
            "password=secret1 token=secret2");
}

TEST(ScrubbedBlock, LosesItsWordsUpToItsEnd) {
  expect_scrubbed(
      {{"-----BEGIN A-----\nAAAABBBBCCCCDDDD\nQQ==\n-----END A-----\nAAAABBBBCCCCDDDD",
        "-----BEGIN A-----\nsecret1\nsecret2\n-----END A-----\nsecret1"},
       {"-----BEGIN A-----\nx: AAAABBBBCCCCDDDD\nx: eth0 is up\nx: QQ==\nx: -----END A-----",
        "-----BEGIN A-----\nx: secret1\nx: eth0 is up\nx: secret2\nx: -----END A-----"},
       {"-----BEGIN A-----\nAAAABBBBCCCCDDDD\neth0 is up\nEEEEFFFFGGGGHHHH",
        "-----BEGIN A-----\nsecret1\neth0 is up\nEEEEFFFFGGGGHHHH"},
       {R"(-----BEGIN A-----\nAAAABBBBCCCCDDDD\n-----END A-----)",
        R"(-----BEGIN A-----\nsecret1\n-----END A-----)"}});
}

// Without the search for the next end being remembered, this would take hours.
TEST(ScrubbedBlock, WithoutEndIsFoundInLinearTime) {
  std::string log;
  for (int i = 0; i < 50'000; ++i) log += "-----BEGIN A-----\n";
  EXPECT_EQ(scrub(log), log);
}

TEST(ScrubbedWord, IsRandomIfLettersAndDigitsAlternate) {
  expect_scrubbed({{"x kJ8vN2xQ7LmR4tYw9ZbC3dFgH6sPaE1u y", "x secret1 y"},
                   {"x kJ8vN2xQ7LmR4tYw9Zb= y", "x secret1 y"}});
  expect_kept({"kJ8vN2xQ7LmR4tYw9ZbC3dFgH6sPaE1",
               "kJ8vN2xQ7LmR4tYw9Z=",
               "_ZN3fooC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
               "drivers/net/ethernet/Microsoft1/mana_ethtool_operations",
               "0123456789abcdef0123456789ABCDEF0123"});
}

}  // namespace
}  // namespace manactl::host::scrub_secrets_test
