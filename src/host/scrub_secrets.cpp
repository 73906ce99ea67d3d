// SPDX-License-Identifier: MIT

#include "host/scrub_secrets.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "base/text.h"
#include "host/scrub_arguments.h"
#include "host/scrub_domains.h"
#include "host/scrub_hex.h"
#include "host/scrub_keyed.h"
#include "host/scrub_text.h"
#include "host/scrub_words.h"

namespace manactl::host {
namespace {

constexpr std::string_view kBegin = "-----BEGIN ", kEnd = "-----END";

// Characters of words in base64, without '=', which may only follow them.
bool is_base64(char c) {
  return is_alphanumeric(c) || c == '+' || c == '/';
}

// Both alphabets of RFC 4648.
bool is_base64_of_urls(char c) {
  return is_base64(c) || c == '-' || c == '_';
}

template <class Class>
std::string_view word_of(std::string_view text, Class is_part) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_part);
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

// Also the "=" or "==" that completes a word in base64. A longer run of '=' would be read again at
// each of them, which takes quadratic time.
template <class Class>
std::string_view padded_word(std::string_view text, Class is_part) {
  constexpr std::size_t kMaxPadding = 2;
  auto length = word_of(text, is_part).size();
  if (length == 0) return {};
  for (std::size_t i = 0; i < kMaxPadding && at_or_end(text, length) == '='; ++i) ++length;
  return text.substr(0, length);
}

int class_of(char c) {
  if (is_digit(c)) return 0;
  if (!is_alphanumeric(c)) return 1;
  return c >= 'a' ? 2 : 3;
}

// Whether the letters and digits of a word alternate as those of random bytes in base64 do: in a
// third of the positions or more. Names and paths alternate less, except for symbols of C++.
bool is_random(std::string_view word) {
  constexpr std::size_t kMinLength = 32, kMinPadded = 20;
  const bool padded = word.ends_with('=');
  if (word.size() < (padded ? kMinPadded : kMinLength) || word.starts_with("_Z")) return false;
  if (word.find_first_not_of("0123456789abcdefABCDEF-") == std::string_view::npos)
    return false;  // ids, addresses
  std::size_t counts[4] = {}, changes = 0;
  for (std::size_t i = 0; i < word.size(); ++i) {
    ++counts[class_of(word[i])];
    if (i > 0 && class_of(word[i]) != class_of(word[i - 1])) ++changes;
  }
  return counts[0] > 0 && counts[2] > 0 && counts[3] > 0 && changes * 3 >= word.size();
}

// A JSON Web Token (RFC 7519): its header is an object, which begins with "eyJ" in base64.
std::size_t web_token_at(std::string_view text) {
  constexpr std::size_t kMinLength = 20;
  if (!text.starts_with("eyJ")) return 0;
  const auto word = padded_word(text, [](char c) { return is_base64_of_urls(c) || c == '.'; });
  return word.size() >= kMinLength && word.find('.') != std::string_view::npos ? word.size() : 0;
}

// crypt(5): "$6$salt$hash"
std::size_t hash_at(std::string_view text) {
  constexpr std::size_t kMaxMethod = 8, kMinLength = 16, kMaxLength = 1024;
  if (!text.starts_with('$')) return 0;
  const auto method = text.substr(1, kMaxMethod).find('$');
  if (method == std::string_view::npos || method == 0) return 0;
  const auto name = text.substr(1, method);
  if (!std::all_of(name.begin(), name.end(), is_alphanumeric)) return 0;
  constexpr std::string_view kOthers = "$.,-=";
  const auto word = word_of(text.substr(0, kMaxLength), [&](char c) {
    return is_base64(c) || kOthers.find(c) != std::string_view::npos;
  });
  return word.size() >= kMinLength ? word.size() : 0;
}

// "Bearer abc.def", and what follows other schemes in "Authorization: Basic abc"
std::size_t bearer_at(std::string_view text, std::size_t at) {
  constexpr std::size_t kMinLength = 8, kWindow = 32;
  if (at < 2 || text[at - 1] != ' ' || !is_alphanumeric(text[at - 2])) return 0;
  const auto start = at - std::min(at, kWindow);
  const auto before = std::string_view(text).substr(start, at - 1 - start);
  const auto words = lower(before);
  const auto scheme = lower(last_name(before));
  constexpr std::string_view kHeader = "authorization", kGap = "\"':=\\ ";
  const auto key = words.rfind(kHeader);
  const bool mentioned = key != std::string::npos && scheme != kHeader;
  if (scheme != "bearer" && !mentioned) return 0;
  // "Authorization: Basic", and not "authorization of" in prose
  const auto gap = std::string_view(words).substr(mentioned ? key + kHeader.size()
                                                            : words.size() - scheme.size());
  const bool header = gap.find_first_of(":=") != std::string_view::npos &&
                      gap.find_first_not_of(kGap) == gap.size() - scheme.size();
  const auto word = padded_word(
      text.substr(at), [](char c) { return is_base64_of_urls(c) || c == '.' || c == '~'; });
  const bool strange = std::any_of(
      word.begin(), word.end(), [](char c) { return !is_alphanumeric(c) || is_digit(c); });
  return word.size() >= kMinLength && (strange || header) ? word.size() : 0;
}

// "https://user:password@host"
std::size_t url_password_at(std::string_view text, std::size_t at) {
  constexpr std::string_view kScheme = "://";
  if (at < 5 || text[at - 1] != ':') return 0;
  const auto start = at - std::min(at, kMaxNameLength);
  const auto before = text.substr(start, at - 1 - start);
  const auto scheme = before.rfind(kScheme);
  if (scheme == std::string_view::npos) return 0;
  const auto authority = authority_of(text.substr(start + scheme + kScheme.size()));
  return authority.password.data() == text.data() + at ? authority.password.size() : 0;
}

// Whether a secret is unlikely to be a word in other lines.
bool is_distinctive(std::string_view secret) {
  constexpr std::size_t kMinLength = 8;
  return secret.size() >= kMinLength && secret.size() <= kMaxNameLength && !is_ignored(secret) &&
         std::any_of(secret.begin() + 1, secret.end(), [](char c) {
           return !is_alphanumeric(c) || is_digit(c) || class_of(c) == 3;
         });
}

// Prefixes by which issuers of tokens mark them.
struct TokenPrefix {
  std::string_view text;
  std::size_t min_length;  // of the rest
};

constexpr TokenPrefix kTokenPrefixes[] = {
    {"glpat-", 16},   {"xox", 12},  // xoxb-, xoxp-, ...
    {"xapp-", 12},    {"hvs.", 12},        {"hvb.", 12}, {"AKIA", 16},      {"ASIA", 16},
    {"AIza", 30},     {"ghp_", 16},        {"gho_", 16}, {"ghs_", 16},      {"ghu_", 16},
    {"ghr_", 16},     {"github_pat_", 16}, {"npm_", 30}, {"dckr_pat_", 16}, {"sk_live_", 12},
    {"rk_live_", 12}, {"SG.", 30},         {"ya29.", 8}};

std::size_t issued_token_at(std::string_view text) {
  for (const auto& one : kTokenPrefixes) {
    if (!text.starts_with(one.text)) continue;
    const auto rest = padded_word(text.substr(one.text.size(), kMaxNameLength),
                                  [](char c) { return is_base64_of_urls(c) || c == '.'; });
    return rest.size() >= one.min_length ? one.text.size() + rest.size() : 0;
  }
  return 0;
}

// The fingerprint of a key of OpenSSH, which also identifies its owner: "SHA256:" and 32 bytes in
// base64, or "MD5:" and 16 bytes in hexadecimal digits.
std::size_t fingerprint_at(std::string_view text, std::size_t at) {
  constexpr std::size_t kBase64 = 43, kHex = 16 * 3 - 1;
  const auto before = text.substr(0, at);
  const auto rest = text.substr(at);
  if (before.ends_with("SHA256:"))
    return word_of(rest.substr(0, kBase64 + 1), is_base64).size() == kBase64 ? kBase64 : 0;
  if (!before.ends_with("MD5:")) return 0;
  const auto word = word_of(rest.substr(0, kHex + 1), [](char c) { return is_hex(c) || c == ':'; });
  return word.size() == kHex ? kHex : 0;
}

// The secret path of a webhook: everybody who knows the URL can post.
std::size_t hook_at(std::string_view text, std::size_t at) {
  static constexpr std::string_view kHooks[] = {
      "hooks.slack.com/services/", "/api/webhooks/", "/webhookb2/", "/webhook/"};
  if (at == 0 || text[at - 1] != '/') return 0;
  const auto before = text.substr(0, at);
  const bool hook = std::any_of(
      std::begin(kHooks), std::end(kHooks), [&](auto one) { return before.ends_with(one); });
  return hook ? word_of(text.substr(at, kMaxNameLength),
                        [](char c) { return is_base64_of_urls(c) || c == '@'; })
                    .size()
              : 0;
}

}  // namespace

