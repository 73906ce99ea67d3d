// SPDX-License-Identifier: MIT

#include "host/ip_spellings.h"

#include <arpa/inet.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "host/scrub_text.h"

namespace manactl::host {
namespace {

// The longest address with its port. It bounds the time for a long run of digits.
constexpr std::size_t kMaxAddressLength = 64;

constexpr std::string_view kDots[] = {".", "\\.", "\\\\.", "[.]", "%2E", "%2e"};

// The separator at `at`; empty if there is none.
std::string_view separator_at(std::string_view text, std::size_t at, char separator) {
  const auto rest = text.substr(std::min(at, text.size()));
  if (separator != '.') return rest.substr(0, rest.starts_with(separator) ? 1 : 0);
  const auto* dot = std::find_if(
      std::begin(kDots), std::end(kDots), [&](auto one) { return rest.starts_with(one); });
  return rest.substr(0, dot == std::end(kDots) ? 0 : dot->size());
}

// Whether an address may begin after the colon before `at`: after a label such as "addr:" or
// "add:", but not within an address or a time.
bool follows_label(std::string_view text, std::size_t at) {
  constexpr std::size_t kMinLetters = 3;
  bool letters = true;
  auto end = at - 1;
  for (; end > 0 && is_alphanumeric(text[end - 1]); --end) {
    if (!is_hex(text[end - 1])) return true;
    letters = letters && !is_digit(text[end - 1]);
  }
  return letters && at - 1 - end >= kMinLetters && (end == 0 || text[end - 1] != ':');
}

// Removes a port: ".546" as in tcpdump, or ":443" after eight groups.
std::string_view without_port(std::string_view text) {
  const auto begin = text.find_last_of(".:") + 1;
  const auto port = text.substr(begin);
  const bool numeric = !port.empty() && std::all_of(port.begin(), port.end(), is_digit);
  return numeric ? text.substr(0, begin - 1) : std::string_view();
}

// The address at the start of `candidate`, which contains only digits, colons and dots.
std::optional<Ipv6At> first_ipv6(std::string_view candidate) {
  if (std::count(candidate.begin(), candidate.end(), ':') < 2) return std::nullopt;
  while (candidate.ends_with('.') || (candidate.ends_with(':') && !candidate.ends_with("::")))
    candidate.remove_suffix(1);
  for (auto part : {candidate, without_port(candidate)}) {
    if (const auto address = parse_ipv6(part)) return Ipv6At{*address, part.size()};
  }
  return std::nullopt;
}

// "fd00%3A%3A7" in a URL
std::optional<Ipv6At> encoded_ipv6_at(std::string_view text, std::size_t at) {
  constexpr std::size_t kMaxDigits = 4;
  if (!is_hex(text[at]) || !begins_url_word(text, at) || (at > 0 && text[at - 1] == '%'))
    return std::nullopt;
  const auto rest = text.substr(at, kMaxDigits + 1);
  const auto digits = std::find_if_not(rest.begin(), rest.end(), is_hex);
  if (digits == rest.end() || *digits != '%') return std::nullopt;
  const auto is_colon = [&](std::size_t place) {
    return text.substr(place, 2) == "%3" && lower(at_or_end(text, place + 2)) == 'a';
  };
  std::string decoded;
  std::vector<std::size_t> ends = {at};  // of the characters of `decoded`
  while (decoded.size() < kMaxAddressLength) {
    const auto place = ends.back();
    const bool colon = is_colon(place);
    if (!colon && !is_hex(at_or_end(text, place))) break;
    decoded += colon ? ':' : text[place];
    ends.push_back(place + (colon ? 3 : 1));
  }
  if (is_alphanumeric(at_or_end(text, ends.back()))) return std::nullopt;
  const auto found = first_ipv6(decoded);
  if (!found) return std::nullopt;
  return Ipv6At{found->address, ends[found->end], true};
}

bool is_socket_at(std::string_view text, std::size_t at, std::size_t digits) {
  constexpr std::size_t kPort = 4;
  return begins_word(text, at) && hex_length(text, at) == digits &&
         at_or_end(text, at + digits) == ':' && hex_length(text, at + digits + 1) == kPort &&
         at_or_end(text, at + digits + 1 + kPort) != ':';
}

}  // namespace

bool begins_url_word(std::string_view text, std::size_t at) {
  return begins_word(text, at) ||
         (at >= 3 && text[at - 3] == '%' && is_hex(text[at - 2]) && is_hex(text[at - 1]));
}

std::optional<Ipv4At> ipv4_at(std::string_view text, std::size_t at, char separator) {
  if (at > 0 && is_digit(text[at - 1]) && !begins_url_word(text, at)) return std::nullopt;
  Ipv4At found;
  for (int group = 0; group < 4; ++group) {
    if (group > 0) {
      const auto between = separator_at(text, at, separator);
      if (between.empty()) return std::nullopt;
      if (group == 1) found.separator = between;
      at += between.size();
    }
    unsigned value = 0;
    std::size_t digits = 0;
    for (; is_digit(at_or_end(text, at)) && digits < 4; ++at, ++digits) {
      value = value * 10 + static_cast<unsigned>(text[at] - '0');
    }
    if (digits == 0 || digits > 3 || value > 255) return std::nullopt;
    found.address = found.address << 8U | value;
  }
  found.end = at;
  return found;
}

std::size_t count_groups(std::string_view text, std::size_t at) {
  std::size_t groups = 0;
  while (groups < 2 && at_or_end(text, at) == '.' && is_digit(at_or_end(text, at + 1))) {
    ++groups;
    const auto end = at + kMaxAddressLength;
    for (++at; at < end && is_digit(at_or_end(text, at));) ++at;
  }
  return groups;
}

bool is_rpm_release(std::string_view text, std::size_t at) {
  static constexpr std::string_view kDistributions[] = {
      ".el", ".azl", ".cm", ".fc", ".amzn", ".suse", ".lp", ".mga"};
  if (at_or_end(text, at) != '-' || !is_digit(at_or_end(text, at + 1))) return false;
  const auto end = at + kMaxAddressLength;
  for (++at; at < end && is_digit(at_or_end(text, at));) ++at;
  const auto rest = text.substr(std::min(at, text.size()));
  return std::any_of(std::begin(kDistributions), std::end(kDistributions), [&](auto one) {
    return rest.starts_with(one);
  });
}

std::optional<Ipv6> parse_ipv6(std::string_view text) {
  Ipv6 bytes{};
  if (inet_pton(AF_INET6, std::string(text).c_str(), bytes.data()) != 1) return std::nullopt;
  return bytes;
}

bool may_begin_ipv6(std::string_view text, std::size_t at) {
  return begins_word(text, at) && (at == 0 || text[at - 1] != ':' || follows_label(text, at));
}

std::optional<Ipv6At> ipv6_at(std::string_view text, std::size_t at) {
  if (const auto encoded = encoded_ipv6_at(text, at)) return encoded;
  if (!may_begin_ipv6(text, at)) return std::nullopt;
  std::size_t end = at;
  const auto limit = std::min(text.size(), at + kMaxAddressLength);
  while (end < limit && (is_hex(text[end]) || text[end] == ':' || text[end] == '.')) ++end;
  if (is_alphanumeric(at_or_end(text, end))) return std::nullopt;
  auto found = first_ipv6(text.substr(at, end - at));
  if (found) found->end += at;
  return found;
}

std::size_t hex_length(std::string_view text, std::size_t at) {
  std::size_t end = at;
  const auto limit = std::min(text.size(), at + kMaxAddressLength);
  while (end < limit && is_hex(text[end])) ++end;
  return is_alphanumeric(at_or_end(text, end)) ? 0 : end - at;
}

std::size_t socket_digits(std::string_view text, std::size_t at) {
  for (const auto digits : {kHexIpv4, kHexIpv6}) {
    const auto step = digits + 6;  // "0400000A:0016 "
    if (!is_socket_at(text, at, digits)) continue;
    const bool before = at >= step && text[at - 1] == ' ' && is_socket_at(text, at - step, digits);
    const bool after =
        at_or_end(text, at + step - 1) == ' ' && is_socket_at(text, at + step, digits);
    if (before || after) return digits;
  }
  return 0;
}

std::optional<Ipv4At> octets_of_dump(std::string_view text, std::size_t at) {
  constexpr std::size_t kDigits = 8;
  for (const std::size_t width : {2U, 4U}) {
    std::string digits;
    auto place = at;
    while (digits.size() < kDigits && hex_length(text, place) == width) {
      digits += text.substr(place, width);
      place += width + 1;
    }
    const auto end = place - 1;
    const bool after = at_or_end(text, end) == ' ' && hex_length(text, end + 1) == width;
    const bool before =
        at > width && text[at - 1] == ' ' && hex_length(text, at - width - 1) == width;
    const bool spaced = digits.size() == kDigits &&
                        text.substr(at, end - at).find_first_not_of("0123456789abcdefABCDEF ") ==
                            std::string_view::npos;
    if (spaced && (before || after)) return Ipv4At{ipv4_of_hex(digits), end, width == 2 ? " " : ""};
  }
  return std::nullopt;
}

std::uint32_t ipv4_of_hex(std::string_view digits) {
  std::uint64_t value = 0;
  for (const char c : digits) value = with_digit(value, c);
  return static_cast<std::uint32_t>(value);
}

Ipv6 ipv6_of_hex(std::string_view digits) {
  Ipv6 value{};
  for (std::size_t i = 0; i < kHexIpv6 && i < digits.size(); ++i) {
    auto& byte = value.at(i / 2);
    byte = static_cast<std::uint8_t>(with_digit(byte, digits[i]));
  }
  return value;
}

}  // namespace manactl::host
