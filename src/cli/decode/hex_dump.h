// SPDX-License-Identifier: MIT
//
// Parses bytes from text: plain hexadecimal, and dumps of the kernel's print_hex_dump(), xxd,
// hexdump and od, with or without log prefixes.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace manactl::cli {

// Limit on the bytes of a dump, including the lines that '*' stands for: the size of the largest CQ
// of Linux (mana.h).
inline constexpr std::size_t kMaxDump = 1U << 20;
inline constexpr std::size_t kMaxDumpText = 16 * kMaxDump;  // with offsets, text and log lines

// How to read a group of more than two digits: as bytes in memory order, or as one little-endian
// number (a word). `automatic` chooses by the form of the dump and by its text column.
enum class GroupOrder : std::uint8_t { automatic, bytes, words };

struct HexDump {
  // The bytes of each dump in the text. An offset of 0 starts a new dump.
  std::vector<std::vector<std::uint8_t>> parts;
  std::vector<std::string> notes;  // assumptions and skipped lines
};

// Errors are Errc::invalid and name the line. Returns at least one part; no part is empty.
Result<HexDump> parse_hex_dump(std::string_view text, GroupOrder order);

// True for "05000000", "0x1f" and "05,00". A file with such a name must be given as "./NAME".
bool looks_hexadecimal(std::string_view word);

// True if `bytes` contains control characters that do not occur in text files.
bool looks_binary(std::string_view bytes);

}  // namespace manactl::cli
