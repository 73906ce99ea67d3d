// SPDX-License-Identifier: MIT
//
// Addresses and names that are checked once, at the edge; after that a wrong one cannot be spelled.
// Every parse() answers Errc::invalid with a sentence that names the text.
// NOLINT: clang-tidy takes the 0 that the result of a defaulted <=> is compared with for a pointer.

#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace manactl {

// "7870:00:00.0"; the domain is required, because that is how sysfs and net_mana name functions.
struct PciAddress {
  std::uint32_t domain = 0;
  std::uint8_t bus = 0;
  std::uint8_t device = 0;    // 0 to 31
  std::uint8_t function = 0;  // 0 to 7

  static Result<PciAddress> parse(std::string_view text);
  std::string str() const;
  auto operator<=>(const PciAddress&) const = default;  // NOLINT(modernize-use-nullptr)
};

// A VMBus device instance or class, "f8615163-df3e-46c5-913f-f2d2f965ed0e", kept in lower case.
// Braces, as sysfs class_id has them, are accepted.
class VmbusId {
 public:
  static Result<VmbusId> parse(std::string_view text);

  const std::string& str() const { return text_; }

  auto operator<=>(const VmbusId&) const = default;  // NOLINT(modernize-use-nullptr)

 private:
  std::string text_;
};

struct MacAddress {
  std::array<std::uint8_t, 6> bytes{};

  static Result<MacAddress> parse(std::string_view text);  // six hex pairs with ':'
  std::string str() const;                                 // lower case

  bool is_multicast() const { return (bytes[0] & 1U) != 0; }

  bool is_zero() const { return bytes == std::array<std::uint8_t, 6>{}; }

  auto operator<=>(const MacAddress&) const = default;  // NOLINT(modernize-use-nullptr)
};

// In host order; text is four decimal numbers, none with a leading zero.
struct Ipv4Address {
  std::uint32_t value = 0;

  static Result<Ipv4Address> parse(std::string_view text);
  std::string str() const;
  auto operator<=>(const Ipv4Address&) const = default;  // NOLINT(modernize-use-nullptr)
};

// The kernel's list format: "0-3,8".
struct CpuList {
  std::vector<unsigned> cpus;  // ascending, no duplicates

  static Result<CpuList> parse(std::string_view text);
  std::string str() const;
  bool operator==(const CpuList&) const = default;
};

// A network interface name or alternative name: no '/', blank, ':' or control character, not "." or
// "..", at most 127 bytes (ALTIFNAMSIZ - 1, linux/if.h). Whether it exists is another question.
class InterfaceName {
 public:
  static Result<InterfaceName> parse(std::string_view text);

  const std::string& str() const { return text_; }

  auto operator<=>(const InterfaceName&) const = default;  // NOLINT(modernize-use-nullptr)

 private:
  std::string text_;
};

// A dotted release with up to three numbers: "22.11.11", "6.8.0-1062-azure" (the rest is ignored).
struct Release {
  unsigned major = 0, minor = 0, patch = 0;

  static Result<Release> parse(std::string_view text);
  std::string str() const;                           // "22.11.11"
  auto operator<=>(const Release&) const = default;  // NOLINT(modernize-use-nullptr)
};

}  // namespace manactl
