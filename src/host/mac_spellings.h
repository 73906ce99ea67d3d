// SPDX-License-Identifier: MIT
//
// The spellings of MAC addresses, EUI-64 identifiers and VMBus ids in texts. A MAC address is a
// number of 48 bits, an EUI-64 one of 64 bits.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace manactl::host {

inline constexpr std::uint64_t kMaxMac = 0xffffffffffffULL;
inline constexpr std::uint64_t kLocalBit = 0x02;  // of the first octet: the U/L bit (RFC 4291)
inline constexpr std::size_t kMacOctets = 6;
inline constexpr std::size_t kEuiOctets = 8;
inline constexpr std::size_t kUuidLength = 36;  // 000d3a76-3bd0-000d-3a76-3bd0000d3a76

// Whether IEEE assigned the first three octets to Microsoft.
bool is_microsoft(std::uint64_t mac);

// True for MAC addresses that identify nobody: zero, broadcast, the gateway of every Azure VM.
bool identifies_nobody(std::uint64_t mac);

std::uint64_t reversed(std::uint64_t mac);
std::uint64_t with_flipped_bit(std::uint64_t mac);  // the U/L bit
bool is_eui(std::uint64_t eui);                     // whether it contains a MAC address
std::uint64_t mac_of_eui(std::uint64_t eui);
std::uint64_t eui_of_mac(std::uint64_t mac);

std::uint64_t number_of(std::string_view digits);
bool has_letter(std::string_view digits);  // a to f
bool has_octet(std::string_view text, std::size_t at);

// The number of hexadecimal digits at `at`. Stops after 40 digits, so that a long run costs little.
std::size_t digits_at(std::string_view text, std::size_t at);

// Octets of two digits each, with or without separators.
struct Octets {
  std::array<std::size_t, 2 * kEuiOctets> places{};  // of the digits
  std::uint64_t value = 0;
  std::size_t begin = 0, end = 0;
};

// There must be a digit at `at`.
std::optional<Octets> read_octets(std::string_view text, std::size_t at, std::size_t count);

// Appends the octets with the same separators and the digits of `value`.
void append_octets(std::string_view text,
                   const Octets& octets,
                   std::size_t count,
                   std::uint64_t value,
                   std::string& out);

// Four groups of one to four digits that are an EUI-64, as in an IPv6 interface id:
// "20d:3aff:fe76:3bd0".
struct Groups {
  std::uint64_t value = 0;
  std::size_t end = 0;
  char separator = ':';
};

std::optional<Groups> read_groups(std::string_view text, std::size_t at);

bool is_uuid_at(std::string_view text, std::size_t at);
std::string without_dashes(std::string_view uuid);

}  // namespace manactl::host
