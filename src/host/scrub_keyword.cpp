// SPDX-License-Identifier: MIT

#include "host/scrub_keyword.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "base/text.h"
#include "host/scrub_words.h"

namespace manactl::host {
namespace {

constexpr std::size_t kMaxKey = 64;

// How sure it is that the value of a key is a secret.
enum class Likelihood {
  no,
  if_long,        // "key": letters and digits, at least 16
  unless_number,  // "token": kernel and drivers print tokens that are numbers
  always          // "password"
};

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
                                 {"psk", Likelihood::always, true},
                                 {"pwd", Likelihood::unless_number, true},
                                 {"pass", Likelihood::unless_number, false},
                                 {"dbpass", Likelihood::always, false},
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

Likelihood likelihood_of(std::string_view key) {
  const auto parts = parts_of(key);
  const std::string_view last = parts.back();
  const bool rss = std::any_of(parts.begin(), parts.end(), [](const std::string& part) {
    return part == "rss" || part == "hash";
  });
  if (rss || last == "bypass") return Likelihood::no;
  if (last == "key" && parts.size() > 1 && contains(kSecretKeys, parts[parts.size() - 2]))
    return Likelihood::unless_number;
  for (const auto& one : kKeywords) {
    if (one.is_suffix ? last.ends_with(one.text) : last == one.text) return one.likelihood;
  }
  return Likelihood::no;
}

// The text that precedes a value.
struct Opening {
  std::string_view key;
  std::string_view before;      // the text before the key
  char separator = '\0';        // '=', ':', or ' ' after an option
  char quote = '\0';            // that opens the value
  std::size_t backslashes = 0;  // before the quote
  bool is_quoted_key = false;
  bool is_sentence = false;  // "the password is x"
};

void remove_blanks(std::string_view& text) {
  for (int i = 0; i < 16 && (text.ends_with(' ') || text.ends_with('\t')); ++i)
    text.remove_suffix(1);
}

bool is_quote(char c) {
  return c == '"' || c == '\'';
}

// Removes a quote and the backslashes before it. Returns their number.
std::size_t remove_quote(std::string_view& text, char& quote) {
  if (text.empty() || !is_quote(text.back())) return 0;
  quote = text.back();
  text.remove_suffix(1);
  std::size_t backslashes = 0;
  for (; backslashes < 16 && text.ends_with('\\'); ++backslashes) text.remove_suffix(1);
  return backslashes;
}

std::string_view key_before(std::string_view text) {
  auto start = text.size();
  while (start > 0 && text.size() - start < kMaxKey &&
         (is_alphanumeric(text[start - 1]) || text[start - 1] == '_' || text[start - 1] == '-' ||
          text[start - 1] == '.'))
    --start;
  return text.substr(start);
}

Opening opening_before(std::string_view text) {
  Opening opening;
  opening.backslashes = remove_quote(text, opening.quote);
  const auto with_blanks = text;
  remove_blanks(text);
  const bool separated = text.ends_with('=') || text.ends_with(':');
  if (separated) {
    opening.separator = text.back();
    text.remove_suffix(1);
    if (text.ends_with(':')) return {};  // "secret::name"
    remove_blanks(text);
  } else if (text.ends_with(" is")) {  // "the password is x"
    opening.separator = ':';
    opening.is_sentence = true;
    text.remove_suffix(2);
    remove_blanks(text);
  } else {
    // "--password x", ["--password", "x"], passphrase "x"
    if (opening.quote != '\0' && text.ends_with(','))
      text.remove_suffix(1);
    else if (text.size() == with_blanks.size())
      return {};
    opening.separator = ' ';
  }
  char quote = '\0';
  remove_quote(text, quote);
  opening.is_quoted_key = quote != '\0';
  opening.key = key_before(text);
  opening.before = text.substr(0, text.size() - opening.key.size());
  const bool option = opening.key.starts_with('-');
  if (opening.separator == ' ' && !option && opening.quote == '\0') return {};
  return opening;
}

// The value at the start of `text`, which a line feed, its quote or a separator ends.
std::string_view value_of(std::string_view text, const Opening& opening) {
  constexpr std::string_view kEnds = " \t\r\n,;\"'&)}]<>|";
  if (opening.quote == '\0') return text.substr(0, text.find_first_of(kEnds));
  std::size_t backslashes = 0;
  for (std::size_t end = 0; end < text.size() && text[end] != '\n'; ++end) {
    if (text[end] == opening.quote && backslashes <= opening.backslashes)
      return text.substr(0, end - backslashes);
    backslashes = text[end] == '\\' ? backslashes + 1 : 0;
  }
  return text.substr(0, text.find('\n'));
}

// Whether prose such as "no password: skipped" or "invalid token: expected" is before the key.
bool is_denied(std::string_view before) {
  static constexpr std::string_view kDenials[] = {"no",
                                                  "invalid",
                                                  "bad",
                                                  "wrong",
                                                  "unexpected",
                                                  "missing",
                                                  "incorrect",
                                                  "unknown",
                                                  "failed",
                                                  "empty",
                                                  "without",
                                                  "check",
                                                  "verify",
                                                  "hash"};
  remove_blanks(before);
  return contains(kDenials, lower(key_before(before)));
}

// Whether a word is unlikely to be one of prose: "Failed", "re-read" and "expired." are likely.
bool is_strange(std::string_view word) {
  constexpr std::string_view kUsual = ".-_?!:";
  return std::any_of(word.begin(), word.end(), [&](const char& c) {
    return is_digit(c) || (is_upper(c) && &c != word.data()) ||
           (!is_alphanumeric(c) && kUsual.find(c) == std::string_view::npos);
  });
}

bool is_secret(const Opening& opening, std::string_view value, Likelihood likelihood) {
  constexpr std::size_t kMinKey = 16;
  const auto digits = value.substr(value.starts_with('-') ? 1 : 0);
  const bool number = is_number(digits) || digits.starts_with("0x");
  if (number && likelihood != Likelihood::always) return false;
  const bool word = value.size() < kMaxKey && is_ignored(value) && !is_number(value);
  if (word && opening.quote == '\0' && value.size() > 2) return false;      // "none", "true"
  if (lower(opening.key) == "pwd" && value.starts_with('/')) return false;  // a folder
  const bool compound = opening.key.find('_') != std::string_view::npos;    // a name of a variable
  const bool prose =
      opening.separator == ':' && !compound && opening.quote == '\0' && !opening.is_quoted_key;
  if (likelihood == Likelihood::if_long) {
    return value.size() >= kMinKey && std::any_of(value.begin(), value.end(), is_digit) &&
           !is_denied(opening.before) && std::all_of(value.begin(), value.end(), [](char c) {
             return is_alphanumeric(c) || c == '+' || c == '/' || c == '=' || c == '_' || c == '-';
           });
  }
  if (!prose) return true;
  if (opening.is_sentence) return is_strange(value);
  return is_strange(value) || (likelihood == Likelihood::always && !is_denied(opening.before));
}

}  // namespace

std::size_t keyed_secret_at(std::string_view text, std::size_t at) {
  if (at == 0 || at >= text.size()) return 0;
  if (text[at] == text[at - 1]) return 0;  // "secret::name", "token == x"
  constexpr std::string_view kBefore = "=: \t\"'";
  constexpr std::size_t kWindow = 2 * kMaxKey + 64;
  if (kBefore.find(text[at - 1]) == std::string_view::npos || text[at] == ' ' || text[at] == '\n' ||
      is_quote(text[at]) || (text[at] == '\\' && at_or_end(text, at + 1) == '"'))
    return 0;
  const auto start = at - std::min(at, kWindow);
  const auto opening = opening_before(text.substr(start, at - start));
  if (opening.key.size() < 3) return 0;
  const auto likelihood = likelihood_of(opening.key);
  if (likelihood == Likelihood::no) return 0;
  if (opening.separator == ' ' && text[at] == '-') return 0;  // another option
  const bool quoted_word = opening.separator == ' ' && !opening.key.starts_with('-');
  if (quoted_word && (likelihood != Likelihood::always || is_denied(opening.before))) return 0;
  const auto value = value_of(text.substr(at), opening);
  // "Authorization: Bearer x": bearer_at() finds the token behind the scheme.
  const bool scheme =
      lower(opening.key) == "authorization" && at_or_end(text, at + value.size()) == ' ';
  if (scheme) return 0;
  return is_secret(opening, value, likelihood) ? value.size() : 0;
}

}  // namespace manactl::host
