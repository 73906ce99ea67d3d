// SPDX-License-Identifier: MIT

#include "host/scrub_hex.h"

#include <algorithm>

#include "host/scrub_arguments.h"
#include "host/scrub_words.h"

namespace manactl::host {
namespace {

// Fields of audit(8) that are printed in hexadecimal digits if they contain a blank or a quote.
constexpr std::string_view kEncodedFields[] = {
    "cmd", "data", "comm", "exe", "name", "cwd", "path", "acct", "key", "new-data", "old-data"};

std::size_t hex_digits(std::string_view text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_hex);
  const bool ends = end == text.end() || !is_alphanumeric(*end);
  return ends ? static_cast<std::size_t>(end - text.begin()) : 0;
}

// The end of the line before `at`, at most `length` bytes.
std::string_view line_before(std::string_view text, std::size_t at, std::size_t length) {
  const auto before = text.substr(at - std::min(at, length), std::min(at, length));
  return before.substr(before.rfind('\n') + 1);
}

std::size_t audit_value_at(std::string_view text, std::size_t at) {
  constexpr std::size_t kMinDigits = 6, kMaxRecord = 1000;
  if (text[at - 1] != '=' || !is_hex(text[at])) return 0;
  const auto length = hex_digits(text.substr(at));
  if (length < kMinDigits || length % 2 != 0) return 0;
  const auto line = line_before(text, at, kMaxRecord);
  const auto field = key_before(line.substr(0, line.size() - 1));
  if (field == "proctitle" || field == "saddr") return length;
  if (line.find("audit(") == std::string_view::npos) return 0;
  const bool argument = line.find("type=EXECVE") != std::string_view::npos &&
                        is_index_at(line.substr(line.size() - 1 - field.size()));
  return argument || contains(kEncodedFields, field) ? length : 0;
}

// "enc cbc(aes) 0x0011...", "on key 01 8181..."
std::size_t network_key_at(std::string_view text, std::size_t at) {
  constexpr std::size_t kMinDigits = 16, kMinMacsec = 32, kWindow = 80;
  if (text[at - 1] != ' ' || !is_hex(text[at])) return 0;
  const bool prefixed = text.substr(at, 2) == "0x";
  const std::size_t skipped = prefixed ? 2 : 0;
  const auto length = hex_digits(text.substr(at + skipped));
  if (length < kMinDigits) return 0;
  auto line = line_before(text, at, kWindow);
  remove_blanks(line);
  if (prefixed && line.ends_with(')')) {
    for (const std::string_view word : {"auth", "enc ", "aead "}) {
      if (line.find(word) != std::string_view::npos) return skipped + length;
    }
    return 0;
  }
  line.remove_suffix(key_before(line).size());
  remove_blanks(line);
  return length >= kMinMacsec && key_before(line) == "key" ? skipped + length : 0;
}

}  // namespace

std::size_t hex_secret_at(std::string_view text, std::size_t at) {
  if (at == 0) return 0;
  const auto length = audit_value_at(text, at);
  return length != 0 ? length : network_key_at(text, at);
}

}  // namespace manactl::host
