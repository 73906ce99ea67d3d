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
