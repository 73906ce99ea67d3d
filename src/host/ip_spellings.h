// SPDX-License-Identifier: MIT
//
// The spellings of IP addresses in texts.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace manactl::host {

using Ipv6 = std::array<std::uint8_t, 16>;

inline constexpr std::size_t kHexIpv4 = 8;   // digits
inline constexpr std::size_t kHexIpv6 = 32;  // digits

struct Ipv4At {
  std::uint32_t address = 0;
  std::size_t end = 0;
  std::string_view separator;  // between the first two numbers: ".", or "\." of an expression
};

struct Ipv6At {
  Ipv6 address{};
  std::size_t end = 0;
  bool is_encoded = false;  // with "%3A" instead of ':', as in a URL
};

// Four numbers up to 255, also with leading zeros. The separator '.' may be escaped.
std::optional<Ipv4At> ipv4_at(std::string_view text, std::size_t at, char separator);

std::optional<Ipv6At> ipv6_at(std::string_view text, std::size_t at);

std::optional<Ipv6> parse_ipv6(std::string_view text);

bool may_begin_ipv6(std::string_view text, std::size_t at);

// Whether a word begins at `at`, or a word of a URL after "%20".
bool begins_url_word(std::string_view text, std::size_t at);

// The number of groups ".123" that follow at `at`, at most two.
std::size_t count_groups(std::string_view text, std::size_t at);

// Whether the release of an RPM package follows, as in "6.6.134.1-1.azl3".
bool is_rpm_release(std::string_view text, std::size_t at);

// The number of hexadecimal digits of the word at `at`; 0 if it has other letters.
std::size_t hex_length(std::string_view text, std::size_t at);

// The digits of an address in a table of sockets such as /proc/net/tcp: "0400000A:0016". The other
// address must be beside it. 0 if there is none.
std::size_t socket_digits(std::string_view text, std::size_t at);

// The first four octets at `at` in a dump: "0a 00 00 04 45" and "0a00 0004 4500".
std::optional<Ipv4At> octets_of_dump(std::string_view text, std::size_t at);

// The value of hexadecimal digits.
std::uint32_t ipv4_of_hex(std::string_view digits);
Ipv6 ipv6_of_hex(std::string_view digits);

}  // namespace manactl::host
