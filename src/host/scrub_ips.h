// SPDX-License-Identifier: MIT
//
// Finds and replaces IP addresses. An address gets the same replacement in all spellings. A
// replacement never equals an address that was learned.

#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "host/ip_spellings.h"
#include "host/scrub_text.h"

namespace manactl::host {

class IpReplacer {
 public:
  // Collects the IP addresses in `text`.
  void learn(std::string_view text);

  // True if no more addresses are collected.
  bool is_full() const { return ipv4_.size() + ipv6_.size() >= kMaxKnown; }

  // If an IP address begins at `at`, appends its replacement. Returns the length of the address in
  // `text`; 0 if there is none.
  std::size_t replace(std::string_view text, std::size_t at, std::string& out);

  std::size_t count() const { return used_ipv4_ + used_ipv6_; }  // of replaced addresses

 private:
  std::string replacement_of(std::uint32_t address);
  std::string replacement_of(const Ipv6& address);
  std::size_t replace_ipv4(std::string_view text, std::size_t at, std::string& out);
  std::size_t replace_ipv6(std::string_view text, std::size_t at, std::string& out);
  void learn_socket(std::string_view text, std::size_t at);
  std::size_t replace_dump(std::string_view text, std::size_t at, std::string& out);
  std::size_t replace_joined(std::string_view text, std::size_t at, std::string& out);
  std::size_t replace_hex(std::string_view text, std::size_t at, std::string& out);
  std::size_t replace_start(std::string_view text, std::size_t at, std::string& out);
  bool is_ipv4_here(std::string_view text,
                    std::size_t at,
                    std::size_t end,
                    std::uint32_t address) const;

  // Replacements by address; empty until the first use.
  std::map<std::uint32_t, std::uint32_t> ipv4_;
  std::map<Ipv6, Ipv6> ipv6_;
  std::set<std::uint32_t> ipv4_replacements_;
  std::set<Ipv6> ipv6_replacements_;
  std::uint32_t used_ipv4_ = 0, used_ipv6_ = 0;  // numbers of the last replacements
};

}  // namespace manactl::host
