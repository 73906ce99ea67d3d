// SPDX-License-Identifier: MIT

#include "host/mac_spellings.h"

#include <algorithm>

#include "base/result.h"
#include "host/scrub_text.h"

namespace manactl::host {
namespace {

constexpr std::uint64_t kEuiMarker = 0xfffe;  // octets 4 and 5 of a MAC address as EUI-64

// Prefixes that IEEE assigned to Microsoft, whose VMs are on Azure and Hyper-V.
constexpr std::uint64_t kMicrosoftPrefixes[] = {
    0x000d3a, 0x002248, 0x6045bd, 0x7c1e52, 0x00155d, 0x7ced8d, 0x00125a, 0x0017fa, 0x281878};

// The length of what separates two octets at `at`: "" in 000d3a, ":" in 00:0d, ", 0x" in a C array.
std::size_t separator_length(std::string_view text, std::size_t at) {
  static constexpr std::string_view kSeparators[] = {
      ", 0x", ",0x", " 0x", ":0x", "\\x", "%3a", "%2d", "\\:", ", ", ",", " ", ":", "-", ".", "_"};
  if (is_hex(at_or_end(text, at))) return 0;
  for (const auto separator : kSeparators) {
    const auto found = text.substr(at, separator.size());
    const auto equal = [](char a, char b) { return lower(a) == b; };
    if (std::equal(found.begin(), found.end(), separator.begin(), separator.end(), equal)) {
      return separator.size();
    }
  }
  return 0;
}

}  // namespace

bool is_microsoft(std::uint64_t mac) {
  return std::find(std::begin(kMicrosoftPrefixes), std::end(kMicrosoftPrefixes), mac >> 24U) !=
         std::end(kMicrosoftPrefixes);
}

bool identifies_nobody(std::uint64_t mac) {
  return mac == 0 || mac == kMaxMac || mac == 0x123456789abcULL;
}

std::uint64_t reversed(std::uint64_t mac) {
  std::uint64_t result = 0;
  for (std::size_t i = 0; i < kMacOctets; ++i) result = (result << 8U) | ((mac >> (8 * i)) & 0xff);
  return result;
}

bool is_eui(std::uint64_t eui) {
  return ((eui >> 24U) & 0xffff) == kEuiMarker;
}

std::uint64_t mac_of_eui(std::uint64_t eui) {
  return (eui >> 40U) << 24U | (eui & 0xffffff);
}

std::uint64_t eui_of_mac(std::uint64_t mac) {
  return (mac >> 24U) << 40U | kEuiMarker << 24U | (mac & 0xffffff);
}

std::uint64_t with_flipped_bit(std::uint64_t mac) {
  return mac ^ (kLocalBit << 40U);
}

bool has_octet(std::string_view text, std::size_t at) {
  return at + 1 < text.size() && is_hex(text[at]) && is_hex(text[at + 1]);
}

std::uint64_t number_of(std::string_view digits) {
  std::uint64_t value = 0;
  for (const char c : digits) value = with_digit(value, c);
  return value;
}

std::size_t digits_at(std::string_view text, std::size_t at) {
  constexpr std::size_t kMax = 40;
  const auto rest = text.substr(at, kMax);
  const auto end = std::find_if_not(rest.begin(), rest.end(), is_hex);
  return static_cast<std::size_t>(end - rest.begin());
}

bool has_letter(std::string_view digits) {
  return !std::all_of(digits.begin(), digits.end(), is_digit);
}

std::optional<Octets> read_octets(std::string_view text, std::size_t at, std::size_t count) {
  Octets octets;
  octets.begin = at;
  for (std::size_t i = 0; i < count; ++i) {
    at += separator_length(text, at);  // 0 before the first octet
    if (!has_octet(text, at)) return std::nullopt;
    for (std::size_t digit = 0; digit < 2; ++digit, ++at) {
      octets.places.at(2 * i + digit) = at;
      octets.value = with_digit(octets.value, text[at]);
    }
  }
  octets.end = at;
  return octets;
}

void append_octets(std::string_view text,
                   const Octets& octets,
                   std::size_t count,
                   std::uint64_t value,
                   std::string& out) {
  std::string shape(text.substr(octets.begin, octets.end - octets.begin));
  const auto digits = fmt::format("{:0{}x}", value, 2 * count);
  for (std::size_t i = 0; i < 2 * count; ++i) shape[octets.places.at(i) - octets.begin] = digits[i];
  out += shape;
}

bool is_uuid_at(std::string_view text, std::size_t at) {
  if (at + kUuidLength > text.size()) return false;
  for (std::size_t i = 0; i < kUuidLength; ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? text[at + i] != '-' : !is_hex(text[at + i])) return false;
  }
  return true;
}

std::string without_dashes(std::string_view uuid) {
  std::string digits(uuid);
  std::erase(digits, '-');
  return digits;
}

std::optional<Groups> read_groups(std::string_view text, std::size_t at) {
  constexpr std::size_t kGroups = 4;
  Groups groups;
  for (std::size_t i = 0; i < kGroups; ++i) {
    if (i == 1) {
      groups.separator = at_or_end(text, at);
      if (std::string_view(":-.").find(groups.separator) == std::string_view::npos)
        return std::nullopt;
    }
    if (i > 0 && at_or_end(text, at++) != groups.separator) return std::nullopt;
    const auto length = digits_at(text, at);
    if (length == 0 || length > 4) return std::nullopt;
    groups.value = groups.value << 16U | number_of(text.substr(at, length));
    at += length;
  }
  groups.end = at;
  return is_eui(groups.value) ? std::optional(groups) : std::nullopt;
}

}  // namespace manactl::host
