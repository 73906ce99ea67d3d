// SPDX-License-Identifier: MIT
//
// Finds MAC addresses in every common spelling, and replaces the known ones. A MAC address gets the
// same replacement everywhere, also inside VMBus ids and EUI-64 identifiers.

#pragma once

#include <bitset>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "host/scrub_text.h"

namespace manactl::host {

class MacReplacer {
 public:
  // Collects the MAC addresses in `text`.
  void learn(std::string_view text);

  // True if no more addresses are collected.
  bool is_full() const { return macs_.size() >= kMaxKnown; }

  // If a known MAC address begins at `at`, appends its replacement in the same spelling. Returns
  // the length of the address in `text`; 0 if there is none.
  std::size_t replace(std::string_view text, std::size_t at, std::string& out);

  std::size_t count() const { return used_; }  // of replaced addresses

 private:
  void add(std::uint64_t mac);
  void add_octets(std::string_view octets);
  void add_eui(std::uint64_t eui);
  std::size_t learn_octets(std::string_view text, std::size_t at);
  void learn_groups(std::string_view text, std::size_t at);
  void learn_bare(std::string_view text, std::size_t at);
  std::uint64_t* find(std::uint64_t mac);
  std::optional<std::uint64_t> find_eui(std::uint64_t eui);
  std::size_t replace_uuid(std::string_view text, std::size_t at, std::string& out);
  std::size_t replace_octets(std::string_view text, std::size_t at, std::string& out);
  std::size_t replace_groups(std::string_view text, std::size_t at, std::string& out);
  std::size_t replace_short_octets(std::string_view text, std::size_t at, std::string& out);
  std::size_t replace_number(std::string_view text, std::size_t at, std::string& out);

  // Replacements by MAC address; also with the octets of both reversed, as little-endian machines
  // print a MAC address in a register.
  std::map<std::uint64_t, std::uint64_t> macs_, reversed_;
  std::uint64_t used_ = 0;         // number of the last replacement
  std::bitset<256> first_octets_;  // of the keys of both maps, with both values of the U/L bit
};

}  // namespace manactl::host
