// SPDX-License-Identifier: MIT
//
// Parses one line of a hex dump, for hex_dump.cpp.

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace manactl::cli {

enum class LineForm : std::uint8_t {
  plain,      // groups without an offset
  colon,      // "00000000: 01 02  ..": print_hex_dump and xxd
  canonical,  // "00000000  01 02  |..|": hexdump -C
  octal,      // "0000000 0201 0403": od and hexdump; the offset may be octal
  repeated,   // "*"
  other,      // not a line of a dump
};

struct HexLine {
  LineForm form = LineForm::other;
  std::size_t number = 0;                // from 1
  bool has_prefix = false;               // the line begins with log text
  std::string_view offset;               // digits
  std::vector<std::string_view> groups;  // digits; numbers of a C array start with "0x"
  std::string_view ascii;
  std::string_view invalid_word;  // if form is other: the first word that is not hexadecimal
};

HexLine parse_hex_line(std::string_view text);

bool is_hex_digits(std::string_view text);

}  // namespace manactl::cli
