// SPDX-License-Identifier: MIT

#include "host/scrub_keyword.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "host/scrub_words.h"

namespace manactl::host {
namespace {

struct Keyword {
  std::string_view text;
  Likelihood likelihood;
  bool is_suffix;  // also the end of a longer word: "pgpassword"
};

constexpr Keyword kKeywords[] = {{"password", Likelihood::always, true},
                                 {"passwd", Likelihood::always, true},
                                 {"passphrase", Likelihood::always, true},
                                 {"passcode", Likelihood::always, true},
                                 {"secret", Likelihood::always, true},
                                 {"secrets", Likelihood::always, true},
                                 {"credential", Likelihood::always, true},
                                 {"credentials", Likelihood::always, true},
                                 {"creds", Likelihood::always, false},
                                 {"pw", Likelihood::always, false},
                                 {"rootpw", Likelihood::always, false},
                                 {"bindpw", Likelihood::always, false},
                                 {"regcode", Likelihood::always, false},
                                 {"activationkey", Likelihood::unless_number, false},
                                 {"psk", Likelihood::always, true},
                                 {"community", Likelihood::always, true},  // of SNMP
                                 {"pwd", Likelihood::unless_number, true},
                                 {"pass", Likelihood::unless_number, false},
                                 {"dbpass", Likelihood::always, false},
                                 {"sshpass", Likelihood::unless_number, false},
                                 {"token", Likelihood::unless_number, true},
                                 {"sas", Likelihood::unless_number, false},
                                 {"sig", Likelihood::unless_number, false},
                                 {"signature", Likelihood::unless_number, true},
                                 {"cookie", Likelihood::if_long, true},
                                 {"session", Likelihood::if_long, false},
                                 {"jwt", Likelihood::unless_number, false},
                                 {"otp", Likelihood::unless_number, false},
                                 {"authorization", Likelihood::unless_number, false},
                                 {"apikey", Likelihood::unless_number, true},
                                 {"accesskey", Likelihood::unless_number, true},
                                 {"accountkey", Likelihood::unless_number, true},
                                 {"privatekey", Likelihood::unless_number, true},
                                 {"presharedkey", Likelihood::unless_number, true},
                                 {"key", Likelihood::if_long, true},
                                 {"keys", Likelihood::if_long, true}};

// Words before "key" that make it a secret: "SharedAccessKey", "api-key".
constexpr std::string_view kSecretKeys[] = {"api",
                                            "access",
                                            "account",
                                            "private",
                                            "secret",
                                            "shared",
                                            "activation",
                                            "preshared",
                                            "storage",
                                            "primary",
                                            "secondary",
                                            "master",
                                            "encryption",
                                            "signing",
                                            "license"};

// Words that may follow the keyword: "secret_value", "passwordHash".
constexpr std::string_view kTrailers[] = {"value",
                                          "ref",
                                          "data",
                                          "hash",
                                          "text",
                                          "string",
                                          "base64",
                                          "b64",
                                          "plain",
                                          "header",
                                          "base",
                                          "old",
                                          "new"};

// A key that precedes a secret without a separator.
struct SecretWord {
  std::string_view key;
  std::string_view before = {};      // the word before it; empty: any
  std::string_view value = {};       // the secret; empty: any
  bool is_unlikely_in_prose = true;  // the secret is not a usual word
};

constexpr SecretWord kSecretWords[] = {{"password"},
                                       {"passwd"},
                                       {"passphrase"},
                                       {"bindpw"},
                                       {"psk"},
                                       {"rootpw", {}, {}, false},
                                       {"rocommunity", {}, {}, false},
                                       {"rwcommunity", {}, {}, false},
                                       {"rocommunity6", {}, {}, false},
                                       {"rwcommunity6", {}, {}, false},
                                       {"trapcommunity", {}, {}, false},
                                       {"community", "snmp-server", {}, false},
                                       {"community", {}, "public", false},
                                       {"community", {}, "private", false},
                                       {"community"}};

bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}

// The words of a key in lower case: "clientSecret", "client_secret" and "CLIENT-SECRET" have two.
std::vector<std::string> parts_of(std::string_view key) {
  std::vector<std::string> parts(1);
  for (std::size_t i = 0; i < key.size(); ++i) {
    const bool word = is_alphanumeric(key[i]);
    const bool hump =
        word && i > 0 && is_upper(key[i]) && is_alphanumeric(key[i - 1]) && !is_upper(key[i - 1]);
    if ((!word || hump) && !parts.back().empty()) parts.emplace_back();
    if (word && !(is_digit(key[i]) && i + 1 == key.size())) parts.back() += lower(key[i]);
  }
  while (parts.size() > 1 && (parts.back().empty() || contains(kTrailers, parts.back())))
    parts.pop_back();
  return parts;
}

}  // namespace

bool is_trailer(std::string_view word) {
  return contains(kTrailers, lower(word));
}

bool matches_secret_word(std::string_view key,
                         std::string_view before,
                         std::string_view value,
                         bool is_unlikely_in_prose) {
  return std::any_of(std::begin(kSecretWords), std::end(kSecretWords), [&](const SecretWord& word) {
    return lower(key) == word.key && (word.before.empty() || lower(before) == word.before) &&
           (word.value.empty() || value == word.value) &&
           (!word.is_unlikely_in_prose || is_unlikely_in_prose);
  });
}

Likelihood likelihood_of(std::string_view key) {
  const auto parts = parts_of(key);
  const std::string_view last = parts.back();
  const bool rss = std::any_of(parts.begin(), parts.end(), [](const std::string& part) {
    return part == "rss" || part == "hash";
  });
  if (rss || last == "bypass" || last == "chpasswd") return Likelihood::no;
  if (last == "key" && parts.size() > 1 && contains(kSecretKeys, parts[parts.size() - 2]))
    return Likelihood::unless_number;
  // "reg_code" and "passWord" are one keyword, too.
  const auto joined = parts.size() > 1 ? parts[parts.size() - 2] + parts.back() : parts.back();
  for (const auto& one : kKeywords) {
    if (one.is_suffix ? last.ends_with(one.text) : last == one.text) return one.likelihood;
    if (joined == one.text) return one.likelihood;
  }
  return Likelihood::no;
}

}  // namespace manactl::host