// Finds the end of the block of PEM whose first line begins at `at`. If there is no last line, the
// block ends before the first line that does not end with a word in base64.
void SecretFinder::find_block(std::size_t at) {
  constexpr std::size_t kMaxBlock = 64U << 10U, kMinWord = 16, kMaxLabel = 80;
  const auto label = text_.substr(at + kBegin.size(), kMaxLabel).find("-----");
  block_start_ = at + kBegin.size() + (label == std::string_view::npos ? 0 : label);
  if (marker_ != std::string_view::npos && marker_ <= at) marker_ = text_.find(kEnd, at);
  if (marker_ != std::string_view::npos && marker_ - at <= kMaxBlock) {
    block_end_ = marker_;
    return;
  }
  block_end_ = std::min(text_.find('\n', at), text_.size());
  while (block_end_ < text_.size()) {
    const auto next = std::min(text_.find('\n', block_end_ + 1), text_.size());
    const auto line = trim(text_.substr(block_end_, next - block_end_));
    const auto word = line.substr(line.find_last_of(" \t") + 1);
    if (word.size() < kMinWord || padded_word(word, is_base64) != word) return;
    block_end_ = next;
  }
}

// Returns the length of the word at `at` if it belongs to the block: it has 16 characters, is alone
// in its line, or precedes the last line.
std::size_t SecretFinder::block_word(std::size_t at) const {
  constexpr std::size_t kMinLength = 16;
  const auto word = padded_word(text_.substr(at), is_base64);
  const bool escape = text_[at - 1] == '\\';  // of "\n" in JSON: the word begins behind it
  if (word.empty() || escape) return 0;
  auto rest = text_.substr(at + word.size());
  const bool ends =
      rest.empty() || std::string_view(" \r\n\\\"'-").find(rest.front()) != std::string_view::npos;
  if (!ends) return 0;
  const bool alone = text_[at - 1] == '\n' && (rest.empty() || rest.front() == '\n');
  constexpr std::size_t kMaxGap = 200;  // of a line's header
  const auto gap = rest.substr(0, kMaxGap).find(kEnd);
  const auto between = rest.substr(0, gap == std::string_view::npos ? 0 : gap);
  const bool next_line = std::count(between.begin(), between.end(), '\n') <= 1;
  const bool last = !between.empty() && (between.front() == ' ' ? gap == 1 : next_line);
  return word.size() >= kMinLength || alone || last ? word.size() : 0;
}

