// SPDX-License-Identifier: MIT

#include "host/scrub_macs.h"

#include <algorithm>

#include "base/result.h"
#include "host/mac_spellings.h"
#include "host/scrub_text.h"

namespace manactl::host {
namespace {

// Between the octets or groups of a MAC address that is collected.
constexpr std::string_view kSeparators = ":-_.";

// True in names of interfaces: "enx000d3a763bd0".
bool follows_enx(std::string_view text, std::size_t at) {
  return at >= 3 && lower(text[at - 3]) == 'e' && lower(text[at - 2]) == 'n' &&
         lower(text[at - 1]) == 'x';
}

bool continues_digits(std::string_view text, std::size_t at) {
  return at > 0 && is_hex(text[at - 1]) && !follows_escape(text, at);
}

}  // namespace

void MacReplacer::add(std::uint64_t mac) {
  if (identifies_nobody(mac) || is_full() || !macs_.try_emplace(mac, 0).second) return;
  reversed_.try_emplace(reversed(mac), 0);
  for (const auto key : {mac, with_flipped_bit(mac), reversed(mac)}) first_octets_.set(key >> 40U);
}

// An EUI-64 contains the U/L bit of the MAC address inverted (RFC 4291) or, from some drivers, as
// it is. Assigned MAC addresses have a U/L bit of 0.
void MacReplacer::add_eui(std::uint64_t eui) {
  const auto mac = mac_of_eui(eui);
  const bool inverted = (mac & kLocalBit << 40U) != 0;
  add(with_flipped_bit(mac));
  if (!inverted) add(mac);
}

// Adds the MAC addresses that a sequence of octets contains. The sequence may be a MAC address, a
// DHCP client id or a DUID (RFC 8415), an Ethernet header ("MAC=" of netfilter), or contain EUI-64
// identifiers, as addresses of IPoIB do.
void MacReplacer::add_octets(std::string_view octets) {
  const auto mac_at = [&](std::size_t at) {
    add(number_of(octets.substr(2 * at, 2 * kMacOctets)));
  };
  const std::size_t count = octets.size() / 2;
  if (count < kMacOctets) return;
  if (count == kMacOctets) return mac_at(0);
  if (count == kMacOctets + 1) return mac_at(1);
  for (std::size_t at = 0; at + kEuiOctets <= count; ++at) {
    const auto eui = number_of(octets.substr(2 * at, 2 * kEuiOctets));
    if (is_eui(eui)) add_eui(eui);
  }
  for (std::size_t at = 0; at < count; ++at) {
    const auto rest = octets.substr(2 * at);
    if (rest.starts_with("00010001") && at + 14 <= count) return mac_at(at + 8);
    if (rest.starts_with("00030001") && at + 10 <= count) return mac_at(at + 4);
  }
  constexpr std::size_t kEthernetHeader = 14;
  if (count != kEthernetHeader) return;
  mac_at(0);
  mac_at(kMacOctets);
}

// Collects the MAC addresses in octets with the same separator everywhere. Returns the end of the
// sequence.
std::size_t MacReplacer::learn_octets(std::string_view text, std::size_t at) {
  if (!has_octet(text, at)) return at;
  const char separator = at_or_end(text, at + 2);
  if (kSeparators.find(separator) == std::string_view::npos) return at;
  std::string octets;
  for (;;) {
    octets += lower(text.substr(at, 2));
    at += 2;
    if (at_or_end(text, at) != separator || !has_octet(text, at + 1)) break;
    ++at;
  }
  if (separator != ':' && is_hex(at_or_end(text, at))) return at;
  // Six numbers with dots or dashes are also versions and times.
  const bool plain =
      separator == ':' || has_letter(octets) || is_microsoft(number_of(octets.substr(0, 12)));
  if (plain) add_octets(octets);
  return at;
}

// Collects MAC addresses in groups of four digits: "000d.3a76.3bd0" and EUI-64.
void MacReplacer::learn_groups(std::string_view text, std::size_t at) {
  if (const auto groups = read_groups(text, at)) return add_eui(groups->value);
  constexpr std::size_t kLength = 14;
  if (at + kLength > text.size()) return;
  const auto candidate = text.substr(at, kLength);
  const char separator = candidate[4];
  const bool shaped = kSeparators.find(separator) != std::string_view::npos &&
                      candidate[9] == separator && digits_at(candidate, 0) == 4 &&
                      digits_at(candidate, 5) == 4 && digits_at(candidate, 10) == 4;
  if (!shaped || is_alphanumeric(at_or_end(text, at + kLength))) return;
  const bool continues =
      (at > 0 && text[at - 1] == separator) ||
      (at_or_end(text, at + kLength) == separator && is_hex(at_or_end(text, at + kLength + 1)));
  std::string digits(candidate);
  std::erase(digits, separator);
  const auto mac = number_of(digits);
  if (!continues && (has_letter(digits) || is_microsoft(mac))) add(mac);
}

// Collects MAC addresses without separators where their meaning is certain: in names such as
// enx000d3a763bd0, in VMBus ids, as EUI-64, or with a prefix of Microsoft.
void MacReplacer::learn_bare(std::string_view text, std::size_t at) {
  constexpr std::size_t kDigits = 2 * kMacOctets;
  constexpr std::size_t kEuiDigits = 2 * kEuiOctets;
  if (is_uuid_at(text, at)) {
    const auto digits = without_dashes(text.substr(at, kUuidLength));
    const auto mac = std::string_view(digits).substr(0, kDigits);
    if (lower(digits.substr(kDigits)).starts_with(lower(mac))) add(number_of(mac));
    return;
  }
  const auto length = digits_at(text, at);
  if (length == kDigits) {
    const auto mac = number_of(text.substr(at, kDigits));
    if (follows_enx(text, at) || is_microsoft(mac)) add(mac);
  } else if (length >= kEuiDigits && !is_alphanumeric(at_or_end(text, at + length))) {
    const auto eui = number_of(text.substr(at + length - kEuiDigits, kEuiDigits));
    if (is_eui(eui)) add_eui(eui);
  }
}

void MacReplacer::learn(std::string_view text) {
  std::size_t sequence_end = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!is_hex(text[at])) continue;
    if (!follows_0x(text, at) && !follows_enx(text, at) && !begins_word(text, at)) continue;
    if (at >= sequence_end) sequence_end = learn_octets(text, at);
    learn_groups(text, at);
    learn_bare(text, at);
  }
}

