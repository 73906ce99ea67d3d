// SPDX-License-Identifier: MIT

#include "host/scrub.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.h"

namespace manactl::host {
namespace {

constexpr std::size_t kMacLength = 17;   // 00:0d:3a:76:3b:d0
constexpr std::size_t kMacDigits = 12;   // 000d3a763bd0
constexpr std::size_t kUuidLength = 36;  // 000d3a76-3bd0-000d-3a76-3bd0000d3a76

bool is_hex(char c) {
  return std::isxdigit(static_cast<unsigned char>(c)) != 0;
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

char at_or_end(std::string_view text, std::size_t at) {
  return at < text.size() ? text[at] : '\0';
}

// The hexadecimal digits of `text` in lower case, without separators.
std::string digits_of(std::string_view text) {
  std::string digits;
  for (const char c : text) {
    if (is_hex(c)) digits += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return digits;
}

// Replaces the digits of `shape` and keeps its separators.
std::string with_digits(std::string_view shape, std::string_view digits) {
  std::string result(shape);
  std::size_t next = 0;
  for (char& c : result) {
    if (is_hex(c)) c = digits[next++];
  }
  return result;
}

bool is_mac_at(std::string_view text, std::size_t at) {
  if (at + kMacLength > text.size()) return false;
  if (at > 0 && (is_word(text[at - 1]) || text[at - 1] == ':')) return false;
  for (std::size_t i = 0; i < kMacLength; ++i) {
    const char c = text[at + i];
    if (i % 3 == 2 ? c != ':' : !is_hex(c)) return false;
  }
  const char next = at_or_end(text, at + kMacLength);
  const bool continues = next == ':' && is_hex(at_or_end(text, at + kMacLength + 1));
  return !is_word(next) && !continues;
}

bool is_uuid_at(std::string_view text, std::size_t at) {
  if (at + kUuidLength > text.size() || (at > 0 && is_word(text[at - 1]))) return false;
  for (std::size_t i = 0; i < kUuidLength; ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? text[at + i] != '-' : !is_hex(text[at + i])) return false;
  }
  return !is_word(at_or_end(text, at + kUuidLength));
}

// True for MAC addresses that identify nobody: zero, broadcast, the gateway of every Azure VM.
bool is_public_mac(std::string_view digits) {
  return digits == "000000000000" || digits == "ffffffffffff" || digits == "123456789abc";
}

bool is_public_ipv4(std::string_view text) {
  return text.starts_with("127.") || text.starts_with("0.") || text.starts_with("255.") ||
         text == "168.63.129.16" || text == "169.254.169.254";
}

}  // namespace

void Scrubber::learn(std::string_view text) {
  for (std::size_t at = text.find(':'); at != std::string_view::npos; at = text.find(':', at + 1)) {
    if (at < 2 || !is_mac_at(text, at - 2)) continue;
    const std::string digits = digits_of(text.substr(at - 2, kMacLength));
    if (is_public_mac(digits) || macs_.count(digits) != 0) continue;
    // Use locally administered addresses, numbered in order of appearance.
    macs_[digits] = fmt::format("02{:010x}", macs_.size() + 1);
  }
}

// Replaces MAC addresses in VMBus ids. Azure's ids contain the 12 digits twice, then the first 8.
std::size_t Scrubber::replace_uuid(std::string_view text, std::size_t at, std::string& out) {
  if (!is_uuid_at(text, at)) return 0;
  const auto uuid = text.substr(at, kUuidLength);
  std::string digits = digits_of(uuid);
  const std::string old = digits;
  for (std::size_t place = 0; place < digits.size(); place += kMacDigits) {
    const auto piece = std::string_view(old).substr(place, kMacDigits);
    const auto mac = macs_.lower_bound(piece);
    if (mac != macs_.end() && mac->first.starts_with(piece)) {
      digits.replace(place, piece.size(), mac->second, 0, piece.size());
    }
  }
  out += with_digits(uuid, digits);
  return kUuidLength;
}

std::size_t Scrubber::replace_ipv6(std::string_view text, std::size_t at, std::string& out) {
  if (at > 0 && (is_word(text[at - 1]) || text[at - 1] == ':' || text[at - 1] == '.')) return 0;
  std::size_t end = at;
  while (end < text.size() && (is_hex(text[end]) || text[end] == ':' || text[end] == '.')) ++end;
  auto candidate = text.substr(at, end - at);
  if (is_word(at_or_end(text, end)) || std::count(candidate.begin(), candidate.end(), ':') < 2) {
    return 0;
  }
  while (candidate.ends_with('.') || (candidate.ends_with(':') && !candidate.ends_with("::"))) {
    candidate.remove_suffix(1);
  }
  constexpr std::size_t kMaxLength = 45;
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  const std::string address(candidate.substr(0, kMaxLength + 1));
  if (inet_pton(AF_INET6, address.c_str(), bytes.data()) != 1) return 0;
  if (address == "::" || address == "::1") {
    out += address;
    return address.size();
  }
  auto& replacement = ipv6_[address];
  if (replacement.empty()) {
    const bool link_local = bytes[0] == 0xfe && (bytes[1] & 0xc0) == 0x80;
    replacement = fmt::format("{}::{:x}", link_local ? "fe80" : "2001:db8", ipv6_.size());
  }
  out += replacement;
  return address.size();
}

std::size_t Scrubber::replace_ipv4(std::string_view text, std::size_t at, std::string& out) {
  // Numbers after a dot or a letter are a version, not an address: libibverbs.so.1.14.44.0
  if (at > 0 && (is_word(text[at - 1]) || text[at - 1] == '.')) return 0;
  std::size_t end = at;
  while (end < text.size() && (is_digit(text[end]) || text[end] == '.')) ++end;
  auto candidate = text.substr(at, end - at);
  if (candidate.ends_with('.')) candidate.remove_suffix(1);
  constexpr std::size_t kMaxLength = 15;
  const std::string address(candidate.substr(0, kMaxLength + 1));
  std::array<unsigned char, sizeof(in_addr)> bytes{};
  if (is_word(at_or_end(text, end)) || inet_pton(AF_INET, address.c_str(), bytes.data()) != 1) {
    return 0;
  }
  if (is_public_ipv4(address)) {
    out += address;
    return address.size();
  }
  auto& replacement = ipv4_[address];
  if (replacement.empty()) {
    // RFC 2544 reserves 198.18.0.0/15 for benchmarks.
    const auto number = ipv4_.size();
    replacement = fmt::format("198.18.{}.{}", (number >> 8) & 0xff, number & 0xff);
  }
  out += replacement;
  return address.size();
}

// Replaces a known MAC address without separators, as in enx000d3a763bd0.
std::size_t Scrubber::replace_bare(std::string_view text, std::size_t at, std::string& out) {
  if (at + kMacDigits > text.size()) return 0;
  const auto candidate = text.substr(at, kMacDigits);
  if (!std::all_of(candidate.begin(), candidate.end(), is_hex)) return 0;
  const auto mac = macs_.find(digits_of(candidate));
  if (mac == macs_.end()) return 0;
  out += mac->second;
  return kMacDigits;
}

bool Scrubber::is_host_name_at(std::string_view text, std::size_t at) const {
  return !host_name_.empty() && text.substr(at).starts_with(host_name_) &&
         (at == 0 || !is_word(text[at - 1])) && !is_word(at_or_end(text, at + host_name_.size()));
}

// Appends the replacement of the address that begins at `at`. Returns the length of the address in
// `text`; 0 if there is none.
std::size_t Scrubber::replace_at(std::string_view text, std::size_t at, std::string& out) {
  const char first = text[at];
  if (!is_hex(first) && first != ':') return 0;
  if (is_mac_at(text, at)) {
    const auto shape = text.substr(at, kMacLength);
    const auto mac = macs_.find(digits_of(shape));
    out += mac == macs_.end() ? std::string(shape) : with_digits(shape, mac->second);
    return kMacLength;
  }
  if (const auto length = replace_uuid(text, at, out)) return length;
  if (const auto length = replace_ipv6(text, at, out)) return length;
  if (is_digit(first)) {
    if (const auto length = replace_ipv4(text, at, out)) return length;
  }
  return replace_bare(text, at, out);
}

std::string Scrubber::scrub_all(std::string_view text, bool prose) {
  if (text.find('\0') != std::string_view::npos) return std::string(text);
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    if (prose && is_host_name_at(text, at)) {
      out += "host";
      at += host_name_.size();
      continue;
    }
    const std::size_t length = replace_at(text, at, out);
    if (length == 0) out += text[at];
    at += std::max<std::size_t>(length, 1);
  }
  return out;
}

std::string Scrubber::scrubbed(std::string_view text) {
  return scrub_all(text, false);
}

std::string Scrubber::scrubbed_prose(std::string_view text) {
  return scrub_all(text, true);
}

TreeEntries scrubbed_tree(const TreeEntries& recorded,
                          const std::map<std::string, std::string>& extra,
                          const std::string& host_name) {
  constexpr std::size_t kMinLength = 3;  // a shorter name would match other words
  Scrubber scrubber(host_name.size() < kMinLength || host_name == "localhost" ? "" : host_name);
  for (const auto& [path, entry] : recorded) scrubber.learn(entry.text);
  for (const auto& [path, text] : extra) scrubber.learn(text);
  TreeEntries result;
  for (const auto& [path, entry] : recorded) {
    const bool prose = path == "manactl/kernel.log";
    result[scrubber.scrubbed(path)] = {
        entry.kind, prose ? scrubber.scrubbed_prose(entry.text) : scrubber.scrubbed(entry.text)};
  }
  for (const auto& [path, text] : extra) {
    result[path] = {TreeEntry::Kind::file, scrubber.scrubbed_prose(text)};
  }
  return result;
}

}  // namespace manactl::host
