// SPDX-License-Identifier: MIT
//
// Bytes out of text: plain hexadecimal, and the dumps of the kernel's print_hex_dump, xxd, hexdump
// and od, with whatever a log puts in front of them.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace manactl::cli {

// Bytes of a dump, a '*' and what it stands for included. The largest queue has as many.
inline constexpr std::size_t kLargestDump = 1U << 20;

// How a group of more than two digits is read: as bytes in their order, or as one little-endian
// number. `automatic` goes by the form of the dump, and by its text column.
enum class GroupOrder : std::uint8_t { automatic, bytes, words };

struct HexDump {
  std::vector<std::vector<std::uint8_t>> parts;  // one for each dump; an offset of 0 begins one
  std::vector<std::string> notes;                // what was assumed
};

// Errc::invalid names the line that is wrong. There is at least one part, and none is empty.
Result<HexDump> parse_hex_dump(std::string_view text, GroupOrder order);

// A word is hexadecimal, and not the name of a file: "05000000", "0x1f", "05,00".
bool looks_hexadecimal(std::string_view word);

// Has bytes that no text has.
bool looks_binary(std::string_view bytes);

}  // namespace manactl::cli
