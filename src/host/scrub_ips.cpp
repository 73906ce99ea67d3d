// SPDX-License-Identifier: MIT

#include "host/scrub_ips.h"

#include <arpa/inet.h>

#include <algorithm>

#include "base/result.h"
#include "host/ip_spellings.h"
#include "host/scrub_text.h"

namespace manactl::host {
namespace {

std::string text_of(std::uint32_t address, std::string_view separator) {
  return fmt::format("{1}{0}{2}{0}{3}{0}{4}",
                     separator,
                     address >> 24U,
                     (address >> 16U) & 0xff,
                     (address >> 8U) & 0xff,
                     address & 0xff);
}

// Appends `text` with other separators.
void append_replaced(std::string_view text,
                     char separator,
                     std::string_view replacement,
                     std::string& out) {
  for (const char c : text) out += separator == c ? replacement : std::string_view(&c, 1);
}

// Addresses that identify no machine, and netmasks.
bool identifies_nobody(std::uint32_t address) {
  constexpr std::uint32_t kWireServer = 0xa83f8110;       // 168.63.129.16
  constexpr std::uint32_t kMetadataService = 0xa9fea9fe;  // 169.254.169.254
  const auto first = address >> 24U;
  return first == 127 || first == 0 || first == 255 || address == kWireServer ||
         address == kMetadataService;
}

// The networks of RFC 1918 and RFC 6598.
bool is_private(std::uint32_t address) {
  return address >> 24U == 10 || address >> 20U == 0xac1 || address >> 16U == 0xc0a8 ||
         address >> 22U == 0x191;
}

bool identifies_nobody(const Ipv6& address) {
  return std::all_of(address.begin(), address.end() - 1, [](auto byte) { return byte == 0; }) &&
         address.back() <= 1;
}

bool is_link_local(const Ipv6& address) {
  return address[0] == 0xfe && (address[1] & 0xc0) == 0x80;
}

// The IPv4 address in an IPv4-mapped IPv6 address.
std::optional<std::uint32_t> mapped(const Ipv6& address) {
  const bool zeros =
      std::all_of(address.begin(), address.begin() + 10, [](auto b) { return b == 0; });
  if (!zeros || address[10] != 0xff || address[11] != 0xff) return std::nullopt;
  std::uint32_t result = 0;
  for (std::size_t i = 12; i < address.size(); ++i) result = result << 8U | address.at(i);
  return result;
}

std::uint32_t swapped(std::uint32_t value) {
  return __builtin_bswap32(value);
}

Ipv6 with_swapped_words(Ipv6 address) {  // the format of /proc/net/tcp6 on little-endian machines
  for (auto word = address.begin(); word != address.end(); word += 4) std::reverse(word, word + 4);
  return address;
}

}  // namespace

std::string IpReplacer::replacement_of(std::uint32_t address) {
  if (identifies_nobody(address) || ipv4_replacements_.count(address) != 0)
    return text_of(address, ".");
  auto& replacement = ipv4_[address];
  // RFC 2544 reserves 198.18.0.0/15 for benchmarks. After these, 240.0.0.0/4 of RFC 1112, which
  // nobody uses, has more than kMaxKnown.
  constexpr std::uint32_t kFirst = 0xc6120000, kCount = 1U << 17U, kFirstOfRest = 0xf0000000;
  while (replacement == 0) {
    const auto number = ++used_ipv4_;
    const auto candidate = (number < kCount ? kFirst : kFirstOfRest) + number;
    if (ipv4_.count(candidate) == 0 && ipv4_replacements_.insert(candidate).second)
      replacement = candidate;
  }
  return text_of(replacement, ".");
}

std::string IpReplacer::replacement_of(const Ipv6& address) {
  const auto ipv4 = mapped(address);
  if (ipv4) return "::ffff:" + replacement_of(*ipv4);
  std::array<char, INET6_ADDRSTRLEN> text{};
  Ipv6 result = address;
  if (!identifies_nobody(address) && ipv6_replacements_.count(address) == 0) {
    auto& replacement = ipv6_[address];
    while (replacement == Ipv6{}) {
      // RFC 3849 reserves 2001:db8::/32 for documentation.
      auto candidate = *parse_ipv6(is_link_local(address) ? "fe80::db8:0:0" : "2001:db8:5c::");
      ++used_ipv6_;
      candidate[13] = static_cast<std::uint8_t>(used_ipv6_ >> 16U);
      candidate[14] = static_cast<std::uint8_t>(used_ipv6_ >> 8U);
      candidate[15] = static_cast<std::uint8_t>(used_ipv6_);
      if (ipv6_.count(candidate) == 0 && ipv6_replacements_.insert(candidate).second)
        replacement = candidate;
    }
    result = replacement;
  }
  inet_ntop(AF_INET6, result.data(), text.data(), text.size());
  return text.data();
}

// Whether four numbers are an address: in "libibverbs.so.1.14.44.0" and "6.6.134.1-1.azl3" they are
// a version. A fifth number is a port, as in tcpdump.
bool IpReplacer::is_ipv4_here(std::string_view text,
                              std::size_t at,
                              std::size_t end,
                              std::uint32_t address) const {
  const bool known = ipv4_.count(address) != 0;
  if (!known && !is_private(address) && is_rpm_release(text, end)) return false;
  const auto groups = count_groups(text, end);
  if (groups > 1 && !known) return false;
  if (at > 0 && text[at - 1] == '.') {
    const bool ellipsis = at > 1 && text[at - 2] == '.';
    return ellipsis || (known && !text.substr(0, at).ends_with(".so."));
  }
  const bool alone = begins_url_word(text, at) && !is_alphanumeric(at_or_end(text, end));
  return alone || known || is_private(address);
}

void IpReplacer::learn(std::string_view text) {
  for (std::size_t at = 0; at < text.size() && !is_full(); ++at) {
    if (text[at] != ':' && !is_hex(text[at])) continue;
    if (const auto found = ipv6_at(text, at)) {
      if (const auto ipv4 = mapped(found->address)) ipv4_.try_emplace(*ipv4);
      if (!identifies_nobody(found->address)) ipv6_.try_emplace(found->address);
      at = found->end - 1;
      continue;
    }
    learn_socket(text, at);
    const auto ipv4 = ipv4_at(text, at, '.');
    if (ipv4 && !identifies_nobody(ipv4->address) &&
        is_ipv4_here(text, at, ipv4->end, ipv4->address)) {
      ipv4_.try_emplace(ipv4->address);
    }
  }
}

// Collects an address in a table of sockets such as /proc/net/tcp.
void IpReplacer::learn_socket(std::string_view text, std::size_t at) {
  const auto digits = socket_digits(text, at);
  if (digits == kHexIpv4) {
    const auto ipv4 = swapped(ipv4_of_hex(text.substr(at, digits)));
    if (!identifies_nobody(ipv4)) ipv4_.try_emplace(ipv4);
  } else if (digits == kHexIpv6) {
    const auto ipv6 = with_swapped_words(ipv6_of_hex(text.substr(at, digits)));
    if (!identifies_nobody(ipv6)) ipv6_.try_emplace(ipv6);
  }
}

std::size_t IpReplacer::replace_ipv6(std::string_view text, std::size_t at, std::string& out) {
  const auto found = ipv6_at(text, at);
  if (!found) return may_begin_ipv6(text, at) ? replace_start(text, at, out) : 0;
  append_replaced(replacement_of(found->address), ':', found->is_encoded ? "%3A" : ":", out);
  return found->end - at;
}

// Replaces a known IPv6 address that other characters follow: "fe80::1.546:eth0".
std::size_t IpReplacer::replace_start(std::string_view text, std::size_t at, std::string& out) {
  const auto rest = text.substr(at, INET6_ADDRSTRLEN);
  auto start = rest.substr(0, rest.find_first_not_of("0123456789abcdefABCDEF:"));
  for (; std::count(start.begin(), start.end(), ':') >= 2; start.remove_suffix(1)) {
    const auto address = parse_ipv6(start);
    if (!address || ipv6_.count(*address) == 0) continue;
    out += replacement_of(*address);
    return start.size();
  }
  return 0;
}

std::size_t IpReplacer::replace_ipv4(std::string_view text, std::size_t at, std::string& out) {
  const auto found = ipv4_at(text, at, '.');
  if (!found || !is_ipv4_here(text, at, found->end, found->address)) return 0;
  append_replaced(replacement_of(found->address), '.', found->separator, out);
  return found->end - at;
}

// Replaces a known IPv4 address in a dump: "0a 00 00 04 45", "0a00 0004 4500".
std::size_t IpReplacer::replace_dump(std::string_view text, std::size_t at, std::string& out) {
  const auto found = begins_word(text, at) ? octets_of_dump(text, at) : std::nullopt;
  if (!found || identifies_nobody(found->address) || ipv4_.count(found->address) == 0) return 0;
  (void)replacement_of(found->address);
  const auto replacement = ipv4_[found->address];
  out += fmt::format("{0:02x}{4}{1:02x} {2:02x}{4}{3:02x}",
                     replacement >> 24U,
                     (replacement >> 16U) & 0xff,
                     (replacement >> 8U) & 0xff,
                     replacement & 0xff,
                     found->separator);
  return found->end - at;
}

// Replaces a known IPv4 address in a name: "ip-10-0-0-4", "vm_10_0_0_4".
std::size_t IpReplacer::replace_joined(std::string_view text, std::size_t at, std::string& out) {
  for (const char separator : {'-', '_'}) {
    const auto found = ipv4_at(text, at, separator);
    if (!found || ipv4_.count(found->address) == 0 || identifies_nobody(found->address)) continue;
    append_replaced(replacement_of(found->address), '.', found->separator, out);
    return found->end - at;
  }
  return 0;
}

// Replaces a known address in hexadecimal digits: "0x0a000004", and both byte orders as in
// /proc/net/tcp and /proc/net/if_inet6.
std::size_t IpReplacer::replace_hex(std::string_view text, std::size_t at, std::string& out) {
  const bool prefixed = follows_0x(text, at);
  if (!prefixed && !begins_word(text, at)) return 0;
  const auto length = hex_length(text, at);
  if (length == kHexIpv4 || (prefixed && length == kHexIpv4 - 1)) {
    const auto value = ipv4_of_hex(text.substr(at, length));
    // Eight decimal digits are more often another number, unless a port follows.
    bool letter = at_or_end(text, at + length) == ':' && hex_length(text, at + length + 1) == 4;
    for (const char c : text.substr(at, length)) letter = letter || !is_digit(c);
    for (const bool swap : {false, true}) {
      const auto address = swap ? swapped(value) : value;
      if ((!letter && !prefixed) || identifies_nobody(address) || ipv4_.count(address) == 0)
        continue;
      (void)replacement_of(address);
      const auto replacement = ipv4_[address];
      out += fmt::format("{:0{}x}", swap ? swapped(replacement) : replacement, length);
      return length;
    }
  }
  if (length != kHexIpv6) return 0;
  const auto value = ipv6_of_hex(text.substr(at, length));
  for (const bool swap : {false, true}) {
    const auto known = ipv6_.find(swap ? with_swapped_words(value) : value);
    if (known == ipv6_.end()) continue;
    (void)replacement_of(known->first);
    for (const auto byte : swap ? with_swapped_words(known->second) : known->second) {
      out += fmt::format("{:02x}", byte);
    }
    return length;
  }
  return 0;
}

std::size_t IpReplacer::replace(std::string_view text, std::size_t at, std::string& out) {
  if (text[at] != ':' && !is_hex(text[at])) return 0;
  if (const auto length = replace_ipv6(text, at, out)) return length;
  if (is_digit(text[at])) {
    if (const auto length = replace_ipv4(text, at, out)) return length;
    if (const auto length = replace_joined(text, at, out)) return length;
  }
  if (const auto length = replace_dump(text, at, out)) return length;
  return replace_hex(text, at, out);
}

}  // namespace manactl::host