SecretFinder::Occurrences::Occurrences(std::string_view all, std::string_view searched)
    : text(all), word(searched), next(text.find(word)) {}

void SecretFinder::Occurrences::advance(std::size_t at) {
  while (next < at) {
    last = next;
    next = text.find(word, next + 1);
  }
}

// The length of a password in "root:password", if "chpasswd" is in the same line, or if the line is
// an element of a list shortly after it.
std::size_t SecretFinder::account_password(std::size_t at) {
  constexpr std::string_view kEnds = " \t\n\"'|\\";
  constexpr std::size_t kMaxList = 1000;
  if (at < 2 || text_[at - 1] != ':' || kEnds.find(text_[at]) != std::string_view::npos) return 0;
  const auto user = last_name(text_.substr(0, at - 1));
  const auto start = at - 1 - user.size();
  const char before = start == 0 ? '\n' : text_[start - 1];
  const bool begins = kEnds.find(before) != std::string_view::npos || follows_escape(text_, start);
  if (user.empty() || is_digit(user.front()) || !begins) return 0;
  programs_.advance(at);
  messages_.advance(at);
  const auto window = text_.substr(start - std::min(start, kMaxList), std::min(start, kMaxList));
  const auto line = window.substr(window.rfind('\n') + 1);
  const auto rest = text_.substr(at, kMaxNameLength);
  const auto line_end = std::min(rest.find('\n'), rest.size());
  const bool in_line = (programs_.last < at && start - programs_.last <= line.size()) ||
                       programs_.next < at + line_end;
  const bool is_item = line.ends_with("- ") || line.ends_with("  ") ||
                       line.find_first_not_of(" \t\"'") == std::string_view::npos;
  const bool near = (programs_.last < at && at - programs_.last <= kMaxList) ||
                    (messages_.last < at && at - messages_.last <= kMaxList);
  if (in_line) {
    const char unquoted = before == '\\' ? '"' : ' ';  // in JSON: "root:x\nalice:y"
    const char ends[] = {is_quote(before) ? before : unquoted, '\n', '\\', '|'};
    return std::min(rest.find_first_of(std::string_view(ends, std::size(ends))), rest.size());
  }
  return is_item && near ? std::min(rest.find_first_of("\"'\n"), rest.size()) : 0;
}