// Returns the replacement, or null if the MAC address is not known. Replacements are locally
// administered addresses, numbered in order of appearance.
std::uint64_t* MacReplacer::find(std::uint64_t mac) {
  const auto found = macs_.find(mac);
  if (found == macs_.end()) {
    const auto swapped = reversed_.find(mac);
    if (swapped == reversed_.end()) return nullptr;
    swapped->second = reversed(*find(reversed(mac)));
    return &swapped->second;
  }
  if (found->second == 0) {
    constexpr std::uint64_t kFirst = kLocalBit << 40U;
    do ++used_;
    while (macs_.count(kFirst + used_) != 0);
    found->second = kFirst + used_;
  }
  return &found->second;
}

std::optional<std::uint64_t> MacReplacer::find_eui(std::uint64_t eui) {
  const auto mac = mac_of_eui(eui);
  const bool inverted = (mac & kLocalBit << 40U) != 0;  // as add_eui() assumes
  for (const bool flip : {inverted, !inverted}) {
    const auto* image = find(flip ? with_flipped_bit(mac) : mac);
    if (image != nullptr) return eui_of_mac(flip ? with_flipped_bit(*image) : *image);
  }
  return std::nullopt;
}

// Replaces MAC addresses in VMBus ids. Azure's ids contain the 12 digits twice, then the first 8.
std::size_t MacReplacer::replace_uuid(std::string_view text, std::size_t at, std::string& out) {
  if (!is_uuid_at(text, at)) return 0;
  auto digits = without_dashes(text.substr(at, kUuidLength));
  bool changed = false;
  for (std::size_t place = 0; place + 12 <= digits.size(); place += 12) {
    const auto* image = find(number_of(std::string_view(digits).substr(place, 12)));
    if (image == nullptr) continue;
    digits.replace(place, 12, fmt::format("{:012x}", *image));
    changed = true;
  }
  const auto head = number_of(std::string_view(digits).substr(24));
  const auto mac = macs_.lower_bound(head << 16U);
  if (mac != macs_.end() && mac->first >> 16U == head) {
    digits.replace(24, 8, fmt::format("{:08x}", *find(mac->first) >> 16U));
    changed = true;
  }
  if (!changed) return 0;
  for (const std::size_t dash : {8U, 13U, 18U, 23U}) digits.insert(dash, "-");
  out += digits;
  return kUuidLength;
}

