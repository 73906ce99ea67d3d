// SPDX-License-Identifier: MIT
//
// Types for addresses and names. parse() validates a text once, when it enters the program; it
// fails with Errc::invalid and a message that quotes the text. str() returns the canonical form.
// NOLINT on a defaulted <=>: clang-tidy takes a 0 in the generated code for a null pointer.

#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace manactl {

// A PCI address: "7870:00:00.0". The domain is required, as in sysfs and in devargs of net_mana.
struct PciAddress {
  std::uint32_t domain = 0;
  std::uint8_t bus = 0;
  std::uint8_t device = 0;    // 0 to 31
  std::uint8_t function = 0;  // 0 to 7

  static Result<PciAddress> parse(std::string_view text);
  std::string str() const;
  auto operator<=>(const PciAddress&) const = default;  // NOLINT(modernize-use-nullptr)
};

// The id of a VMBus device or device class: "f8615163-df3e-46c5-913f-f2d2f965ed0e", in lower case.
// parse() accepts braces around it, the format of class_id in sysfs.
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

  static Result<MacAddress> parse(std::string_view text);  // "00:0d:3a:76:3b:d0"
  std::string str() const;                                 // lower case

  bool is_multicast() const { return (bytes[0] & 1U) != 0; }

  bool is_zero() const { return bytes == std::array<std::uint8_t, 6>{}; }

  auto operator<=>(const MacAddress&) const = default;  // NOLINT(modernize-use-nullptr)
};

// An IPv4 address: "10.0.0.4". The four decimal numbers have no leading zeros.
struct Ipv4Address {
  std::uint32_t value = 0;  // in host byte order

  static Result<Ipv4Address> parse(std::string_view text);
  std::string str() const;
  auto operator<=>(const Ipv4Address&) const = default;  // NOLINT(modernize-use-nullptr)
};

// A set of CPUs in the kernel's list format, "0-3,8" (cpuset(7)).
struct CpuList {
  std::vector<unsigned> cpus;  // ascending, no duplicates

  static Result<CpuList> parse(std::string_view text);
  std::string str() const;
  bool operator==(const CpuList&) const = default;
};

// The name or an alternative name of a network interface, which need not exist. At most 127 bytes
// (ALTIFNAMSIZ - 1, linux/if.h) without '/', ':', blanks, control characters or a leading '-'. "."
// and ".." are rejected as well.
class InterfaceName {
 public:
  static Result<InterfaceName> parse(std::string_view text);

  const std::string& str() const { return text_; }

  auto operator<=>(const InterfaceName&) const = default;  // NOLINT(modernize-use-nullptr)

 private:
  std::string text_;
};

// A release of one to three numbers: "22.11.11". The suffix of "6.8.0-1062-azure" is ignored.
struct Release {
  unsigned major = 0, minor = 0, patch = 0;

  static Result<Release> parse(std::string_view text);
  std::string str() const;                           // "22.11.11"
  auto operator<=>(const Release&) const = default;  // NOLINT(modernize-use-nullptr)
};

}  // namespace manactl