std::size_t SecretFinder::length_at(std::size_t at) {
  if (text_[at] == '-' && text_.substr(at).starts_with(kBegin) && at >= block_end_) {
    find_block(at);
    return 0;
  }
  // Most positions are inside of words, where only a block or the value of "-p" can begin.
  const bool inside = at > 1 && is_alphanumeric(text_[at - 1]) && text_[at - 2] != '-';
  if (inside && at >= block_end_ && !follows_escape(text_, at)) return 0;
  // The letter of an escape, such as the n of "\n", is not part of the word after it.
  const bool in_escape =
      at > 0 && text_[at - 1] == '\\' && follows_escape(text_.substr(0, at + 1), at + 1);
  const bool starts =
      at == 0 || (!is_base64_of_urls(text_[at - 1]) && !in_escape) || follows_escape(text_, at);
  if (at > block_start_ && at < block_end_ && starts) {
    if (const auto length = block_word(at)) return length;
  }
  if (const auto length = keyed_secret_at(text_, at)) return length;
  if (const auto length = login_password_at(text_, at)) return length;
  if (const auto length = account_password(at)) return length;
  if (const auto length = hex_secret_at(text_, at)) return length;
  if (const auto length = hook_at(text_, at)) return length;
  if (const auto length = fingerprint_at(text_, at)) return length;
  if (!starts) return 0;
  const auto rest = text_.substr(at);
  if (const auto length = web_token_at(rest)) return length;
  if (const auto length = hash_at(rest)) return length;
  if (const auto length = issued_token_at(rest)) return length;
  if (const auto length = bearer_at(text_, at)) return length;
  if (const auto length = url_password_at(text_, at)) return length;
  if (!is_base64_of_urls(rest.front())) return 0;
  const auto word = padded_word(rest, is_base64_of_urls);
  return is_random(word) ? word.size() : 0;
}

void learn_secrets(std::string_view text, NameReplacer& names) {
  SecretFinder finder(text);
  for (std::size_t at = 0; at < text.size();) {
    const auto length = finder.length_at(at);
    const auto secret = text.substr(at, length);
    const bool folder =
        secret.starts_with('/') && std::none_of(secret.begin(), secret.end(), is_digit);
    if (is_distinctive(secret) && !folder) names.add_secret(secret);
    at += std::max<std::size_t>(length, 1);
  }
}

}  // namespace manactl::host