// Replaces a MAC address or an EUI-64 with two digits per octet, wherever it begins.
std::size_t MacReplacer::replace_octets(std::string_view text, std::size_t at, std::string& out) {
  const auto octets = read_octets(text, at, kMacOctets);
  if (!octets) return 0;
  if (const auto* image = find(octets->value)) {
    append_octets(text, *octets, kMacOctets, *image, out);
    return octets->end - at;
  }
  const auto eui = read_octets(text, at, kEuiOctets);
  if (!eui || !is_eui(eui->value)) return 0;
  const auto image = find_eui(eui->value);
  if (!image) return 0;
  append_octets(text, *eui, kEuiOctets, *image, out);
  return eui->end - at;
}

// Replaces an EUI-64 in groups without leading zeros.
std::size_t MacReplacer::replace_groups(std::string_view text, std::size_t at, std::string& out) {
  if (continues_digits(text, at)) return 0;
  const auto groups = read_groups(text, at);
  if (!groups) return 0;
  const auto image = find_eui(groups->value);
  if (!image) return 0;
  out += fmt::format("{:x}{}{:x}{}{:x}{}{:x}",
                     *image >> 48U,
                     groups->separator,
                     (*image >> 32U) & 0xffff,
                     groups->separator,
                     (*image >> 16U) & 0xffff,
                     groups->separator,
                     *image & 0xffff);
  return groups->end - at;
}

// Replaces a MAC address without leading zeros, the format of ether_ntoa(3): "0:d:3a:76:3b:d0".
std::size_t MacReplacer::replace_short_octets(std::string_view text,
                                              std::size_t at,
                                              std::string& out) {
  if (continues_digits(text, at)) return 0;
  std::uint64_t mac = 0;
  std::size_t end = at;
  for (std::size_t i = 0; i < kMacOctets; ++i) {
    if (i > 0 && at_or_end(text, end++) != ':') return 0;
    const auto length = digits_at(text, end);
    if (length == 0 || length > 2) return 0;
    mac = mac << 8U | number_of(text.substr(end, length));
    end += length;
  }
  const auto* image = find(mac);
  if (image == nullptr) return 0;
  for (std::size_t i = 0; i < kMacOctets; ++i) {
    out += fmt::format("{}{:x}", i == 0 ? "" : ":", (*image >> (8 * (kMacOctets - 1 - i))) & 0xff);
  }
  return end - at;
}

// Replaces a MAC address that is printed as a number: "0xd3a763bd0".
std::size_t MacReplacer::replace_number(std::string_view text, std::size_t at, std::string& out) {
  constexpr std::size_t kMinDigits = 8;
  const auto length = follows_0x(text, at) ? digits_at(text, at) : 0;
  if (length < kMinDigits || length > 2 * kEuiOctets) return 0;
  const auto value = number_of(text.substr(at, length));
  const auto* image = find(value);
  if (image == nullptr) return 0;
  out += fmt::format("{:0{}x}", *image, length);
  return length;
}

std::size_t MacReplacer::replace(std::string_view text, std::size_t at, std::string& out) {
  if (macs_.empty() || !is_hex(text[at])) return 0;
  if (const auto length = replace_number(text, at, out)) return length;
  if (begins_word(text, at)) {
    if (const auto length = replace_uuid(text, at, out)) return length;
  }
  const bool possible = has_octet(text, at) && first_octets_.test(number_of(text.substr(at, 2)));
  if (possible) {
    if (const auto length = replace_octets(text, at, out)) return length;
  }
  if (const auto length = replace_groups(text, at, out)) return length;
  return replace_short_octets(text, at, out);
}

}  // namespace manactl::host
