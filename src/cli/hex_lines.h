// SPDX-License-Identifier: MIT
//
// For hex_dump.cpp: one line of a dump taken apart.

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace manactl::cli {

enum class LineForm : std::uint8_t {
  plain,      // groups alone
  colon,      // "00000000: 01 02  ..": print_hex_dump and xxd
  canonical,  // "00000000  01 02  |..|": hexdump -C
  octal,      // "0000000 0201 0403": od and hexdump; nobody knows whether octal
  repeated,   // "*"
  other,      // no dump
};

struct HexLine {
  LineForm form = LineForm::other;
  std::size_t number = 0;                // from 1
  bool has_prefix = false;               // text of a log in front of it
  std::string_view offset;               // digits
  std::vector<std::string_view> groups;  // digits, "0x" in front of numbers
  std::string_view ascii;
  std::string_view wrong;  // of other: the first word that is not hexadecimal
};

HexLine parse_hex_line(std::string_view text);

bool is_hex_digits(std::string_view text);

}  // namespace manactl::cli
