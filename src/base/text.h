// SPDX-License-Identifier: MIT
//
// Strict parsing and safe printing of text. Nothing here allocates more than its result.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace manactl {

std::string_view trim(std::string_view text);

// Pieces between separators; empty pieces are kept. The views live as long as `text`.
std::vector<std::string_view> split(std::string_view text, char separator);

// Words between blanks, tabs and newlines; no empty ones.
std::vector<std::string_view> words(std::string_view text);

// Decimal digits only: no sign, blank, prefix or leading zero ("08" and " 8" are refused).
Result<std::uint64_t> parse_unsigned(std::string_view text, std::uint64_t max = UINT64_MAX);

// Hexadecimal digits with an optional "0x", as sysfs prints ids.
Result<std::uint64_t> parse_hex(std::string_view text, std::uint64_t max = UINT64_MAX);

// Text from outside, fit for a terminal and one line: control characters and bytes that are not
// UTF-8 become \xNN, and more than `max_bytes` of it is cut with "...".
std::string printable(std::string_view text, std::size_t max_bytes = 400);

// The candidate that is most like `word`, or empty when none is near enough to be meant.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

// "1.5 MiB", "640 KiB", "12 B".
std::string human_bytes(std::uint64_t bytes);

std::string join(const std::vector<std::string>& pieces, std::string_view separator);

}  // namespace manactl
